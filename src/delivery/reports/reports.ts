import type { Button } from '@slack/types';
import { emptyIfNoData } from '../../billing/client.ts';
import { collectRemarks } from '../../domain/billing-remarks.ts';
import { isFailure, storeFailure, withRequestedDays } from '../../domain/failure/index.ts';
import { toPlainDigits } from '../../domain/money/amount.ts';
import { parseAccount } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { computeReportFigures, REPORTS, type ReportPeriods, reportPeriodsOf } from '../../domain/report.ts';
import { type Day, formatRequestedDays } from '../../domain/time/calendar.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import {
  type Block,
  compact,
  context,
  escapeMarkup,
  instant,
  joinTexts,
  type Message,
  markup,
  section,
  titleBlocks,
} from '../../slack/kit/blocks.ts';
import { referenceTo } from '../../workspace/projects/chosen-project.ts';
import {
  openConnection,
  resolveProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { MakeReport, ReportQuestion, ReportResult } from '../posts/run-report.ts';
import { digestTitle, renderDigest } from './digest.ts';
import {
  amountOf,
  balanceFacts,
  balanceLine,
  chartGaps,
  forecastLine,
  type Headline,
  headlineOf,
  isMonthReport,
  mainFigureLine,
  monthLine,
  type ProjectFigures,
  type ReportView,
  reportChart,
  reportNotes,
  spentLine,
} from './figure-lines.ts';

/** What schedules post: the figures of /spend and /balance, for a channel. */
export const makeReport: MakeReport = async (question) => {
  const { report, projects, at, days, zone, clock } = question;
  const { coversDays } = REPORTS[report];
  const headline = coversDays ? 'spent' : 'left';
  const periods = reportPeriodsOf(report, at, zone, days);
  const all = await Promise.all(
    projects.map((project) => fetchProject(question, project, periods, headline)),
  );
  const answered = all.filter((answer) => 'figures' in answer);
  const failed = all.filter((answer) => 'failure' in answer);
  const [first] = failed;
  if (answered.length === 0 && first !== undefined) throw first.failure;
  const view = { headline, periods, answered, failed, fetched: clock() } as const;
  const awaits = coversDays ? awaitedDay(view) : undefined;
  return {
    message: renderReport(view),
    buttons: detailsButton(view),
    ...figuresOf(view),
    ...(awaits && { awaits }),
  };
};

/** Opens the exact figures, with the rights of the person who clicks. */
function detailsButton({ answered, periods, headline }: ReportView): Button[] {
  const { days } = periods.main.window;
  const products = new Set(answered.map(({ target }) => target.product));
  const [product] = products;
  const text = joinTexts(' ', [
    answered.map(({ target }) => target.word).join(','),
    headline === 'spent' && `${days[0]}..${days.at(-1)}`,
    // Without it, each registered project is asked about with its own product.
    products.size === 1 && product && PRODUCTS[product].word,
    'details',
  ]);
  const command = headline === 'left' ? '/balance' : '/spend';
  return commandButton('details', 'Details', { command, text });
}

/** The newest day of a post, if a project that does report days has not reported it. */
function awaitedDay({ answered, periods }: ReportView): Day | undefined {
  const newest = periods.main.window.days.at(-1);
  if (newest === undefined) return undefined;
  const isAwaited = answered.some(
    ({ figures }) => figures.main.missing.includes(newest) && figures.charted.reported.length > 0,
  );
  return isAwaited ? newest : undefined;
}

const HIDDEN = 'A project of other channels';

/** Sends billing two parallel queries: all days at once, and the balance, which is optional. */
async function fetchProject(
  { workspace, channel, billing, answeredBy }: ReportQuestion,
  chosen: ReportQuestion['projects'][number],
  periods: ReportPeriods,
  headline: Headline,
): Promise<ProjectFigures | UnresolvedProject> {
  const { id, product } = chosen;
  let label = `Project ${id}`;
  try {
    // Everybody there reads it: what managers may ask elsewhere does not count.
    const target = resolveProject(referenceTo(chosen, workspace), workspace, { channel, isUnlimited: false });
    label = target.label;
    const access = openConnection(workspace, target);
    const { from, to, zone, requested } = periods;
    const leaving = billing.balance(access, target).catch(messageOf);
    const consuming = billing.consumption(access, target, {
      from,
      to,
      zone,
      days: requested,
      running: false,
    });
    // In a report of balances, a project that has a balance is not missing because no day is reported.
    const isEnough = async () => headline === 'left' && typeof (await leaving) !== 'string';
    const [consumed, left] = await Promise.all([
      consuming.catch(async (error) => ((await isEnough()) ? emptyIfNoData(error) : Promise.reject(error))),
      leaving,
    ]);
    const balance = typeof left === 'string' ? left : parseAccount(left);
    const has = typeof balance === 'string' ? undefined : balance;
    const { locale } = requireSettings(workspace);
    const remarks = collectRemarks(
      [`the figures for ${formatRequestedDays(requested)}`, consumed],
      ...(typeof left === 'string' ? [] : [['the balance', left] as const]),
    );
    const figures = computeReportFigures(consumed.charges, periods, has);
    const { runway, forecast } = figures;
    const { today } = periods;
    answeredBy(access.connection, has && storedBalance(target, { ...has, runway, forecast, today }));
    return { target, locale, balance, figures, remarks };
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.kind === 'not-allowed') return { project: id, product, label: HIDDEN, failure: error };
    return { project: id, product, label, failure: withRequestedDays(error, periods.requested) };
  }
}

function messageOf(error: unknown): string {
  if (isFailure(error)) return error.message;
  throw error;
}

function figuresOf({ answered, failed, periods, headline }: ReportView): Omit<ReportResult, 'message'> {
  const { requested, zone } = periods;
  const figures = answered.flatMap((answer) => {
    const amount = amountOf(answer, headline);
    const { project, product } = answer.target;
    return amount === undefined ? [] : [[`${project}:${product}`, toPlainDigits(amount)] as const];
  });
  return {
    figures: Object.fromEntries(figures),
    covers: { first: requested.first, last: requested.last, zone },
    isEmpty: headline === 'spent' && failed.length === 0 && answered.every(spentNothing),
    unanswered: Object.fromEntries(
      failed.map(({ project, product, failure }) => [`${project}:${product}`, storeFailure(failure)]),
    ),
  };
}

/** Whether every day is reported and cost nothing: a missing day may still turn out to have cost something. */
const spentNothing = ({ figures: { main } }: ProjectFigures): boolean =>
  main.reported.length === main.fullDays && !main.total.incomplete && main.total.value.eq(0);

/** One project in full, or several as a digest with totals. */
function renderReport(view: ReportView): Message {
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
      ...(isDigest ? renderDigest(view) : renderProject(only, view)),
      context(sourceText(view, isDigest ? undefined : only)),
    ],
  };
}

/** The small print: what was asked, for which days of which time zone, and when. */
function sourceText({ headline, periods, fetched }: ReportView, only: ProjectFigures | undefined): string {
  const { main, zone } = periods;
  const { project, product } = only?.target ?? {};
  return joinTexts(' · ', [
    project && `project ${project}`,
    product && PRODUCTS[product].name,
    headline === 'left' && 'balance as of now',
    `${main.window.label} ${escapeMarkup(zone)}`,
    ...(only === undefined ? [] : [chartGaps(only, periods), ...balanceFacts(only)]),
    `fetched ${instant(fetched)}`,
  ]);
}

/** The first line, the chart, then the other lines and the notes. */
function renderProject(answer: ProjectFigures, { headline, periods }: ReportView): Block[] {
  const month = isMonthReport(periods) ? '' : monthLine(answer, periods);
  const lines =
    headline === 'left'
      ? [balanceLine(answer, true), spentLine(answer, periods), month]
      : [mainFigureLine(answer, periods), month, forecastLine(answer, periods), balanceLine(answer)];
  const [first = '', ...others] = lines.filter(Boolean);
  const drawn = reportChart(answer, periods);
  return compact([
    first !== '' && markup(first),
    drawn,
    others.length > 0 && markup(others.join('\n')),
    ...reportNotes(answer, periods).map(section),
  ]);
}
