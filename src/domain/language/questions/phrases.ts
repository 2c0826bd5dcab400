/** The words of questions in one table: a role a line, with every phrase that has it, and the tree that finds them. */

/** A value that is made when it is first read, and then kept: for tables that many processes never need. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** What a question may be about. */
export type Subject = 'spend' | 'balance' | 'budget' | 'projects' | 'schedules' | 'watches' | 'help';

interface Row {
  /** What a question with one of these phrases is about. */
  readonly about?: Subject;
  /** The roles or subjects, one of which these phrases need beside them to have a meaning; `a+b` needs both. */
  readonly beside?: readonly string[];
  /** The words of commands with the same meaning. */
  readonly says?: string;
  /** Separated by commas; `a|b` either, `[a]` or nothing, `jump~` with its endings. */
  readonly phrases: string;
}

const LISTS = ['projects', 'schedules', 'watches', 'noun'] as const;
const FIGURES = ['spend', 'average', 'peak', 'why', 'figures', 'numbers', 'rank', 'money'] as const;
const ASKED_CHANGE = ['why', 'past', 'have', 'spend+is'] as const;

/* biome-ignore format: a role a line is what makes the table readable */
const ROWS = {
  // What is asked
  spend: { about: 'spend', phrases: 'spend|spends|spent|spending|spendings, expense|expenses|expenditure|expenditures, cost~, costings, pays|paid|paying [for], to cost|spend|pay, burn|burns|burnt|burned|burning [through], go|goes|gone|going|went through|into, shell~ out, fork|forked out, set us|me back, actuals, actual cost|costs|spend|spending, ran|run|runs|racked up, bill|bills|billed, charges|charged|charging, damage, how expensive|costly|pricey, price, spend|spends|spent|spending|cost|costs|pay|paid|charge|charged [us] anything, breakdown [of], break down' },
  destination: { about: 'spend', says: 'all', phrases: 'where did|does|do|is|are|has|have|was [all] money|cash|spend|cost~ go|goes|going|gone|went [to], where do|did|are|have we spend|spent|spending [money], what do|did|are|have|were we spend|spent|spending money|cash on' },
  // Needs another word: as an order they ask for something Tally can't do, as in “pay the bill for prod”.
  pay: { about: 'spend', beside: ['amount', 'what', 'why', 'past', 'have', 'future', 'average', 'rank'], phrases: 'pay|charge [for]' },
  use: { about: 'spend', phrases: 'use|uses|used|using|usage, consume~, consumption, invoice~' },
  average: { about: 'spend', phrases: '[on|in] average|averages, avg, avg/day, per|a|each|every|by day, /day, day by day, daily, daily average|mean, average|mean|typical daily, [on] mean|average|typical|usual|normal day, typical|typically, mean cost|costs|spend|spending, [daily] burn rate' },
  peak: { about: 'spend', phrases: '[on] which|what day|days|date, peak|peaks|peaked [day], biggest|highest|costliest|worst|priciest|largest|heaviest|top|cheapest|lowest|smallest day, [most|least] expensive|costly day, lowest|highest spend|cost day, day with highest|biggest|largest|most|lowest|smallest|least' },
  least: { beside: ['peak', 'noun', 'which'], phrases: 'cheapest, lowest, least expensive|costly, cost|costs|spend|spent least' },
  forecast: { about: 'spend', phrases: 'predict, forecast|forecasts|forecasted|forecasting, projection|projections, prediction, prognosis, estimate|estimates|estimation, end up at, where will|do|would we|i end up, where will|does|would, land|lands [at|on]' },
  balance: { about: 'balance', phrases: '[account] balance|balances|bal [and runway], bonus|bonuses, runway and balance, days|weeks|months left|remaining, left [over], left to spend, remaining [balance], remains|remain, runway|runways, in bank|account, rest of money' },
  credit: { about: 'balance', beside: ['balance'], phrases: 'credit|credits, budgets is|are [running|getting] low' },
  lasting: { about: 'balance', phrases: '[about to] run|runs|running|ran out|dry|empty [of money|cash|funds|budget], hit|hits|reach|reaches zero, dry up, out of money|cash|funds, used up, be|is|are empty|gone|exhausted|depleted, last us, funded, keep running|going, [i|we] need|have to top up|refill, [run|runs|running|getting] low [on money|cash|funds|credit]' },
  soonest: { about: 'balance', says: 'all', phrases: 'shortest|least runway' },
  ends: { about: 'balance', beside: ['money', 'when', 'howLong'], phrases: 'finished, gone, exhausted, depleted' },
  empty: { about: 'balance', beside: ['is', 'money', 'when', 'howLong'], phrases: 'empty' },
  lasts: { about: 'balance', phrases: 'last|lasts' },
  budget: { about: 'budget', phrases: 'budget [vs|versus actual|actuals], over|against|vs|versus [its] budget' },
  schedules: { about: 'schedules', phrases: 'schedules, scheduled [posts|reports|messages], posts|reports|messages is|are scheduled' },
  watches: { about: 'watches', phrases: 'watch, watches|alerts|alarms|budgets [and watches|alerts|alarms|budgets]' },
  help: { about: 'help', phrases: 'what can|could|do|else you|i|we|tally do|ask|know|understand|offer|answer|say|tell|use|request [me|us|you] [about] [for me|us] [with you], what you can do, what else can you|i|we do|ask, what can you help [me|us] with, who|what are you, what is tally, what is job|purpose, what are you good for, what [else] are you able to do, what are you capable of, how do|does you|this|it|tally [bot] work, how do|can|could|should i|we use [you|this|it|tally] [bot], how to use [you|this|it|tally] [bot], how can|could you|tally help [me|us], your commands|features|capabilities, show|list commands, which|what commands|questions [are there] [do|are you] [know|understand] [can i|we|you use|ask|answer|understand] [do you know|understand], what kind|kinds|sort|sorts of questions|things [can i|we|you ask|do|answer], help [me|us] [out], can|could you help [me|us] [out]' },
  // What is said of it
  why: { phrases: 'why, how come, what [is|was|has] made|makes|making|caused|causes|causing|drove|drives|driving|driven|pushed|pushing|explains, what is|was running|eating up, what [has|is] changed [on], what [has] happened [to|with], what is|was|lies|lay behind, which|what days|projects drove|caused|made, reason|reasons [for|behind|of], cause|causes [for|of], explain, explanation [for|of]' },
  change: { beside: [...ASKED_CHANGE, 'is+joint'], phrases: 'so|that much|high|expensive|costly|big|many|low, this much, expensive, costly, high, become|became, go|goes|going|went|gone|shoot|shot|jumped|rising|rose up|down, up, up or down, rise|rises|rising|rose|risen, jump~, increase~, grow|grows|growing|grew|grown|growth, spike~, climb~, double~, explode~, surge~, drop|drops|dropped|dropping, fall|falls|fell|falling, decrease~, change|changes|changed' },
  more: { beside: ['why', 'than', 'which', 'stepBefore', 'spend+past', 'spend+have', 'spend+is'], phrases: '[much] more|less, [much] higher|lower|bigger|smaller' },
  pricier: { about: 'spend', beside: ['is', 'than', 'which', 'stepBefore', ...ASKED_CHANGE], phrases: '[get|gets|getting|got] [much] more|less expensive|costly, [get|gets|getting|got] [much] cheaper|costlier|pricier' },
  joint: { says: 'vs', phrases: 'vs|versus|against, up|down|higher|lower on|from|over|against, [as] compared|compare|compares to|with|against, relative to, in comparison to|with' },
  than: { beside: ['more', 'pricier'], phrases: 'than' },
  sameBefore: { beside: ['joint', 'than', 'compare'], says: 'last year', phrases: 'same month|week|quarter|period|time|days|day [of] last year, same month|week|quarter|period|time|days|day year ago|before|earlier, year before|earlier' },
  yearOnYear: { says: 'vs last year', phrases: 'year over|on year, yoy, vs|versus|against|than this time last year, compared to|with this time last year' },
  stepBefore: { phrases: 'vs|versus|against|than|with|to same period|time|point|stage [of|in] last|previous|prior week|month|quarter, vs|versus|against weekend before [that], day over|on day, week over|on week, month over|on month, quarter over|on quarter, [compared|comparison|relative] vs|versus|against|than|with|to [in|on] one|period|day|week|month|quarter before [that|it], [compared|comparison|relative] vs|versus|against|than|with|to [in|on] prior|preceding|previous|prev one|period|day|week|month|quarter, up|down|higher|lower on|from|over|against one|period|day|week|month|quarter before [that|it], up|down|higher|lower on|from|over|against prior|preceding|previous|prev one|period|day|week|month|quarter' },
  compare: { phrases: 'compare|comparing|comparison [between|of], difference|variance|delta [in spend|spending|cost|costs] [between], differ' },
  rank: { beside: ['spend', 'noun', 'peak', 'who', 'when'], phrases: 'top [project|projects], most [expensive|costly], biggest|largest|highest|costliest|priciest|heaviest, rank' },
  by: { beside: ['rank', 'noun', 'everything'], phrases: 'in terms|order of cost|costs|spend|spending, by cost|costs|spend|spending|amount, sorted|ranked|ordered by cost|costs|spend|spending|amount' },
  first: { beside: ['lasting'], phrases: 'first, soonest, sooner, next, earliest' },
  which: { beside: ['rank', 'least', 'more', 'pricier', 'first', 'lasting', 'balance', 'budget', 'projects', 'schedules', 'watches'], phrases: 'which [one] [of]' },
  who: { beside: ['lasting'], phrases: 'who' },
  everything: { says: 'all', phrases: 'everything, all|each|every [of] projects|project, any project, per|by project, by|across|among|between projects' },
  csv: { phrases: '[as|in|to] csv [file|export|format] [with|of], export~, download~, file with|of|for, as|in|to|into file, [as|in|into] spreadsheet|excel [of|with|for]' },
  details: { phrases: '[in|more] details|detail, detailed' },
  numbers: { phrases: '[as] chart|graph|plot [of], trend|history [of], numbers, figures, stats, statistics, overview, summary, report' },
  figures: { phrases: 'look|looks [like], how high|big|large, doing, looking, how is|are|was|were, situation, status, where are we, where do we stand [with], split, broken down, develop|developed|evolve|evolved' },
  unanswered: { beside: [], phrases: 'in $|€|dollars|euros|usd|eur, average|mean|avg spend|spending|cost|costs per project, [on] average per project, do|did|does|will|would you cost|spend|charge|pay, let me|us know when|once, one|single day of, which|what week|weeks|month|months|quarter|quarters|year|years, biggest|largest|highest|top invoice|invoices, set|create|make [up] watch|alert|alarm|budget|schedule|post|report' },
  past: { beside: [...FIGURES, 'amount', 'more', 'pricier', 'change', 'than', 'noun', 'budget', 'compare', 'joint'], phrases: 'did, was, were, had' },
  have: { beside: ['money', 'spend', 'average', 'peak', 'change', 'more', 'pricier', 'balance', 'budget', 'compare', ...LISTS], phrases: 'have, has, got, having, available, how has|have, is|are|was|were there' },
  future: { beside: ['spend', 'lasting', 'lasts', 'average', 'forecast', 'budget'], phrases: 'will, would, going|expected|likely|projected|predicted|estimated|expecting|forecasted to, do|does you|we expect [to], gonna, expect, expected, projected, predicted, estimated' },
  can: { beside: ['lasting', 'lasts'], phrases: 'can, could' },
  ask: { beside: ['csv', 'compare', 'numbers', ...LISTS], phrases: 'can|could|may|might i|we, send' },
  monthEnd: { beside: ['future', 'forecast'], phrases: '[by|at|until|till|before] end of [this|current] month, by months|month end, [by|at|until] month end, [by] eom' },
  endUp: { beside: ['spend'], phrases: 'end|ends|ended|ending up' },
  howLong: { beside: ['have', 'empty', 'lasting', 'lasts', 'balance', 'money'], phrases: 'how [much] long|longer, how much time, how long|soon until|till|before, how many days|weeks|months [until|till|before], until|till when' },
  when: { beside: ['lasting', 'lasts', 'ends', 'empty', 'peak', 'rank'], phrases: '[by] when, how soon, [on] which|what day|date does|do|will' },
  now: { beside: ['balance', 'lasting', 'budget', ...LISTS], phrases: 'now, right now, soon, currently, at moment, at present, as of now, still, there, yet' },
  kept: { beside: ['budget', 'watches'], phrases: 'kept|keep|keeps|keeping, hold|holds|holding|held, exceed~, pass|passed|passing, reached, blown|blow|blew, within|inside|under|below|above, on track [with|for], keeping|keep|keeps|kept|stick|sticks|sticking to, good on, enough, stay|stays|stayed|staying, go|goes|went|gone|going over, broken|broke|break, respected, met, fine' },
  money: { beside: ['spend', 'average', 'peak', 'balance', 'lasting', 'lasts', 'budget', 'howLong'], phrases: '[enough] money|cash|funds' },
  quantity: { beside: ['money', 'balance', 'budget', 'have', 'lasting', ...LISTS], phrases: 'any, some, anything' },
  total: { phrases: '[in] total, altogether, overall, total amount, sum, combined' },
  noun: { phrases: 'projects, project, spender, spenders' },
  list: { beside: LISTS, phrases: 'list [of], set [up], configured, defined, active, registered, known, know about, exist|exists|existing, see' },
  reference: { phrases: 'it, that, its, this|that one|project, them, they, those' },
  thanks: { phrases: '[no|ok|many|great] thanks|thx|ty|tysm|cheers|danke|merci|gracias [lot|bunch|ton|million] [so|very much] [again|anyway|but] [in advance] [all|everyone|guys|team|mate|folks|bot], [no] thank you [so|very much] [again|anyway|but] [in advance] [all|everyone|guys|team|mate|folks|bot], thanks|thx|ty for [quick|fast] help|info|answer|reply|response, thank you for [quick|fast] help|info|answer|reply|response, for help, [much|really] appreciated, [i|we] appreciate it|that, that helps|helped, much obliged, you rock, that is|was helpful|great|perfect|all, very helpful, got it, no worries, never mind thanks, and thank you, and thanks' },
  // Filler words
  amount: { phrases: '[about|roughly|exactly] how much, how many, what amount, amount [of], $|$$|€' },
  what: { phrases: 'what, which is' },
  is: { phrases: 'is, are' },
  filler: { phrases: 'at, how do|did|does, do, does, am, be, been, being, over, we, i, us, me, you, i wonder [if], i am|was wondering [if], do you know [if|whether], just, exactly, roughly, approximately, approx, actually, already, really, and then, then, so, together, still' },
  request: { phrases: 'tell me|us if|whether, let me|us know if|whether, could|can|would anyone|someone|somebody [tell|show|give|send] [me|us], any idea, do you happen to know, do you|we know, run me, need, pull|bring|look up, pull, fetch, display, find out, gimme, provide, please|kindly share [with me|us], share with me|us, make me|us, explain me|us, i wonder whether|if, it would be great if, show|tell|give|get|say [me|us] [know|see|have], send me|us, can|could|would|will you [all] [run|make|pull|fetch|display|provide|share|tell|show|give|get|send|say|let|help] [up] [me|us] [know|see|have|understand|find|get], can|could|may|might i|we get|see|have|know|ask|check|find|look [out|up|at|for|about] [you] [about], i|we want|need|like|love [to] [know|see|have|ask|check|find|get|understand] [out|about], i|we would like|love|need [to] [know|see|have|ask|check|find|get|understand] [out], i am|was looking for, let me|us know|see|ask|check, pls, plz, kindly, check, mind telling|showing me|us' },
  article: { phrases: 'a, an, teh, our, my, your, both, across, calendar' },
  polite: { phrases: 'i mean|meant, oops, how are you [doing] [today], hello|hi|hey|yo|hallo|dear [there|all|team|everyone|guys|folks], tally, ok, okay, great, nice, perfect, cool, awesome, alright, good morning|afternoon|evening|day|job|work [there|all|team|everyone|guys|folks], well done, nice work|job, morning, sorry [but] [to bother you], excuse me, [a|one|just] [quick|small|short|simple] question [for you], quick one, question, fyi, btw, by way, asap, if possible, if you can|could, when|if you have minute|moment|second|time, [have|you] got minute|moment|second|sec, best regards|wishes, regards, kind|warm regards, sincerely, bye, have nice|good|great|lovely day|one|evening|night|week|weekend, urgent, just checking, checking, hope you are [doing] well|fine|good, hope all is well, hope this finds you well, sup, howdy, please and, super, as soon as you can, no rush, no hurry, for [board|team|planning|budget|status|finance|weekly|monthly|quarterly|management] meeting|call|review|deck|presentation|slides|sync|report, i|we am|are preparing|writing [board|team|planning|budget|status|finance|weekly|monthly|quarterly|management] meeting|call|review|deck|presentation|slides|report [and], boss|manager|cfo|cto|ceo|finance|accounting [team] [is] asking|asks|asked|wants|needs [to know]' },
} as const satisfies Record<string, Row>;

export type PhraseRole = keyof typeof ROWS;

export const ROLE_RULES: Readonly<Record<PhraseRole, Row>> = ROWS;

/** The first of these phrases that is said. */
export const firstSaid = (
  said: ReadonlyMap<PhraseRole, string>,
  ...roles: readonly PhraseRole[]
): string | undefined => roles.map((role) => said.get(role)).find((phrase) => phrase !== undefined);

/** A position in one or more patterns. Every word that a pattern allows next leads to the node after it. */
interface Node {
  readonly next: Map<string, Node[]>;
  role?: PhraseRole;
}

const newNode = (): Node => ({ next: new Map() });

interface Phrases {
  readonly root: Node;
  readonly rolesOf: Map<string, Set<PhraseRole>>;
}

const withEndings = (word: string): readonly string[] => {
  if (!word.endsWith('~')) return [word];
  const whole = word.slice(0, -1);
  const stem = whole.replace(/e$/, '');
  return [whole, `${whole}s`, `${stem}ed`, `${stem}ing`];
};

function addPattern({ root, rolesOf }: Phrases, role: PhraseRole, pattern: string): void {
  let ends: readonly Node[] = [root];
  for (const part of pattern.split(/ ?(\[.*?\]) ?/)) {
    let after = ends;
    for (const place of part.replace(/[[\]]/g, '').split(' ').filter(Boolean)) {
      const node = newNode();
      for (const word of place.split('|').flatMap(withEndings)) {
        for (const { next } of after) {
          const nodes = next.get(word) ?? [];
          nodes.push(node);
          next.set(word, nodes);
        }
        rolesOf.set(word, (rolesOf.get(word) ?? new Set()).add(role));
      }
      after = [node];
    }
    ends = part.startsWith('[') ? [...ends, ...after] : after;
  }
  for (const end of ends) end.role ??= role;
}

/** Made when it is first needed: it takes more memory than any other table, and many processes never need it. */
const allPhrases = lazy((): Phrases => {
  const all: Phrases = { root: newNode(), rolesOf: new Map() };
  for (const role of Object.keys(ROWS) as PhraseRole[])
    for (const pattern of ROWS[role].phrases.split(', ')) addPattern(all, role, pattern);
  return all;
});

/** Words that may stand between the words of a phrase and add nothing: `within our budget`, `could you please show me`. */
const BETWEEN: ReadonlySet<string> = new Set('the teh a an our my your please kindly just ,'.split(' '));

interface Phrase {
  readonly phrase: string;
  readonly role: PhraseRole;
  /** How many words it has. */
  readonly length: number;
}

/** More of them in a row belong to no phrase: without a bound “a a a …” would take the square of its length. */
const MOST_BETWEEN = 10;

/** If a phrase is in two rows, the first row counts: nodes are in the order of the table. */
const roleOf = (nodes: readonly Node[]): PhraseRole | undefined =>
  nodes.find(({ role }) => role !== undefined)?.role;

/** The longest phrase that begins there and that nothing beside it forbids. */
export function phraseAt(
  words: readonly { readonly text: string }[],
  from: number,
  fits: (phrase: string, after: string) => boolean = () => true,
): Phrase | undefined {
  let found: Phrase | undefined;
  let nodes: readonly Node[] = [allPhrases().root];
  let between = 0;
  for (let at = from; nodes.length > 0 && between <= MOST_BETWEEN && at < words.length; at++) {
    const word = words[at]?.text ?? '';
    const next: readonly Node[] = nodes.flatMap((node) => node.next.get(word) ?? []);
    if (next.length === 0 && at > from && BETWEEN.has(word)) {
      between += 1;
      continue;
    }
    [nodes, between] = [next, 0];
    const role = roleOf(nodes);
    if (role === undefined) continue;
    const phrase = words
      .slice(from, at + 1)
      .map(({ text }) => text)
      .join(' ');
    if (fits(phrase, words[at + 1]?.text ?? '')) found = { phrase, role, length: at + 1 - from };
  }
  return found;
}

export const isPhrase = (word: string): boolean =>
  roleOf(allPhrases().root.next.get(word) ?? []) !== undefined;

export const isPhraseWord = (word: string): boolean => allPhrases().rolesOf.has(word);

const wordsOf = (has: (role: PhraseRole) => boolean): readonly string[] =>
  [...allPhrases().rolesOf].flatMap(([word, roles]) =>
    /^[a-z]{3,}$/.test(word) && [...roles].some(has) ? [word] : [],
  );

const PLAIN: ReadonlySet<PhraseRole> = new Set(['filler', 'amount', 'request', 'polite'] as const);

/** Words that don't say what is asked, so that correcting a typing mistake in them changes nothing. */
export const plainWords = lazy(() => wordsOf((role) => PLAIN.has(role)));

const MEANT: ReadonlySet<PhraseRole> = new Set(['why', 'rank', 'compare', 'total'] as const);

/** Words in which a typing mistake is corrected, and the correction offered. */
export const correctableWords = lazy(() =>
  wordsOf((role) => MEANT.has(role) || ('about' in ROWS[role] && role !== 'help' && role !== 'use')).filter(
    (word) => word.length > 3 && (isPhrase(word) || word.length > 4),
  ),
);
