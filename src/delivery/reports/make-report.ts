/** Makes the reports of schedules: fetches the figures for a channel, and what follow-ups refer to. */
import type { Button } from '@slack/types';
import { type BillingClient, emptyIfNoData } from '../../billing/client.ts';
import {
  collectRemarks,
  isFailure,
  type StoredFailure,
  storeFailure,
  withRequestedDays,
} from '../../domain/failure/index.ts';
import { parseAmount, toPlainDigits } from '../../domain/money/amount.ts';
import { parseAccount } from '../../domain/money/runway.ts';
import {
  computeReportFigures,
  REPORTS,
  type ReportName,
  type ReportPeriods,
  reportPeriodsOf,
} from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { daysCovered } from '../../domain/time/cadence.ts';
import {
  type Day,
  daysInRange,
  formatRequestedDays,
  type Millis,
  type Zone,
} from '../../domain/time/calendar.ts';
import { sameDaysLastWeek } from '../../domain/time/period.ts';
import type { Message } from '../../slack/block-kit/blocks.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import {
  type ChosenProject,
  describeProjects,
  projectKey,
  referenceTo,
} from '../../workspace/projects/chosen-project.ts';
import {
  openConnection,
  type ProjectScope,
  type ResolvedProject,
  resolveProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { type AnswerCollector, storedBalance } from '../../workspace/service-outcomes.ts';
import { type AskedQuestion, askAbout, type DeliveryContext } from '../outbox/message-kind.ts';
import type { CoveredDays } from '../posts/post-record.ts';
import {
  amountOf,
  type Headline,
  type ProjectFigures,
  type ReportView,
  renderReport,
} from './render-report.ts';

export interface ReportQuestion {
  readonly report: ReportName;
  readonly workspace: Workspace;
  /** In display order; several projects make a digest. */
  readonly projects: readonly ChosenProject[];
  readonly channel: SlackId;
  /** Figures are as of this instant. */
  readonly at: Millis;
  /** The zone for days: the reporting zone, or for a correction the post's own. */
  readonly zone: Zone;
  /** How many days a report of yesterday is about. */
  readonly days: number;
  /** Caches, so that several schedules ask once. */
  readonly billing: BillingClient;
  /** For a correction: posted figures, kept for projects that don't answer. */
  readonly posted?: ReportResult['figures'];
  /** Collects which connections answered, and balances of registered projects. */
  readonly answeredBy: AnswerCollector['add'];
}

/** A report, and the figures that later corrections compare with. */
export interface ReportResult {
  /** Without owner and lateness, which the post adds. The last block is the small print. */
  readonly message: Message;
  /** `<project id>:<product>` → exact digits of the total; absent if there is none. */
  readonly figures: Readonly<Record<string, string>>;
  readonly covers: CoveredDays;
  /** The newest day, if billing hasn't reported it for every project. */
  readonly awaits?: Day;
  /** `<project id>:<product>` → why it didn't answer. It may still have a (kept) figure. */
  readonly unanswered: Readonly<Record<string, StoredFailure>>;
}

/** The projects with figures in a post. */
export const shownProjects = (
  { projects }: Pick<Schedule, 'projects'>,
  { unanswered, figures }: Pick<ReportResult, 'unanswered' | 'figures'>,
): Schedule['projects'] =>
  projects.filter((project) => !(projectKey(project) in unanswered) || projectKey(project) in figures);

/** @throws Failure if no project answered */
export type MakeReport = (question: ReportQuestion) => Promise<ReportResult>;

/** `“Yesterday’s spend” for prod, web-shop`. @param scope as in `describeProjects` */
export const describeReport = (
  schedule: Pick<Schedule, 'report' | 'projects'>,
  workspace: Workspace,
  scope?: ProjectScope,
): string => `“${REPORTS[schedule.report].title}” for ${describeProjects(schedule, workspace, scope)}`;

/** What to run a report for. `zone` defaults to the workspace's. */
type ReportRequest = Pick<Schedule, 'report' | 'projects' | 'timing' | 'channel'> &
  Pick<ReportQuestion, 'posted'> & { readonly zone?: Zone };

export interface PostContext extends DeliveryContext {
  readonly makeReport: MakeReport;
}

/** Runs a report as of `at`, with current rights. @throws Failure */
export async function runReport(
  { timing, zone, ...request }: ReportRequest,
  at: Millis,
  context: Pick<PostContext, 'makeReport' | 'workspace' | 'billing' | 'answerCollector' | 'clock'>,
): Promise<ReportResult> {
  const { makeReport, workspace, billing, answerCollector, clock } = context;
  const { report, projects, channel, posted } = request;
  const instant = Math.min(at, clock());
  return makeReport({
    ...{ report, projects, channel, workspace, billing },
    ...(posted && { posted }),
    zone: zone ?? requireSettings(workspace).zone,
    days: daysCovered(timing, instant),
    answeredBy: answerCollector.add,
    at: instant,
  });
}

/** A posted report: its projects and days. */
type PostedReport = Pick<Schedule, 'report' | 'projects'> &
  Pick<ReportResult, 'covers' | 'figures' | 'unanswered'>;

/** The question a post answers, for follow-ups. “This month” becomes the month's name, because it will change. */
export function reportQuestion(posted: PostedReport, workspace: Workspace): AskedQuestion | undefined {
  const { report, covers } = posted;
  if (report === 'month-to-date') return questionAbout(posted, covers.first.slice(0, 7), workspace);
  const { first, last, zone } = covers;
  // A post of Friday to Sunday is compared with the same weekdays, as it says.
  const days = report === 'yesterday' && first !== last ? daysInRange(first, last, zone) : [];
  const before = sameDaysLastWeek(days, zone);
  const compared = before.length === 0 ? '' : ` vs ${daysText(before[0], before.at(-1))}`;
  return questionAbout(posted, daysText(first, last) + compared, workspace);
}

/** Opens the exact figures, with the clicking person's rights. */
export function detailsButton(posted: PostedReport, workspace: Workspace): Button[] {
  const { first, last } = posted.covers;
  const question = questionAbout(posted, daysText(first, last), workspace);
  if (question === undefined) return [];
  const { command, text } = question;
  return commandButton('details', 'Details', { command, text: `${text} details` });
}

const daysText = (first: Day | undefined, last: Day | undefined): string =>
  first === last ? `${first}` : `${first}..${last}`;

function questionAbout(posted: PostedReport, days: string, workspace: Workspace): AskedQuestion | undefined {
  const projects = shownProjects(posted, posted);
  return REPORTS[posted.report].coversDays
    ? askAbout('/spend', projects, days, workspace)
    : askAbout('/balance', projects, '', workspace);
}

export const makeReport: MakeReport = async (question) => {
  const { report, projects, at, days, zone } = question;
  const headline = REPORTS[report].coversDays ? 'spent' : 'left';
  const periods = reportPeriodsOf(report, at, zone, days);
  const all = await Promise.all(
    projects.map((project) => fetchProject(question, project, periods, headline)),
  );
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
    unanswered: Object.fromEntries(silent.map((one) => [keyOf(one), storeFailure(one.failure)])),
    ...(awaits && { awaits }),
  };
};

const keyOf = ({ project, product }: Pick<UnresolvedProject, 'project' | 'product'>): string =>
  `${project}:${product}`;

/** A post's newest day, if a project with daily data hasn't reported it. */
function awaitedDay({ answered, periods }: ReportView): Day | undefined {
  const newest = periods.main.window.days.at(-1);
  const isAwaited = ({ figures: { main, charted } }: ProjectFigures): boolean =>
    main.missing.some((day) => day === newest) && charted.reported.length > 0;
  return answered.some(isAwaited) ? newest : undefined;
}

/** Two parallel queries: the days, and the balance (optional). */
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
    // Everyone in the channel reads it, so no manager rights.
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
    // In a balance report, a project with a balance is complete even without reported days.
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
    const unchanged = { headline, amount: before.value, failure };
    return { target, locale, balance: failure.message, figures, remarks: [], unchanged };
  }
}
