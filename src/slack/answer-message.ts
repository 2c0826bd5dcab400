import type { ActionsBlock } from '@slack/types';
import { formatMoney, type Money } from '../domain/money/amount.ts';
import { PRODUCTS } from '../domain/product.ts';
import { noticeLead, type ServiceNotice } from '../domain/service-notice.ts';
import type { ResolvedProject } from '../workspace/resolve-project.ts';
import {
  type Block,
  context,
  formatInstant,
  header,
  instant,
  type Message,
  markup,
  quote,
  section,
} from './kit/atoms.ts';
import { escapeMarkup, mention } from './kit/escape.ts';
import { SLACK_LIMITS } from './kit/limits.ts';
import type { SharedBy } from './request.ts';

/** What every answer says, whatever was asked. */
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
  /** What the service said beside its figures. */
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

/** One number first, then what it means, then the picture; the small print and the buttons come last. */
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
export const titleOf = ({ target }: ProjectAnswer, headline: string): string =>
  `${target.label} · ${headline}`;

/** The product that was asked about, and the project's ID where the title has its name. */
export const sourceOf = ({ target: { project, product, alias } }: ProjectAnswer): string[] => [
  PRODUCTS[product].name,
  ...(alias === undefined ? [] : [`project ${project}`]),
];

/** With the currency label; a table's cells go without it. */
export const moneyFormatter =
  ({ locale, target }: Pick<ProjectAnswer, 'locale' | 'target'>) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);
