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
  quote,
  section,
} from './kit/atoms.ts';
import { mention } from './kit/escape.ts';
import { SLACK_LIMITS } from './kit/limits.ts';
import type { SharedBy } from './request.ts';

/** What every answer about a project says, whatever it was asked. */
export interface AnswerDetails {
  readonly target: ResolvedProject;
  /** Whether this person can give the project a name. */
  readonly mayName: boolean;
  /** What the service said beside its figures. */
  readonly remarks: readonly ServiceNotice[];
  /** ms; when the question arrived, and when billing had answered */
  readonly asked: number;
  readonly fetched: number;
  /** BCP 47 */
  readonly locale: string;
  /** Who asked for it or shared it, when it is for everybody there. */
  readonly byline: SharedBy | undefined;
}

/** What is the answer's own. */
interface Content {
  /** The number that matters first. */
  readonly headline: string;
  /** What the notification says besides. */
  readonly spoken?: string;
  readonly body: readonly Block[];
  /** For the asker alone: what everybody sees has none. */
  readonly buttons: Block;
}

/** The project and its number first, then the answer, what can be done with it, and where it came from. */
export function renderAnswer(report: AnswerDetails, { headline, spoken, body, buttons }: Content): Message {
  const { target, remarks, byline } = report;
  const title = `${target.label} · ${headline}`;
  return {
    text: [title, spoken, PRODUCTS[target.product].name].filter(Boolean).join(', '),
    blocks: [
      header(title),
      ...(title.length > SLACK_LIMITS.header ? [section(title)] : []),
      ...body,
      ...remarks.flatMap((remark) => [section(noticeLead(remark)), ...remark.messages.map(quote)]),
      ...(byline === undefined ? [buttons] : []),
      context(source(report)),
    ],
  };
}

function source({ target: { project, product }, fetched, byline }: AnswerDetails): string {
  return [
    `project ${project}`,
    `${PRODUCTS[product].name} (${product})`,
    `fetched ${byline?.how === 'shared' ? formatInstant(fetched) : instant(fetched)}`,
    ...(byline === undefined ? [] : [`${byline.how} by ${mention(byline.person)}`]),
  ].join(' · ');
}

/** With the currency label; a table's cells go without it. */
export const moneyFormatter =
  ({ locale, target }: AnswerDetails) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);
