/** The composition root: creates every part of the bot and connects the parts. */
import { createBillingClient, reportOutcomes } from './billing/client.ts';
import type { Config } from './config/config.ts';
import { createDeliveryService } from './delivery/delivery-service.ts';
import type { SlackId } from './domain/slack-id.ts';
import type { Millis } from './domain/time/calendar.ts';
import { createAskManagerFeature } from './features/ask-manager/index.ts';
import { createAuditFeature } from './features/audit/index.ts';
import { createBalanceFeature } from './features/balance/index.ts';
import { createConnectFeature } from './features/connect/index.ts';
import { createRegistry, type Feature, type Registry, type Services } from './features/feature.ts';
import { createHelpFeature } from './features/help/index.ts';
import { createHomeFeature } from './features/home/index.ts';
import { createMentionsFeature } from './features/mentions/index.ts';
import type { TokenServices } from './features/os-token/access-form.ts';
import { createOsTokenFeature } from './features/os-token/index.ts';
import { createProjectsFeature } from './features/projects/index.ts';
import { createSchedulesFeature } from './features/schedules/index.ts';
import { createSettingsFeature } from './features/settings/index.ts';
import { createSpendFeature } from './features/spend/index.ts';
import { createWatchesFeature } from './features/watches/index.ts';
import { createWorkflowStepsFeature } from './features/workflow-steps/index.ts';
import { checkBaseUrl } from './http/address-rules.ts';
import { createGuardedHttp, type GuardedHttp } from './http/client.ts';
import { createIdentityClient, parseAuthUrl } from './identity/client.ts';
import { boltLogger, type Log } from './ops/log.ts';
import { createMetrics } from './ops/metrics.ts';
import { createReadiness } from './ops/readiness.ts';
import { createWorkLog, type OnFinished } from './ops/work-record.ts';
import { connectQueue, connectRedis, waitUntilReady } from './redis/connect.ts';
import { claimLayout } from './redis/layout.ts';
import { onStoreError } from './redis/outages.ts';
import { createInstallations } from './slack/install/installations.ts';
import { createResponseUrlClient } from './slack/reply/message-calls.ts';
import { createUserDirectory } from './slack/request/users.ts';
import { registerHandlers } from './slack/server/dispatch.ts';
import { createRateLimiter, type RateLimiter } from './slack/server/rate-limiter.ts';
import { createSlackServer } from './slack/server/slack-server.ts';
import type { LoadingDelays, SlackServices } from './slack/slack-services.ts';
import { onApiCall } from './slack/web-client.ts';
import { createKeyring } from './vault/keyring.ts';
import { createAudit } from './workspace/record/audit.ts';
import { createWorkspaces } from './workspace/record/workspace-repository.ts';
import { createEventDedup } from './workspace/replay-protection.ts';
import { createServiceOutcomes } from './workspace/save-service-outcomes.ts';
import { createThreadStore } from './workspace/thread-store.ts';

/** In ms: how long a shutdown waits for running requests. A request to billing takes less time. */
const DRAIN = 11_000;

/** In ms: how long the start waits for Redis. A failover takes less time. */
const REDIS_TIMEOUT = 30_000;

export interface Tally {
  readonly registry: Registry;
  /** @returns the port that the server listens on @throws store-unavailable if Redis can't be reached */
  start(): Promise<number>;
  /** Accepts no more requests, waits up to `drain` ms for answers, and closes. */
  stop(drain?: Millis): Promise<void>;
}

/** @param overrides for tests and benchmarks, which send requests faster than people do */
export function createTally(
  config: Config,
  log: Log,
  clock: () => Millis,
  overrides: { readonly limits?: RateLimiter; readonly loadingDelays?: LoadingDelays } = {},
): Tally {
  const metrics = createMetrics();
  const stores = createStores(config, log, (id) => slack.installations.isInstalled(id));
  const { redis, queue } = stores;
  const logWork = createWorkLog(log);
  const onFinished: OnFinished = (work) => {
    metrics.finished(work);
    logWork(work);
  };
  const shared = {
    ...stores,
    users: createUserDirectory(clock),
    onFinished,
    log,
    clock,
    limits: createRateLimiter({ onRefused: metrics.throttled }),
    ...overrides,
  };
  const http = createGuardedHttp({ trustedHosts: config.trustedHosts, onExchange: metrics.exchange });
  const clients = createClients(http, shared, (workspace) => delivery.changed(workspace));
  const delivery = createDeliveryService({
    ...shared,
    ...clients,
    clientFor: (workspace) => slack.installations.clientFor(workspace),
  });
  const registry: Registry = createRegistry(() => features);
  const features = createFeatures({ ...shared, ...clients, delivery, registry, ...addressesIn(config) });
  const readiness = createReadiness(redis, () => slack.server.up());
  const slack = createSlackSide(
    config.slack,
    registry,
    { '/healthz': readiness.healthz, '/readyz': readiness.readyz, '/metrics': metrics.page },
    { ...shared, onRejected: metrics.rejected, onForget: delivery.forget },
  );
  metrics.measure({ ...http, notReady: readiness.missing, oldestOverdue: delivery.oldestOverdue });
  const unsubscribe = [onApiCall(metrics.slackCall), onStoreError(metrics.storeError)];

  return {
    registry,
    async start() {
      await waitUntilReady(redis, REDIS_TIMEOUT);
      await claimLayout(redis);
      delivery.start();
      return slack.server.start(config.http.port);
    },
    async stop(drain = DRAIN) {
      const [left] = await Promise.all([slack.server.stop(drain), delivery.stop(drain)]);
      if (left > 0) log.warn({ left }, 'Tally stopped before every answer was sent');
      await http.close().catch(() => undefined);
      for (const end of [...unsubscribe, metrics.stop]) end();
      for (const connection of [queue, redis]) connection.disconnect();
    },
  };
}

function createStores(config: Config, log: Log, isInstalled: (workspace: SlackId) => Promise<boolean>) {
  const redis = connectRedis(config.redisUrl, {
    onOutage: (err) => log.error({ err }, 'Redis does not answer'),
    onRecovery: () => log.info('Redis answers again'),
  });
  // `redis` reports an outage once. `queue` reports every failed attempt to reconnect, so these reports are logged
  // only at debug level.
  const queue = connectQueue(config.redisUrl, (err) => log.debug({ err }, 'The queue can’t reach Redis'));
  const keyring = createKeyring(config.keys);
  return {
    redis,
    queue,
    keyring,
    workspaces: createWorkspaces({ redis, keyring, isInstalled }),
    audit: createAudit(redis),
    threads: createThreadStore(redis),
    dedup: createEventDedup(redis),
  };
}

/** Both clients note in the workspace's record which requests failed. */
function createClients(
  http: GuardedHttp,
  { workspaces, log, clock }: Pick<SlackServices, 'workspaces' | 'log' | 'clock'>,
  changed: (workspace: SlackId) => Promise<void>,
) {
  const outcomeStore = createServiceOutcomes({
    workspaces,
    clock,
    changed,
    onFailure: (err, workspace) => log.warn({ err, workspace }, 'Could not store a service’s status'),
  });
  return {
    outcomeStore,
    billing: reportOutcomes(createBillingClient({ http }), outcomeStore.billing),
    identity: createIdentityClient({ http, onNotIssued: outcomeStore.notIssued }),
  };
}

const addressesIn = ({ billing, identity, trustedHosts }: Config) => ({
  parseAddress: {
    baseUrl: (text: string) => checkBaseUrl(text, trustedHosts),
    authUrl: (text: string) => parseAuthUrl(text, trustedHosts),
  },
  defaultAddresses: { baseUrl: billing.baseUrl, authUrl: identity.authUrl },
});

/** In the order of `/billing help`: the most used first. */
const createFeatures = (services: Services & TokenServices): readonly Feature[] => [
  createBalanceFeature(services),
  createSpendFeature(services),
  createSchedulesFeature({ ...services, ...services.delivery }),
  createWatchesFeature({ ...services, ...services.delivery }),
  createOsTokenFeature(services),
  createProjectsFeature(services),
  createConnectFeature(services),
  createHomeFeature(services),
  createAuditFeature(services),
  createSettingsFeature(services),
  createAskManagerFeature(services),
  createMentionsFeature(services),
  createWorkflowStepsFeature(services),
  createHelpFeature(services.registry.help),
];

function createSlackSide(
  config: Config['slack'],
  registry: Registry,
  routes: Parameters<typeof createSlackServer>[3],
  services: Omit<SlackServices, 'responseUrls' | 'boltLogger'>,
) {
  const slackServices: SlackServices = {
    ...services,
    responseUrls: createResponseUrlClient(),
    boltLogger: boltLogger(services.log),
  };
  const installations = createInstallations(config, slackServices);
  const server = createSlackServer(config, slackServices, installations, routes);
  registerHandlers(server.app, registry.handlers(), slackServices);
  return { installations, server };
}
