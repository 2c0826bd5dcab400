/** Makes a schedule's report: asks billing for what the channel may see, and computes the figures. */
import { type BillingClient, emptyIfNoData } from '../../billing/client.ts';
import { collectWarnings } from '../../domain/billing-warnings.ts';
import { isFailure, type StoredFailure, toStoredFailure, withQuestion } from '../../domain/failure/index.ts';
import { parseAmount, toPlainDigits } from '../../domain/money/amount.ts';
import { parseAccount } from '../../domain/money/balance-and-runway.ts';
import {
  computeReportFigures,
  REPORTS,
  type ReportName,
  type ReportPeriods,
  reportPeriodsOf,
} from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { daysCovered } from '../../domain/time/cadence.ts';
import { type Day, formatRequestedDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { type ChosenProject, projectKey, referenceTo } from '../../workspace/projects/chosen-project.ts';
import {
  openConnection,
  type ResolvedProject,
  resolveProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { type OutcomeCollector, storedBalance } from '../../workspace/save-service-outcomes.ts';
import type { CoveredDays } from '../posts/post-record.ts';
import {
  amountOf,
  type Headline,
  type ProjectFigures,
  type ReportMessage,
  type ReportView,
  renderReport,
} from './render-report.ts';

export interface ReportRequest {
  readonly report: ReportName;
  readonly workspace: Workspace;
  readonly projects: readonly ChosenProject[];
  readonly channel: SlackId;
  readonly at: Millis;
  readonly sentAt: Millis;
  /** The time zone of the days: the reporting zone, or for a correction, the zone that the post has. */
  readonly zone: Zone;
  /** How many days a “Yesterday’s spend” report covers: three on a Monday, for example. */
  readonly days: number;
  readonly billing: BillingClient;
  /** For a correction: the posted figures. A project that doesn't answer keeps its posted figure. */
  readonly posted?: ReportResult['figures'];
  readonly answeredBy: OutcomeCollector['add'];
}

export interface ReportResult {
  readonly message: ReportMessage;
  /** `<project id>:<product>` → the exact digits of the total; absent if there is no total */
  readonly figures: Readonly<Record<string, string>>;
  readonly covers: CoveredDays;
  /** The newest day, if billing hasn't reported it for a project with daily figures. */
  readonly awaits?: Day;
  /** `<project id>:<product>` → why the project didn't answer. `figures` may still have its posted figure. */
  readonly unanswered: Readonly<Record<string, StoredFailure>>;
}

/** @throws Failure if no project answered */
export type MakeReport = (request: ReportRequest) => Promise<ReportResult>;

type ReportSubject = Pick<Schedule, 'report' | 'projects' | 'timing' | 'channel'> &
  Pick<ReportRequest, 'posted'> & { readonly zone?: Zone; readonly sentAt?: Millis };

interface ReportContext {
  readonly makeReport: MakeReport;
  readonly workspace: Workspace;
  readonly billing: BillingClient;
  readonly outcomeCollector: OutcomeCollector;
  readonly clock: () => Millis;
}

/** Makes a report with figures as of `at` and with current rights. @throws Failure */
export async function makeReportNow(
  { timing, zone, ...request }: ReportSubject,
  at: Millis,
  { makeReport, workspace, billing, outcomeCollector, clock }: ReportContext,
): Promise<ReportResult> {
  const now = clock();
  const instant = Math.min(at, now);
  return makeReport({
    sentAt: now,
    ...request,
    workspace,
    billing,
    zone: zone ?? requireSettings(workspace).zone,
    days: daysCovered(timing, instant),
    answeredBy: outcomeCollector.add,
    at: instant,
  });
}

export const makeReport: MakeReport = async (request) => {
  const { report, projects, at, sentAt, days, zone } = request;
  const headline = REPORTS[report].coversDays ? 'spent' : 'left';
  const periods = reportPeriodsOf(report, at, zone, days, sentAt);
  const all = await Promise.all(projects.map((project) => fetchProject(request, project, periods, headline)));
  const answered = all.filter((answer) => 'figures' in answer);
  const failed = all.filter((answer) => 'failure' in answer);
  const unchanged = answered.flatMap(({ target, unchanged: before }) =>
    before === undefined ? [] : [{ ...target, failure: before.failure }],
  );
  const silent = [...failed, ...unchanged];
  const [first] = silent;
  if (answered.length === unchanged.length && first !== undefined) throw first.failure;
  const view = { headline, periods, answered, failed } as const;
  const awaits = headline === 'spent' ? awaitedDay(view) : undefined;
  const figures = answered.flatMap((answer) => {
    const amount = amountOf(answer, headline);
    return amount === undefined ? [] : [[keyOf(answer.target), toPlainDigits(amount)] as const];
  });
  return {
    message: renderReport(view),
    figures: Object.fromEntries(figures),
    covers: { first: periods.requested.first, last: periods.requested.last, zone },
    unanswered: Object.fromEntries(silent.map((one) => [keyOf(one), toStoredFailure(one.failure)])),
    ...(awaits && { awaits }),
  };
};

const keyOf = ({ project, product }: Pick<UnresolvedProject, 'project' | 'product'>): string =>
  `${project}:${product}`;

/** The post's newest day, if billing hasn't reported it for a project with daily figures. */
function awaitedDay({ answered, periods }: ReportView): Day | undefined {
  const newest = periods.main.window.days.at(-1);
  const isAwaited = ({ figures: { main, charted } }: ProjectFigures): boolean =>
    main.missing.some((day) => day === newest) && charted.reported.length > 0;
  return answered.some(isAwaited) ? newest : undefined;
}

/** If only the request for the balance fails, the report does without the balance. */
async function fetchProject(
  { workspace, channel, billing, answeredBy, posted = {} }: ReportRequest,
  chosen: ReportRequest['projects'][number],
  periods: ReportPeriods,
  headline: Headline,
): Promise<ProjectFigures | UnresolvedProject> {
  const { id, product } = chosen;
  const { locale } = requireSettings(workspace);
  let label = `Project ${id}`;
  let target: ResolvedProject | undefined;
  try {
    // Everyone in the channel reads the report, so a manager's rights don't count.
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
    });
    // A balance report needs no reported days if the project has a balance.
    const isEnough = async () => headline === 'left' && typeof (await leaving) !== 'string';
    const [consumed, left] = await Promise.all([
      consuming.catch(async (error) => ((await isEnough()) ? emptyIfNoData(error) : Promise.reject(error))),
      leaving,
    ]);
    const balance = typeof left === 'string' ? left : parseAccount(left);
    const has = typeof balance === 'string' ? undefined : balance;
    const remarks = collectWarnings(
      [`the figures for ${formatRequestedDays(requested)}`, consumed],
      ...(typeof left === 'string' ? [] : [['the balance', left] as const]),
    );
    const figures = computeReportFigures(consumed.charges, periods, has);
    const { runway, forecast } = figures;
    answeredBy(access.connection, has && storedBalance(target, { ...has, runway, forecast, today }));
    return { target, locale, balance, figures, remarks };
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.kind === 'not-allowed') label = 'A project limited to other channels';
    const failure = withQuestion(error, { name: target?.alias, days: periods.requested });
    const before = parseAmount({ text: posted[projectKey(chosen)] ?? '' });
    if (target === undefined || !('value' in before) || error.kind === 'not-allowed')
      return { project: id, product, label, failure };
    const figures = { ...computeReportFigures([], periods, undefined), change: undefined };
    const unchanged = { headline, amount: before.value, failure };
    return { target, locale, balance: failure.message, figures, remarks: [], unchanged };
  }
}
