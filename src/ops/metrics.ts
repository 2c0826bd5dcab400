/** Prometheus metrics for operators. Label values are names that Tally or Slack defines, never people's data. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/client.ts';
import { STORE_ERROR_KINDS, type StoreErrorKind } from '../redis/outages.ts';
import { NOT_READY } from './readiness.ts';
import { VERSION } from './version.ts';
import type { Work } from './work-record.ts';

/** In seconds. Cached answers take tens of milliseconds. Large runs take much longer because of Slack's rate limits. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Outcomes whose counters start at 0, because `increase()` in Prometheus alerts ignores a counter's first value. */
const ALERTED = {
  token: ['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked'],
  service: ['rate-limited', 'service-failed', 'service-unreachable', 'timed-out'],
} as const;

interface Measured {
  readonly inProgress: () => number;
  readonly notReady: () => Promise<readonly string[]>;
  /** How late the most overdue run is, in ms; undefined if Redis doesn't answer. */
  readonly oldestOverdue: () => Promise<Millis | undefined>;
}

export function createMetrics() {
  const registry = new Registry();
  // In ms, for measuring event-loop lag. A shorter interval wakes an idle process more often.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // These gauges only add up other gauges, and their `_total` wrongly marks them as counters.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const counters = createCounters(registry);
  const durations = createDurations(registry);
  return {
    measure: (measured: Measured) => addGauges(registry, measured),
    finished(work: Work): void {
      const { outcome, ms = 0 } = work;
      if (work.kind === 'message') counters.messages.inc({ kind: work.message, outcome });
      else if (work.kind === 'run') {
        counters.runs.inc({ outcome });
        durations.runs.observe(ms / 1e3);
      } else if (work.via === 'command' || work.route.startsWith('/')) {
        const command = work.route;
        counters.commands.inc({ command, outcome });
        durations.commands.observe({ command, outcome: outcome === 'ok' ? 'ok' : 'error' }, ms / 1e3);
      }
    },
    exchange({ service, outcome, took }: ExchangeInfo): void {
      // 401 (invalid token) is counted by itself, other statuses by class such as 5xx.
      const isStatus = typeof outcome === 'number' && outcome !== 401;
      counters.requests.inc({ service, outcome: isStatus ? `${Math.floor(outcome / 100)}xx` : `${outcome}` });
      durations.requests.observe({ service }, took / 1e3);
    },
    slackCall(call: { readonly method: string; readonly outcome: string; readonly took: Millis }): void {
      const { method, outcome, took } = call;
      counters.slackCalls.inc({ method, outcome });
      durations.slackCalls.observe({ method }, took / 1e3);
    },
    storeError: (kind: StoreErrorKind) => counters.storeErrors.inc({ kind }),
    rejected: (reason: string) => counters.rejected.inc({ reason }),
    throttled: ({ what, whose }: { readonly what: string; readonly whose: string }) =>
      counters.throttled.inc({ what, whose }),
    page: async () => ({ status: 200, body: await registry.metrics(), type: registry.contentType }),
    stop: () => registry.clear(),
  };
}

function createCounters(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter({ name: `tally_${name}_total`, help, labelNames, registers: [registry] });
  const counters = {
    commands: counter('commands', 'Commands answered.', 'command', 'outcome'),
    requests: counter('service_requests', 'Requests to billing and identity.', 'service', 'outcome'),
    slackCalls: counter('slack_calls', 'Calls to Slack.', 'method', 'outcome'),
    throttled: counter('throttled', 'Requests refused by a rate limit.', 'what', 'whose'),
    rejected: counter('rejected_requests', 'Rejected at /slack/events.', 'reason'),
    storeErrors: counter('store_errors', 'Commands that Redis could not serve.', 'kind'),
    runs: counter('delivery_runs', 'Delivery runs of a workspace.', 'outcome'),
    messages: counter('messages', 'Attempts to send posts, alerts and reminders.', 'kind', 'outcome'),
  };
  for (const service of ['billing', 'identity'])
    for (const outcome of ALERTED.service) counters.requests.inc({ service, outcome }, 0);
  for (const method of ['auth.test', 'chat.postMessage'])
    for (const outcome of ALERTED.token) counters.slackCalls.inc({ method, outcome }, 0);
  for (const kind of STORE_ERROR_KINDS) counters.storeErrors.inc({ kind }, 0);
  counters.messages.inc({ kind: 'reminder', outcome: 'sent' }, 0);
  return counters;
}

function createDurations(registry: Registry) {
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram({
      name: `tally_${name}_duration_seconds`,
      help,
      buckets: BUCKETS,
      labelNames,
      registers: [registry],
    });
  return {
    commands: histogram('command', 'Seconds until a command is answered.', 'command', 'outcome'),
    // Includes retries, but not the wait in the queue.
    requests: histogram('service_request', 'Seconds per request to billing or identity.', 'service'),
    slackCalls: histogram('slack_call', 'Seconds per call to Slack.', 'method'),
    runs: histogram('delivery_run', 'Seconds per delivery run of a workspace.'),
  };
}

function addGauges(registry: Registry, { inProgress, notReady, oldestOverdue }: Measured): void {
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    measure: (gauge: Gauge<L>) => unknown,
  ) =>
    new Gauge({
      name: `tally_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        await measure(this);
      },
    });
  gauge('build_info', 'The version that runs; always 1.', ['version', 'node'], (info) =>
    info.set({ version: VERSION, node: process.version }, 1),
  );
  const waiting = 'Requests to billing and identity, waiting or running.';
  gauge('service_requests_in_progress', waiting, [], (requests) => requests.set(inProgress()));
  const ready = 'Whether Redis answers, and Slack reaches this process and accepts its token.';
  gauge('ready', ready, ['part'], async (parts) => {
    const missing = await notReady();
    for (const part of NOT_READY) parts.set({ part }, missing.includes(part) ? 0 : 1);
  });
  const overdue = 'Seconds since the oldest overdue run was due; NaN if Redis doesn’t answer.';
  gauge('oldest_overdue_run_seconds', overdue, [], async (seconds) =>
    seconds.set(((await oldestOverdue()) ?? Number.NaN) / 1e3),
  );
}
