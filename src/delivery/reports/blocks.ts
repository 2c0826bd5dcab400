import { PRODUCTS } from '../../domain/product.ts';
import {
  type Block,
  context,
  escapeMarkup,
  instant,
  type Message,
  markup,
  section,
  titleBlocks,
} from '../../slack/kit/atoms.ts';
import { digestTitle, renderDigest } from './digest.ts';
import {
  balanceFacts,
  balanceLine,
  forecastLine,
  mainFigureLine,
  monthLine,
  reportChart,
  reportNotes,
  spentLine,
} from './facts.ts';
import { headlineOf, isMonthReport, type ProjectFigures, type ReportView } from './figures.ts';

/** One project in full, or several as a digest with totals. */
export function renderReport(view: ReportView): Message {
  const { answered, failed, periods } = view;
  const [only] = answered;
  const isDigest = answered.length + failed.length > 1 || only === undefined;
  const title = isDigest
    ? digestTitle(view)
    : `${only.target.label} · ${headlineOf(only, view.headline, periods)}`;
  return {
    text: title,
    blocks: [
      ...titleBlocks(title),
      ...(isDigest ? renderDigest(view) : single(only, view)),
      context(source(view, isDigest ? undefined : only)),
    ],
  };
}

/** Where the figures came from, and of which days in whose midnight they are. */
function source(
  { headline, periods: { main, zone }, fetched }: ReportView,
  only: ProjectFigures | undefined,
): string {
  const { project, product } = only?.target ?? {};
  return [
    ...(project === undefined ? [] : [`project ${project}`]),
    ...(product === undefined ? [] : [PRODUCTS[product].name]),
    ...(headline === 'left' ? ['balance as of now'] : []),
    `${main.window.label} ${escapeMarkup(zone)}`,
    ...(only === undefined ? [] : balanceFacts(only)),
    `fetched ${instant(fetched)}`,
  ].join(' · ');
}

/** One line, the picture, then what else there is to know. */
function single(answer: ProjectFigures, { headline, periods }: ReportView): Block[] {
  const month = isMonthReport(periods) ? '' : monthLine(answer, periods);
  const lines =
    headline === 'left'
      ? [balanceLine(answer, true), spentLine(answer, periods), month]
      : [mainFigureLine(answer, periods), month, forecastLine(answer, periods), balanceLine(answer)];
  const [first = '', ...others] = lines.filter(Boolean);
  const drawn = reportChart(answer, periods);
  return [
    ...(first === '' ? [] : [markup(first)]),
    ...(drawn === undefined ? [] : [drawn]),
    ...(others.length === 0 ? [] : [markup(others.join('\n'))]),
    ...reportNotes(answer, periods).map(section),
  ];
}
