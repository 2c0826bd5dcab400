import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBot, ROOT } from '../../sandbox/build.ts';
import { startTracing, type Tracing } from '../../src/ops/tracing.ts';
import { BOT_TOKEN, type Bot, SIGNING_SECRET, startBot } from '../support/bot.ts';

interface OtlpSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
}

const attribute = ({ attributes }: OtlpSpan, name: string) => {
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
  tracing = startTracing(`http://127.0.0.1:${(collector.address() as AddressInfo).port}/`);
  bot = await startBot();
  await bot.connect();
  await bot.ask('/balance 123');
  await bot.ask('/balance nonsense-words');
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

const commands = () => spans.filter(({ name }) => name === 'request');
const within = (parent: OtlpSpan | undefined) => spans.filter((one) => one.parentSpanId === parent?.spanId);

describe('traces', () => {
  it('are sent to the collector as OTLP over HTTP, under the service’s name', () => {
    expect(new Set(paths)).toEqual(new Set(['/v1/traces']));
    expect(bodies.join()).toContain('"key":"service.name","value":{"stringValue":"tally"}');
  });

  it('have a span for each command with its outcome', () => {
    const outcomes = commands().map((one) => [
      attribute(one, 'tally.route'),
      attribute(one, 'tally.outcome'),
    ]);
    expect(outcomes).toContainEqual(['/balance', 'ok']);
    expect(outcomes).toContainEqual(['/balance', 'invalid-word']);
  });

  it('have a command’s requests, calls and Redis commands inside it', () => {
    const balance = commands().find(
      (one) => attribute(one, 'tally.outcome') === 'ok' && attribute(one, 'tally.route') === '/balance',
    );
    const parts = within(balance);
    const described = parts.map((one) => [
      one.name,
      attribute(one, 'db.operation.name') ??
        attribute(one, 'rpc.method') ??
        attribute(one, 'http.response.status_code'),
    ]);
    expect(described.filter(([name]) => name === 'billing')).toEqual([
      ['billing', 200],
      ['billing', 200],
    ]);
    expect(described).toContainEqual(['redis', 'hgetall']);
    expect(described).toContainEqual(['slack', 'response_url']);
    const billing = parts.find(({ name }) => name === 'billing');
    expect(billing && attribute(billing, 'server.address')).toBe(new URL(bot.billing.url).host);
    for (const one of parts) {
      expect(one.traceId).toBe(balance?.traceId);
      expect(BigInt(one.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(one.startTimeUnixNano));
    }
  });

  it('have no texts, tokens, keys or headers', () => {
    const all = bodies.join();
    const secrets = [BOT_TOKEN, SIGNING_SECRET, bot.billing.tokens[0]?.value ?? ''];
    for (const secret of [...secrets, 'nonsense', '123 ', 'tally:workspace', 'user-token', 'authorization'])
      expect(all).not.toContain(secret);
  });
});

/** Prints the URL of each module that is loaded. */
const HOOKS =
  'export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }';
const WATCH = `import { register } from 'node:module'; register('data:text/javascript,${encodeURIComponent(HOOKS)}');`;

/** @returns the bundle's files that `tally start` loads before it finds its port taken */
async function loadedBy(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { PATH } = process.env;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`, 'dist/tally.js', 'start'];
  const { stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...{ PATH, SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET, REDIS_URL: bot.redis.url },
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      PORT: String((collector.address() as AddressInfo).port),
      ...env,
    },
  }).catch((error: { stderr: string }) => error);
  return [...stderr.matchAll(/^file:\S+\/dist\/(\S+\.js)$/gm)].map(([, file = '']) => file);
}

it('load nothing of OpenTelemetry without a collector', async () => {
  await buildBot(() => {});
  const holdsSdk = async (files: readonly string[]) => {
    const texts = await Promise.all(files.map((file) => readFile(join(ROOT, 'dist', file), 'utf8')));
    return texts.some((bundled) => /opentelemetry\.js\.api|OTLPTraceExporter/.test(bundled));
  };
  const without = await loadedBy({});
  expect(without).toContain('tally.js');
  expect(await holdsSdk(without)).toBe(false);
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  expect(await holdsSdk(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }))).toBe(true);
}, 60_000);
