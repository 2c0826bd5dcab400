import type { Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from 'pino';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { OnFinished } from '../ops/work-record.ts';
import type { RedisConnection } from '../redis/connect.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Audit } from '../workspace/record/audit.ts';
import type { Workspaces } from '../workspace/record/workspaces.ts';
import type { ThreadStore } from '../workspace/thread-store.ts';
import type { CommandNames } from './command-prefix.ts';
import type { ResponseUrlClient } from './reply/message-calls.ts';
import type { UserDirectory } from './request/users.ts';
import type { RateLimiter } from './server/rate-limiter.ts';
import type { RejectionReason } from './server/request-guard.ts';

/** What both features and the listeners that call them are made of. */
export interface SharedServices {
  readonly workspaces: Workspaces;
  readonly audit: Audit;
  readonly threads: ThreadStore;
  readonly limits: RateLimiter;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => Millis;
}

/** What Slack's side of Tally is made of. */
export interface SlackServices extends SharedServices {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
  readonly users: UserDirectory;
  readonly responseUrls: ResponseUrlClient;
  readonly names: CommandNames;
  readonly boltLogger: BoltLogger;
  readonly loadingDelays?: LoadingDelays;
  /** Gets the record of each request that Tally took up. */
  readonly onFinished: OnFinished;
  /** Gets why a request was rejected before anything was done for it. */
  readonly onRejected: (reason: RejectionReason) => void;
  /** Deletes what a workspace has outside the store's own keys. @throws store-unavailable */
  readonly onForget: (workspace: SlackId) => Promise<void>;
}

/** How long Tally works before it shows that it does. */
export interface LoadingDelays {
  readonly message: Millis;
  /** Short, because Slack opens no modal later than 3 s after the click, and the call itself may be slow. */
  readonly modal: Millis;
}

export const LOADING_DELAYS: LoadingDelays = { message: 1_500, modal: 300 };
