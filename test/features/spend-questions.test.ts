import { Big } from 'big.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { botOfFile, DAY, SATURDAY } from '../support/bot.ts';
import { addConnection, addProjects } from '../support/projects.ts';
import { spendByDay } from '../support/service-replies.ts';

const bot = await botOfFile();
await addConnection(bot);
await addProjects(bot, { prod: '123', staging: '456' });

beforeEach(async () => {
  for (const id of ['123', '456']) await bot.drop(`watch:watch${id}`);
  // Of prod, the 15th costs 15; of other projects, half as much.
  bot.billing.respond(
    spendByDay((day, project) => {
      const date = Number(day.slice(8));
      return project === '123' ? [date, 1] : [date / 2, 0];
    }),
  );
});

const ask = async (text: string): Promise<string> => await bot.read(text);

/** Its alerts go to another channel than the questions. */
async function setBudget(amount: string, id = '123', alias = 'prod'): Promise<void> {
  const watch = {
    id: `watch${id}`,
    projects: [{ id, product: 1, alias }],
    channel: 'C0FINANCE1',
    rule: { kind: 'budget', amount: new Big(amount) },
    owner: OWNER,
    createdBy: OWNER,
    createdAt: SATURDAY - DAY,
    since: SATURDAY - DAY,
  } as const;
  await bot.store({ [`watch:watch${id}`]: serializeWatch(watch as never) });
}

describe('the answer about a budget', () => {
  it.each([
    // 1 to 21 November cost 231; the whole month is expected to cost more.
    ['/spend prod over-budget', '200', 'Yes, over budget: 231.00 of 200.00'],
    ['/spend prod budget', '200', 'No, over budget: 231.00 of 200.00'],
    ['/spend prod over-budget', '250', 'Not yet: 231.00 of 250.00'],
    ['/spend is prod within budget?', '250', 'Within budget so far: 231.00 of 250.00'],
    ['/spend prod over-budget', '5000', 'No: 231.00 of 5,000.00'],
  ])('says whether the budget has been exceeded: %s, with a budget of %s', async (asked, amount, verdict) => {
    await setBudget(amount);
    expect(await ask(asked)).toContain(verdict);
  });

  it('says what the month is expected to cost', async () => {
    await setBudget('250');
    expect(await ask('/spend prod budget')).toMatch(/Expected to pass it by about \d/);
    await setBudget('5000');
    expect(await ask('/spend prod budget')).toMatch(/Expected: about \d[\d,.]* by 30 Nov/);
  });

  it('offers to set a budget if there is none', async () => {
    const { visibleText, commands } = await bot.ask('/spend prod budget');
    expect(visibleText).toContain('No budget is set');
    expect(commands).toContain('/billing watch prod budget');
  });

  it('shows figures only of projects with a budget, and names the other projects', async () => {
    await setBudget('200');
    const { lines, rows, visibleText, labels } = await bot.ask('/spend all over-budget');
    expect(lines[0]).toBe('prod · November · Yes, over budget: 231.00 of 200.00 (115.5 %)');
    expect(rows).toEqual([]);
    expect(visibleText).toContain('No budget: staging.');
    expect(labels).toEqual(['See the days']);
  });

  it('names the projects that are over budget, and has a row for each project with a budget', async () => {
    await setBudget('200');
    await setBudget('120', '456', 'staging');
    const { lines, rows } = await bot.ask('/spend all over-budget');
    expect(lines[0]).toBe('November · Yes: prod is over budget');
    expect(rows.map(([, spent]) => spent)).toEqual([
      'Spent of budget',
      '231.00 of 200.00 (115.5 %)',
      '115.50 of 120.00 (96.2 %)',
    ]);
  });

  it('says in its header if no project has a budget', async () => {
    bot.billing.respond(spendByDay((_, project) => ({ 123: 1, 456: 2 })[project]));
    const { lines, rows, labels } = await bot.ask('/spend prod,staging,789 budget');
    expect(lines[0]).toBe('November · No budget is set for these projects');
    expect(rows).toEqual([]);
    expect(labels.slice(1)).toEqual(['Set a budget for staging…']);
  });

  it('is refused for a month other than the current month', async () => {
    expect(await ask('/spend prod 2026-10 budget')).toContain('Tally only knows this month’s budget');
  });
});

describe('the answer to /spend about all projects', () => {
  it('shows the sum of the forecasts, and a column of forecasts', async () => {
    const text = await ask('/spend all this-month');
    expect(text).toMatch(/^2 projects · 1–21 Nov · 346\.50 so far, about [\d,.]+ by 30 Nov\n/);
    expect(text).not.toContain('spent');
    expect(text).toContain('By 30 Nov');
  });

  it('shows the bonuses of each project that got bonuses', async () =>
    expect(await ask('/spend all last-week')).toContain('bonuses: prod 7.00'));

  it('has a column of daily averages if the command says “by day”', async () =>
    expect(await ask('/spend all last-week by day')).toContain('A day'));

  it('is refused if the command says “by week”', async () =>
    expect(await ask('/spend all 2026-10 by week')).toContain('“by week” works for one project only'));
});

describe('the ranking of days in /spend', () => {
  it('begins with the day that cost least if the command says “lowest”', async () => {
    const text = await ask('/spend prod lowest days 2026-10');
    expect(text).toContain('Lowest:* Thu 1 Oct, 1.00 · Fri 2 Oct, 2.00 · Sat 3 Oct, 3.00');
    expect(text).not.toContain('peak');
  });

  it('lists as many days as the command asks for', async () => {
    const text = await ask('/spend prod top 2 days 2026-10');
    expect(text).toContain('Highest:* Sat 31 Oct, 31.00 · Fri 30 Oct, 30.00');
    expect(text).not.toContain('Thu 29 Oct');
  });

  it('is refused for several projects', async () =>
    expect(await ask('/spend all top 3 days 2026-10')).toContain('“top 3 days” works for one project only'));
});

it('the answer to /spend is grouped by week or by month if the command says so', async () => {
  const weeks = await bot.ask('/spend prod 2026-10 by week');
  expect(weeks.visibleText).toContain('Each week (5)');
  expect(JSON.stringify(weeks.blocks)).toContain('"Average per day, by week"');
  const months = await bot.ask('/spend prod last-3-months by month');
  expect(months.types).not.toContain('data_visualization');
  expect(months.rows.map(([name]) => name)).toEqual(['By month', 'Aug', 'Sep', 'Oct']);
  expect(months.visibleText).not.toContain('Each month');
  expect(JSON.stringify((await bot.ask('/spend prod last-6-months by month')).blocks)).toContain(
    '"Spent per month"',
  );
});

it('a request for a CSV file by month is refused, and a file by day is offered', async () => {
  const { visibleText, commands } = await bot.ask('/spend prod q3 by month csv');
  expect(visibleText).toContain('“by month” doesn’t work with a CSV file, which has a row for each day.');
  expect(commands).toEqual(['/spend prod 2026-q3 csv']);
  expect((await bot.ask('/spend prod q3 by month')).commands).toContain('/spend prod 2026-q3 cloud csv');
});

it.each(['/spend how much did prod cost last week?', '/spend what did we spend on prod last week'])(
  'a question in everyday English after /spend is answered: %s',
  async (text) => expect(await ask(text)).toMatch(/prod · [\s\S]*9–15 Nov/),
);

it('the answer about the cheapest projects names the cheapest project in its header', async () => {
  const { lines, rows } = await bot.ask('/spend all lowest last-week');
  expect(lines[0]).toBe('2 projects · 9–15 Nov · 126.00 spent, least by staging');
  expect(rows.map(([name]) => name)).toEqual(['Project', 'staging', 'prod']);
});

it('the header of an answer about a period that is still running says “so far”', async () => {
  const { lines, visibleText } = await bot.ask('/spend prod today');
  expect(lines[0]).toBe('prod · Sat 21 Nov · 21.00 so far');
  expect(visibleText).not.toMatch(/· so far|^so far/m);
  expect((await bot.ask('/spend all this-week')).lines[0]).toMatch(/so far/);
});

it('an answer with amounts in two currencies has no comparison with an earlier period', async () => {
  await addProjects(bot, { usa: { id: '789', currency: 'USD' } });
  const { rows, visibleText } = await bot.ask('/spend all mtd');
  expect(rows[0]).toEqual(['Project', 'Spent', 'By 30 Nov']);
  expect(visibleText).not.toContain('change vs');
});
