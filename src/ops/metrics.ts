/** Metrics for operators. Labels are Tally's and Slack's names, never people's data. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/request.ts';
import { STORE_ERROR_KINDS, type StoreErrorKind } from '../redis/outage.ts';
import { NOT_READY } from './health.ts';
import { VERSION } from './version.ts';
import type { Work } from './work-record.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Seconds. A warm answer takes tens of milliseconds; a run that posts much waits for Slack's rate limits. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

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
export function createMetrics() {
  const registry = new Registry();
  // Node wakes up this often to measure how late it is, in ms, at rest too. The lag that it reports includes it.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // Gauges with the name of a counter: the sums of the gauges beside them.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const counters = createCounters(registry);
  const durations = createDurations(registry);
  return {
    /** Adds what is measured whenever the page is asked for. */
    measure: (measured: Measured) => addGauges(registry, measured),
    /** Tally finished a piece of work. */
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
    /** A request to billing or identity. */
    exchange({ service, outcome, took }: ExchangeInfo): void {
      // A service may send any status: its class bounds the series, and 401 is a dead token. Everything else is a failure's kind.
      const isStatus = typeof outcome === 'number' && outcome !== 401;
      counters.requests.inc({ service, outcome: isStatus ? `${Math.floor(outcome / 100)}xx` : `${outcome}` });
      durations.requests.observe({ service }, took / 1e3);
    },
    /** @param call with the outcome `ok` or Slack's error code */
    slackCall(call: { readonly method: string; readonly outcome: string; readonly took: Millis }): void {
      const { method, outcome, took } = call;
      counters.slackCalls.inc({ method, outcome });
      durations.slackCalls.observe({ method }, took / 1e3);
    },
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

function createCounters(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter({ name: `tally_${name}_total`, help, labelNames, registers: [registry] });
  const counters = {
    commands: counter('commands', 'Commands answered.', 'command', 'outcome'),
    requests: counter('service_requests', 'Requests to billing and identity.', 'service', 'outcome'),
    slackCalls: counter('slack_calls', 'Calls to Slack.', 'method', 'outcome'),
    throttled: counter('throttled', 'Requests that came too often.', 'what', 'whose'),
    rejected: counter('rejected_requests', 'Rejected at /slack/events.', 'reason'),
    storeErrors: counter('store_errors', 'Commands that Redis could not serve.', 'kind'),
    runs: counter('delivery_runs', 'Delivery runs of a workspace.', 'outcome'),
    messages: counter('messages', 'Tries to send what nobody asked for.', 'kind', 'outcome'),
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
      ...{ name: `tally_${name}_duration_seconds`, help, buckets: BUCKETS, labelNames },
      registers: [registry],
    });
  return {
    commands: histogram('command', 'Until it is answered.', 'command', 'outcome'),
    // With retries, without waiting for their turn.
    requests: histogram('service_request', 'Of its requests.', 'service'),
    slackCalls: histogram('slack_call', 'Of calls to Slack.', 'method'),
    runs: histogram('delivery_run', 'Of a workspace.'),
  };
}

/** What is measured when the page is asked for. */
function addGauges(registry: Registry, { inProgress, notReady, oldestOverdue }: Measured): void {
  const registers = [registry];
  const version = { version: VERSION, node: process.version };
  new Gauge({
    name: 'tally_build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set(version, 1);
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
    help: 'Whether Redis answers, and Slack reaches this process and accepts its token.',
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
