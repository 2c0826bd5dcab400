import type { Brief } from '../../domain/briefing.ts';
import { formatMoney, sum } from '../../domain/money.ts';
import { PRODUCTS } from '../../domain/product.ts';
import {
  type Block,
  context,
  header,
  instant,
  type Message,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { LIMITS } from '../../slack/kit/limits.ts';
import { table } from '../../slack/kit/table.ts';
import { balanceLine, chart, mainLine, monthLine, notes } from './facts.ts';
import { type Answered, amountOf, type Headline, headlineOf, LOCALE, type Unanswered } from './figures.ts';
import { digestRows } from './rows.ts';

export interface ReportView {
  readonly headline: Headline;
  readonly brief: Brief;
  readonly answered: readonly Answered[];
  readonly unanswered: readonly Unanswered[];
  /** ms since the epoch */
  readonly fetched: number;
}

/** One project in full, or several as a digest with totals. */
export function reportMessage(view: ReportView): Message {
  const { answered, unanswered, brief, fetched } = view;
  const [only] = answered;
  const isDigest = answered.length + unanswered.length > 1 || only === undefined;
  const title = isDigest ? digestTitle(view) : `${only.target.label} · ${headlineOf(only, view.headline)}`;
  const covers = coverLine(view);
  const body = isDigest ? digest(view) : single(only, view);
  const source = isDigest ? [] : [`project ${only.target.project}`, productOf(only)];
  return {
    text: `${title}, ${covers}`,
    blocks: [
      header(title),
      ...(title.length > LIMITS.header ? [section(title)] : []),
      section(covers),
      ...body,
      context(
        [
          ...source.map(escapeMarkup),
          `days in ${escapeMarkup(brief.zone)}`,
          `fetched ${instant(fetched)}`,
        ].join(' · '),
      ),
    ],
  };
}

const productOf = ({ target }: Answered): string => `${PRODUCTS[target.product].name} (${target.product})`;

/** A balance is of now; the days are those of what is said beside it. */
const coverLine = ({ headline, brief: { main, zone } }: ReportView): string =>
  headline === 'left'
    ? `Balance now · spending of ${main.window.label} ${zone}`
    : `${main.window.label} ${zone}`;

function single(one: Answered, { headline, brief }: ReportView): Block[] {
  const lines =
    headline === 'left'
      ? [balanceLine(one), mainLine(one, brief, true), monthLine(one, brief)]
      : [mainLine(one, brief), monthLine(one, brief), balanceLine(one)];
  const drawn = chart(one);
  return [
    markup(lines.filter(Boolean).join('\n')),
    ...(drawn === undefined ? [] : [drawn]),
    ...notes(one, brief).map(section),
  ];
}

function digest(view: ReportView): Block[] {
  return [
    table(digestRows(view)),
    ...view.answered.flatMap((one) => {
      const said = notes(one, view.brief);
      return said.length === 0 ? [] : [section(`${one.target.label}: ${said.join(' ')}`)];
    }),
    ...view.unanswered.map(({ label, failure }) => section(`${label}: ${failure.message}`)),
  ];
}

/** Amounts of different labels are no sum: each has its own. */
function digestTitle({ headline, answered, unanswered }: ReportView): string {
  const count = answered.length + unanswered.length;
  const labels = [...new Set(answered.map(({ target }) => target.currency))];
  const totals = labels.flatMap((label) => {
    const those = answered.filter(({ target }) => target.currency === label);
    const values = those.flatMap((one) => amountOf(one, headline) ?? []);
    return values.length === 0 ? [] : [formatMoney(sum(values), LOCALE, label)];
  });
  const isWhole =
    unanswered.length === 0 &&
    answered.every((one) => amountOf(one, headline) !== undefined && !one.briefing.main.total.incomplete);
  const words = totals.length === 0 ? 'no figures' : `${totals.join(' + ')} ${headline}`;
  return `${count} projects · ${words}${isWhole ? '' : ' (incomplete)'}`;
}
