import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBillingClient } from '../../src/billing/client.ts';
import type { ReportResult } from '../../src/delivery/reports/make-report.ts';
import { makeReport } from '../../src/delivery/reports/make-report.ts';
import { askOnce } from '../../src/delivery/run.ts';
import { failureSentence } from '../../src/domain/failure/index.ts';
import type { ReportName } from '../../src/domain/report.ts';
import { daysOfReport } from '../../src/domain/report.ts';
import { createGuardedHttp } from '../../src/http/client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { type Bot, CHANNEL, rowsOf, startBot, textOf } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';

const NOW = Date.UTC(2026, 10, 21, 9);
const KEY = randomBytes(32);
const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
const billing = createBillingClient({ http });
let bot: Bot;

beforeAll(async () => {
  bot = await startBot({ now: () => NOW, encryptionKeys: `test:${KEY.toString('base64')}` });
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '5001' });
  await addProject(bot, { alias: 'dev', id: '5002' });
  await addProject(bot, { alias: 'labs', id: '5003', currency: '€' });
  await addProject(bot, { alias: 'secret', id: '5004', channels: ['C0ELSEWHERE'] });
});
afterAll(async () => {
  await http.close();
  await bot.stop();
});
beforeEach(() => bot.billing.setMode('healthy'));

async function post(
  name: ReportName,
  ids: readonly string[],
  at = NOW,
  count = 1,
  zone?: string,
  client = billing,
): Promise<ReportResult & { reads: string[]; answers: unknown[] }> {
  const keyring = createKeyring([{ id: 'test', key: KEY }]);
  const workspace = await createWorkspaces({ redis: bot.redis.client, keyring }).load('T0SANDBOX1');
  const projects = ids.map((text) => {
    const [id = '', alias] = text.split(':');
    return { id, product: 1 as const, ...(alias !== undefined && { alias }) };
  });
  const answers: unknown[] = [];
  const finding = await makeReport({
    report: name,
    workspace,
    projects,
    channel: CHANNEL,
    at,
    sentAt: at,
    zone: zone ?? workspace.settings.zone,
    days: count,
    billing: client,
    answeredBy: (...answer) => void answers.push(answer),
  });
  return {
    ...finding,
    answers,
    reads: `${textOf(finding.message.blocks)}\n${finding.message.print}`.split('\n'),
  };
}

const days = (month: string, first: number, last: number, amount: string) =>
  Array.from(
    { length: last - first + 1 },
    (_, at) =>
      `{"day":"${month}-${String(first + at).padStart(2, '0')}","totalAmount":${amount},"totalBonuses":0}`,
  );
const setDays = (id: string, ...rows: string[][]) => bot.billing.setItems(id, `[${rows.flat().join(',')}]`);

describe('a post about recent spending', () => {
  beforeEach(() => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":12000}');
    setDays(
      '5001',
      days('2026-10', 1, 31, '90'),
      days('2026-11', 1, 19, '100'),
      days('2026-11', 20, 20, '150.50'),
    );
  });

  it('covers days in its own time zone, whatever the workspace’s time zone is', async () => {
    const late = Date.parse('2026-11-21T20:00:00Z');
    expect((await post('yesterday', ['5001'], late, 1, 'UTC')).covers).toEqual({
      first: '2026-11-20',
      last: '2026-11-20',
      zone: 'UTC',
    });
    expect((await post('yesterday', ['5001'], late, 1, 'Pacific/Auckland')).covers).toEqual({
      first: '2026-11-21',
      last: '2026-11-21',
      zone: 'Pacific/Auckland',
    });
  });

  it('saves which connection it used, and the balance of a registered project', async () => {
    const { answers } = await post('yesterday', ['5001', '123']);
    expect(answers).toHaveLength(2);
    expect(answers).toEqual(
      expect.arrayContaining([
        [
          'main',
          expect.objectContaining({
            id: '5001',
            product: 1,
            balance: '1234567.80',
            bonuses: '12000',
            forecast: { total: '3050.5', month: '2026-11' },
          }),
        ],
        ['main', undefined],
      ]),
    );
  });

  it('shows the day’s amount, a comparison, the month so far with a forecast, and the balance', async () => {
    const { reads, message } = await post('yesterday', ['5001']);
    expect(message.text).toBe('prod · Fri 20 Nov · 150.50 · 1.6× a usual Friday');
    expect(reads.slice(0, 4)).toEqual([
      'prod · Fri 20 Nov · 150.50 · 1.6× a usual Friday',
      '*▲ 50.5 %* vs Fri 13 Nov',
      '*This month* 2,050.50 · forecast about 3,050 by 30 Nov',
      '*1,234,567.80 left* · *More than 10 years* at 107.21 a day · bonuses 12,000.00',
    ]);
  });

  it('mentions each day and each number only once', async () => {
    const { message } = await post('yesterday', ['5001']);
    const words = textOf(message.blocks.filter(({ type }) => type !== 'data_visualization'));
    const numbers = words.match(/\d[\d,.]*/g) ?? [];
    expect(numbers).toHaveLength(new Set(numbers).size);
    expect(message.blocks.map(({ type }) => type)).toEqual(['header', 'section', 'data_visualization']);
    const { reads } = await post('yesterday', ['123']);
    expect(reads[0]).toMatch(/^Project 123 · Fri 20 Nov · /);
    expect(reads.at(-1)).toMatch(/^Cloud platform/);
  });

  it.each([
    ['400', '4× a usual Friday'],
    ['1234.5', '12× a usual Friday'],
    ['150', '1.5× a usual Friday'],
    ['149.99', ''],
    ['50.01', ''],
    ['50', '0.5× a usual Friday'],
    ['4', ''],
    ['-10', ''],
  ])('compares a day’s cost of %s with a usual cost of 100: “%s”', async (amount, news) => {
    setDays('5001', days('2026-10', 1, 31, '100'), days('2026-11', 1, 19, '100'));
    expect((await post('yesterday', ['5001'])).reads[0]).toBe('prod · Fri 20 Nov · not reported yet');
    setDays(
      ...(['5001', days('2026-10', 1, 31, '100'), days('2026-11', 1, 19, '100')] as const),
      days('2026-11', 20, 20, amount),
    );
    const [title = ''] = (await post('yesterday', ['5001'])).reads;
    expect(title.split(' · ').slice(3).join(' · ')).toBe(news);
  });

  it('calls a day unusual only if at least 3 of the 4 previous days of that weekday are reported', async () => {
    setDays('5001', days('2026-11', 6, 19, '100'), days('2026-11', 20, 20, '400'));
    expect((await post('yesterday', ['5001'])).reads[0]).toBe('prod · Fri 20 Nov · 400.00');
  });

  it('calls a negative amount “credited”, and an equal amount “same”', async () => {
    setDays('5001', days('2026-11', 13, 13, '100'), days('2026-11', 20, 20, '-35'));
    expect((await post('yesterday', ['5001'])).reads.slice(0, 2)).toEqual([
      'prod · Fri 20 Nov · 35.00 credited',
      'vs 100.00 on Fri 13 Nov',
    ]);
    setDays('5001', days('2026-11', 13, 13, '100'), days('2026-11', 20, 20, '100.04'));
    expect((await post('yesterday', ['5001'])).reads[1]).toBe('Same as Fri 13 Nov');
  });

  it('formats numbers according to the workspace’s settings, even for several projects', async () => {
    const key = 'tally:{T0SANDBOX1}:record';
    const before = await bot.redis.client.hget(key, 'settings');
    await bot.redis.client.hset(key, 'settings', '{"locale":"de"}');
    try {
      const { reads } = await post('yesterday', ['5001']);
      expect(reads.slice(0, 4)).toEqual([
        'prod · Fri 20 Nov · 150,50 · 1,6× a usual Friday',
        '*▲ 50,5 %* vs Fri 13 Nov',
        '*This month* 2.050,50 · forecast about 3.050 by 30 Nov',
        '*1.234.567,80 left* · *More than 10 years* at 107,21 a day · bonuses 12.000,00',
      ]);
      const digest = await post('balance', ['5001', '5003']);
      expect(digest.reads[0]).toContain('1.234.567,80');
      expect(digest.reads.join('\n')).not.toMatch(/\d\.\d\d(?!\d)/);
    } finally {
      if (before === null) await bot.redis.client.hdel(key, 'settings');
      else await bot.redis.client.hset(key, 'settings', before);
    }
  });

  it('asks billing for all its days in one query, and for the balance in another', async () => {
    const before = bot.billing.requests.length;
    await post('yesterday', ['5001']);
    const asked = bot.billing.requests.slice(before).map(({ query }) => query);
    expect(asked).toHaveLength(2);
    expect(asked.join()).toContain(
      'periodFrom: "2026-07-04T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z"',
    );
  });

  it('covers all days since the last post, and compares them with the same weekdays of the week before', async () => {
    setDays(
      '5001',
      days('2026-11', 6, 12, '100'),
      days('2026-11', 13, 15, '200'),
      days('2026-11', 20, 22, '300'),
    );
    const monday = Date.UTC(2026, 10, 23, 9);
    const { reads, covers, figures } = await post('yesterday', ['5001'], monday, 3);
    expect(reads[0]).toBe('prod · 20–22 Nov · 900.00');
    expect(reads[1]).toBe('*▲ 50.0 %* vs 13–15 Nov · 300.00 a day');
    expect(covers).toEqual({ first: '2026-11-20', last: '2026-11-22', zone: 'UTC' });
    expect(figures).toEqual({ '5001:1': '900' });
    expect(daysOfReport('yesterday', monday, 'UTC', 3)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
  });

  it('shows a chart of the last 14 days', async () => {
    const { message } = await post('yesterday', ['5001']);
    const chart = message.blocks.find((block) => block.type === 'data_visualization');
    const { categories = [] } = chart?.chart.axis_config ?? {};
    expect([categories[0], categories.at(-1), categories.length]).toEqual(['Sat 7', 'Fri 20', 14]);
  });

  it('has a chart only if at least five days are reported', async () => {
    const typesOf = async (last: number) => {
      setDays('5001', days('2026-11', 20 - last + 1, 20, '100'));
      return (await post('yesterday', ['5001'])).message.blocks.map(({ type }) => type);
    };
    expect(await typesOf(4)).not.toContain('data_visualization');
    expect(await typesOf(5)).toContain('data_visualization');
  });

  it('names the chart’s days without data', async () => {
    setDays('5001', days('2026-11', 1, 14, '100'), days('2026-11', 16, 20, '100'));
    const { reads } = await post('yesterday', ['5001']);
    expect(reads.at(-1)).toBe('no data for Sun 15 Nov');
    expect(reads).toContain('*This month* 1,900.00 (19 of 20 days) · forecast about 3,000 by 30 Nov');
  });

  it('says that a day isn’t reported, instead of showing zero', async () => {
    setDays('5001', days('2026-11', 1, 19, '100'));
    const { reads, figures } = await post('yesterday', ['5001']);
    expect(reads[0]).toBe('prod · Fri 20 Nov · not reported yet');
    expect(figures).toEqual({});
  });

  it('compares a day with the same weekday of the week before', async () => {
    // Saturdays and Sundays cost a tenth.
    setDays(
      '5001',
      days('2026-11', 8, 8, '10'),
      days('2026-11', 9, 13, '100'),
      days('2026-11', 14, 15, '10'),
    );
    const { reads } = await post('yesterday', ['5001'], Date.UTC(2026, 10, 16, 9));
    expect(reads.slice(0, 2)).toEqual(['prod · Sun 15 Nov · 10.00', 'Same as Sun 8 Nov']);
  });

  it('says that it can’t compare if the same weekday of the week before isn’t reported', async () => {
    setDays('5001', days('2026-11', 14, 20, '100'));
    expect((await post('yesterday', ['5001'])).reads[1]).toBe('No comparison: Fri 13 Nov isn’t reported.');
    setDays('5001', days('2026-11', 1, 19, '100'));
    expect((await post('yesterday', ['5001'])).reads.join('\n')).not.toContain('comparison');
  });

  it('says that billing items without a readable day are left out', async () => {
    const odd = '{"day":"who knows","totalAmount":7,"totalBonuses":0}';
    setDays('5001', days('2026-11', 20, 20, '150'), [odd]);
    const { reads } = await post('yesterday', ['5001']);
    expect(reads[0]).toBe('prod · Fri 20 Nov · 150.00');
    expect(reads).toContain('Left out: 1 item outside this period.');
  });

  it('ignores days outside the period', async () => {
    setDays('5001', days('2026-09', 30, 30, '7'), days('2026-11', 20, 21, '150'));
    const { reads } = await post('yesterday', ['5001']);
    expect(reads[0]).toBe('prod · Fri 20 Nov · 150.00');
    expect(reads.join('\n')).not.toContain('Left out');
  });

  it('says that the balance is unknown if only the balance can’t be fetched', async () => {
    bot.billing.setBalance('5001', 'null');
    const { reads } = await post('yesterday', ['5001']);
    expect(reads[0]).toBe('prod · Fri 20 Nov · 150.50 · 1.6× a usual Friday');
    expect(reads.join('\n')).toContain('*Balance unknown*: No Cloud platform data for project 5001.');
  });

  it('saves exact amounts for later corrections', async () => {
    setDays('5001', days('2026-11', 20, 20, '0.1'), days('2026-11', 20, 20, '0.2000000000000000000001'));
    expect((await post('yesterday', ['5001'])).figures).toEqual({ '5001:1': '0.3000000000000000000001' });
  });

  it('names a project by its chosen alias, or else by its first alias, and uses that alias’s currency', async () => {
    for (const id of ['5001', '5002']) setDays(id, days('2026-11', 20, 20, '12.25'));
    await addProject(bot, { alias: 'twin', id: '5001', currency: '€' });
    try {
      const title = async (project: string) => (await post('yesterday', [project])).reads[0];
      expect(await title('5001:prod')).toBe('prod · Fri 20 Nov · 12.25');
      expect(await title('5001:twin')).toBe('twin · Fri 20 Nov · €12.25');
      expect(await title('5001:gone')).toBe('prod · Fri 20 Nov · 12.25');
      expect(await title('5002:twin')).toBe('dev · Fri 20 Nov · 12.25');
    } finally {
      await bot.redis.client.hdel('tally:{T0SANDBOX1}:record', 'project:twin');
    }
  });
});

describe('posts about weeks, months and balances', () => {
  it('compare last week with the week before', async () => {
    setDays('5001', days('2026-11', 2, 8, '100'), days('2026-11', 9, 15, '110'));
    const { reads } = await post('last-week', ['5001']);
    expect(reads.slice(0, 2)).toEqual(['prod · 9–15 Nov · 770.00', '*▲ 10.0 %* vs 2–8 Nov · 110.00 a day']);
  });

  it('compare the month so far with the same number of days of the previous month', async () => {
    setDays('5001', days('2026-10', 1, 31, '90'), days('2026-11', 1, 20, '100'));
    const { reads } = await post('month-to-date', ['5001']);
    expect(reads.slice(0, 3)).toEqual([
      'prod · 1–20 Nov · 2,000.00',
      '*▲ 11.1 %* vs 1–20 Oct · 100.00 a day',
      '*Forecast* about 3,000 by 30 Nov',
    ]);
    expect(reads.join('\n')).not.toContain('This month');
  });

  it('cover the previous month on the first day of a month', async () => {
    setDays('5001', days('2026-09', 1, 30, '90'), days('2026-10', 1, 31, '90'));
    const { reads } = await post('month-to-date', ['5001'], Date.UTC(2026, 10, 1, 9));
    expect(reads.slice(0, 2)).toEqual([
      'prod · October · 2,790.00',
      'Same as September (daily average) · 90.00 a day',
    ]);
  });

  it('say how long the balance lasts at the current daily cost, and mention only large bonuses', async () => {
    setDays('5001', days('2026-11', 14, 19, '100'));
    const lineOf = async (balance: string) => {
      bot.billing.setBalance('5001', balance);
      return (await post('balance', ['5001'])).reads[1];
    };
    expect(await lineOf('{"balance":4000,"bonuses":99}')).toBe(
      '*About 40 days* at 100.00 a day (6 of 7 days)',
    );
    expect(await lineOf('{"balance":1000,"bonuses":100}')).toBe(
      ':warning: *About 11 days* at 100.00 a day (6 of 7 days) · bonuses 100.00',
    );
    expect(await lineOf('{"balance":50,"bonuses":0}')).toMatch(/^:warning: \*Less than a day\* at /);
  });

  it('show the balance first if they are about balances', async () => {
    bot.billing.setBalance('5001', '{"balance":-12.5,"bonuses":0}');
    setDays('5001', days('2026-11', 20, 20, '150'));
    const { reads, figures } = await post('balance', ['5001']);
    expect(reads.slice(0, 3)).toEqual([
      'prod · 12.50 overdrawn',
      ':warning: *The balance is used up*',
      '*Fri 20 Nov* 150.00 · No comparison: Fri 13 Nov isn’t reported.',
    ]);
    expect(figures).toEqual({ '5001:1': '-12.5' });
  });

  it('say how many days an average is based on, and which days are missing', async () => {
    setDays('5001', days('2026-11', 2, 8, '100').slice(1), days('2026-11', 9, 15, '110'));
    expect((await post('last-week', ['5001'])).reads[1]).toBe(
      '*▲ 10.0 %* vs 2–8 Nov (daily average, 6 of 7 days reported) · 110.00 a day',
    );
    setDays('5001', days('2026-11', 2, 8, '100').slice(1), days('2026-11', 9, 15, '110').slice(1));
    const { reads } = await post('last-week', ['5001']);
    expect(reads[1]).toBe('*▲ 10.0 %* vs 2–8 Nov (6 of 7 days reported) · 110.00 a day (6 of 7 days)');
    expect(reads.at(-1)).toBe('no data for Mon 9 Nov');
  });

  it('say in the header how many days are reported if fewer than 80 % are', async () => {
    setDays('5001', days('2026-11', 2, 8, '100'), days('2026-11', 9, 13, '110'));
    const { reads } = await post('last-week', ['5001']);
    expect(reads[0]).toBe('prod · 9–15 Nov · 550.00 on 5 of 7 days');
    expect(reads[1]).toMatch(/ · 110\.00 a day$/);
    expect(reads.at(-1)).toBe('no data for Sat 14 Nov and Sun 15 Nov');
  });

  it.each([
    [5, 7, 'Too few days reported to compare with 2–8 Nov (9–15 Nov: 5 of 7 days reported).'],
    [6, 5, 'Too few days reported to compare with 2–8 Nov (5 of 7 days reported).'],
  ])(
    'have no percentage if too few days are reported: %i last week, %i the week before',
    async (now, before, line) => {
      setDays('5001', days('2026-11', 2, 1 + before, '100'), days('2026-11', 9, 8 + now, '110'));
      expect((await post('last-week', ['5001'])).reads[1]).toMatch(line);
    },
  );
});

describe('a digest of several projects', () => {
  beforeEach(() => {
    for (const id of ['5001', '5002', '5003']) {
      bot.billing.setBalance(id, '{"balance":1000,"bonuses":0}');
      setDays(id, days('2026-11', 13, 19, '10'), days('2026-11', 20, 20, '12.25'));
    }
  });

  it('shows the total, then a row for each project', async () => {
    const { message, reads } = await post('yesterday', ['5001', '5002']);
    expect(reads.slice(0, 4)).toEqual([
      '2 projects · Fri 20 Nov · 24.50',
      '*▲ 22.5 %* vs Fri 13 Nov',
      '*This month* 164.50 (8 of 20 days) · forecast about 635.00 by 30 Nov',
      '*2,000.00 left*',
    ]);
    expect(rowsOf(message.blocks)).toEqual([
      ['Project · lasts', 'Spent', 'Change'],
      ['prod · 96 days', '12.25', '▲ 22.5 %'],
      ['dev · 96 days', '12.25', '▲ 22.5 %'],
    ]);
  });

  it('sorts projects by spend, and warns about balances that last under 14 days', async () => {
    setDays('5002', days('2026-11', 1, 20, '100'));
    const { message, reads } = await post('yesterday', ['5001', '5002']);
    expect(rowsOf(message.blocks).map(([first]) => first)).toEqual([
      'Project · lasts',
      'dev · 10 days',
      'prod · 96 days',
    ]);
    expect(reads.join('\n')).toContain(':warning: *Under 14 days or overdrawn: dev*');
  });

  it('doesn’t subtract one project’s debt from another project’s balance', async () => {
    bot.billing.setBalance('5002', '{"balance":-200,"bonuses":0}');
    const sums = '1,000.00 left and 200.00 overdrawn';
    expect((await post('yesterday', ['5001', '5002'])).reads.join('\n')).toContain(`*${sums}*`);
    expect((await post('balance', ['5001', '5002'])).reads[0]).toBe(`2 projects · ${sums}`);
  });

  it('marks a project without figures in the table, and says in the header if no project has figures', async () => {
    setDays('5001', days('2026-11', 13, 19, '10'));
    const { reads, message } = await post('yesterday', ['5001', '5002']);
    expect(reads[0]).toBe('1 of 2 projects · Fri 20 Nov · 12.25');
    expect(rowsOf(message.blocks).at(-1)).toEqual(['prod · 100 days', 'not reported', '–']);
    setDays('5002', days('2026-11', 13, 19, '10'));
    expect((await post('yesterday', ['5001', '5002'])).reads[0]).toBe(
      '2 projects · Fri 20 Nov · not reported yet',
    );
  });

  it('says “at least 8 of 20 days” if one project has only 8 reported days', async () => {
    setDays('5002', days('2026-11', 1, 20, '10'));
    expect((await post('yesterday', ['5001', '5002'])).reads[2]).toMatch(
      /^\*This month\* 282\.25 \(at least 8 of 20 days\)/,
    );
  });

  it('compares the projects’ total with their usual total', async () => {
    for (const id of ['5001', '5002'])
      setDays(id, days('2026-10', 1, 31, '10'), days('2026-11', 1, 19, '10'), days('2026-11', 20, 20, '40'));
    expect((await post('yesterday', ['5001', '5002'])).reads[0]).toBe(
      '2 projects · Fri 20 Nov · 80.00 · 4× a usual Friday',
    );
  });

  it('says only once that there is no comparison if no project can be compared', async () => {
    setDays('5002', days('2026-11', 14, 20, '10'));
    const some = await post('yesterday', ['5001', '5002']);
    expect(some.reads).toContain('dev: No comparison: Fri 13 Nov isn’t reported.');
    expect(rowsOf(some.message.blocks)).toEqual([
      ['Project · lasts', 'Spent', 'vs Fri 13 Nov'],
      ['prod · 96 days', '12.25', '▲ 22.5 %'],
      ['dev · 100 days', '10.00', '–'],
    ]);
    setDays('5001', days('2026-11', 14, 20, '10'));
    const none = await post('yesterday', ['5001', '5002']);
    expect(none.reads.filter((line) => /comparison|vs/.test(line))).toEqual([
      'No comparison: Fri 13 Nov isn’t reported.',
    ]);
    expect(rowsOf(none.message.blocks)[0]).toEqual(['Project · lasts', 'Spent']);
  });

  it('has columns for the balance and how long it lasts if the digest is about balances', async () => {
    const { message, reads } = await post('balance', ['5001', '5002']);
    expect(reads[0]).toBe('2 projects · 2,000.00 left');
    expect(rowsOf(message.blocks)[0]).toEqual(['Project', 'Left', 'Lasts']);
    expect(reads[1]).toBe('*Fri 20 Nov* 24.50 · *▲ 22.5 %* vs Fri 13 Nov');
  });

  it('shows the balance of a project without reported days', async () => {
    bot.billing.setItems('5002', '[]');
    const { reads, unanswered } = await post('balance', ['5001', '5002']);
    expect(reads[0]).toBe('2 projects · 2,000.00 left');
    expect(unanswered).toEqual({});
    bot.billing.setBalance('5002', 'null');
    await expect(post('balance', ['5002'])).rejects.toThrow('No Cloud platform data for dev');
  });

  it('quotes billing’s error messages with the project’s name', async () => {
    bot.billing.respond(({ query }) =>
      String(query).includes('getSubscriptionBalance') && String(query).includes('5002')
        ? {
            status: 200,
            body: '{"errors":[{"message":"<!here> is late"}],"data":{"bill":{"getSubscriptionBalance":{"balance":1000,"bonuses":0}}}}',
          }
        : undefined,
    );
    try {
      const { message, reads } = await post('yesterday', ['5001', '5002']);
      const said = 'The billing service reported a problem with the balance: “<!here> is late”';
      expect(reads).toContain(`dev: ${said}`);
      expect(message.blocks).toContainEqual({
        type: 'section',
        text: expect.objectContaining({ type: 'plain_text', text: `dev: ${said}` }),
      });
      expect((await post('yesterday', ['5002'])).reads).toContain(said);
    } finally {
      bot.billing.respond(undefined);
    }
  });

  it('says how many days a project’s change in spending is based on', async () => {
    setDays('5002', days('2026-11', 3, 8, '10'), days('2026-11', 9, 15, '11'));
    setDays('5001', days('2026-11', 2, 8, '10'), days('2026-11', 9, 15, '11'));
    const { reads } = await post('last-week', ['5001', '5002']);
    expect(reads[1]).toBe('*▲ 10.0 %* vs 2–8 Nov (daily average, 6 of 7 days reported)');
    setDays('5002', days('2026-11', 2, 8, '10'), days('2026-11', 9, 14, '11'));
    expect((await post('last-week', ['5001', '5002'])).reads).toContain(
      '* dev: 6 of 7 days reported, no data for Sun 15 Nov.',
    );
  });

  it('adds up each currency separately', async () => {
    expect((await post('yesterday', ['5001', '5003'])).reads[0]).toBe(
      '2 projects · Fri 20 Nov · 12.25 and €12.25',
    );
    for (const id of ['5001', '5003']) setDays(id, days('2026-11', 14, 20, '10'));
    expect((await post('yesterday', ['5001', '5003'])).reads[1]).toBe(
      'No comparison: Fri 13 Nov isn’t reported.',
    );
  });

  it('says which project failed, and why', async () => {
    setDays('5002');
    bot.billing.setItems('5002', 'null');
    const { message, reads, unanswered } = await post('yesterday', ['5001', '5002', '123']);
    expect(reads[0]).toMatch(/^2 of 3 projects · Fri 20 Nov · [\d,.]+$/);
    expect(reads).toContain('No Cloud platform data for dev, Fri 20 Nov.');
    const rows = rowsOf(message.blocks);
    expect(rows.map(([project]) => project)).toEqual([
      'Project · lasts',
      'Project 123 · 41 days',
      'prod · 96 days',
      'dev',
    ]);
    expect(rows.at(-1)).toEqual(['dev', 'no data', '–']);
    expect(Object.keys(unanswered)).toEqual(['5002:1']);
  });

  it('names its own days in an error message even if another post has the same error', async () => {
    bot.billing.respond(({ query }) =>
      String(query).includes('5002') && String(query).includes('reportSubscriptionConsuming')
        ? { status: 200, body: '{"errors":[{"message":"no"}],"data":null}' }
        : undefined,
    );
    try {
      const rejected = 'The billing service rejected the query for Cloud platform, ';
      const cached = askOnce(billing);
      const both = await Promise.all([
        post('yesterday', ['5001', '5002'], NOW, 1, undefined, cached),
        post('last-week', ['5001', '5002'], NOW, 1, undefined, cached),
      ]);
      expect(both.map(({ unanswered }) => failureSentence(unanswered['5002:1']!, '2026-11-21'))).toEqual([
        ...[`${rejected}project 5002, Fri 20 Nov.`, `${rejected}project 5002, 9–15 Nov.`],
      ]);
      expect(rowsOf(both[0].message.blocks).find(([name]) => name === 'dev')?.[1]).toBe('query rejected');
      await expect(post('month-to-date', ['5002'])).rejects.toThrow(`${rejected}dev, 1–20 Nov.`);
    } finally {
      bot.billing.respond(undefined);
    }
  });

  it('never shows a project that is limited to other channels', async () => {
    const { reads } = await post('yesterday', ['5001', '5004']);
    expect(reads.join('\n')).toContain('limited to certain channels');
    expect(reads.join('\n')).not.toContain('5004');
    await expect(post('yesterday', ['5004'])).rejects.toThrow('certain channels');
  });

  it('isn’t made if billing answers for none of its projects', async () => {
    bot.billing.setMode('refused');
    await expect(post('yesterday', ['5001', '5002'])).rejects.toThrow('rejected the access token');
  });
});
