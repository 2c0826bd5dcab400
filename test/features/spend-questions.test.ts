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
  // Each day costs as much as its date says, 15 on the 15th, or half of it.
  bot.billing.respond(
    spendByDay((day, project) => {
      const date = Number(day.slice(8));
      return project === '123' ? [date, 1] : [date / 2, 0];
    }),
  );
});

const ask = async (text: string): Promise<string> => await bot.read(text);

/** It alerts in a channel where nobody asks. */
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

describe('a budget', () => {
  it.each([
    // 1 to 21 November are 231, and the month is expected to be more.
    ['/spend prod over-budget', '200', 'Yes: 231.00 of 200.00'],
    ['/spend prod budget', '200', 'No: 231.00 of 200.00'],
    ['/spend prod over-budget', '250', 'Not yet: 231.00 of 250.00'],
    ['/spend is prod within budget?', '250', 'Yes, so far: 231.00 of 250.00'],
    ['/spend prod over-budget', '5000', 'No: 231.00 of 5,000.00'],
  ])('is answered with yes or no first: %s out of %s', async (asked, amount, verdict) => {
    await setBudget(amount);
    expect(await ask(asked)).toContain(verdict);
  });

  it('says what is expected at the month’s end', async () => {
    await setBudget('250');
    expect(await ask('/spend prod budget')).toMatch(/Expected to pass it by about \d/);
    await setBudget('5000');
    expect(await ask('/spend prod budget')).toMatch(/Expected: about \d[\d,.]* by 30 Nov/);
  });

  it('offers to set a missing budget', async () => {
    const { visibleText, commands } = await bot.ask('/spend prod budget');
    expect(visibleText).toContain('No budget is set');
    expect(commands).toContain('/billing watch prod budget');
  });

  it('for one of several projects is answered like that project’s, with the others in one line', async () => {
    await setBudget('200');
    const { lines, rows, visibleText } = await bot.ask('/spend all over-budget');
    expect(lines[0]).toBe('prod · November · Yes: 231.00 of 200.00 (115.5 %)');
    expect(rows).toEqual([]);
    expect(visibleText).toContain('No budget: staging.');
  });

  it('for several projects names those that exceeded it, and has a row for each', async () => {
    await setBudget('200');
    await setBudget('120', '456', 'staging');
    const { lines, rows } = await bot.ask('/spend all over-budget');
    expect(lines[0]).toBe('November · Yes: prod over budget');
    expect(rows.map(([, spent]) => spent)).toEqual([
      'Spent of budget',
      '231.00 of 200.00 (115.5 %)',
      '115.50 of 120.00 (96.2 %)',
    ]);
  });

  it('is mentioned in the header if no project has one', async () => {
    const { lines, rows } = await bot.ask('/spend all budget');
    expect(lines[0]).toBe('November · No budget is set for these projects');
    expect(rows).toEqual([]);
  });

  it('refers to the current month', async () => {
    expect(await ask('/spend prod 2026-10 budget')).toContain('budgets are for this month');
  });
});

describe('several projects', () => {
  it('have their forecasts added up, with a row for each project', async () => {
    const text = await ask('/spend all this-month');
    expect(text).toMatch(/^2 projects · 1–21 Nov · 346\.50 so far, about [\d,.]+ by 30 Nov\n/);
    expect(text).not.toContain('spent');
    expect(text).toContain('By 30 Nov');
  });

  it('show their bonuses', async () =>
    expect(await ask('/spend all last-week')).toContain('Bonuses: prod 7.00.'));

  it('have a column of averages per day', async () =>
    expect(await ask('/spend all last-week by day')).toContain('A day'));

  it('can’t be grouped by week', async () =>
    expect(await ask('/spend all 2026-10 by week')).toContain('“by week” works for one project'));
});

describe('ranked days', () => {
  it('list the lowest first, and aren’t called the highest', async () => {
    const text = await ask('/spend prod lowest days 2026-10');
    expect(text).toContain('Lowest:* Thu 1 Oct, 1.00 · Fri 2 Oct, 2.00 · Sat 3 Oct, 3.00');
    expect(text).not.toContain('peak');
  });

  it('are as many as the question asks for', async () => {
    const text = await ask('/spend prod top 2 days 2026-10');
    expect(text).toContain('Highest:* Sat 31 Oct, 31.00 · Fri 30 Oct, 30.00');
    expect(text).not.toContain('Thu 29 Oct');
  });

  it('belong to one project only', async () =>
    expect(await ask('/spend all top 3 days 2026-10')).toContain('can only be ranked of one project'));
});

it('spend is grouped by the requested unit', async () => {
  const weeks = await bot.ask('/spend prod 2026-10 by week');
  expect(weeks.visibleText).toContain('Each week (5)');
  expect(JSON.stringify(weeks.blocks)).toContain('"Average a day, by week"');
  const months = await bot.ask('/spend prod last-3-months by month');
  expect(months.types).not.toContain('data_visualization');
  expect(months.rows.map(([name]) => name)).toEqual(['By month', 'Aug', 'Sep', 'Oct']);
  expect(months.visibleText).not.toContain('Each month');
  expect(JSON.stringify((await bot.ask('/spend prod last-6-months by month')).blocks)).toContain(
    '"Spent per month"',
  );
});

it.each(['/spend how much did prod cost last week?', '/spend what did we spend on prod last week'])(
  'a question typed after the command is answered: %s',
  async (text) => expect(await ask(text)).toMatch(/prod · [\s\S]*9–15 Nov/),
);

it('a question about the lowest projects lists them first, and the header names the lowest', async () => {
  const { lines, rows } = await bot.ask('/spend all lowest last-week');
  expect(lines[0]).toBe('2 projects · 9–15 Nov · 126.00 spent, least by staging');
  expect(rows.map(([name]) => name)).toEqual(['Project', 'staging', 'prod']);
});
