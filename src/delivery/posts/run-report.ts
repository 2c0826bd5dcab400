import { daysCovered } from '../../domain/time/cadence.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { DeliveryContext } from '../context.ts';
import type { ReportResult, Reports } from './postable-report.ts';

/** What a pass reads, and what posts need besides. */
export interface PostContext extends DeliveryContext {
  readonly reports: Reports;
  /** Cause of a pause → the error that proves it lasts: one of the schedules it paused asks for all of them. */
  readonly probeFailures: Map<string, unknown>;
}

/** What a report is run for. `zone` is the workspace's if absent. */
type ReportRequest = Pick<Schedule, 'report' | 'projects' | 'timing' | 'channel'> & {
  readonly zone?: Zone;
};

/** A report as of `at` (ms), with the permissions of now. @throws Failure */
export async function runReport(
  { report, projects, channel, timing, zone }: ReportRequest,
  at: Millis,
  context: Pick<PostContext, 'reports' | 'workspace' | 'billing' | 'answerNotes' | 'clock'>,
): Promise<ReportResult> {
  const { reports, workspace, billing, answerNotes, clock } = context;
  const instant = Math.min(at, clock());
  return reports[report].run({
    ...{ workspace, projects, channel, at: instant, billing },
    zone: zone ?? requireSettings(workspace).zone,
    days: daysCovered(timing, instant),
    answeredBy: answerNotes.add,
  });
}
