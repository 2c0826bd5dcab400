/** The single words of questions, by what they say; phrases of several words are in questions.peggy. */

const WORDS = {
  // What is asked
  spend:
    'spend spends spent spending spendings expense expenses expenditure expenditures cost costs costed costing costings pay pays paid paying charge charges charged charging burn burns burnt burned burning bill bills billed actual actuals damage price expensive costly pricey breakdown',
  usage: 'use uses used using usage consume consumes consumed consumption invoice invoices',
  average: 'average averages avg typical typically usual',
  forecast:
    'predict forecast forecasts forecasted forecasting projection projections prediction prognosis estimate estimates estimation land lands',
  balance: 'balance balances bal runway runways left remaining remains remain',
  bonus: 'bonus bonuses',
  credit: 'credit credits',
  lasting: 'last lasts funded',
  ends: 'finished gone exhausted depleted empty',
  budget: 'budget budgets',
  schedules: 'schedules',
  watches: 'watch watches alerts alarms',
  token: 'token tokens expire expires expiry expiring',
  // How it is asked
  csv: 'export exports download downloads excel spreadsheet file',
  details: 'detail detailed',
  why: 'reason reasons cause causes explain explanation',
  more: 'more less higher lower bigger smaller',
  pricier: 'cheaper costlier pricier',
  change:
    'up down high low become became rise rises rising rose risen jump jumps jumped jumping increase increases increased increasing grow grows growing grew grown growth spike spikes spiked climb climbs climbed climbing double doubled doubles explode exploded surge surged drop drops dropped dropping fall falls fell falling decrease decreases decreased change changes changed shoot shot',
  compare: 'compare comparing comparison difference variance delta differ',
  most: 'most biggest largest highest costliest priciest heaviest worst peak peaks peaked rank',
  least: 'cheapest lowest smallest',
  day: 'day days',
  noun: 'project projects spender spenders',
  all: 'everything total altogether overall combined',
  we: 'we our us',
  both: 'both',
  it: 'it its that this them they those these',
  again: 'again refresh repeat retry',
  same: 'same',
  plus: 'plus add',
  only: 'only instead',
  which: 'which',
  who: 'who',
  first: 'first soonest sooner earliest',
  list: 'list registered configured defined active exist exists set',
  past: 'did was were had',
  have: 'have has got having available there',
  will: 'will would gonna expect expected projected predicted estimated likely',
  can: 'can could',
  is: 'is are',
  does: 'do does',
  money: 'money cash funds',
  any: 'any some anything',
  long: 'long longer soon until till',
  when: 'when',
  now: 'now currently presently yet',
  holds:
    'kept keep keeps keeping hold holds holding held exceed exceeds exceeded pass passed passing reached blown blow blew respected met broken broke ok enough fine stay stays stick within inside under',
  here: 'here',
  numbers:
    'numbers figures stats statistics overview summary report chart graph plot trend history split evolved developed',
  // What adds nothing
  amount: 'much many amount',
  what: 'what how where',
  filler:
    'a an teh my your across calendar to am be been being i me you just exactly roughly approximately approx about around actually already really then so together still looking looks doing as at from by into with',
  courtesy:
    'pls plz kindly hello hi hey yo hallo dear tally ok okay yes yeah sorry oops great nice perfect cool awesome alright super morning fyi btw asap urgent regards sincerely bye howdy sup question',
  request: 'show tell give get say see know need check fetch display pull gimme provide find',
  tail: 'too though tho also but and',
} as const;

type PhraseRole = 'thanks' | 'break' | 'help' | 'owner' | 'sorted' | 'monthEnd' | 'lead' | 'before';
type RefusedRole = 'second' | 'unclear' | 'unbilled' | 'unanswered';

/** What a word says; the later ones are those of phrases alone. */
export type WordRole = keyof typeof WORDS | PhraseRole | RefusedRole;

/** The role of each word. */
export const WORD_ROLES: ReadonlyMap<string, WordRole> = new Map(
  (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((role) =>
    WORDS[role].split(' ').map((word) => [word, role] as const),
  ),
);

/** Things that people ask about and billing doesn't know, as a refusal names them, by what people type. */
export const UNBILLED: ReadonlyMap<string, string> = new Map(
  'services tags labels teams VMs GPUs CPUs SKUs regions zones machines servers instances clusters namespaces buckets disks databases users customers containers pods nodes departments resources applications apps environments'
    .split(' ')
    .flatMap((name) => [name, name.slice(0, -1)].map((word) => [word.toLowerCase(), name] as const)),
);

const CORRECTABLE_ROLES: ReadonlySet<string> = new Set(
  'spend average balance forecast budget most why compare noun'.split(' '),
);
/** Words in which a mistake is corrected, and the correction offered. */
export const CORRECTABLE_WORDS: readonly string[] = [
  ...[...WORD_ROLES].flatMap(([word, role]) =>
    CORRECTABLE_ROLES.has(role) && word.length > 4 ? [word] : [],
  ),
  ...'spent cost costs how much what which expensive'.split(' '),
];
