/** docs/logs.md, held against what a bot writes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceFailed } from '../../src/domain/failure/index.ts';
import { createLog } from '../../src/ops/log.ts';
import { createWorkLog } from '../../src/ops/work-log.ts';
import { WaitMeter, type Work } from '../../src/runtime/work-record.ts';
import { type Bot, startBot } from '../support/bot.ts';

type Line = Readonly<Record<string, unknown>>;
const page = await readFile('docs/logs.md', 'utf8');
const documented = new Set(
  [...page.matchAll(/^\| `(\w+)` +\| (?:string|number|object)/gm)].map(([, name = '']) => name),
);
const scripts = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, script = '']) => script);

let bot: Bot;
let folder: string;
let lines: readonly Line[];

/** Lines with everything that one can have. */
function fullLines(): string {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  const log = createLog('info', { write });
  const finished = createWorkLog({ log, userIds: 'plain', keys: [{ id: 'k', key: Buffer.alloc(32) }] });
  const waits = new WaitMeter();
  Object.assign(waits, { ms: 9, calls: 1 });
  const base = { workspace: 'T1', began: 0, ms: 90, waits };
  const about = { message: 'post', schedule: 'schedul1', watch: 'watch001', late: 400_000, tries: 1 };
  const error = new ServiceFailed('billing', 503);
  const asked = { via: 'command', route: '/spend', user: 'U1', reference: '4f2a9c01' } as const;
  const works: readonly Work[] = [
    { ...base, ...about, kind: 'message', outcome: 'sent' },
    { ...base, ...about, kind: 'message', outcome: 'failed', error },
    { ...base, ...asked, kind: 'request', outcome: error.kind, error },
  ];
  for (const work of works) for (let count = 0; count < 60; count += 1) finished(work);
  return text;
}

beforeAll(async () => {
  bot = await startBot();
  await bot.connect();
  await bot.ask('/spend 123');
  await bot.ask('/spend 123 nonsense-word');
  await bot.waitUntilIdle();
  await bot.stopBot();
  folder = await mkdtemp(join(tmpdir(), 'tally-log-'));
  const text = bot.log() + fullLines();
  await writeFile(join(folder, 'tally.log'), text);
  lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
});
afterAll(async () => {
  await bot.stop();
  await rm(folder, { recursive: true });
});

describe('the page on logs', () => {
  it('names each field of the lines of requests and deliveries', () => {
    const found = new Set(
      lines.filter(({ event }) => event !== undefined).flatMap((line) => Object.keys(line)),
    );
    expect([...found].filter((name) => !documented.has(name))).toEqual([]);
    expect([...documented].filter((name) => !found.has(name))).toEqual([]);
  });

  it('is right that a command’s words and projects are in no line', () => {
    const requests = lines.filter(({ event }) => event === 'request');
    expect(requests).toContainEqual(
      expect.objectContaining({ via: 'command', route: '/spend', outcome: 'ok', serviceCalls: 2 }),
    );
    expect(JSON.stringify(requests)).not.toMatch(/nonsense|123 |"123"/);
  });

  const hasJq = spawnSync('jq', ['--version']).status === 0;
  it.skipIf(!hasJq).each(scripts)('has a command that works: %s', (script) => {
    const output = execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect(output.trim()).not.toBe('');
  });
});
