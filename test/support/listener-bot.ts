/** The Slack server without features, for tests with their own handlers. */
import { randomBytes } from 'node:crypto';
import type { Slack } from '../../sandbox/slack/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { boltLogger, createLog } from '../../src/ops/log.ts';
import { createWorkLog } from '../../src/ops/work-record.ts';
import { createInstallations } from '../../src/slack/install/installations.ts';
import { createResponseUrlClient } from '../../src/slack/reply/message-calls.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { registerHandlers } from '../../src/slack/server/dispatch.ts';
import type { Handlers } from '../../src/slack/server/handlers.ts';
import type { RateLimiter } from '../../src/slack/server/rate-limiter.ts';
import { createSlackServer } from '../../src/slack/server/slack-server.ts';
import type { LoadingDelays, SlackServices } from '../../src/slack/slack-services.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createEventDedup } from '../../src/workspace/replay-protection.ts';
import { createThreadStore } from '../../src/workspace/thread-store.ts';
import { NO_LOADING, slackEnvironment, startTestSlack } from './bot.ts';
import { createPeople, type People, UNLIMITED } from './people.ts';
import { type TestRedis, testRedis } from './redis.ts';

export interface ListenerBot extends People {
  readonly slack: Slack;
  readonly url: string;
  readonly workspaces: Workspaces;
  readonly redis: TestRedis;
  log(): string;
  messageTexts(channel?: string, person?: string): readonly string[];
  stop(): Promise<void>;
}

export interface ListenerBotOptions {
  readonly mode?: 'http' | 'socket';
  readonly clock?: () => number;
  readonly loadingDelays?: LoadingDelays;
  readonly limits?: RateLimiter;
}

/** @param source handlers, or a function that makes them */
export async function startListenerBot(
  source: Handlers | ((workspaces: Workspaces) => Handlers),
  options: ListenerBotOptions = {},
): Promise<ListenerBot> {
  const { mode = 'http', clock = Date.now, loadingDelays = NO_LOADING, limits = UNLIMITED } = options;
  const redis = await testRedis();
  const lines: string[] = [];
  let url = '';
  const slack = await startTestSlack(mode, () => url);
  const config = parseConfig({
    ...slackEnvironment(mode, slack),
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  });
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const keyring = createKeyring(config.keys);
  const workspaces = createWorkspaces({ redis: redis.client, keyring });
  const handlers = typeof source === 'function' ? source(workspaces) : source;
  const responseUrls = createResponseUrlClient();
  const services: SlackServices = {
    redis: redis.client,
    keyring,
    workspaces,
    responseUrls,
    limits,
    log,
    clock,
    loadingDelays,
    boltLogger: boltLogger(log),
    audit: createAudit(redis.client),
    users: createUserDirectory(clock),
    threads: createThreadStore(redis.client),
    dedup: createEventDedup(redis.client),
    onForget: async () => undefined,
    onRejected: () => undefined,
    onFinished: createWorkLog(log),
  };
  const installations = createInstallations(config.slack, services);
  const server = createSlackServer(config.slack, services, installations, {});
  registerHandlers(
    server.app,
    { commands: {}, actions: {}, views: {}, options: {}, events: {}, steps: {}, ...handlers },
    services,
  );
  url = `http://127.0.0.1:${await server.start(0)}`;

  const people = createPeople(slack, () => url);
  return {
    ...people,
    slack,
    url,
    workspaces,
    redis,
    log: () => lines.join(''),
    messageTexts: (channel, person) => people.answers(person, channel).map(({ visibleText }) => visibleText),
    async stop() {
      await server.stop(2_000);
      await Promise.all([slack.close(), redis.close()]);
    },
  };
}
