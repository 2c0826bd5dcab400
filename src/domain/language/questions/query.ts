/** What a question says: its items, which words need others beside them, and what it is about. */
import { commandText } from '../../command-names.ts';
import { InvalidWord } from '../../failure/index.ts';
import type { Unit } from '../../time/calendar.ts';
import { clipWord } from '../../wording.ts';
import type { Place } from '../named-days.ts';
import type { Item, ParsedCommand, Reader } from '../parsed-command.ts';

/** A word or phrase of a question beside the items of commands. */
export interface WordItem extends Place {
  readonly kind: 'word';
  readonly role: WordRole;
  readonly text: string;
  /** What it says besides: `least expensive` is about spend, too. */
  readonly roles?: readonly WordRole[];
  /** Whether it means all projects: “where did the money go?”. */
  readonly isAll?: boolean;
  /** `the week before`, and whether that is compared, or may be counted from today: `the previous week`. */
  readonly unit?: Unit;
  readonly isCompared?: boolean;
  readonly isEither?: boolean;
}

/** What an item of a command is marked with where a question says more than a command can. */
interface Marks {
  /** `than last month`; a comparison that also asks for something else; the unit that it is of. */
  readonly isThan?: boolean;
  readonly isAmbiguous?: boolean;
  readonly ofUnit?: Unit;
  /** Projects that are added to those of the answer, before or after them. */
  readonly isAdded?: 'before' | 'after';
  /** `per project` */
  readonly isPer?: boolean;
  /** `exports` is an output, too. */
  readonly role?: WordRole;
  readonly roles?: readonly WordRole[];
  /** Whether it may ask for something else: “what happened?”. */
  readonly isVague?: boolean;
}

/** The other side of `cheaper than staging`. */
type ThanItem = Place & { readonly kind: 'than'; readonly name: string };

/** What a form does, with its words: `post prod spend every morning`. */
export type OrderItem = Place & {
  readonly kind: 'order';
  readonly verb: 'schedule' | 'watch';
  readonly words: readonly string[];
  /** A word that the form has no place for. */
  readonly bad?: Place | null;
  readonly isNamed: boolean;
};

export type AskedItem = ((Item | ThanItem | OrderItem) & Marks) | WordItem;

type Kind = AskedItem['kind'];
type OfKind<K extends Kind> = K extends 'word'
  ? WordItem
  : Extract<Item | ThanItem | OrderItem, { readonly kind: K | 'all' | 'help' }> &
      Marks & { readonly kind: K };
/** A role, a kind of item, or `answer` for the answer before, `about:` what it is about, `either` for two projects. */
export type Mark = WordRole | Kind | 'answer' | 'either' | `about:${Subject}`;

/** What `/billing` lists or opens. */
export type ListSubject = 'projects' | 'schedules' | 'watches' | 'help' | 'status' | 'owner';
export type Subject = 'spend' | 'balance' | 'budget' | ListSubject;

/** The command that was answered last. */
export interface LastAnswer {
  readonly command: '/spend' | '/balance';
  readonly words: ParsedCommand;
}

const ABOUT: Readonly<Partial<Record<WordRole, Subject>>> = {
  ...{ spend: 'spend', usage: 'spend', average: 'spend', forecast: 'spend', sorted: 'spend' },
  ...{ balance: 'balance', lasting: 'balance', ends: 'balance', budget: 'budget', schedules: 'schedules' },
  ...{ watches: 'watches', help: 'help', token: 'status', owner: 'owner' },
};

/** Words with a meaning only beside one of these; `a+b` are both. */
const NEEDS: Readonly<Partial<Record<Mark, string>>> = {
  more: 'why versus than which either spend+past spend+have spend+is',
  pricier: 'is past versus than which either why answer',
  change: 'why past have versus spend+is most watches',
  most: 'spend noun day change when answer',
  least: 'spend noun day which answer',
  day: 'most least top why lasting ends',
  which: 'most least top more pricier either first lasting balance budget about:projects schedules watches',
  who: 'lasting',
  first: 'lasting',
  sorted: 'noun all most top',
  list: 'noun schedules watches budget top',
  past: 'spend usage average why numbers most least more pricier change noun budget compare versus period lasting thanks bonus balance',
  have: 'money spend usage average change more pricier balance budget compare amount what long output schedules watches noun csv answer',
  why: 'spend change more pricier period past all answer',
  will: 'spend lasting ends average forecast budget balance money',
  can: 'lasting output csv noun schedules watches',
  money: 'spend average balance lasting ends budget long have amount is',
  any: 'money balance bonus budget lasting spend noun schedules watches',
  long: 'have ends lasting balance money answer',
  when: 'lasting ends most least token top long',
  holds: 'budget watches money lasting',
  monthEnd: 'will forecast budget',
  credit: 'balance',
  ends: 'money when long day is+project',
  here: 'schedules watches owner',
  either: 'which more pricier most least first compare',
  ...{ only: 'answer', again: 'answer', same: 'answer', lead: 'answer', both: 'answer project' },
  ...{ plus: '', second: '', unanswered: '' },
};

/** Items that ask nothing by themselves. */
const EMPTY: ReadonlySet<string> = new Set(
  'courtesy thanks filler what amount is does past have will can now any it we break here request lead money tail'.split(
    ' ',
  ),
);

export const markOf = (item: AskedItem): Mark => item.role ?? item.kind;
/** Whether commands have such an item. */
export const isOfCommand = (item: AskedItem): item is Item & Marks =>
  item.kind !== 'word' && item.kind !== 'than' && item.kind !== 'order' && item.kind !== 'bad';
export const isEmpty = (item: AskedItem): boolean => EMPTY.has(markOf(item));

const UNCLEAR = 'I can’t tell what {word} means here';
const EXAMPLE = `Type a command, such as ${commandText('/spend')} prod last-month.`;

/** The items of a text, by what they say. */
export class Query {
  readonly marks = new Map<Mark, AskedItem>();
  /** @param shown the text that they were read in, with its capitals */
  constructor(
    readonly items: readonly AskedItem[],
    readonly shown: string,
    readonly reader: Reader,
    readonly answered: LastAnswer | undefined,
  ) {
    for (const item of items)
      for (const mark of [markOf(item), ...(item.roles ?? [])])
        if (!this.marks.has(mark)) this.marks.set(mark, item);
    const [first] = items;
    if (answered !== undefined && first !== undefined) this.marks.set('answer', first);
  }

  with(items: readonly AskedItem[]): Query {
    return new Query(items, this.shown, this.reader, this.answered);
  }
  /** @param marks one of them is enough; `a+b` are both */
  has(...marks: readonly string[]): boolean {
    return marks.some((mark) => mark.split('+').every((each) => this.marks.has(each as Mark)));
  }
  first(...marks: readonly Mark[]): AskedItem | undefined {
    return marks.map((mark) => this.marks.get(mark)).find((item) => item !== undefined);
  }
  /** Whether each item asks nothing or is one of these. */
  hasOnly(...marks: readonly Mark[]): boolean {
    return this.items.every((item) => isEmpty(item) || marks.includes(markOf(item)));
  }
  of<K extends Kind>(kind: K): readonly OfKind<K>[] {
    return this.items.filter((item) => item.kind === kind) as unknown as readonly OfKind<K>[];
  }
  typed({ start, end }: Place): string {
    return clipWord(this.shown.slice(start, end).replaceAll(/ ?; ?/g, ' … '));
  }
  /** @param why as in InvalidWord */
  refuse(item: Place | undefined, why = UNCLEAR, works = EXAMPLE): InvalidWord {
    return new InvalidWord(item === undefined ? '' : this.typed(item), why, works);
  }
  /** Throws for the first of these that is said. @throws InvalidWord */
  refuseAny(marks: readonly Mark[], why?: string, works?: string): void {
    const item = this.items.find((each) => marks.includes(markOf(each)));
    if (item !== undefined) throw this.refuse(item, why, works);
  }
}

/** Refuses the first word that nothing beside it gives a meaning. @throws InvalidWord */
export function refuseStray(query: Query): void {
  for (const [mark, item] of query.marks) {
    const beside = NEEDS[mark];
    if (beside !== undefined && !query.has(...beside.split(' '))) throw query.refuse(item);
  }
}

/** @throws InvalidWord for two subjects */
export function subjectOf(query: Query): Subject | undefined {
  const named = new Map<Subject, AskedItem>();
  for (const item of query.items) {
    const about = item.role && ABOUT[item.role];
    if (about !== undefined && !named.has(about)) named.set(about, item);
  }
  const [bonus, budget] = [query.first('bonus'), named.get('budget')];
  // Bonuses are spent, too.
  if (bonus && !named.has('spend')) named.set(query.has('period', 'today') ? 'spend' : 'balance', bonus);
  if (budget && query.has('watches', 'list')) named.set('watches', budget);
  if (budget) for (const other of ['spend', 'balance'] as const) named.delete(other);
  if (named.has('watches')) named.delete('budget');
  if (named.size > 1) named.delete('help');
  const [[first, one] = [], [, second] = []] = [...named];
  if (second && one)
    throw query.refuse(second, `and “${query.typed(one)}” are two questions`, 'Ask one at a time.');
  return first ?? impliedSubject(query);
}

/** `projects?` */
const isShortList = (query: Query): boolean => {
  const noun = query.first('noun');
  return query.items.length < 3 && noun !== undefined && /s$/.test(query.typed(noun));
};

function impliedSubject(query: Query): Subject | undefined {
  const { answered } = query;
  if (query.has('most', 'least', 'top', 'day')) return 'spend';
  if (
    answered === undefined &&
    (query.has('change', 'pricier') || (query.has('why') && !query.hasOnly('why')))
  )
    return 'spend';
  const isList = query.hasOnly('noun', 'which', 'list', 'all') && query.has('noun') && !query.has('amount');
  const isPer = query.of('all').some((item) => item.isPer);
  if (
    isList &&
    !isPer &&
    !query.has('money', 'long') &&
    !(answered && query.has('all') && !query.has('list', 'request'))
  )
    return query.has('list', 'which', 'what', 'have', 'request', 'any') || (!answered && isShortList(query))
      ? 'projects'
      : undefined;
  const isAmount = query.has('amount', 'what', 'long', 'money');
  return isAmount && query.has('have', 'money') && !query.has('past', 'why') ? 'balance' : undefined;
}

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
