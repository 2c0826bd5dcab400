/**
 * OpenTelemetry traces: a span a command and a delivery run, and within it one for each request to billing and identity, each
 * call to Slack and each Redis command. Loaded only when the environment names a collector.
 *
 * A span has names, hosts, outcomes and times. It never has texts, headers, arguments, keys or ids of people.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Millis } from '../domain/time/calendar.ts';
import { WORK_SPANS, type Work } from '../runtime/work.ts';
import { MEASUREMENTS, type Measurement } from './metrics.ts';

export type Tracing = ReturnType<typeof startTracing>;

/** What ioredis reports about a command, without its arguments, which can be confidential. */
interface RedisCommand {
  readonly command: string;
  readonly error?: unknown;
}

/**
 * @param endpoint the collector's base address; `/v1/traces` is appended. The exporter itself reads the other
 * OTEL_EXPORTER_OTLP_ variables, and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count too
 */
export function startTracing(endpoint: string) {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tally' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('tally');
  const current = new AsyncLocalStorage<Span>();

  /** A span inside the current work. Calls outside of any work, such as health checks, are left out. */
  const startChild = (name: string, attributes: Attributes, began: Millis): Span | undefined => {
    const parent = current.getStore();
    if (parent === undefined) return undefined;
    const options = { kind: SpanKind.CLIENT, attributes, startTime: began };
    return tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
  };

  const onWork = (work: Work): Span => {
    const parent = current.getStore();
    const inside = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
    const span = tracer.startSpan(work.kind, { kind: SpanKind.SERVER }, inside);
    work.traceId = span.spanContext().traceId;
    work.end = () => {
      describeWork(span, work);
      span.end();
    };
    return span;
  };
  WORK_SPANS.bindStore(current, onWork);

  const onMeasured = (message: unknown): void => {
    const measured = message as Measurement;
    const [name, attributes, isError] = describeCall(measured);
    const span = startChild(name, attributes, Date.now() - measured.took);
    if (isError) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  };
  MEASUREMENTS.subscribe(onMeasured);

  const commands = new WeakMap<object, Span>();
  const redisCommands = tracingChannel('ioredis:command');
  const onRedis = {
    start(message: unknown) {
      const { command } = message as RedisCommand;
      const span = startChild(
        'redis',
        { 'db.system.name': 'redis', 'db.operation.name': command },
        Date.now(),
      );
      if (span !== undefined) commands.set(message as object, span);
    },
    asyncEnd(message: unknown) {
      const span = commands.get(message as object);
      if ((message as RedisCommand).error !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    },
    end: () => undefined,
    asyncStart: () => undefined,
    error: () => undefined,
  };
  redisCommands.subscribe(onRedis);

  return {
    /** Sends what is left. Never throws: a collector may be away. */
    async stop(): Promise<void> {
      WORK_SPANS.unbindStore(current);
      MEASUREMENTS.unsubscribe(onMeasured);
      redisCommands.unsubscribe(onRedis);
      await provider.shutdown().catch(() => undefined);
    },
  };
}

function describeWork(span: Span, work: Work): void {
  const { kind, outcome } = work;
  span.setAttribute('tally.outcome', outcome);
  if (kind === 'request') span.setAttribute('tally.route', work.route);
  if (outcome === 'unknown') span.setStatus({ code: SpanStatusCode.ERROR });
}

function describeCall(measured: Measurement): [name: string, attributes: Attributes, isError: boolean] {
  if (measured.kind === 'slack') {
    const { method, outcome } = measured;
    return ['slack', { 'rpc.method': method, 'tally.outcome': outcome }, outcome !== 'ok'];
  }
  const { service, host, outcome, tries } = measured;
  const result =
    typeof outcome === 'number' ? { 'http.response.status_code': outcome } : { 'error.type': outcome };
  return [service, { 'server.address': host, 'tally.tries': tries, ...result }, typeof outcome !== 'number'];
}
