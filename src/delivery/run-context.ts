/** What a run for a workspace uses: the services of the process, and the records as they were read. */
import type { Logger } from 'pino';
import type { BillingClient } from '../billing/client.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { OnFinished } from '../ops/work-record.ts';
import type { UserDirectory } from '../slack/request/users.ts';
import type { WebClient } from '../slack/web-client.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { Workspaces } from '../workspace/record/workspace-repository.ts';
import type { OutcomeCollector, OutcomeStore } from '../workspace/save-service-outcomes.ts';
import type { ThreadStore } from '../workspace/thread-store.ts';
import type { DeliveryLog, DeliveryLogSnapshot } from './delivery-log.ts';
import type { MakeReport } from './reports/make-report.ts';

export interface RunView {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

export interface RunServices {
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  readonly billing: BillingClient;
  readonly makeReport: MakeReport;
  /** @throws not-installed, unseal-failed, store-unavailable */
  readonly clientFor: (workspace: SlackId) => Promise<WebClient>;
  readonly users: UserDirectory;
  readonly threads: Pick<ThreadStore, 'remember'>;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly onFinished: OnFinished;
  readonly outcomeStore: OutcomeStore;
}

export interface DeliveryContext extends RunServices, RunView {
  readonly teamId: SlackId;
  readonly outcomeCollector: OutcomeCollector;
  readonly stopping: AbortSignal;
  /** True if the process is stopping, or if Slack limits the rate. Then no new work starts. */
  isEnding(): boolean;
  /** Ends this run; the next one starts at `until`. */
  backOff(until: Millis): void;
  loadWorkspace(): Promise<Workspace>;
  client(): Promise<WebClient>;
  waitForChannel(channel: SlackId): Promise<void>;
}
