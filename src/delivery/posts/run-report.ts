import type { Button } from '@slack/types';
import type { BillingClient } from '../../billing/client.ts';
import type { StoredFailure } from '../../domain/failure/index.ts';
import { daysOfReport, REPORTS, type ReportName } from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { daysCovered } from '../../domain/time/cadence.ts';
import type { Day, Millis, Zone } from '../../domain/time/calendar.ts';
import { sameDaysLastWeek } from '../../domain/time/comparison-window.ts';
import type { Message } from '../../slack/kit/blocks.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { type ChosenProject, describeProjects, projectKey } from '../../workspace/projects/chosen-project.ts';
import type { ProjectScope } from '../../workspace/projects/project-visibility.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import type { AnswerCollector } from '../../workspace/service-outcomes.ts';
import type { DeliveryContext } from '../context.ts';
import type { MessageTopic } from '../outbox/thread-topic.ts';
import type { CoveredDays } from './post-record.ts';

/** What a schedule asks a report, as of the instant when it is due. */
export interface ReportQuestion {
  readonly report: ReportName;
  readonly workspace: Workspace;
  /** In the order of the post; several projects make a digest. */
  readonly projects: readonly ChosenProject[];
  readonly channel: SlackId;
  /** The instant the figures are as of, in ms. */
  readonly at: Millis;
  /** IANA name of the zone that days are in: the workspace's reporting zone, or that of a post that is corrected. */
  readonly zone: Zone;
  /** How many days a report of yesterday is about. */
  readonly days: number;
  /** Asks each question once, however many schedules want its answer. */
  readonly billing: BillingClient;
  readonly clock: () => Millis;
  /** What the post shows that is drawn again, as `ReportResult.figures`: a project that gives no answer keeps its figure. */
  readonly posted?: ReportResult['figures'];
  /** Called with each connection that gave an answer, and with a registered project's balance. */
  readonly answeredBy: AnswerCollector['add'];
}

/** What is posted, and the figures that a later correction compares with. */
export interface ReportResult {
  /** Without its owner and whether it is late, which delivery adds. The small print comes last. */
  readonly message: Message;
  /** Buttons under a post, beside **Manage**. */
  readonly buttons?: readonly Button[];
  /** `<project id>:<product>` → the exact digits of the total; absent if there is none. */
  readonly figures: Readonly<Record<string, string>>;
  readonly covers: CoveredDays;
  /** The newest day, if billing has not reported it for every project yet. */
  readonly awaits?: Day;
  readonly isEmpty: boolean;
  /** `<project id>:<product>` → why it gave no answer; one that keeps its figure is among `figures` too. */
  readonly unanswered: Readonly<Record<string, StoredFailure>>;
}

/** The projects that a post shows figures of. */
export const shownProjects = (
  { projects }: Pick<Schedule, 'projects'>,
  { unanswered, figures }: Pick<ReportResult, 'unanswered' | 'figures'>,
): Schedule['projects'] =>
  projects.filter((project) => !(projectKey(project) in unanswered) || projectKey(project) in figures);

/** @throws Failure if no project of the question could be answered */
export type MakeReport = (question: ReportQuestion) => Promise<ReportResult>;

/** `“Yesterday’s spend” for prod, web-shop`. @param scope as in `describeProjects` */
export const describeReport = (
  schedule: Pick<Schedule, 'report' | 'projects'>,
  workspace: Workspace,
  scope?: ProjectScope,
): string => `“${REPORTS[schedule.report].title}” for ${describeProjects(schedule, workspace, scope)}`;

/** What a report is run for. `zone` is the workspace's if absent. */
type ReportRequest = Pick<Schedule, 'report' | 'projects' | 'timing' | 'channel'> &
  Pick<ReportQuestion, 'posted'> & { readonly zone?: Zone };

/** What a run works with, and what makes the reports. */
export interface PostContext extends DeliveryContext {
  readonly makeReport: MakeReport;
}

/** A report as of `at` (ms), with the permissions of now. @throws Failure */
export async function runReport(
  { timing, zone, ...request }: ReportRequest,
  at: Millis,
  context: Pick<PostContext, 'makeReport' | 'workspace' | 'billing' | 'answerCollector' | 'clock'>,
): Promise<ReportResult> {
  const { makeReport, workspace, billing, answerCollector, clock } = context;
  const { report, projects, channel, posted } = request;
  const instant = Math.min(at, clock());
  return makeReport({
    ...{ report, projects, channel, workspace, billing, clock },
    ...(posted && { posted }),
    zone: zone ?? requireSettings(workspace).zone,
    days: daysCovered(timing, instant),
    answeredBy: answerCollector.add,
    at: instant,
  });
}

/** What a post as of `at` (ms) is about, for follow-ups. A running month gets its name, because “this month” changes. */
export function topicOf(
  { report, timing, projects }: Pick<Schedule, 'report' | 'timing' | 'projects'>,
  at: Millis,
  zone: Zone,
  { clock }: Pick<DeliveryContext, 'clock'>,
): MessageTopic {
  const instant = Math.min(at, clock());
  const days = daysOfReport(report, instant, zone, daysCovered(timing, instant));
  const [first = '', ...others] = days;
  if (!REPORTS[report].coversDays) return { command: '/balance', projects };
  if (report === 'month-to-date') return { command: '/spend', projects, days: first.slice(0, 7) };
  const last = others.at(-1);
  if (last === undefined) return { command: '/spend', projects, days: first };
  // A post of Friday to Sunday is compared with the same weekdays, as it says.
  const before = report === 'yesterday' ? sameDaysLastWeek(days, zone) : [];
  const compared = before.length === 0 ? '' : ` vs ${before[0]}..${before.at(-1)}`;
  return { command: '/spend', projects, days: `${first}..${last}${compared}` };
}
