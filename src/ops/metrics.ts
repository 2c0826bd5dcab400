import { type Channel, channel } from 'node:diagnostics_channel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/request.ts';
import { STORE_ERROR_KINDS, type StoreErrorKind } from '../redis/errors.ts';
import { LATE, type MessageWork, type Work } from '../runtime/work.ts';

/** Metrics for operators. Labels are Tally's and Slack's names, never people's data. */
export type Metrics = ReturnType<typeof createMetrics>;

interface SlackCallMeasurement {
  readonly method: string;
  /** `ok`, or Slack's error code */
  readonly outcome: string;
  readonly took: Millis;
}

/** What was counted, as it happened. */
export type Measurement =
  | ({ readonly kind: 'exchange' } & ExchangeInfo)
  | ({ readonly kind: 'slack' } & SlackCallMeasurement);

/** Has a subscriber only when tracing is on. */
export const MEASUREMENTS: Channel = channel('tally:measured');

const publish = (measured: Measurement): void => {
  if (MEASUREMENTS.hasSubscribers) MEASUREMENTS.publish(measured);
};

/** Seconds. A warm answer takes tens of milliseconds; the deadline of a request is ten seconds. */
const LATENCY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Computing the page costs about a millisecond, and anyone who reaches the port may ask for it. In ms. */
const PAGE_LIFETIME = 1_000;

/** Slack's error codes are outside text: beyond this many label combinations, a metric counts under `other`. */
export const MAX_SERIES = 200;

interface MetricsParts {
  /** Counts the requests to billing and identity that wait or are running. */
  readonly inProgress?: () => number;
  /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. */
  readonly oldestOverdue?: () => Promise<number | undefined>;
  /** For how long the page is not computed again, in ms; tests want it at once. */
  readonly pageLifetime?: Millis;
}

/** Each bot has its own registry, so that several can run in one process. */
export function createMetrics({
  inProgress = () => 0,
  oldestOverdue = async () => 0,
  pageLifetime = PAGE_LIFETIME,
}: MetricsParts = {}) {
  const registry = new Registry();
  const registers = [registry];
  // Node wakes up this often to measure how late it is, in ms, at rest too. The lag that it reports includes it.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers });
  const commands = counter('tally_commands_total', 'Commands answered, by outcome.', 'command', 'outcome');
  const requests = counter(
    'tally_service_requests_total',
    'Requests to billing and identity, by outcome.',
    'service',
    'outcome',
  );
  const posts = counter(
    'tally_scheduled_posts_total',
    'Due dates of schedules, by how they ended.',
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
  const storeErrors = counter(
    'tally_store_errors_total',
    'Redis commands that failed because Redis could not serve them, by kind.',
    'kind',
  );
  // Prometheus sees no increase in a counter's first value.
  for (const kind of STORE_ERROR_KINDS) storeErrors.inc({ kind }, 0);
  const latencies = new Histogram({
    name: 'tally_service_request_seconds',
    help: 'How long requests to billing and identity took, retries included.',
    labelNames: ['service'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'tally_service_requests_in_progress',
    help: 'Requests to billing and identity that wait or are running.',
    registers,
    collect() {
      this.set(inProgress());
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
      if (work.kind === 'request') {
        const { via, route, outcome } = work;
        if (via === 'command' || route.startsWith('/')) commands.inc({ command: route, outcome });
      } else if (work.kind === 'message' && work.message === 'post') {
        const outcome = postOutcome(work);
        if (outcome !== undefined) posts.inc({ outcome });
      }
    },
    /** A request to billing or identity. */
    exchange(exchange: ExchangeInfo): void {
      publish({ kind: 'exchange', ...exchange });
      const { service, outcome, took } = exchange;
      // A service may send any status: its class bounds the series. Everything else is a failure's kind.
      const label = typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome;
      requests.inc({ service, outcome: label });
      latencies.observe({ service }, took / 1e3);
    },
    slackCall(call: SlackCallMeasurement): void {
      publish({ kind: 'slack', ...call });
      slackCalls.inc(boundedCalls({ method: call.method, outcome: call.outcome }));
    },
    /** Redis did not do what it was asked. */
    storeError: (kind: StoreErrorKind) => storeErrors.inc({ kind }),
    /** A request that was rejected by a rate limit: what is limited, and for whom. */
    throttled: ({ what, whose }: { readonly what: string; readonly whose: string }) =>
      throttled.inc({ what, whose }),
    /** @returns the response to `GET /metrics`, in the text format of Prometheus, computed once a second at most */
    page: async () => ({ status: 200, body: await currentPage(), type: registry.contentType }),
    /** Stops the collectors of Node's own metrics. */
    stop: () => registry.clear(),
  };
}

/** How a due date ended; undefined while it is tried again. */
function postOutcome({ outcome, late = 0 }: MessageWork): string | undefined {
  if (outcome === 'sent' || outcome === 'found') return late > LATE ? 'posted-late' : 'posted';
  return outcome === 'skipped' || outcome === 'failed' ? outcome : undefined;
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
