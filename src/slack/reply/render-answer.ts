import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  Overflow,
  PlainTextOption,
  StaticSelect,
} from '@slack/types';
import { type BillingRemark, remarkLead } from '../../domain/failure/index.ts';
import {
  type LabelledAmount,
  type Money,
  type MoneyFormatter,
  moneyFormatter,
  sumByLabel,
} from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import {
  actions,
  button,
  type Chart,
  type Column,
  collapsedTable,
  compact,
  context,
  escapeMarkup,
  fitsOption,
  formatInstant,
  joinTexts,
  type Message,
  markup,
  mention,
  overflow,
  quote,
  SLACK_LIMITS,
  section,
  select,
  table,
  titleBlocks,
} from '../block-kit/blocks.ts';
import {
  type Command,
  nameButton,
  outputOptions,
  scheduleOption,
  shareButton,
  watchOption,
} from '../commands/command-buttons.ts';
import {
  type AskedProjects,
  failedNotes,
  fetchEach,
  type ProjectAnswer,
  type ProjectAnswers,
  productNames,
  projectRows,
} from '../commands/project-answers.ts';
import type { Request } from '../request/request.ts';

/** What an answer is drawn from: what was asked, by whom, and the figures of each project. */
export interface AnswerView<T extends ProjectAnswer = ProjectAnswer>
  extends ProjectAnswers<T>,
    Pick<Request, 'at' | 'locale' | 'sharedBy' | 'mayShare'> {
  readonly user: Pick<Request['user'], 'canManage' | 'zone'>;
  readonly projects: AskedProjects;
  readonly fetched: Millis;
}

/** Asks about the projects of a request. @throws as {@link fetchEach} */
export async function fetchProjects<T extends ProjectAnswer>(
  projects: AskedProjects,
  { at, locale, sharedBy, mayShare, user }: Request,
  clock: () => Millis,
  ask: (target: ResolvedProject) => Promise<T>,
): Promise<AnswerView<T>> {
  const answers = await fetchEach(projects, ask);
  return { projects, ...answers, fetched: clock(), at, locale, sharedBy, mayShare, user };
}

/** What is said, in the order in which it is read. A message, a CSV and Details are drawn from it. */
export interface Answer<T = never> {
  /** The number that matters, with what it is about. */
  readonly title: string;
  /** Mrkdwn under the title, outside text escaped; lines without text are left out. */
  readonly lines: readonly string[];
  readonly chart?: Chart | undefined;
  /** A header and a line a row; folded away under a title, if it has one. */
  readonly rows?: { readonly fold?: string; readonly cells: readonly (readonly string[])[] } | undefined;
  readonly remarks: readonly BillingRemark[];
  /** The small print, plain: first what belongs on one line, then a sentence a line; empty ones are left out. */
  readonly facts: readonly string[];
  readonly notes: readonly string[];
  readonly actions: ActionsBlock;
  /** The figures with all their digits. */
  readonly file?: () => AnswerFile<T>;
}

/** What an answer says, without its buttons and its file. */
export type AnswerText = Omit<Answer, 'actions' | 'file'>;

/** A cell: text may come from outside, digits are written as they are. */
export type CsvCell = { readonly text: string } | { readonly digits: string };

/** An answer's figures with all their digits, of each project. */
export interface AnswerFile<T> {
  readonly name: string;
  /** What is between a project's ID and product, and the note. */
  readonly columns: readonly string[];
  /** What a row is for, `each day (UTC)`, and what is missing in the rows. */
  readonly each: string;
  readonly gaps: readonly string[];
  /** The cells of the columns, then the note. */
  readonly rows: (answer: T) => readonly (readonly CsvCell[])[];
  /** Name and value of each line. */
  readonly details: (answer: T) => readonly (readonly [string, string])[];
}

/** The main number first, then its meaning and the chart; notes and buttons come last. */
export function renderAnswer(view: AnswerView, answer: Omit<Answer, 'file'>): Message {
  const { title, chart, rows, remarks, actions } = answer;
  const lines = answer.lines.filter(Boolean).join('\n');
  const print = smallPrint(view, answer);
  return {
    text: title,
    blocks: compact([
      ...titleBlocks(title),
      lines !== '' && markup(lines),
      chart,
      rows && (rows.fold === undefined ? table(rows.cells) : collapsedTable(rows.fold, rows.cells)),
      ...remarks
        .slice(0, MOST_REMARKS)
        .flatMap((remark) => [section(remarkLead(remark)), ...remark.messages.map(quote)]),
      print !== '' && context(print),
      actions.elements.length > 0 && actions,
    ]),
  };
}

const MOST_REMARKS = 5;

/** An answer that everybody sees stays where it is, so it says when it was true. */
function smallPrint(
  { fetched, sharedBy }: AnswerView,
  { facts, notes }: Pick<Answer, 'facts' | 'notes'>,
): string {
  const line = compact([
    ...facts.filter(Boolean).map(escapeMarkup),
    ...(sharedBy
      ? [`${sharedBy.how} by ${mention(sharedBy.person)}`, `fetched: ${formatInstant(fetched)}`]
      : []),
  ]);
  return [line.join(' · '), ...notes.map(escapeMarkup)].filter(Boolean).join('\n');
}

/** The zone of the days, where the reader's own is another or they are several. */
export const zoneFact = ({ user, sharedBy }: AnswerView, zone: Zone): string =>
  sharedBy === undefined && user.zone === zone ? '' : zone;

/** The product that was asked about, where no name says it. */
export const productFact = ({ target: { product, alias, isOwnProduct } }: ProjectAnswer): string =>
  alias !== undefined && isOwnProduct ? '' : PRODUCTS[product].name;

/** `1,234.00 EUR spent`; a negative sum is credited. */
export const formatSpent = (value: Money, money: MoneyFormatter, [spent, credited] = SPENT): string =>
  value.lt(0) ? `${money(value.abs())} ${credited}` : `${money(value)} ${spent}`;

/** What is said after a sum, and after a negative one without its sign. */
type SumVerbs = readonly [positive: string, negative: string];
const SPENT: SumVerbs = ['spent', 'credited'];
export const LEFT: SumVerbs = ['left', 'overdrawn'];

/** `1,234.00 EUR spent and 20.00 USD credited`; '' without amounts. */
export const formatSums = (amounts: readonly LabelledAmount[], locale: string, verbs: SumVerbs): string =>
  listNames(
    sumByLabel(amounts).map(({ value, label }) => formatSpent(value, moneyFormatter(locale, label), verbs)),
  );

/**
 * `2 of 3 projects · October · 1,234.00 EUR spent`: how many have a figure, and their sum.
 * @param count how many projects there are, where that is not all
 */
export function severalTitle<T extends ProjectAnswer>(
  { answered, failed, locale }: AnswerView<T>,
  amountOf: (answer: T) => Money | undefined,
  {
    when,
    verbs = SPENT,
    count,
  }: { readonly when?: string; readonly verbs?: SumVerbs; readonly count?: string },
): string {
  const amounts = answered.flatMap((answer): LabelledAmount[] => {
    const value = amountOf(answer);
    return value === undefined ? [] : [{ value, label: answer.target.currency }];
  });
  const of = answered.length + failed.length;
  const isWhole = amounts.length === 0 || amounts.length === of;
  return joinTexts(' · ', [
    count ?? `${isWhole ? '' : `${amounts.length} of `}${pluralize(of, 'project')}`,
    when,
    formatSums(amounts, locale, verbs) || 'no figures',
  ]);
}

/** A row a project, what the service remarked about them, and why the others gave no figures. */
export function listParts<T extends ProjectAnswer>(
  { answered, failed }: AnswerView<ProjectAnswer>,
  sorted: readonly T[],
  columns: readonly Column<T>[],
): Pick<Answer, 'rows' | 'remarks' | 'facts' | 'notes'> {
  const { nameOf, facts } = productNames(answered);
  return {
    rows: { cells: projectRows(sorted, columns, failed, { nameOf }) },
    remarks: answered.flatMap(({ remarks }) => remarks),
    facts,
    notes: failedNotes(failed),
  };
}

interface AnswerActions {
  readonly link: Command;
  /** The command for the figures as a file, where that is another one. */
  readonly figures?: Command;
  readonly before: readonly ActionsBlockElement[];
  readonly after?: readonly Button[];
  /** The first options of the ⋯ menu, before files and forms. */
  readonly more: readonly PlainTextOption[];
  /** The report to schedule, and the kind of watch. */
  readonly report?: string | undefined;
  readonly watch?: string;
}

/** Other answers, **Share** unless everybody sees the answer already, a name for an ID, and the ⋯ menu. */
export function answerActions<T extends ProjectAnswer>(
  { projects, answered: [first], at, sharedBy, mayShare, user }: AnswerView<T>,
  { link, figures = link, before, after = [], more, report, watch }: AnswerActions,
): ActionsBlock {
  const { isList } = projects;
  return actions(
    ...before,
    ...(sharedBy === undefined && mayShare(projects.targets) ? shareButton(link, at) : []),
    ...after,
    ...(isList || !user.canManage || first === undefined || first.target.alias !== undefined
      ? []
      : nameButton(first.target)),
    ...moreMenu(
      compact([
        ...more,
        ...outputOptions(figures),
        // A post is about certain projects.
        projects.top === undefined && scheduleOption(projects, report),
        !isList && watchOption(projects, watch),
      ]),
    ),
  );
}

/** The ⋯ menu of an answer, whose choices each run a command; what it has no room for are buttons, whose values can be longer. */
function moreMenu(options: readonly PlainTextOption[]): (Overflow | Button)[] {
  const listed = options.filter(fitsOption).slice(0, SLACK_LIMITS.overflowOptions);
  const others = options.filter(
    (choice) => !listed.includes(choice) && (choice.value ?? '').length <= SLACK_LIMITS.buttonValue,
  );
  const buttons = others.map(({ text, value = '' }, at) => button(`rerun:more-${at}`, text.text, { value }));
  return listed.length === 0 ? buttons : [...buttons, overflow('rerun:more', listed)];
}

/** The select of periods, with the current one chosen; none where so many projects are asked about that it has no room. */
export const periodMenu = (
  options: readonly PlainTextOption[],
  current: PlainTextOption | undefined,
): StaticSelect[] => (options.every(fitsOption) ? [select('rerun:period', 'Period', options, current)] : []);
