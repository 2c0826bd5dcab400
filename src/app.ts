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
import { createRegistry, type Registry } from './features/registry.ts';
import { createReports } from './features/reports/index.ts';
import { createScheduledPosts } from './features/schedules/scheduled-posts.ts';
import { createSettings } from './features/settings/index.ts';
import { createSpend } from './features/spend/index.ts';
import { createStatus } from './features/status/index.ts';
import { checkBaseUrl } from './http/address.ts';
import { createHttp } from './http/request.ts';
import { parseAuthUrl } from './identity/auth-url.ts';
import { createIdentity } from './identity/client.ts';
import { createHealth } from './ops/health.ts';
import { boltLogger, type Log } from './ops/log.ts';
import { createMetrics } from './ops/metrics.ts';
import { connectQueue, connectRedis, waitUntilReady } from './redis.ts';
import { createErrorReply } from './slack/error-reply.ts';
import { createInstallations } from './slack/installations.ts';
import { createRateLimiter, type RateLimiter } from './slack/rate-limit.ts';
import { createSlackServer } from './slack/receiver.ts';
import { registerListeners } from './slack/register-listeners.ts';
import { createResponseUrlClient } from './slack/response-url.ts';
import { createUserDirectory } from './slack/users.ts';
import { onApiCall } from './slack/web-client.ts';
import { createKeyring } from './vault/keyring.ts';
import { createAudit } from './workspace/audit.ts';
import { createEventDedup } from './workspace/event-dedup.ts';
import { createIssueLimit } from './workspace/issue-limit.ts';
import { createLastUsed } from './workspace/last-used.ts';
import { createOAuthNonces } from './workspace/oauth-nonces.ts';
import { createOneTimeGrants } from './workspace/one-time-grants.ts';
import { createWorkspaces } from './workspace/workspaces.ts';

/** How long a stopping bot waits for running answers, in ms: longer than a request to billing may take. */
const DRAIN = 11_000;

/** How long the start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

export interface Tally {
  /** Everything the features declare: commands, listeners with their rights, reports. */
  readonly registry: Registry;
  /** @returns the port it listens on */
  start(): Promise<number>;
  /** Accepts nothing new, waits for running answers, then closes every connection. */
  stop(): Promise<void>;
}

/**
 * Builds every part of the bot: a table of contents, without logic.
 *
 * @param rateLimiter replaces the ordinary one in tests and measurements, which ask faster than people do
 */
export function createTally(config: Config, log: Log, clock: () => number, rateLimiter?: RateLimiter): Tally {
  const metrics = createMetrics(() => http.inProgress());
  const limits = rateLimiter ?? createRateLimiter({ onRefused: metrics.throttled });
  const redis = connectRedis(config.redisUrl, {
    onOutage: (err) => log.error({ err }, 'Redis does not answer'),
  });
  // At debug level, because it fails at every attempt: the other connection reports the outage.
  const queue = connectQueue(config.redisUrl, (err) => log.debug({ err }, 'the queue cannot reach Redis'));
  const keyring = createKeyring(config.keys);
  const workspaces = createWorkspaces({ redis, keyring, isInstalled: (id) => installations.stays(id) });
  const audit = createAudit(redis);
  const used = createLastUsed(workspaces, (err) =>
    log.warn({ err }, 'the last use of a connection could not be saved'),
  );
  const http = createHttp({ trustedHosts: config.trustedHosts, onExchange: metrics.exchange });
  const billing = createBilling({ http });
  const responder = createResponseUrlClient();
  const checks = {
    baseUrl: (text: string) => checkBaseUrl(text, config.trustedHosts),
    authUrl: (text: string) => parseAuthUrl(text, config.trustedHosts),
  };

  const all = createRegistry(() => features);
  // In the order of /billing help: what people ask most comes first.
  const features: readonly Feature[] = [
    createBalance({ billing, used, clock }),
    createSpend({ billing, used, clock }),
    createReports({ clock }),
    createScheduledPosts({
      redis,
      queue,
      workspaces,
      billing,
      limits,
      used,
      clientFor: (workspace) => installations.clientFor(workspace),
      reports: all.reports,
      clock,
      log,
      onSent: metrics.post,
    }),
    createOsToken({
      workspaces,
      audit,
      identity: createIdentity({ http }),
      handles: createOneTimeGrants(redis),
      allowance: createIssueLimit(redis),
      limits,
      readAuthUrl: checks.authUrl,
      authUrl: config.identity.authUrl,
      clock,
      explain: createErrorReply(log).explain,
    }),
    createProjects({
      workspaces,
      more: all.projectVerbs,
      verbs: () => [...all.commands(), ...all.verbs()],
    }),
    createConnect({
      workspaces,
      billing,
      limits,
      checks,
      onConnected: all.connected,
      addresses: { baseUrl: config.billing.baseUrl, authUrl: config.identity.authUrl },
    }),
    createStatus({ workspaces, billing, limits, used, sections: all.status }),
    createAuditTrail({ audit }),
    createSettings({ workspaces }),
    createMentions({ commands: all.commands, verbs: all.verbs }),
    createHome({ sections: all.home, billing, used, log, clock }),
    createHelp(all.help),
  ];

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
    onForget: all.forget,
  });
  const slack = createSlackServer(config.slack, {
    routes: { '/healthz': health.healthz, '/readyz': health.readyz, '/metrics': metrics.page },
    installations,
    spend: createOAuthNonces(redis, 'request').spend,
    logger: sdkLog,
  });
  registerListeners(slack.app, all.listeners(), {
    users: createUserDirectory(clock),
    workspaces,
    responder,
    eventDedup: createEventDedup(redis),
    limits,
    log,
    clock,
    onAnswered: metrics.command,
  });
  const unwatch = onApiCall(metrics.slackCall);

  return {
    registry: all,
    async start() {
      // Without Redis the bot runs too: /readyz reports it, and people get an answer that says so.
      await waitUntilReady(redis, REDIS_TIMEOUT).catch((err: unknown) =>
        log.warn({ err }, 'started without Redis'),
      );
      all.start();
      return slack.start(config.http.port);
    },
    async stop() {
      http.closeQueue();
      const [left] = await Promise.all([slack.stop(DRAIN), all.stop(DRAIN)]);
      if (left > 0) log.warn({ left }, 'Tally stopped before every answer was sent');
      await Promise.allSettled([http.close(), responder.close()]);
      unwatch();
      metrics.stop();
      queue.disconnect();
      redis.disconnect();
    },
  };
}
