/**
 * The alert rules and the dashboard, against what real bots expose while something is broken: a rule that names a metric, a
 * label or a label's value that no bot ever counts would never fire.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { LAYOUT_FIELD } from '../../src/redis/layout.ts';
import { type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { NO_SERVER, refuseWrites, startServer, WRITE_REFUSALS } from '../support/redis-servers.ts';
import { answerWith } from '../support/service-replies.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const parsePage = (page: string): readonly Sample[] =>
  [...page.matchAll(/^([a-z]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value),
  }));

const pageOf = async (bot: Bot): Promise<readonly Sample[]> =>
  parsePage(await (await fetch(`${bot.currentUrl()}/metrics`)).text());

const RULES = 'deploy/prometheus/tally.rules.yaml';
const rules: { alert: string; expr: string; annotations: Record<string, string> }[] = parse(
  await readFile(RULES, 'utf8'),
).groups.flatMap((group: { rules: object[] }) => group.rules);

const dashboard = JSON.parse(await readFile('deploy/grafana/tally.json', 'utf8'));
const panels: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);

const guide = await readFile('docs/troubleshooting.md', 'utf8');
const blocksOf = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
const queries = [
  ...blocksOf('promql'),
  ...[...guide.matchAll(/`([^`\n]*\btally_\w+[^`\n]*)`/g)].map(([, query = '']) => query),
];
const searches = [
  ...blocksOf('sh').filter((line) => line.startsWith('logs |')),
  ...[...guide.matchAll(/`(logs \|[^`]+)`/g)].map(([, line = '']) => line.replaceAll('\n', ' ')),
];

interface Selector {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** Each `name{label="value"}` of an expression; values that a rule leaves out count, too. */
const selectorsOf = (expr: string): readonly Selector[] =>
  [...expr.matchAll(/\b(tally_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"$]*)"/g)].map(([, label = '', values = '']) => ({
      name,
      label,
      values: values.split('|'),
    })),
  );

/** Counted by some bot, or 0 where a gauge says that something is missing. */
const seen: Sample[] = [];
/** What each bot logged. */
let log = '';
const stop = async (bot: Bot) => {
  await bot.stop();
  log += bot.log();
};
const look = async (bot: Bot) => seen.push(...(await pageOf(bot)));
const wasSeen = (name: string, label: string, value: string): boolean =>
  seen.some(
    (sample) =>
      sample.name === name && sample.labels[label] === value && sample.value > 0 === (name !== 'tally_ready'),
  );

/** What takes an hour, hundreds of requests or a Slack of its own; each has a test where it happens. */
const NOT_BROKEN_HERE = [
  'failed',
  'workspace',
  'slack-failed',
  'settings-damaged',
  'not_authed',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'newer-records',
  'address-refused',
];

/** Lines that take ten seconds, many requests or a process's end; test/ops/work-log.test.ts and test/docs/logs.test.ts have their form. */
const RARE = [
  {
    event: 'request',
    msg: 'A request failed',
    workspace: 'T1',
    route: '/spend',
    outcome: 'throttled',
    ms: 3_001,
    serviceMs: 5_001,
  },
  { level: 'fatal', msg: 'Tally could not start', err: { code: 'EADDRINUSE' } },
];

describeUnless(NO_SERVER, 'the alert rules and the dashboard', () => {
  let page: string;
  let fresh: readonly Sample[];

  beforeAll(async () => {
    await Promise.all([breakServices(), loseKey(), ...WRITE_REFUSALS.map(breakRedis), rejectToken()]);
  }, 120_000);

  const waitFor = (bot: Bot, name: string, outcome: string) =>
    waitUntil(async () => {
      await look(bot);
      return wasSeen(name, 'outcome', outcome);
    });

  async function breakServices(): Promise<void> {
    const bot = await startBot();
    fresh = await pageOf(bot);
    await breakSignatures(bot);
    await bot.connect();
    await bot.ask('/balance 123');
    for (const mode of ['401', '403', '429', '500', 'query-rejected', 'reset']) {
      answerWith(bot.billing, mode);
      await bot.ask('/balance 123');
    }
    bot.billing.setMode('healthy');
    await dueNow(bot);
    await waitFor(bot, 'tally_messages_total', 'sent');
    bot.slack.failNext('chat.postMessage', { error: 'invalid_auth' });
    await dueNow(bot, 'cccccccc');
    await waitFor(bot, 'tally_messages_total', 'paused');
    bot.slack.failNext('chat.postMessage', { status: 429, retryAfter: 6 }, 9);
    await dueNow(bot, 'bbbbbbbb');
    await waitFor(bot, 'tally_messages_total', 'retrying');
    // A script that fails is like a bug. The run comes back once Slack's limit is over.
    const project = {
      alias: 'prod',
      id: '123',
      product: 1,
      channels: [],
      owner: OWNER,
      addedBy: OWNER,
      addedAt: 1,
    };
    await bot.redis.client.hset(recordKey(TEAM), {
      [LAYOUT_FIELD]: 'no number',
      'project:prod': JSON.stringify(project),
    });
    await waitFor(bot, 'tally_delivery_runs_total', 'unknown');
    await bot.slack.say(OWNER, CHANNEL, '/billing default prod');
    await waitFor(bot, 'tally_commands_total', 'unknown');
    await bot.redis.client.set(recordKey(TEAM), '');
    expect((await bot.ask('/balance 123')).visibleText).toContain('Another program changed Tally’s data');
    await look(bot);
    page = await (await fetch(`${bot.url}/metrics`)).text();
    await stop(bot);
  }

  async function breakSignatures(bot: Bot): Promise<void> {
    const body = 'command=%2Fspend';
    for (const options of [{ secret: 'another' }, { at: Date.now() - 3_600_000 }])
      await fetch(`${bot.url}/slack/events`, {
        method: 'POST',
        body,
        headers: bot.slack.signed(body, options),
      });
  }

  async function loseKey(): Promise<void> {
    const bot = await startBot();
    await bot.connect();
    await bot.startAnotherProcess(`other:${Buffer.from([...Array(32).keys()]).toString('base64')}`);
    await bot.ask('/balance 123');
    await look(bot);
    await stop(bot);
  }

  async function breakRedis(refusal: (typeof WRITE_REFUSALS)[number]): Promise<void> {
    const server = await startServer();
    const bot = await startBot({ redisUrl: `redis://127.0.0.1:${server.port}` });
    await refuseWrites(server.client, refusal);
    await fetch(`${bot.url}/readyz`);
    await look(bot);
    if (refusal.code === 'OOM') {
      await server.kill();
      await bot.ask('/balance 123');
      await look(bot);
    }
    await stop(bot);
    await server.kill();
  }

  async function rejectToken(): Promise<void> {
    const bot = await startBot({
      beforeStart: (slack) => slack.failNext('auth.test', { error: 'invalid_auth' }, 2),
    });
    await look(bot);
    await stop(bot);
  }

  const dueNow = async (bot: Bot, id = 'aaaaaaaa'): Promise<void> => {
    const due = Date.now() - 3_600_000;
    const time = new Date(due).toISOString().slice(11, 16);
    const timing = { cadence: { kind: 'daily' }, time, zone: 'UTC' } as const;
    await save(bot.redis.client, TEAM, schedule({ id, channel: CHANNEL, timing, since: due - 3_600_000 }));
    await bot.connect();
  };

  it('ask only for metrics, labels and values that a bot shows in the failures they are for', () => {
    const asked = [...rules.map(({ expr }) => expr), ...panels, ...queries].flatMap(selectorsOf);
    expect(asked.length).toBeGreaterThan(15);
    const missing = asked.flatMap(({ name, label, values }) =>
      values
        .filter((value) => !NOT_BROKEN_HERE.includes(value) && !wasSeen(name, label, value))
        .map((value) => `${name}{${label}="${value}"}`),
    );
    expect(missing).toEqual([]);
  });

  it('ask for metrics that a bot shows from its start', () => {
    const names = new Set(fresh.map(({ name }) => name));
    const exact = rules.flatMap(({ expr }) => [
      ...expr.matchAll(/increase\((tally_\w+)\{(\w+)=~?"([^"]+)"/g),
    ]);
    expect(exact.length).toBeGreaterThan(4);
    for (const [, name = '', label = '', values = ''] of exact)
      for (const value of values.split('|'))
        expect([name, value, fresh.some((one) => one.name === name && one.labels[label] === value)]).toEqual([
          ...[name, value, true],
        ]);
    for (const name of ['tally_build_info', 'tally_ready', 'tally_oldest_overdue_run_seconds'])
      expect(names).toContain(name);
  });

  it('are described: docs/metrics.md has each metric that the bot shows, with its type and labels', async () => {
    const text = await readFile('docs/metrics.md', 'utf8');
    const rows = [...text.matchAll(/^\| `(tally_\w+)` +\| (\w+) +\| (.*?) *\|/gm)];
    const documented = rows.map(([, name, type, labels = '']) => [
      ...[
        name,
        type,
        [...labels.matchAll(/\w+/g)]
          .map(([label]) => label)
          .sort()
          .join(),
      ],
    ]);
    const types = [...page.matchAll(/^# TYPE (tally_\w+) (\w+)$/gm)];
    const shown = types.map(([, name = '', type]) => {
      const own = seen.filter(
        (one) => one.name.replace(/_(bucket|sum|count)$/, '') === name || one.name === name,
      );
      const labels = new Set(own.flatMap((one) => Object.keys(one.labels)).filter((label) => label !== 'le'));
      return [name, type, [...labels].sort().join()];
    });
    expect(documented.sort()).toEqual(shown.sort());
  });

  const hasJq = spawnSync('jq', ['--version']).status === 0;
  it.skipIf(!hasJq).each(searches)('have a guide whose search of the log finds what broke: %s', (search) => {
    const reference = /"reference":"(\w+)"/.exec(log)?.[1] ?? '';
    const script = `logs() { grep '^{'; }; ${search.replace('4f2a', reference)}`;
    const input = `${log}a line that isn't JSON\n${RARE.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
    expect(execFileSync('sh', ['-c', script], { input, encoding: 'utf8' }).trim()).not.toBe('');
  });

  it('cost little: a page of a bot that did everything once has less than 60 kB', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(60_000);
  });
});
