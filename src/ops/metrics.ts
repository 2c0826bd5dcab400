import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/request.ts';
import { STORE_ERROR_KINDS, type StoreErrorKind } from '../redis/guard.ts';
import { NOT_READY } from './health.ts';
import { VERSION } from './version.ts';
import type { Work } from './work-record.ts';

/** Metrics for operators. Labels are Tally's and Slack's names, never people's data. */
export type Metrics = ReturnType<typeof createMetrics>;

export interface SlackCallMeasurement {
  readonly method: string;
  /** `ok`, or Slack's error code */
  readonly outcome: string;
  readonly took: Millis;
}

/** Seconds. A warm answer takes tens of milliseconds; the deadline of a request is ten seconds. */
const LATENCY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Seconds. Redis answers within a millisecond, or is given up after 1.5 seconds. */
const STORE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** Seconds. A run with nothing to send takes milliseconds; one that posts much waits for Slack's rate limits. */
const RUN_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Prometheus sees no increase in a counter's first value, so what an alert looks for in `increase()` is there from the start,
 * with 0.
 */
const ALERTED = {
  token: ['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked'],
  service: ['rate-limited', 'service-failed', 'service-unreachable', 'timed-out'],
} as const;

interface Measured {
  /** Counts the requests to billing and identity that wait or are running. */
  readonly inProgress: () => number;
  /** What keeps this process from answering. */
  readonly notReady: () => Promise<readonly string[]>;
  /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. */
  readonly oldestOverdue: () => Promise<Millis | undefined>;
}

/** Each bot has its own registry, so that several can run in one process. */
export function createMetrics(measured: Measured) {
  const registry = new Registry();
  const registers = [registry];
  // Node wakes up this often to measure how late it is, in ms, at rest too. The lag that it reports includes it.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // Gauges with the name of a counter: the sums of the gauges beside them.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const counters = {
    commands: counter('tally_commands_total', 'Commands answered.', 'command', 'outcome'),
    requests: counter(
      'tally_service_requests_total',
      'Requests to billing and identity.',
      'service',
      'outcome',
    ),
    slackCalls: counter('tally_slack_calls_total', 'Calls to Slack.', 'method', 'outcome'),
    throttled: counter('tally_throttled_total', 'Requests that came too often.', 'what', 'whose'),
    rejected: counter('tally_rejected_requests_total', 'Rejected at /slack/events.', 'reason'),
    storeErrors: counter('tally_store_errors_total', 'Commands that Redis could not serve.', 'kind'),
    runs: counter('tally_delivery_runs_total', 'Delivery runs of a workspace.', 'outcome'),
    messages: counter('tally_messages_total', 'Tries to send what nobody asked for.', 'kind', 'outcome'),
  };
  const latencies = {
    commands: histogram(
      'tally_command_duration_seconds',
      'Until it is answered.',
      LATENCY_BUCKETS,
      'command',
      'outcome',
    ),
    // With retries, without waiting for their turn.
    requests: histogram(
      'tally_service_request_duration_seconds',
      'Of its requests.',
      LATENCY_BUCKETS,
      'service',
    ),
    slackCalls: histogram(
      'tally_slack_call_duration_seconds',
      'Of calls to Slack.',
      LATENCY_BUCKETS,
      'method',
    ),
    store: histogram('tally_store_operation_duration_seconds', 'Of commands to Redis.', STORE_BUCKETS),
    runs: histogram('tally_delivery_run_duration_seconds', 'Of a workspace.', RUN_BUCKETS),
  };
  for (const service of ['billing', 'identity'])
    for (const outcome of ALERTED.service) counters.requests.inc({ service, outcome }, 0);
  for (const method of ['auth.test', 'chat.postMessage'])
    for (const outcome of ALERTED.token) counters.slackCalls.inc({ method, outcome }, 0);
  for (const kind of STORE_ERROR_KINDS) counters.storeErrors.inc({ kind }, 0);
  counters.messages.inc({ kind: 'reminder', outcome: 'sent' }, 0);
  addGauges(registry, measured);
  return {
    /** Tally finished a piece of work. */
    finished(work: Work): void {
      const { outcome, ms = 0 } = work;
      if (work.kind === 'message') counters.messages.inc({ kind: work.message, outcome });
      else if (work.kind === 'run') {
        counters.runs.inc({ outcome });
        latencies.runs.observe(ms / 1e3);
      } else if (work.via === 'command' || work.route.startsWith('/')) {
        const command = work.route;
        counters.commands.inc({ command, outcome });
        latencies.commands.observe({ command, outcome: outcome === 'ok' ? 'ok' : 'error' }, ms / 1e3);
      }
    },
    /** A request to billing or identity. */
    exchange({ service, outcome, took }: ExchangeInfo): void {
      // A service may send any status: its class bounds the series, and 401 is a dead token. Everything else is a failure's kind.
      const isStatus = typeof outcome === 'number' && outcome !== 401;
      counters.requests.inc({ service, outcome: isStatus ? `${Math.floor(outcome / 100)}xx` : `${outcome}` });
      latencies.requests.observe({ service }, took / 1e3);
    },
    slackCall({ method, outcome, took }: SlackCallMeasurement): void {
      counters.slackCalls.inc({ method, outcome });
      latencies.slackCalls.observe({ method }, took / 1e3);
    },
    storeOperation: (took: Millis) => latencies.store.observe(took / 1e3),
    /** Redis did not do what it was asked. */
    storeError: (kind: StoreErrorKind) => counters.storeErrors.inc({ kind }),
    /** A request to Slack's address, before anything was done for it. */
    rejected: (reason: string) => counters.rejected.inc({ reason }),
    /** A request that was rejected by a rate limit: what is limited, and for whom. */
    throttled: ({ what, whose }: { readonly what: string; readonly whose: string }) =>
      counters.throttled.inc({ what, whose }),
    /** @returns the response to `GET /metrics`, in the text format of Prometheus */
    page: async () => ({ status: 200, body: await registry.metrics(), type: registry.contentType }),
    /** Stops the collectors of Node's own metrics. */
    stop: () => registry.clear(),
  };
}

/** What is measured when the page is asked for. */
function addGauges(registry: Registry, { inProgress, notReady, oldestOverdue }: Measured): void {
  const registers = [registry];
  new Gauge({
    name: 'tally_build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.version }, 1);
  new Gauge({
    name: 'tally_service_requests_in_progress',
    help: 'Requests to billing and identity that wait or are running.',
    registers,
    collect() {
      this.set(inProgress());
    },
  });
  new Gauge({
    name: 'tally_ready',
    help: 'Whether Redis answers and takes writes, and Slack reaches this process and accepts its token.',
    labelNames: ['part'],
    registers,
    async collect() {
      const missing = await notReady();
      for (const part of NOT_READY) this.set({ part }, missing.includes(part) ? 0 : 1);
    },
  });
  new Gauge({
    name: 'tally_oldest_overdue_run_seconds',
    help: 'For how long the oldest run of all workspaces has been due; NaN if Redis does not say.',
    registers,
    async collect() {
      this.set(((await oldestOverdue()) ?? Number.NaN) / 1e3);
    },
  });
}
