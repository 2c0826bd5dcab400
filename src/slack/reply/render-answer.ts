/** What an answer consists of, and the message that shows the answer. */
import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  Overflow,
  PlainTextOption,
  StaticSelect,
} from '@slack/types';
import { PRODUCTS } from '../../domain/billing-products.ts';
import { type BillingWarning, warningLead } from '../../domain/billing-warnings.ts';
import {
  formatMoney,
  type LabelledAmount,
  type Money,
  type MoneyFormatter,
  sumByLabel,
} from '../../domain/money/amount.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { countKnown, listNames } from '../../domain/wording.ts';
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
  instantMarkup,
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
import { askedText } from '../commands/asked-projects.ts';
import {
  type Command,
  commandButton,
  commandLine,
  commandOption,
  toCommand,
} from '../commands/command-buttons.ts';
import type { AnswerFile } from './answer-file.ts';
import {
  type AnswerView,
  failedNotes,
  type ProjectAnswer,
  productNames,
  projectRows,
} from './project-answers.ts';

export interface Answer<T = never> {
  readonly title: string;
  /** The lines are escaped mrkdwn. Empty lines are left out. */
  readonly lines: readonly string[];
  readonly chart?: Chart | undefined;
  /** The first row of `cells` is the header. With the title `fold`, the table is collapsed until clicked. */
  readonly rows?: { readonly fold?: string; readonly cells: readonly (readonly string[])[] } | undefined;
  readonly remarks: readonly BillingWarning[];
  /** The `facts` share a line of the footer, and each of the `notes` has its own line. Both are plain text. */
  readonly facts: readonly string[];
  readonly notes: readonly string[];
  readonly actions: ActionsBlock;
  readonly file?: () => AnswerFile<T>;
}

export type AnswerText = Omit<Answer, 'actions' | 'file'>;

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
        .flatMap((remark) => [section(warningLead(remark)), ...remark.messages.map(quote)]),
      print !== '' && context(print),
      actions.elements.length > 0 && actions,
    ]),
  };
}

const MOST_REMARKS = 5;

/** A public answer stays in the channel, so its footer says when the figures were fetched. */
function smallPrint(
  { fetched, sharedBy }: AnswerView,
  { facts, notes }: Pick<Answer, 'facts' | 'notes'>,
): string {
  const line = compact([
    ...facts.filter(Boolean).map(escapeMarkup),
    ...(sharedBy
      ? [`${sharedBy.how} by ${mention(sharedBy.person)}`, `fetched: ${instantMarkup(fetched)}`]
      : []),
  ]);
  return [line.join(' · '), ...notes.map(escapeMarkup)].filter(Boolean).join('\n');
}

/** Empty if only the user reads the answer and `zone` is the user's own time zone. */
export const zoneFact = ({ user, sharedBy }: AnswerView, zone: Zone): string =>
  sharedBy === undefined && user.zone === zone ? '' : zone;

/** Empty if the project has a name and the question is about the project's own product. */
export const productFact = ({ target: { product, alias, isOwnProduct } }: ProjectAnswer): string =>
  alias !== undefined && isOwnProduct ? '' : PRODUCTS[product].name;

export const formatSpent = (value: Money, money: MoneyFormatter, [spent, credited] = SPEND_VERBS): string =>
  value.lt(0) ? `${money(value.abs())} ${credited}` : `${money(value)} ${spent}`;

type SumVerbs = readonly [positive: string, negative: string];
const SPEND_VERBS: SumVerbs = ['spent', 'credited'];
export const BALANCE_VERBS: SumVerbs = ['left', 'overdrawn'];

/** `1,234.00 EUR and 56.00 USD spent` */
export function formatSums(amounts: readonly LabelledAmount[], locale: string, verbs: SumVerbs): string {
  const verbOf = ({ value }: LabelledAmount) => verbs[value.lt(0) ? 1 : 0];
  // A project's money doesn't pay another's debt, but a credit reduces what was spent.
  const isDebt = ({ value }: LabelledAmount) => verbs === BALANCE_VERBS && value.lt(0);
  const sums = [amounts.filter((each) => !isDebt(each)), amounts.filter(isDebt)].flatMap(sumByLabel);
  const parts = sums.map((sum, at, { [at + 1]: next }) => {
    const amount = formatMoney(sum.value.abs(), locale, sum.label);
    return next && verbOf(next) === verbOf(sum) ? amount : `${amount} ${verbOf(sum)}`.trim();
  });
  return listNames(parts);
}

/** `2 of 3 projects · October · 1,234.00 EUR spent`. @param count replaces `2 of 3 projects` */
export function severalTitle<T extends ProjectAnswer>(
  { answered, failed, locale }: AnswerView<T>,
  amountOf: (answer: T) => Money | undefined,
  {
    when,
    verbs = SPEND_VERBS,
    count,
  }: { readonly when?: string; readonly verbs?: SumVerbs; readonly count?: string },
): string {
  const amounts = answered.flatMap((answer): LabelledAmount[] => {
    const value = amountOf(answer);
    return value === undefined ? [] : [{ value, label: answer.target.currency }];
  });
  const of = answered.length + failed.length;
  return joinTexts(' · ', [
    count ?? countKnown(amounts.length, of, 'project'),
    when,
    formatSums(amounts, locale, verbs) || 'no figures',
  ]);
}

export function listParts<T extends ProjectAnswer>(
  { answered, failed }: AnswerView<ProjectAnswer>,
  sorted: readonly T[],
  columns: readonly Column<T>[],
): Pick<Answer, 'rows' | 'remarks' | 'facts' | 'notes'> {
  const { nameOf, facts } = productNames(answered);
  return {
    rows: sorted.length === 0 ? undefined : { cells: projectRows(sorted, columns, failed, { nameOf }) },
    remarks: answered.flatMap(({ remarks }) => remarks),
    facts,
    notes: failedNotes(failed),
  };
}

interface AnswerActions {
  readonly link: Command;
  /** The command to which `csv` or `details` is added. The default is `link`. */
  readonly figures?: Command;
  readonly before: readonly ActionsBlockElement[];
  readonly after?: readonly Button[];
  readonly more: readonly PlainTextOption[];
  readonly report?: string | undefined;
  readonly watch?: string;
}

export function answerActions<T extends ProjectAnswer>(
  { projects, answered: [first], at, sharedBy, mayShare, user }: AnswerView<T>,
  { link, figures = link, before, after = [], more, report = '', watch = '' }: AnswerActions,
): ActionsBlock {
  const { isList } = projects;
  const { target } = first ?? {};
  const isNameless = !isList && user.canManage && target !== undefined && target.alias === undefined;
  const named = askedText(projects);
  const figuresAs = (output: string) => ({ ...figures, text: `${figures.text} ${output}`.trim() });
  return actions(
    ...before,
    ...(sharedBy === undefined && mayShare(projects.targets) ? shareButton(link, at) : []),
    ...after,
    ...(isNameless
      ? commandButton(
          'name',
          'Name…',
          toCommand('/billing projects', `add ${target.project} ${PRODUCTS[target.product].word}`),
        )
      : []),
    ...moreMenu(
      compact([
        ...more,
        commandOption('CSV', figuresAs('csv')),
        commandOption('Details', figuresAs('details')),
        // The projects of “top 3” change with the figures, so a schedule can't keep them.
        projects.top === undefined &&
          commandOption('Schedule this…', toCommand('/billing schedule', `${named} ${report}`)),
        !isList && commandOption('Watch…', toCommand('/billing watch', `${named} ${watch}`)),
      ]),
    ),
  );
}

/** **Share** runs the command again for the channel, with the figures as of `askedAt`. */
function shareButton(command: Command, askedAt: Millis): Button[] {
  const value = `${askedAt} ${commandLine(command)}`;
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button('share', 'Share', { value })];
}

/** A button can hold a longer command than an option can. */
function moreMenu(options: readonly PlainTextOption[]): (Overflow | Button)[] {
  const listed = options.filter(fitsOption).slice(0, SLACK_LIMITS.overflowOptions);
  const others = options.filter(
    (choice) => !listed.includes(choice) && (choice.value ?? '').length <= SLACK_LIMITS.buttonValue,
  );
  const buttons = others.map(({ text, value = '' }, at) => button(`rerun:more-${at}`, text.text, { value }));
  return listed.length === 0 ? buttons : [...buttons, overflow('rerun:more', listed)];
}

/** Empty if any of the commands is too long for an option. */
export const periodMenu = (
  options: readonly PlainTextOption[],
  current: PlainTextOption | undefined,
): StaticSelect[] => (options.every(fitsOption) ? [select('rerun:period', 'Period', options, current)] : []);
