import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEAM } from '../../sandbox/slack/people.ts';
import { createLog } from '../../src/ops/log.ts';
import { startTracing, type Tracing } from '../../src/ops/tracing.ts';
import { VERSION } from '../../src/ops/version.ts';
import { beginRequest, trackWork } from '../../src/runtime/work-record.ts';
import { BOT_TOKEN, type Bot, CHANNEL, SIGNING_SECRET, startBot } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { waitUntil } from '../support/wait-until.ts';

interface OtlpSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
  readonly events?: readonly { name: string; attributes: OtlpSpan['attributes'] }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
}

const CLIENT = 3;
const CONSUMER = 5;
const ERROR = 2;

const attribute = ({ attributes }: Pick<OtlpSpan, 'attributes'>, name: string) => {
  const { value } = attributes.find(({ key }) => key === name) ?? {};
  return value?.stringValue ?? value?.intValue;
};

/** A collector that accepts OTLP over HTTP. */
const bodies: string[] = [];
const paths: string[] = [];
const collector = createServer(async (req, res) => {
  paths.push(req.url ?? '');
  bodies.push(await text(req));
  res.setHeader('content-type', 'application/json').end('{}');
});
let tracing: Tracing;
let bot: Bot;
let spans: readonly OtlpSpan[];

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  tracing = startTracing(
    `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    'https://slack.com/api/',
    pino({ level: 'silent' }),
  );
  bot = await startBot();
  const hour = 3_600_000;
  const due = Date.now() - hour;
  const timing = {
    cadence: { kind: 'daily' },
    time: new Date(due).toISOString().slice(11, 16),
    zone: 'UTC',
  } as const;
  await save(bot.redis.client, TEAM, schedule({ channel: CHANNEL, timing, since: due - hour }));
  await bot.connect();
  await waitUntil(async () => {
    const page = await (await fetch(`${bot.url}/metrics`)).text();
    return page.includes('tally_messages_total{kind="post",outcome="sent"} 1\n');
  });
  await bot.ask('/balance 123');
  await bot.ask('/balance nonsense-words');
  bot.billing.setMode('500');
  await bot.ask('/balance 123');
  await bot.waitUntilIdle();
  await bot.stopBot();
  await tracing.stop();
  spans = bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap((one: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
      one.scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
});
afterAll(async () => {
  await bot.stop();
  collector.close();
});

const named = (name: string) => spans.filter((one) => one.name === name);
const withOutcome = (name: string, outcome: string) =>
  named(name).find((one) => attribute(one, 'tally.outcome') === outcome) as OtlpSpan;
const within = (parent: OtlpSpan | undefined) => spans.filter((one) => one.parentSpanId === parent?.spanId);

describe('traces', () => {
  it('are sent to the collector as OTLP over HTTP, under the service’s name, version and instance', () => {
    expect(new Set(paths)).toEqual(new Set(['/v1/traces']));
    expect(bodies.join()).toContain('"key":"service.name","value":{"stringValue":"tally"}');
    expect(bodies.join()).toContain(`"key":"service.version","value":{"stringValue":"${VERSION}"}`);
    expect(bodies.join()).toContain('"key":"service.instance.id"');
  });

  it('have a span for each command with its name and outcome', () => {
    const outcomes = named('tally.command /balance').map((one) => attribute(one, 'tally.outcome'));
    expect(outcomes).toEqual(['ok', 'invalid-word', 'service-failed']);
    expect(attribute(withOutcome('tally.command /balance', 'ok'), 'tally.via')).toBe('command');
  });

  it('record what failed by type, and tell a fault from a refused word', () => {
    const failed = withOutcome('tally.command /balance', 'service-failed');
    expect([failed.status.code, attribute(failed, 'error.type')]).toEqual([ERROR, 'service-failed']);
    const [event] = failed.events ?? [];
    expect([event?.name, event && attribute(event, 'exception.type')]).toEqual([
      'exception',
      'service-failed',
    ]);
    expect(withOutcome('tally.command /balance', 'invalid-word').status.code).not.toBe(ERROR);
    const request = within(failed).find((one) => one.name === 'POST billing') as OtlpSpan;
    expect([request.status.code, attribute(request, 'error.type')]).toEqual([ERROR, 'service-failed']);
    expect(attribute(request, 'http.request.resend_count')).toBeGreaterThan(0);
  });

  it('have a command’s requests, calls and Redis commands inside it, by OpenTelemetry’s conventions', () => {
    const balance = withOutcome('tally.command /balance', 'ok');
    const parts = within(balance);
    const [billing] = parts.filter(({ name }) => name === 'POST billing') as [OtlpSpan];
    const { hostname, port } = new URL(bot.billing.url);
    const described = (one: OtlpSpan | undefined, ...names: string[]) =>
      names.map((name) => one && attribute(one, name));
    expect(
      described(billing, 'http.request.method', 'url.scheme', 'server.address', 'http.response.status_code'),
    ).toEqual(['POST', 'http', hostname, 200]);
    expect(attribute(billing, 'server.port')).toBe(Number(port));
    const redis = parts.find(({ name }) => name === 'HGETALL');
    expect(described(redis, 'db.system.name', 'db.operation.name', 'db.namespace')).toEqual([
      ...['redis', 'HGETALL'],
      expect.stringMatching(/^\d+$/),
    ]);
    expect(
      described(
        parts.find(({ name }) => name === 'POST response_url'),
        'rpc.method',
        'server.address',
      ),
    ).toEqual(['response_url', undefined]);
    const [call] = named('POST users.info');
    expect(described(call, 'rpc.method', 'server.address', 'server.port')).toEqual([
      ...['users.info', 'slack.com', 443],
    ]);
    for (const one of parts) {
      expect(one.kind).toBe(CLIENT);
      expect(one.traceId).toBe(balance.traceId);
      expect(BigInt(one.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(one.startTimeUnixNano));
    }
  });

  it('link a delivery run to its job, and have its messages inside', () => {
    const run = named('tally.delivery').find((one) =>
      within(one).some(({ name }) => name === 'tally.message post'),
    );
    expect([run?.kind, run && attribute(run, 'messaging.system')]).toEqual([CONSUMER, 'bullmq']);
    const job = run && attribute(run, 'messaging.message.id');
    const queued = named('send deliver').find((one) => attribute(one, 'messaging.message.id') === job);
    expect(run?.links).toMatchObject([{ traceId: queued?.traceId, spanId: queued?.spanId }]);
    const message = within(run).find(({ name }) => name === 'tally.message post');
    expect(message && attribute(message, 'tally.outcome')).toBe('sent');
    expect(within(message).map(({ name }) => name)).toContain('POST chat.postMessage');
  });

  it('are named in the log', () => {
    const { traceId } = withOutcome('tally.command /balance', 'ok');
    expect(bot.log()).toContain(`"traceId":"${traceId}"`);
  });

  it('have no texts, tokens, keys or headers', () => {
    const all = bodies.join();
    const secrets = [BOT_TOKEN, SIGNING_SECRET, bot.billing.tokens[0]?.value ?? ''];
    for (const secret of [...secrets, 'nonsense', '123 ', 'tally:workspace', 'user-token', 'authorization'])
      expect(all).not.toContain(secret);
  });
});

describe('a collector that fails', () => {
  /** As many spans as are sent at once, without waiting for more. */
  const BATCH = 512;

  async function withCollector(
    answer: RequestListener,
    use: (failing: Tracing, lines: readonly string[], work: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines: string[] = [];
    const ownLog = createLog('info', { write: (line) => void lines.push(line) });
    const failing = startTracing(url, 'https://slack.com/api/', ownLog);
    const begun = beginRequest({ via: 'command', teamId: TEAM, userId: 'U1' }, '/spend');
    const work = async () => {
      const nothing = async () => undefined;
      for (let count = 0; count < BATCH; count += 1) await trackWork(begun, nothing, nothing);
    };
    await use(failing, lines, work);
    await failing.stop();
    server.closeAllConnections();
    server.close();
  }

  it('is logged once, and when it takes traces again', async () => {
    const asked: number[] = [];
    let status = 400;
    const answer: RequestListener = (_, response) => {
      asked.push(status);
      response.writeHead(status).end('{}');
    };
    await withCollector(answer, async (_, lines, work) => {
      for (const [batches, next] of [
        [1, 400],
        [2, 200],
      ] as const) {
        await work();
        await waitUntil(() => asked.length === batches && lines.length === 1);
        status = next;
      }
      await work();
      await waitUntil(() => lines.length === 2);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'warn', msg: 'The collector takes no traces', todo: 'Find out why: `tally doctor`' },
        { level: 'info', msg: 'The collector takes traces again' },
      ]);
    });
  });

  it('does not hold up the end of the process', async () => {
    let closed: Promise<string> | undefined;
    const hang: RequestListener = (request) => {
      closed = once(request.socket, 'close').then(() => 'given up');
    };
    await withCollector(hang, async ({ stop }, _, work) => {
      await work();
      await waitUntil(() => closed !== undefined);
      expect(await Promise.race([stop().then(() => 'stopped'), closed])).toBe('stopped');
    });
  }, 15_000);
});
