import { createBillingClient, reportOutcomes } from './billing/client.ts';
import type { Config } from './config/config.ts';
import { createDeliveryService } from './delivery/delivery-service.ts';
import type { Millis } from './domain/time/calendar.ts';
import { createAskManagerFeature } from './features/ask-manager/index.ts';
import { createAuditFeature } from './features/audit/index.ts';
import { createBalanceFeature } from './features/balance/index.ts';
import { createConnectFeature } from './features/connect/index.ts';
import { createRegistry, type Feature, type Registry, type Services } from './features/feature.ts';
import { createHelpFeature } from './features/help/index.ts';
import { createHomeFeature } from './features/home/index.ts';
import { createMentionsFeature } from './features/mentions/index.ts';
import { createOsTokenFeature } from './features/os-token/index.ts';
import { createProjectsFeature } from './features/projects/index.ts';
import { createSchedulesFeature } from './features/schedules/index.ts';
import { createSettingsFeature } from './features/settings/index.ts';
import { createSpendFeature } from './features/spend/index.ts';
import { createWatchesFeature } from './features/watches/index.ts';
import { createWorkflowStepsFeature } from './features/workflow-steps/index.ts';
import { checkBaseUrl } from './http/address-rules.ts';
import { createGuardedHttp } from './http/request.ts';
import { createIdentityClient, parseAuthUrl } from './identity/client.ts';
import { createHealth } from './ops/health.ts';
import { boltLogger, type Log } from './ops/log.ts';
import { createMetrics } from './ops/metrics.ts';
import { createWorkLog, type OnFinished } from './ops/work-record.ts';
import { connectQueue, connectRedis, waitUntilReady } from './redis/connect.ts';
import { noteLayout, OtherLayout, requireLayout } from './redis/layout.ts';
import { onStoreError } from './redis/outage.ts';
import { createCommandNames } from './slack/command-prefix.ts';
import { createInstallations } from './slack/install/installations.ts';
import { createResponseUrlClient } from './slack/reply/message-calls.ts';
import { createUserDirectory } from './slack/request/users.ts';
import { registerListeners } from './slack/server/dispatch.ts';
import { createRateLimiter, type RateLimiter } from './slack/server/rate-limiter.ts';
import { createSlackServer } from './slack/server/slack-server.ts';
import type { LoadingDelays, SlackServices } from './slack/slack-services.ts';
import { onApiCall } from './slack/web-client.ts';
import { createKeyring } from './vault/keyring.ts';
import { createAudit } from './workspace/record/audit.ts';
import { createWorkspaces } from './workspace/record/workspaces.ts';
import { createEventDedup } from './workspace/replay-protection.ts';
import { createServiceOutcomes } from './workspace/service-outcomes.ts';
import { createThreadStore } from './workspace/thread-store.ts';

/** How long a stopping bot waits for running answers, in ms: longer than a request to billing may take. */
const DRAIN = 11_000;

/** How long the start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

export interface Tally {
  /** Everything the features declare: commands, listeners with their rights. */
  readonly registry: Registry;
  /** @returns the port it listens on */
  start(): Promise<number>;
  /**
   * Isn't ready any more, but goes on for `delay` ms; then accepts nothing new, waits for running answers, and closes
   * every connection.
   */
  stop(delay?: Millis): Promise<void>;
}

/** For a Redis that comes after the start, when nobody waits for it: ends the process as an error that nothing caught. */
const exitOnOtherLayout = (err: unknown): void => {
  if (err instanceof OtherLayout)
    process.nextTick(() => {
      throw err;
    });
};

/**
 * Builds every part of the bot: a table of contents, without logic.
 *
 * @param rateLimiter replaces the ordinary one in tests and measurements, which ask faster than people do
 * @param loadingDelays replace the ordinary ones in tests, which may run on a slow machine
 */
export function createTally(
  config: Config,
  log: Log,
  clock: () => Millis,
  rateLimiter?: RateLimiter,
  loadingDelays?: LoadingDelays,
): Tally {
  const metrics = createMetrics({
    inProgress: () => http.inProgress(),
    notReady: () => health.missing(),
    oldestOverdue: () => delivery.oldestOverdue(),
  });
  const logWork = createWorkLog(log, config.keys);
  const onFinished: OnFinished = (work) => {
    metrics.finished(work);
    logWork(work);
  };
  const limits = rateLimiter ?? createRateLimiter({ onRefused: metrics.throttled });
  const redis = connectRedis(config.redisUrl, {
    onOutage: (err) => log.error({ err }, 'Redis does not answer'),
    onRecovery: () => log.info('Redis answers again'),
  });
  // At debug level, because it fails at every attempt: the other connection reports the outage.
  const queue = connectQueue(config.redisUrl, (err) => log.debug({ err }, 'The queue can’t reach Redis'));
  const keyring = createKeyring(config.keys);
  const workspaces = createWorkspaces({
    redis,
    keyring,
    isInstalled: (id) => installations.stays(id),
  });
  const audit = createAudit(redis);
  const http = createGuardedHttp({
    trustedHosts: config.trustedHosts,
    limits: { connections: config.serviceConnections },
    onExchange: metrics.exchange,
  });
  const outcomes = createServiceOutcomes({
    workspaces,
    clock,
    changed: (workspace) => delivery.scheduling.changed(workspace),
    onFailure: (err, workspace) => log.warn({ err, workspace }, 'Could not note what a service answered'),
  });
  const billing = reportOutcomes(createBillingClient({ http }), outcomes.billing);
  const names = createCommandNames(() => all.commands(), config.slack.commandPrefix);
  const responseUrls = createResponseUrlClient(undefined, names);
  const users = createUserDirectory(clock);
  const threads = createThreadStore(redis);

  const all: Registry = createRegistry(() => features);
  const delivery = createDeliveryService({
    redis,
    queue,
    workspaces,
    billing,
    answerStore: outcomes,
    users,
    clock,
    log,
    clientFor: (workspace) => installations.clientFor(workspace),
    onFinished,
  });
  const checks = {
    baseUrl: (text: string) => checkBaseUrl(text, config.trustedHosts),
    authUrl: (text: string) => parseAuthUrl(text, config.trustedHosts),
  };
  const addresses = { baseUrl: config.billing.baseUrl, authUrl: config.identity.authUrl };
  const dedup = createEventDedup(redis);
  const shared = { workspaces, audit, threads, limits, log, clock };
  const services: Services = { ...shared, billing, answerStore: outcomes, delivery, checks, addresses, all };
  // In the order of `/billing help`: what people ask most comes first.
  const features: readonly Feature[] = [
    createBalanceFeature(services),
    createSpendFeature(services),
    createSchedulesFeature(services),
    createWatchesFeature({ ...services, watching: delivery.watching }),
    createOsTokenFeature({
      ...services,
      identity: createIdentityClient({ http, onNotIssued: outcomes.notIssued }),
      keyring,
      dedup,
    }),
    createProjectsFeature(services),
    createConnectFeature(services),
    createHomeFeature(services),
    createAuditFeature(services),
    createSettingsFeature(services),
    createAskManagerFeature({ ...services, dedup }),
    createMentionsFeature(services),
    createWorkflowStepsFeature(services),
    createHelpFeature(all.help),
  ];

  const health = createHealth(
    redis,
    () => slack.up(),
    (err) =>
      err === undefined ? log.info('Redis takes writes again') : log.error({ err }, 'Redis takes no writes'),
  );
  const slackServices: SlackServices = {
    ...shared,
    redis,
    keyring,
    users,
    responseUrls,
    names,
    onFinished,
    boltLogger: boltLogger(log),
    onRejected: metrics.rejected,
    onForget: all.forget,
    ...(loadingDelays && { loadingDelays }),
  };
  const installations = createInstallations(config.slack, slackServices);
  const routes = { '/healthz': health.healthz, '/readyz': health.readyz, '/metrics': metrics.page };
  const slack = createSlackServer(config.slack, slackServices, installations, routes);
  registerListeners(slack.app, all.listeners(), slackServices);
  const unwatch = [onApiCall(metrics.slackCall), onStoreError(metrics.storeError)];

  const checkLayout = async (): Promise<void> => {
    await requireLayout(redis);
    // A Redis that takes no writes now can still be read.
    await noteLayout(redis).catch(() => undefined);
  };

  return {
    registry: all,
    async start() {
      // Without Redis the bot runs too: /readyz reports it, and people get an answer that says so.
      await waitUntilReady(redis, REDIS_TIMEOUT)
        .then(checkLayout)
        .catch((err: unknown) => {
          if (err instanceof OtherLayout) throw err;
          log.warn({ err }, 'Started without Redis');
          redis.once('ready', () => checkLayout().catch(exitOnOtherLayout));
        });
      all.start();
      return slack.start(config.http.port);
    },
    async stop(delay = 0) {
      await slack.leave(delay);
      const [left] = await Promise.all([slack.stop(DRAIN), all.stop(DRAIN)]);
      if (left > 0) log.warn({ left }, 'Tally stopped before every answer was sent');
      await http.close().catch(() => undefined);
      for (const end of unwatch) end();
      metrics.stop();
      queue.disconnect();
      redis.disconnect();
    },
  };
}
