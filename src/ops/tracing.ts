/**
 * OpenTelemetry traces: a span a request from Slack and a delivery run, and within it one for each message, each request to
 * billing and identity, each call to Slack and each Redis command. Loaded only when the environment names a collector.
 *
 * Names and attributes follow OpenTelemetry's semantic conventions. A span has names, hosts, outcomes and times. It never has
 * texts, headers, arguments, keys, paths or queries of URLs, or ids of people.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { ExchangeInfo } from '../http/request.ts';
import { withTimeout } from '../runtime/timers.ts';
import { QUEUED_JOBS, type QueuedJob, WORK_SPANS, type Work } from '../runtime/work-record.ts';
import { MEASUREMENTS, type Measurement, type SlackCallMeasurement } from './metrics.ts';
import { VERSION } from './version.ts';
import { levelOf } from './work-log.ts';

export type Tracing = ReturnType<typeof startTracing>;

/** How long the process waits for its last spans when it ends, in ms: it may be killed soon. */
const LAST_SPANS_TIMEOUT = 2_000;

/** What ioredis reports about a command. Its arguments are left out: they can be confidential. */
interface RedisCommand {
  readonly command: string;
  readonly database: number;
  readonly serverAddress?: string;
  readonly serverPort?: number;
  readonly error?: unknown;
}

/**
 * The exporter itself reads the other OTEL_EXPORTER_OTLP_ variables; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count too.
 * @param endpoint the collector's base address; `/v1/traces` is appended
 */
export function startTracing(endpoint: string, slackApiUrl: string, log: Logger) {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const send = exporter.export.bind(exporter);
  let isAway = false;
  exporter.export = (spans, onResult) =>
    send(spans, (result) => {
      const { error: err } = result;
      if (err !== undefined && !isAway)
        log.warn({ err, todo: 'Find out why: `tally doctor`' }, 'The collector takes no traces');
      else if (err === undefined && isAway) log.info('The collector takes traces again');
      isAway = err !== undefined;
      onResult(result);
    });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'tally',
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('tally', VERSION);
  const current = new AsyncLocalStorage<Span>();
  const inside = (parent: Span | undefined): Context =>
    parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
  const slack = addressOf(slackApiUrl);

  /** A span inside the current work. Calls outside of any work, such as health checks, are left out. */
  const startChild = (name: string, attributes: Attributes, began: Millis): Span | undefined => {
    const parent = current.getStore();
    if (parent === undefined) return undefined;
    const options = { kind: SpanKind.CLIENT, attributes, startTime: began };
    return tracer.startSpan(name, options, inside(parent));
  };

  const onWork = (work: Work): Span => {
    const job = work.kind === 'run' ? work.job : undefined;
    const span = tracer.startSpan(
      nameOf(work),
      {
        kind: KINDS[work.kind],
        ...(job && { attributes: describeJob(job, 'process'), links: linksTo(job) }),
      },
      inside(current.getStore()),
    );
    work.traceId = span.spanContext().traceId;
    work.end = () => endWork(span, work);
    return span;
  };
  WORK_SPANS.bindStore(current, onWork);

  /** A span of its own, so that a run always has a span to link to. */
  const onQueued = (message: unknown): void => {
    const job = message as QueuedJob;
    const options = { kind: SpanKind.PRODUCER, attributes: describeJob(job, 'send') };
    const span = tracer.startSpan(`send ${job.queue}`, options, inside(current.getStore()));
    const { traceId, spanId, traceFlags } = span.spanContext();
    job.traceparent = `00-${traceId}-${spanId}-0${traceFlags}`;
    span.end();
  };
  QUEUED_JOBS.subscribe(onQueued);

  const onMeasured = (message: unknown): void => {
    const measured = message as Measurement;
    const [name, attributes] =
      measured.kind === 'slack' ? describeSlackCall(measured, slack) : describeExchange(measured);
    const span = startChild(name, attributes, Date.now() - measured.took);
    if (attributes['error.type'] !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  };
  MEASUREMENTS.subscribe(onMeasured);

  const commands = new WeakMap<object, Span>();
  const redisCommands = tracingChannel('ioredis:command');
  const onRedis = {
    start(message: unknown) {
      const { command, database, serverAddress, serverPort } = message as RedisCommand;
      const operation = command.toUpperCase();
      const attributes = {
        'db.system.name': 'redis',
        'db.operation.name': operation,
        'db.namespace': String(database),
        ...(serverAddress !== undefined && { 'server.address': serverAddress }),
        ...(serverPort !== undefined && { 'server.port': serverPort }),
      };
      const span = startChild(operation, attributes, Date.now());
      if (span !== undefined) commands.set(message as object, span);
    },
    asyncEnd(message: unknown) {
      const span = commands.get(message as object);
      const { error } = message as RedisCommand;
      if (error !== undefined) {
        const code = error instanceof Error ? /^[A-Z]+\b/.exec(error.message)?.[0] : undefined;
        if (code !== undefined) span?.setAttribute('db.response.status_code', code);
        span?.setAttribute('error.type', code ?? typeOf(error)).setStatus({ code: SpanStatusCode.ERROR });
      }
      span?.end();
    },
    end: () => undefined,
    asyncStart: () => undefined,
    error: () => undefined,
  };
  redisCommands.subscribe(onRedis);

  return {
    /** Sends what is left, if that is quick. Never throws: a collector may be away. */
    async stop(): Promise<void> {
      WORK_SPANS.unbindStore(current);
      MEASUREMENTS.unsubscribe(onMeasured);
      QUEUED_JOBS.unsubscribe(onQueued);
      redisCommands.unsubscribe(onRedis);
      await withTimeout(LAST_SPANS_TIMEOUT, provider.shutdown(), () => undefined).catch(() => undefined);
    },
  };
}

const KINDS = { request: SpanKind.SERVER, run: SpanKind.CONSUMER, message: SpanKind.INTERNAL } as const;

function nameOf(work: Work): string {
  if (work.kind === 'run') return 'tally.delivery';
  if (work.kind === 'message') return `tally.message ${work.message}`;
  return `tally.${work.route.startsWith('/') ? 'command' : work.via} ${work.route}`;
}

function endWork(span: Span, work: Work): void {
  const { outcome, error } = work;
  // A mention or a button finds out which command it runs.
  span.updateName(nameOf(work)).setAttribute('tally.outcome', outcome);
  if (work.kind === 'request') span.setAttribute('tally.via', work.via);
  if (error !== undefined) {
    span.setAttribute('error.type', typeOf(error)).addEvent('exception', describeError(error));
  }
  // Marks what an operator may have to fix, which a refused word isn't.
  if (['warn', 'error'].includes(levelOf(work))) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** A failure's kind, else the class of an error. */
const typeOf = (error: unknown): string =>
  isFailure(error) ? error.kind : error instanceof Error ? error.name : typeof error;

/** A message may quote anything, so only kinds, codes and the places in the code are recorded. */
function describeError(error: unknown): Attributes {
  const { code, stack = '' } = (error ?? {}) as { code?: unknown; stack?: string };
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return {
    'exception.type': typeOf(error),
    ...(typeof code === 'string' && { 'exception.message': code }),
    ...(!isFailure(error) && { 'exception.stacktrace': frames.join('\n') }),
  };
}

const describeJob = ({ id, queue }: QueuedJob, operation: 'send' | 'process'): Attributes => ({
  'messaging.system': 'bullmq',
  'messaging.destination.name': queue,
  'messaging.operation.type': operation,
  'messaging.message.id': id,
});

/** Other programs can write to Redis, so a name that isn’t valid is left out. */
function linksTo({ traceparent = '' }: QueuedJob): Link[] {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return [];
  return [{ context: { traceId, spanId, traceFlags: Number(flags), isRemote: true } }];
}

function addressOf(url: string): Attributes {
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': port === '' ? usual : Number(port),
  };
}

type SpanDescription = readonly [name: string, attributes: Attributes];

function describeSlackCall({ method, outcome }: SlackCallMeasurement, slack: Attributes): SpanDescription {
  const attributes = {
    'http.request.method': 'POST',
    'peer.service': 'slack',
    'rpc.system': 'slack',
    'rpc.method': method,
    // A response URL's host is in the URL, which is a secret.
    ...(method !== 'response_url' && slack),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  };
  return [`POST ${method}`, attributes];
}

function describeExchange({ service, method, origin, outcome, tries }: ExchangeInfo): SpanDescription {
  const isStatus = typeof outcome === 'number';
  const attributes = {
    'http.request.method': method,
    'peer.service': service,
    ...addressOf(origin),
    ...(tries > 1 && { 'http.request.resend_count': tries - 1 }),
    ...(isStatus && { 'http.response.status_code': outcome }),
    ...((!isStatus || outcome >= 400) && { 'error.type': String(outcome) }),
  };
  return [`${method} ${service}`, attributes];
}
