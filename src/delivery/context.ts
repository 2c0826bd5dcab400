import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BillingClient } from '../billing/client.ts';
import { daysCovered } from '../domain/time/cadence.ts';
import type { PostableReport, ReportResult } from '../features/feature.ts';
import type { WebClient } from '../slack/web-client.ts';
import type { AnswerNotes } from '../workspace/last-used.ts';
import type { Schedule } from '../workspace/schedules.ts';
import { requireSettings } from '../workspace/workspace.ts';
import type { Workspace, Workspaces } from '../workspace/workspaces.ts';
import {
  type DeliveryLease,
  type DeliveryLog,
  type DeliveryLogSnapshot,
  LEASE_MS,
  type LogWrite,
} from './delivery-log.ts';

/** Another run may be at it by now: this one must not post any more. */
export class LeaseLostError extends Error {}

/** Somebody paused, changed or removed the schedule since the round began: the next one sees what they made of it. */
export class ScheduleChangedError extends Error {}

export interface DeliveryRunParts {
  readonly workspaces: Workspaces;
  readonly ledger: DeliveryLog;
  readonly clientFor: (workspace: string) => Promise<WebClient>;
  readonly clock: () => number;
  readonly log: Logger;
  readonly lease: DeliveryLease;
  readonly reportOf: (schedule: Pick<Schedule, 'report'>) => PostableReport;
  /** Posts that Slack has taken and nobody could note: by workspace and delivery key, Slack's `ts`. */
  readonly arrived: Map<string, string>;
  readonly stopping: AbortSignal;
}

/** One run for one workspace, as long as it has the lease. */
export interface DeliveryRun extends DeliveryRunParts {
  readonly teamId: string;
  /** Nothing more is to be begun: the process ends, the lease is lost, or Slack wants to be left alone. */
  isOver(): boolean;
  /** Slack wants this workspace to be left alone until then, in ms. */
  quiet(until: number): Promise<void>;
  /** The workspace's client, the same for the whole run. @throws NotInstalled, UnsealFailed */
  client(): Promise<WebClient>;
  /** Writes to the ledger. @throws LeaseLostError, ScheduleChangedError */
  enter(entering: LogWrite): Promise<string>;
  /** A second lies between two posts to one channel. */
  pace(channel: string, lastPost: number | undefined): Promise<void>;
  /** A channel was posted to just now. */
  posted(channel: string): void;
  end(): void;
}

/** What a round of it has read. */
export interface DeliveryContext extends DeliveryRun {
  readonly workspace: Workspace;
  readonly book: DeliveryLogSnapshot;
  readonly billing: BillingClient;
  /** What the answers taught. */
  readonly answered: AnswerNotes;
  /** What still fails, by what paused schedules wait for: one of them asks for all. */
  readonly failing: Map<string, unknown>;
}

/** Slack takes about one post a second for a channel, in ms. */
const PACE = 1_050;

export function startDeliveryRun(parts: DeliveryRunParts): DeliveryRun {
  const { ledger, lease, clock, stopping, clientFor, log } = parts;
  const { teamId } = lease;
  const lastPosts = new Map<string, number>();
  let isQuiet = false;
  let renewed = performance.now();
  let isLost = false;
  let opened: Promise<WebClient> | undefined;

  const keeper = setInterval(() => {
    const began = performance.now();
    ledger.renew(lease).then(
      (held) => {
        if (held) renewed = began;
        else isLost = true;
      },
      (err: unknown) => log.warn({ err, teamId }, 'a lease could not be renewed'),
    );
  }, LEASE_MS / 4);
  const held = () => !isLost && performance.now() - renewed < LEASE_MS;

  return {
    ...parts,
    teamId,
    isOver: () => stopping.aborted || isQuiet || !held(),
    async quiet(until) {
      isQuiet = true;
      await ledger.quiet(lease, until);
    },
    client() {
      opened ??= clientFor(teamId);
      return opened;
    },
    async enter(entering) {
      if (!held()) throw new LeaseLostError();
      const json = await ledger.enter(lease, entering);
      if (json === undefined) throw new LeaseLostError();
      if (json === '') throw new ScheduleChangedError();
      return json;
    },
    async pace(channel, lastPost = 0) {
      const last = Math.max(lastPosts.get(channel) ?? 0, lastPost);
      // A clock that went back is no reason to wait longer than that.
      const rest = Math.min(PACE, last + PACE - clock());
      if (rest > 0) await delay(rest, undefined, { signal: stopping });
    },
    posted: (channel) => void lastPosts.set(channel, clock()),
    end: () => clearInterval(keeper),
  };
}

/** What a report is run for. `zone` is the workspace's where absent. */
type Wanted = Pick<Schedule, 'report' | 'projects' | 'timing' | 'channel'> & { readonly zone?: string };

/** A report as of one instant, with the rights of now. @throws Failure */
export const runReport = (wanted: Wanted, at: number, round: DeliveryContext): Promise<ReportResult> =>
  reportAt(round.reportOf(wanted), wanted, Math.min(at, round.clock()), round);

/** @throws Failure */
export async function reportAt(
  report: PostableReport,
  { projects, channel, timing, zone }: Wanted,
  at: number,
  { workspace, billing, answered }: Pick<DeliveryContext, 'workspace' | 'billing' | 'answered'>,
): Promise<ReportResult> {
  return report.run({
    ...{ workspace, projects, channel, at, billing },
    zone: zone ?? requireSettings(workspace).zone,
    days: daysCovered(timing, at),
    answeredBy: answered.add,
  });
}
