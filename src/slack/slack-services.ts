import type { Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from 'pino';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { OnFinished } from '../ops/work-record.ts';
import type { RedisConnection } from '../redis/connect.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Audit } from '../workspace/record/audit.ts';
import type { Workspaces } from '../workspace/record/workspace-repository.ts';
import type { EventDedup } from '../workspace/replay-protection.ts';
import type { ThreadStore } from '../workspace/thread-store.ts';
import type { ResponseUrlClient } from './reply/message-calls.ts';
import type { UserDirectory } from './request/users.ts';
import type { RateLimiter } from './server/rate-limiter.ts';
import type { RejectionReason } from './server/request-guard.ts';

export interface SharedServices {
  readonly workspaces: Workspaces;
  readonly audit: Audit;
  readonly threads: ThreadStore;
  readonly dedup: EventDedup;
  readonly limits: RateLimiter;
  readonly log: Logger;
  readonly clock: () => Millis;
}

export interface SlackServices extends SharedServices {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
  readonly users: UserDirectory;
  readonly responseUrls: ResponseUrlClient;
  readonly boltLogger: BoltLogger;
  readonly loadingDelays?: LoadingDelays;
  readonly onFinished: OnFinished;
  /** Called for each request that fails the check of its size, time or signature. */
  readonly onRejected: (reason: RejectionReason) => void;
  /** Deletes what Tally stores about the workspace outside the workspace's own Redis keys. */
  readonly onForget: (workspace: SlackId) => Promise<void>;
}

export interface LoadingDelays {
  readonly message: Millis;
  /** Short, because the modal must open within the 3 s for which Slack's trigger is valid. */
  readonly modal: Millis;
}

export const LOADING_DELAYS: LoadingDelays = { message: 1_500, modal: 300 };
