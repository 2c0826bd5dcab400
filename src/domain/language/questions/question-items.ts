/** Reads a question into items. Single words get their meaning here, phrases in questions.peggy. */
import { commandText } from '../../command-names.ts';
import { InvalidWord } from '../../failure/index.ts';
import type { Unit } from '../../time/calendar.ts';
import { clipWord } from '../../wording.ts';
import { type Item, type ParseContext, parseItems } from '../command-items.ts';
import type { ParsedCommand } from '../parsed-command.ts';
import type { TextRange } from '../phrase-calendar.ts';
import { explainBadWord, simplifyText } from '../text-cleanup.ts';

export interface WordItem extends TextRange {
  readonly kind: 'word';
  readonly role: WordRole;
  readonly text: string;
  /** Words such as `least expensive` have more than one role. */
  readonly roles?: readonly WordRole[];
  /** “Where did the money go?” is about all projects. */
  readonly isAll?: boolean;
  readonly unit?: Unit;
  readonly isCompared?: boolean;
  /** Whether the words, such as `the previous week`, may be relative to today instead of the last answer. */
  readonly isEither?: boolean;
}

interface Marks {
  readonly isThan?: boolean;
  /** Whether the words may ask for something else: “what happened?”. */
  readonly isAmbiguous?: boolean;
  /** The unit in `same week last year`. */
  readonly ofUnit?: Unit;
  /** Whether the projects go before or after those of the last answer. */
  readonly isAdded?: 'before' | 'after';
  /** Whether the question asks for each project: `per project`. */
  readonly isPer?: boolean;
  /** What else the word asks for: `exports` asks for a file. */
  readonly role?: WordRole;
  readonly roles?: readonly WordRole[];
}

type ThanItem = TextRange & { readonly kind: 'than'; readonly name: string };

/** An order that a form carries out: `post prod spend every morning`. */
export type OrderItem = TextRange & {
  readonly kind: 'order';
  readonly verb: 'schedule' | 'watch';
  readonly words: readonly string[];
  readonly bad?: TextRange | null;
  readonly isNamed: boolean;
};

export type AskedItem = ((Item | ThanItem | OrderItem) & Marks) | WordItem;

type Kind = AskedItem['kind'];
type OfKind<K extends Kind> = K extends 'word'
  ? WordItem
  : Extract<Item | ThanItem | OrderItem, { readonly kind: K | 'all' | 'help' }> &
      Marks & { readonly kind: K };
/** `answer` marks a follow-up in a thread, `either` a choice between projects, `about:…` the question's subject. */
export type Mark = WordRole | Kind | 'answer' | 'either' | `about:${Subject}`;

export type ListSubject = 'projects' | 'schedules' | 'watches' | 'help' | 'status' | 'owner';
export type Subject = 'spend' | 'balance' | 'budget' | ListSubject;

export interface LastAnswer {
  readonly command: '/spend' | '/balance';
  readonly words: ParsedCommand;
}

const EMPTY: ReadonlySet<string> = new Set(
  'courtesy thanks filler what amount is does past have will can now any it we break here request lead money tail'.split(
    ' ',
  ),
);

export const markOf = (item: AskedItem): Mark => item.role ?? item.kind;
export const isOfCommand = (item: AskedItem): item is Item & Marks =>
  item.kind !== 'word' && item.kind !== 'than' && item.kind !== 'order' && item.kind !== 'bad';
export const isEmpty = (item: AskedItem): boolean => EMPTY.has(markOf(item));

export const UNCLEAR = 'I can’t tell what {word} means here';
const EXAMPLE = `Type a command, such as ${commandText('/spend')} prod last-month.`;

export class QuestionItems {
  readonly marks = new Map<Mark, AskedItem>();
  constructor(
    readonly items: readonly AskedItem[],
    readonly shown: string,
    readonly context: ParseContext,
    readonly answered: LastAnswer | undefined,
  ) {
    for (const item of items)
      for (const mark of [markOf(item), ...(item.roles ?? [])])
        if (!this.marks.has(mark)) this.marks.set(mark, item);
    const [first] = items;
    if (answered !== undefined && first !== undefined) this.marks.set('answer', first);
  }

  with(items: readonly AskedItem[]): QuestionItems {
    return new QuestionItems(items, this.shown, this.context, this.answered);
  }
  has(...marks: readonly string[]): boolean {
    return marks.some((mark) => mark.split('+').every((each) => this.marks.has(each as Mark)));
  }
  first(...marks: readonly Mark[]): AskedItem | undefined {
    return marks.map((mark) => this.marks.get(mark)).find((item) => item !== undefined);
  }
  /** Ignores items that add nothing to a question, such as courtesies. */
  hasOnly(...marks: readonly Mark[]): boolean {
    return this.items.every((item) => isEmpty(item) || marks.includes(markOf(item)));
  }
  of<K extends Kind>(kind: K): readonly OfKind<K>[] {
    return this.items.filter((item) => item.kind === kind) as unknown as readonly OfKind<K>[];
  }
  typed({ start, end }: TextRange): string {
    return clipWord(this.shown.slice(start, end).replaceAll(/ ?; ?/g, ' … '));
  }
  /** Commands don't work in threads, so a follow-up question gets no example of a command. */
  refuse(
    item: TextRange | undefined,
    why = UNCLEAR,
    works = this.answered === undefined ? EXAMPLE : '',
  ): InvalidWord {
    return new InvalidWord(item === undefined ? '' : this.typed(item), why, works);
  }
  refuseAny(marks: readonly Mark[], why?: string, works?: string): void {
    const item = this.items.find((each) => marks.includes(markOf(each)));
    if (item !== undefined) throw this.refuse(item, why, works);
  }
}

const WORDS = {
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
  amount: 'much many amount',
  what: 'what how where',
  filler:
    'a an teh my your across calendar to am be been being i me you just exactly roughly approximately approx about around actually already really then so together still looking looks doing as at from by into with',
  courtesy:
    'pls plz kindly hello hi hey yo hallo dear tally ok okay yes yeah sorry oops great nice perfect cool awesome alright super morning fyi btw asap urgent regards sincerely bye howdy sup question',
  request: 'show tell give get say see know need check fetch display pull gimme provide find',
  tail: 'too though tho also but and',
} as const;

/** Roles of phrases. A phrase with one of the last three roles is always refused. */
type PhraseRole =
  | 'thanks'
  | 'break'
  | 'help'
  | 'owner'
  | 'sorted'
  | 'monthEnd'
  | 'lead'
  | 'before'
  | 'second'
  | 'unclear'
  | 'unanswered';
export type WordRole = keyof typeof WORDS | PhraseRole;

export const WORD_ROLES: ReadonlyMap<string, WordRole> = new Map(
  (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((role) =>
    WORDS[role].split(' ').map((word) => [word, role] as const),
  ),
);

const CORRECTABLE_ROLES: ReadonlySet<string> = new Set(
  'spend average balance forecast budget most why compare noun'.split(' '),
);
const CORRECTABLE_WORDS: readonly string[] = [
  ...[...WORD_ROLES].flatMap(([word, role]) =>
    CORRECTABLE_ROLES.has(role) && word.length > 4 ? [word] : [],
  ),
  ...'spent cost costs how much what which expensive'.split(' '),
];

const PICTURES =
  /(?<![^\s])[:;]-?[()DPp](?!\S)|:[a-z+][\w+'-]*:|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/giu;
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  // “No, staging” corrects the last question. A “no” without a comma keeps its meaning.
  [/^no\s*,/i, ''],
  [/(?<=\b(?:(?:what|how|where|when|who|that|there)['’‘´`ʼ]?|(?:it|which)['’‘´`ʼ]))s(?![a-z])/gi, ' is'],
  [/(?<=\b(?:what|how|where|when|who))['’‘´`ʼ]d(?![a-z])/gi, ' did'],
  ...Object.entries({ s: '', ve: ' have', re: ' are', ll: ' will', d: ' would', m: ' am' }).map(
    ([end, whole]) => [new RegExp(`['’‘´\`ʼ]${end}(?![a-z])`, 'gi'), whole] as const,
  ),
  [/(?<![\w-])u(?![\w-])/gi, 'you'],
  [/[?!;]+(?![a-z\d])|\n+|(?<=[a-z]{3})\.(?= [A-Z])/gi, ' ; '],
];

/** Expands “what's” to `what is`, shortens “prod's” to `prod`, and removes emoji. */
const tidyQuestion = (text: string): string =>
  simplifyText(
    CONTRACTIONS.reduce((result, [form, whole]) => result.replace(form, whole), text.replace(PICTURES, ' ')),
  );

const readItems = (shown: string, context: ParseContext, inThread: boolean): readonly AskedItem[] =>
  parseItems(shown.toLowerCase(), 'Question', context, {
    shown,
    inThread,
    aliases: context.aliases,
    roles: WORD_ROLES,
  }) as readonly AskedItem[];

/** Corrects all typos or none. `mistyped` is the first typo. */
export function readQuestionItems(text: string, context: ParseContext, inThread: boolean) {
  const typed = tidyQuestion(text);
  const asTyped = { shown: typed, items: readItems(typed, context, inThread), mistyped: undefined };
  const known = new Set([...context.aliases, ...CORRECTABLE_WORDS]);
  const unknown = asTyped.items.filter(({ kind }) => kind === 'bad');
  let [shown, mistyped] = [typed, ''];
  for (const { start, end } of unknown.toReversed()) {
    mistyped = typed.slice(start, end);
    const place = { start: 0, end: mistyped.length };
    const [meant] = explainBadWord(mistyped.toLowerCase(), place, '', known).instead;
    if (meant === undefined || !/^[a-z][a-z-]{2,19}$/i.test(mistyped)) return asTyped;
    shown = shown.slice(0, start) + meant + shown.slice(end);
  }
  if (mistyped === '') return asTyped;
  const items = readItems(shown, context, inThread);
  return items.some(({ kind }) => kind === 'bad') ? asTyped : { shown, items, mistyped };
}
