import type { ActionsBlock, Button, Overflow, PlainTextOption, StaticSelect } from '@slack/types';
import { formatMoney, type Money } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { noticeLead, type ServiceNotice } from '../../domain/service-notice.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import {
  type Block,
  button,
  context,
  escapeMarkup,
  formatInstant,
  header,
  instant,
  type Message,
  markup,
  mention,
  overflow,
  quote,
  section,
  select,
} from '../kit/atoms.ts';
import { fitsOption, SLACK_LIMITS } from '../kit/limits.ts';
import type { SharedBy } from '../request/request.ts';

/** The parts that every answer has. */
export interface AnswerDetails {
  /** ms; when the question arrived, and when billing had answered */
  readonly asked: number;
  readonly fetched: number;
  /** BCP 47 */
  readonly locale: string;
  /** Who asked or shared, when everybody in the channel sees the answer. */
  readonly byline: SharedBy | undefined;
}

/** What an answer about one project says besides. */
export interface ProjectAnswer extends AnswerDetails {
  readonly target: ResolvedProject;
  /** Whether this person can give the project a name. */
  readonly mayName: boolean;
  /** The service's remarks about its figures. */
  readonly remarks: readonly ServiceNotice[];
}

/** The parts of an answer, in the order in which they are read. */
export interface AnswerContent {
  /** What the answer is about and its one number, plain. */
  readonly title: string;
  /** The notification, plain. */
  readonly text: string;
  /** Mrkdwn under the title, outside text escaped; lines without text are left out. */
  readonly lines: readonly string[];
  readonly body: readonly Block[];
  readonly remarks: readonly ServiceNotice[];
  /** The small print, plain: first what belongs on one line, then a sentence a line. */
  readonly facts: readonly string[];
  readonly notes: readonly string[];
  readonly buttons: ActionsBlock;
}

/** The main number first, then its meaning and the chart; notes and buttons come last. */
export function renderAnswer(details: AnswerDetails, content: AnswerContent): Message {
  const { title, text, body, remarks, buttons } = content;
  const lines = content.lines.filter(Boolean).join('\n');
  return {
    text,
    blocks: [
      header(title),
      ...(title.length > SLACK_LIMITS.header ? [section(title)] : []),
      ...(lines === '' ? [] : [markup(lines)]),
      ...body,
      ...remarks.flatMap((remark) => [section(noticeLead(remark)), ...remark.messages.map(quote)]),
      context(smallPrint(details, content)),
      ...(buttons.elements.length > 0 ? [buttons] : []),
    ],
  };
}

function smallPrint({ fetched, byline }: AnswerDetails, { facts, notes }: AnswerContent): string {
  const line = [
    ...facts.filter(Boolean).map(escapeMarkup),
    `fetched ${byline?.how === 'shared' ? formatInstant(fetched) : instant(fetched)}`,
    ...(byline === undefined ? [] : [`${byline.how} by ${mention(byline.person)}`]),
  ];
  return [line.join(' · '), ...notes.map(escapeMarkup)].join('\n');
}

/** `prod · 1,234.00 spent` */
export const answerTitle = ({ target }: ProjectAnswer, headline: string): string =>
  `${target.label} · ${headline}`;

/** The product that was asked about, and the project's ID if the title has its name. */
export const sourceOf = ({ target: { project, product, alias } }: ProjectAnswer): string[] => [
  PRODUCTS[product].name,
  ...(alias === undefined ? [] : [`project ${project}`]),
];

/** With the currency label; a table's cells go without it. */
export const moneyFormatter =
  ({ locale, target }: Pick<ProjectAnswer, 'locale' | 'target'>) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);

/** The most buttons that replace a select of periods. */
const PERIOD_BUTTONS = 4;

/** A button's value can be longer than an option's, so a long list of projects has buttons. */
const asButtons = (options: readonly PlainTextOption[], id: string): Button[] =>
  options.flatMap(({ text, value = '' }, at) =>
    value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}-${at}`, text.text, { value })],
  );

/** The ⋯ menu of an answer, at most five choices that each run a command. */
export function moreMenu(options: readonly PlainTextOption[]): (Overflow | Button)[] {
  const shown = options.slice(0, SLACK_LIMITS.overflowOptions);
  return shown.every(fitsOption) ? [overflow('rerun:more', shown)] : asButtons(shown, 'more');
}

/** The select of periods, with the current one chosen. */
export function periodMenu(
  options: readonly PlainTextOption[],
  current: PlainTextOption | undefined,
): (StaticSelect | Button)[] {
  if (options.every(fitsOption)) return [select('rerun:period', 'Period', options, current)];
  const others = options.filter((one) => one !== current).slice(0, PERIOD_BUTTONS);
  return asButtons(others, 'period');
}
