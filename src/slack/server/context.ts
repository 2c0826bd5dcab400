import type { Logger } from 'pino';
import type { Millis } from '../../domain/time/calendar.ts';
import type { OnFinished } from '../../runtime/work.ts';
import type { EventDedup } from '../../workspace/once/replay-protection.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import type { CommandNames } from '../command-names.ts';
import type { ErrorReply } from '../reply/error-reply.ts';
import type { LoadingDelays } from '../reply/reply.ts';
import type { ResponseUrlClient } from '../reply/response-url.ts';
import type { Authorize } from '../request/request.ts';
import type { Listeners } from './listeners.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What turns Slack's payloads into requests to the listeners. */
export interface ListenerContext {
  readonly listeners: Required<Listeners>;
  readonly names: Pick<CommandNames, 'parse'>;
  readonly authorize: Authorize;
  readonly errorReply: ErrorReply;
  readonly responseUrls: ResponseUrlClient;
  readonly eventDedup: EventDedup;
  readonly threads: ThreadStore;
  readonly limits: RateLimiter;
  readonly log: Logger;
  readonly clock: () => Millis;
  readonly loadingDelays?: LoadingDelays;
  /** Gets the record of each request that Tally took up. */
  readonly onFinished: OnFinished;
}
