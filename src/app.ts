import { createBilling } from './billing/client.ts';
import type { Config } from './config.ts';
import { createAuditTrail } from './features/audit/index.ts';
import { createBalance } from './features/balance/index.ts';
import { createConnect } from './features/connect/index.ts';
import type { Feature } from './features/feature.ts';
import { createHelp } from './features/help/index.ts';
import { createHome } from './features/home/index.ts';
import { createMentions } from './features/mentions/index.ts';
import { createOsToken } from './features/os-token/index.ts';
import { createProjects } from './features/projects/index.ts';
import { createReports } from './features/reports/index.ts';
import { createDelivery } from './features/schedules/delivery.ts';
import { createEngine } from './features/schedules/engine.ts';
import { createSchedules } from './features/schedules/index.ts';
import { createSettings } from './features/settings/index.ts';
import { createSpend } from './features/spend/index.ts';
import { createStatus } from './features/status/index.ts';
import { checkBaseUrl } from './http/address.ts';
import { createHttp } from './http/request.ts';
import { readAuthUrl } from './identity/auth-url.ts';
import { createIdentity } from './identity/client.ts';
import { createAlarms } from './jobs/alarms.ts';
import { createHealth } from './ops/health.ts';
import { boltLogger, type Log } from './ops/log.ts';
import { connectQueue, connectRedis, untilReady } from './redis.ts';
import { createApology } from './slack/apology.ts';
import { createInstallations } from './slack/installations.ts';
import { listen } from './slack/listen.ts';
import { createPeople } from './slack/people.ts';
import { createSlackServer } from './slack/receiver.ts';
import { createResponder } from './slack/respond.ts';
import { byVerb } from './slack/verbs.ts';
import { createKeyring } from './vault/keyring.ts';
import { createAllowance } from './workspace/allowance.ts';
import { createAudit } from './workspace/audit.ts';
import { createHandles } from './workspace/handles.ts';
import { createHeard } from './workspace/heard.ts';
import { createLedger } from './workspace/ledger.ts';
import { scheduledWorkspaces } from './workspace/scheduled.ts';
import { createUsed } from './workspace/used.ts';
import { createWorkspaces } from './workspace/workspaces.ts';

/** How long a stopping bot waits for answers under way: longer than a question to billing may take, in ms. */
const DRAIN = 11_000;

/** How long a start waits for Redis, in ms. */
const REDIS_PATIENCE = 5_000;

export interface Tally {
  /** Resolves with the port it listens on. */
  start(): Promise<number>;
  /** Takes nothing new, lets answers under way go out, then closes every connection. */
  stop(): Promise<void>;
}

/** The table of contents: every part of the bot and what it is made of. */
export function createTally(config: Config, log: Log, clock: () => number): Tally {
  const redis = connectRedis(config.redisUrl, {
    onOutage: (err) => log.error({ err }, 'Redis does not answer'),
  });
  const keyring = createKeyring(config.keys);
  const workspaces = createWorkspaces({ redis, keyring, stays: (id) => installations.stays(id) });
  const audit = createAudit(redis);
  const used = createUsed(workspaces, (err) => log.warn({ err }, 'the last use could not be noted'));
  const http = createHttp({ trustedHosts: config.trustedHosts });
  const billing = createBilling({ http });
  const responder = createResponder();

  const osToken = createOsToken({
    workspaces,
    audit,
    identity: createIdentity({ http }),
    handles: createHandles(redis),
    allowance: createAllowance(redis),
    readAuthUrl: (text) => readAuthUrl(text, config.trustedHosts),
    authUrl: config.identity.authUrl,
    clock,
    explain: createApology(log).explain,
  });
  // A queue's connection complains at every attempt: the other one says that Redis is away.
  const queue = connectQueue(config.redisUrl, (err) => log.debug({ err }, 'the queue has no Redis'));
  const alarms = createAlarms({
    connection: queue,
    clock,
    onError: (err) => log.debug({ err }, 'the queue stumbled'),
  });
  const ledger = createLedger(redis);
  const delivery = createDelivery({
    workspaces,
    ledger,
    clientFor: (workspace) => installations.clientFor(workspace),
    reports: () => merge(features, 'reports'),
    billing,
    clock,
    log,
  });
  const engine = createEngine({
    alarms,
    delivery,
    workspaces,
    ledger,
    scheduled: () => scheduledWorkspaces(redis),
    clock,
    log,
  });

  const features: Feature[] = [
    createBalance({ billing, used, clock }),
    createSpend({ billing, used, clock }),
    osToken,
    createConnect({
      workspaces,
      billing,
      checks: {
        baseUrl: (text) => checkBaseUrl(text, config.trustedHosts),
        authUrl: (text) => readAuthUrl(text, config.trustedHosts),
      },
      onConnected: (workspace) =>
        engine
          .changed(workspace)
          .catch((err: unknown) => log.warn({ err }, 'schedules wait for the next look')),
      addresses: { baseUrl: config.billing.baseUrl, authUrl: config.identity.authUrl },
    }),
    createProjects({
      workspaces,
      openAccess: osToken.open,
      verbs: () => [...Object.keys(commands), ...Object.keys(verbs)],
    }),
    createReports({ clock }),
    createSchedules({ workspaces, scheduling: engine }),
    createStatus({ workspaces, billing, sections: () => features.flatMap(({ status }) => status ?? []) }),
    createAuditTrail({ audit }),
    createSettings({ workspaces }),
    createHome({ sections: () => features.flatMap(({ home }) => home ?? []), log }),
    createMentions({ commands: () => Object.keys(commands), verbs: () => Object.keys(verbs) }),
    createHelp(() => features.flatMap(({ help }) => help)),
  ];

  const verbs = merge(features, 'verbs');
  const commands = { ...merge(features, 'commands'), '/billing': byVerb(verbs) };

  const health = createHealth({ redis, slackUp: () => slack.up() });
  const sdkLog = boltLogger(log);
  const installations = createInstallations(config.slack, {
    redis,
    keyring,
    audit,
    responder,
    log,
    boltLogger: sdkLog,
    clock,
    onForget: alarms.forget,
  });
  const slack = createSlackServer(
    config.slack,
    { '/healthz': health.healthz, '/readyz': health.readyz },
    installations,
    sdkLog,
  );
  listen(
    slack.app,
    {
      commands,
      actions: merge(features, 'actions'),
      views: merge(features, 'views'),
      options: merge(features, 'options'),
      events: merge(features, 'events'),
    },
    { people: createPeople(clock), workspaces, responder, heard: createHeard(redis), log, clock },
  );

  return {
    async start() {
      // Without Redis the bot still runs, says so on /readyz, and answers that it cannot.
      await untilReady(redis, REDIS_PATIENCE).catch((err: unknown) =>
        log.warn({ err }, 'started without Redis'),
      );
      engine.start();
      return slack.start(config.http.port);
    },
    async stop() {
      const [left] = await Promise.all([slack.stop(DRAIN), engine.stop(DRAIN)]);
      if (left > 0) log.warn({ left }, 'stopped before every answer was out');
      await Promise.allSettled([http.close(), responder.close()]);
      queue.disconnect();
      redis.disconnect();
    },
  };
}

function merge<K extends keyof Feature>(features: readonly Feature[], key: K): NonNullable<Feature[K]> {
  return Object.assign({}, ...features.map((feature) => feature[key]));
}
