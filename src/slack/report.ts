import { formatMoney, type Money } from '../domain/money.ts';
import { PRODUCTS } from '../domain/product.ts';
import { type Remark, remarkLead } from '../domain/remark.ts';
import type { Target } from '../workspace/target.ts';
import { type Block, context, header, instant, type Message, moment, quote, section } from './kit/atoms.ts';
import { mention } from './kit/escape.ts';
import { LIMITS } from './kit/limits.ts';
import type { Byline } from './visit.ts';

/** What every answer about a project says, whatever it was asked. */
export interface Report {
  readonly target: Target;
  /** Whether this person can give the project a name. */
  readonly mayName: boolean;
  /** What the service said beside its figures. */
  readonly remarks: readonly Remark[];
  /** ms; when the question arrived, and when billing had answered */
  readonly asked: number;
  readonly fetched: number;
  /** BCP 47 */
  readonly locale: string;
  /** Who asked for it or shared it, when it is for everybody there. */
  readonly byline: Byline | undefined;
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
export function reportMessage(report: Report, { headline, spoken, body, buttons }: Content): Message {
  const { target, remarks, byline } = report;
  const title = `${target.label} · ${headline}`;
  return {
    text: [title, spoken, PRODUCTS[target.product].name].filter(Boolean).join(', '),
    blocks: [
      header(title),
      ...(title.length > LIMITS.header ? [section(title)] : []),
      ...body,
      ...remarks.flatMap((remark) => [section(remarkLead(remark)), ...remark.messages.map(quote)]),
      ...(byline === undefined ? [buttons] : []),
      context(source(report)),
    ],
  };
}

function source({ target: { project, product }, fetched, byline }: Report): string {
  return [
    `project ${project}`,
    `${PRODUCTS[product].name} (${product})`,
    `fetched ${byline?.how === 'shared' ? moment(fetched) : instant(fetched)}`,
    ...(byline === undefined ? [] : [`${byline.how} by ${mention(byline.person)}`]),
  ].join(' · ');
}

/** With the currency label; a table's cells go without it. */
export const moneyOf =
  ({ locale, target }: Report) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);
