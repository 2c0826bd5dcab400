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
import { createRegistry } from './features/registry.ts';
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

/**
 * The table of contents: every part of the bot and what it is made of.
 *
 * @param replaced the limiter in place of the ordinary one, for whoever measures or tests faster than people ask
 */
export function createTally(config: Config, log: Log, clock: () => number, replaced?: RateLimiter): Tally {
  const metrics = createMetrics(() => http.inProgress());
  const limits = replaced ?? createRateLimiter({ onRefused: metrics.throttled });
  const redis = connectRedis(config.redisUrl, {
    onOutage: (err) => log.error({ err }, 'Redis does not answer'),
  });
  // It complains at every attempt: the other connection says that Redis is away.
  const queue = connectQueue(config.redisUrl, (err) => log.debug({ err }, 'the queue has no Redis'));
  const keyring = createKeyring(config.keys);
  const workspaces = createWorkspaces({ redis, keyring, stays: (id) => installations.stays(id) });
  const audit = createAudit(redis);
  const used = createLastUsed(workspaces, (err) => log.warn({ err }, 'the last use could not be noted'));
  const http = createHttp({ trustedHosts: config.trustedHosts, onExchange: metrics.exchange });
  const billing = createBilling({ http });
  const responder = createResponseUrlClient();
  const checks = {
    baseUrl: (text: string) => checkBaseUrl(text, config.trustedHosts),
    authUrl: (text: string) => parseAuthUrl(text, config.trustedHosts),
  };

  const all = createRegistry(() => features);
  // In the order of /billing help: what people ask most stands first.
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
    createHome({ sections: all.home, log }),
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
    async start() {
      // Without Redis the bot still runs, says so on /readyz, and answers that it cannot.
      await waitUntilReady(redis, REDIS_PATIENCE).catch((err: unknown) =>
        log.warn({ err }, 'started without Redis'),
      );
      all.start();
      return slack.start(config.http.port);
    },
    async stop() {
      http.stopWaiting();
      const [left] = await Promise.all([slack.stop(DRAIN), all.stop(DRAIN)]);
      if (left > 0) log.warn({ left }, 'stopped before every answer was out');
      await Promise.allSettled([http.close(), responder.close()]);
      unwatch();
      metrics.stop();
      queue.disconnect();
      redis.disconnect();
    },
  };
}
