import type { Button } from '@slack/types';
import { emptyIfNoData } from '../../billing/client.ts';
import { collectRemarks } from '../../domain/billing-remarks.ts';
import { isFailure, storeFailure, withRequestedDays } from '../../domain/failure/index.ts';
import { parseAmount, toPlainDigits } from '../../domain/money/amount.ts';
import { parseAccount } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { computeReportFigures, REPORTS, type ReportPeriods, reportPeriodsOf } from '../../domain/report.ts';
import { type Day, formatRequestedDays } from '../../domain/time/calendar.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { joinTexts } from '../../slack/kit/blocks.ts';
import { projectKey, referenceTo } from '../../workspace/projects/chosen-project.ts';
import {
  openConnection,
  type ResolvedProject,
  resolveProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { MakeReport, ReportQuestion } from '../posts/run-report.ts';
import {
  amountOf,
  type Headline,
  type ProjectFigures,
  type ReportView,
  renderReport,
} from './render-report.ts';

/** What schedules post: the figures of /spend and /balance, for a channel. */
export const makeReport: MakeReport = async (question) => {
  const { report, projects, at, days, zone } = question;
  const headline = REPORTS[report].coversDays ? 'spent' : 'left';
  const periods = reportPeriodsOf(report, at, zone, days);
  const all = await Promise.all(
    projects.map((project) => fetchProject(question, project, periods, headline)),
  );
  const answered = all.filter((answer) => 'figures' in answer);
  const failed = all.filter((answer) => 'failure' in answer);
  const kept = answered.flatMap(({ target, kept: before }) =>
    before === undefined ? [] : [{ ...target, failure: before.failure }],
  );
  const silent = [...failed, ...kept];
  const [first] = silent;
  if (answered.length === kept.length && first !== undefined) throw first.failure;
  const view = { headline, periods, answered, failed } as const;
  const awaits = headline === 'spent' ? awaitedDay(view) : undefined;
  const figures = answered.flatMap((answer) => {
    const amount = amountOf(answer, headline);
    return amount === undefined ? [] : [[keyOf(answer.target), toPlainDigits(amount)] as const];
  });
  return {
    message: renderReport(view),
    buttons: detailsButton(view),
    figures: Object.fromEntries(figures),
    covers: { first: periods.requested.first, last: periods.requested.last, zone },
    isEmpty: headline === 'spent' && failed.length === 0 && answered.every(spentNothing),
    unanswered: Object.fromEntries(silent.map((one) => [keyOf(one), storeFailure(one.failure)])),
    ...(awaits && { awaits }),
  };
};

const keyOf = ({ project, product }: Pick<UnresolvedProject, 'project' | 'product'>): string =>
  `${project}:${product}`;

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
  return commandButton('details', 'Details', { command: headline === 'left' ? '/balance' : '/spend', text });
}

/** The newest day of a post, if a project that does report days has not reported it. */
function awaitedDay({ answered, periods }: ReportView): Day | undefined {
  const newest = periods.main.window.days.at(-1);
  const isAwaited = ({ figures: { main, charted } }: ProjectFigures): boolean =>
    main.missing.some((day) => day === newest) && charted.reported.length > 0;
  return answered.some(isAwaited) ? newest : undefined;
}

/** Sends billing two parallel queries: all days at once, and the balance, which is optional. */
async function fetchProject(
  { workspace, channel, billing, answeredBy, posted = {} }: ReportQuestion,
  chosen: ReportQuestion['projects'][number],
  periods: ReportPeriods,
  headline: Headline,
): Promise<ProjectFigures | UnresolvedProject> {
  const { id, product } = chosen;
  const { locale } = requireSettings(workspace);
  let label = `Project ${id}`;
  let target: ResolvedProject | undefined;
  try {
    // Everybody there reads it: what managers may ask elsewhere does not count.
    target = resolveProject(referenceTo(chosen, workspace), workspace, { channel, isUnlimited: false });
    label = target.label;
    const access = openConnection(workspace, target);
    const { from, to, zone, requested, today } = periods;
    const leaving = billing.balance(access, target).catch((error: unknown) => {
      if (isFailure(error)) return error.message;
      throw error;
    });
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
    const remarks = collectRemarks(
      [`the figures for ${formatRequestedDays(requested)}`, consumed],
      ...(typeof left === 'string' ? [] : [['the balance', left] as const]),
    );
    const figures = computeReportFigures(consumed.charges, periods, has);
    const { runway, forecast } = figures;
    answeredBy(access.connection, has && storedBalance(target, { ...has, runway, forecast, today }));
    return { target, locale, balance, figures, remarks };
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.kind === 'not-allowed') label = 'A project of other channels';
    const failure = withRequestedDays(error, periods.requested);
    const before = parseAmount({ text: posted[projectKey(chosen)] ?? '' });
    if (target === undefined || !('value' in before) || error.kind === 'not-allowed')
      return { project: id, product, label, failure };
    const figures = { ...computeReportFigures([], periods, undefined), change: undefined };
    const kept = { headline, amount: before.value, failure };
    return { target, locale, balance: failure.message, figures, remarks: [], kept };
  }
}

/** Whether every day is reported and cost nothing: a missing day may still turn out to have cost something. */
const spentNothing = ({ figures: { main } }: ProjectFigures): boolean =>
  main.reported.length === main.fullDays && !main.total.incomplete && main.total.value.eq(0);
