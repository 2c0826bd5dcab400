import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/request.ts';
import { STORE_ERROR_KINDS, type StoreErrorKind } from '../redis/errors.ts';
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

/** Computing the page costs about a millisecond, and anyone who reaches the port may ask for it. In ms. */
const PAGE_LIFETIME = 1_000;

/** Slack's error codes are outside text: beyond this many label combinations, a metric counts under `other`. */
export const MAX_SERIES = 200;

/**
 * Prometheus sees no increase in a counter's first value, so what an alert looks for in `increase()` is there from the start,
 * with 0.
 */
const ALERTED = {
  token: ['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked'],
  service: ['rate-limited', 'service-failed', 'service-unreachable', 'timed-out'],
} as const;

/** Each bot has its own registry, so that several can run in one process. */
export function createMetrics({
  inProgress = () => 0,
  notReady = async () => [],
  oldestOverdue = async () => 0,
  pageLifetime = PAGE_LIFETIME,
}: {
  /** Counts the requests to billing and identity that wait or are running. */
  readonly inProgress?: () => number;
  /** What keeps this process from answering. */
  readonly notReady?: () => Promise<readonly string[]>;
  /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. */
  readonly oldestOverdue?: () => Promise<number | undefined>;
  /** For how long the page is not computed again, in ms; tests want it at once. */
  readonly pageLifetime?: Millis;
} = {}) {
  const registry = new Registry();
  const registers = [registry];
  // Node wakes up this often to measure how late it is, in ms, at rest too. The lag that it reports includes it.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // Gauges with the name of a counter: the sums of the gauges beside them.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: readonly L[]
  ) => new Histogram({ name, help, buckets, labelNames, registers });
  new Gauge({
    name: 'tally_build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.version }, 1);
  const commands = counter('tally_commands_total', 'Commands answered, by outcome.', 'command', 'outcome');
  const requests = counter(
    'tally_service_requests_total',
    'Requests to billing and identity, by outcome.',
    'service',
    'outcome',
  );
  const slackCalls = counter(
    'tally_slack_calls_total',
    'Calls to Slack, by method and outcome.',
    'method',
    'outcome',
  );
  const throttled = counter(
    'tally_throttled_total',
    'Requests refused because they came too often.',
    'what',
    'whose',
  );
  const rejected = counter(
    'tally_rejected_requests_total',
    'Requests to /slack/events that were rejected, by reason.',
    'reason',
  );
  const storeErrors = counter(
    'tally_store_errors_total',
    'Redis commands that failed because Redis could not serve them, by kind.',
    'kind',
  );
  const runs = counter('tally_delivery_runs_total', 'Delivery runs of a workspace, by outcome.', 'outcome');
  const messages = counter(
    'tally_messages_total',
    'Messages that Tally sends by itself, by kind and by what became of a try.',
    'kind',
    'outcome',
  );
  const commandLatencies = histogram(
    'tally_command_duration_seconds',
    'How long commands took until their answer was sent, by whether it was an error.',
    LATENCY_BUCKETS,
    'command',
    'outcome',
  );
  const latencies = histogram(
    'tally_service_request_duration_seconds',
    'How long requests to billing and identity took, with retries, without waiting for their turn.',
    LATENCY_BUCKETS,
    'service',
  );
  const slackLatencies = histogram(
    'tally_slack_call_duration_seconds',
    'How long calls to Slack took, by method.',
    LATENCY_BUCKETS,
    'method',
  );
  const storeLatencies = histogram(
    'tally_store_operation_duration_seconds',
    'How long Tally waited for Redis, an operation of one or more commands at a time.',
    STORE_BUCKETS,
  );
  const runLatencies = histogram(
    'tally_delivery_run_duration_seconds',
    'How long delivery runs of a workspace took.',
    RUN_BUCKETS,
  );
  for (const service of ['billing', 'identity'])
    for (const outcome of ALERTED.service) requests.inc({ service, outcome }, 0);
  for (const method of ['auth.test', 'chat.postMessage'])
    for (const outcome of ALERTED.token) slackCalls.inc({ method, outcome }, 0);
  for (const kind of STORE_ERROR_KINDS) storeErrors.inc({ kind }, 0);
  messages.inc({ kind: 'reminder', outcome: 'sent' }, 0);
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
    help: 'For how long the oldest scheduled run of all workspaces has been due without having ended; NaN if Redis does not say.',
    registers,
    async collect() {
      const overdue = await oldestOverdue();
      this.set(overdue === undefined ? Number.NaN : overdue / 1e3);
    },
  });
  const boundedCalls = boundSeries();
  let page: { readonly until: Millis; readonly body: Promise<string> } | undefined;
  const currentPage = (): Promise<string> => {
    const now = performance.now();
    if (page === undefined || page.until <= now)
      page = { until: now + pageLifetime, body: registry.metrics() };
    return page.body;
  };
  return {
    /** Tally finished a piece of work. */
    finished(work: Work): void {
      const { outcome, ms = 0 } = work;
      if (work.kind === 'message') messages.inc({ kind: work.message, outcome });
      else if (work.kind === 'run') {
        runs.inc({ outcome });
        runLatencies.observe(ms / 1e3);
      } else if (work.via === 'command' || work.route.startsWith('/')) {
        const command = work.route;
        commands.inc({ command, outcome });
        commandLatencies.observe({ command, outcome: outcome === 'ok' ? 'ok' : 'error' }, ms / 1e3);
      }
    },
    /** A request to billing or identity. */
    exchange(exchange: ExchangeInfo): void {
      const { service, outcome, took } = exchange;
      // A service may send any status: its class bounds the series, and 401 is a dead token. Everything else is a failure's kind.
      const isStatus = typeof outcome === 'number' && outcome !== 401;
      const label = isStatus ? `${Math.floor(outcome / 100)}xx` : String(outcome);
      requests.inc({ service, outcome: label });
      latencies.observe({ service }, took / 1e3);
    },
    slackCall(call: SlackCallMeasurement): void {
      const { method, outcome } = boundedCalls({ method: call.method, outcome: call.outcome });
      slackCalls.inc({ method, outcome });
      slackLatencies.observe({ method }, call.took / 1e3);
    },
    storeOperation: (took: Millis) => storeLatencies.observe(took / 1e3),
    /** Redis did not do what it was asked. */
    storeError: (kind: StoreErrorKind) => storeErrors.inc({ kind }),
    /** A request to Slack's address, before anything was done for it. */
    rejected: (reason: string) => rejected.inc({ reason }),
    /** A request that was rejected by a rate limit: what is limited, and for whom. */
    throttled: ({ what, whose }: { readonly what: string; readonly whose: string }) =>
      throttled.inc({ what, whose }),
    /** @returns the response to `GET /metrics`, in the text format of Prometheus, computed once a second at most */
    page: async () => ({ status: 200, body: await currentPage(), type: registry.contentType }),
    /** Stops the collectors of Node's own metrics. */
    stop: () => registry.clear(),
  };
}

/** @returns a function that returns the first `MAX_SERIES` combinations unchanged, and `other` for each label of the rest */
function boundSeries() {
  const known = new Set<string>();
  return <T extends Record<string, string>>(labels: T): Record<keyof T, string> => {
    const key = JSON.stringify(labels);
    if (known.size < MAX_SERIES) known.add(key);
    if (known.has(key)) return labels;
    return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])) as Record<keyof T, string>;
  };
}
