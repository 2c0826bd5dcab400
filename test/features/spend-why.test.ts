import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, botOfFile } from '../support/bot.ts';
import { addProject, addProjects } from '../support/projects.ts';
import { spendByDay } from '../support/service-replies.ts';
import { daysFrom } from '../support/usage.ts';

const bot = await botOfFile();
await bot.connect();
const [prod, staging, dev] = ['6001', '6002', '6003'].map((id) => ({ id, currency: 'EUR' }));
await addProjects(bot, { prod: prod!, staging: staging!, dev: dev! });

/** Items of consecutive days; '' for a day without an item. */
const days = (first: string, amounts: readonly string[]) =>
  daysFrom(first, amounts.length).map((day, n) => [day, amounts[n] || undefined] as const);

const costs = new Map<string, ReadonlyMap<string, string | undefined>>();
const sends = (project: string, ...all: readonly ReturnType<typeof days>[]) =>
  costs.set(project, new Map(all.flat()));

/** The sum of the rows' differences, in cents. */
const sumOf = (answer: Answer): number =>
  answer.rows
    .slice(1)
    .map(([, difference = '']) => Number(difference.replace('− ', '-').replace(/[+ ,]/g, '')) * 100)
    .filter((cents) => !Number.isNaN(cents))
    .reduce((sum, cents) => sum + Math.round(cents), 0);

beforeEach(() => {
  costs.clear();
  const isKnown = (project: string) => costs.has(project);
  bot.billing.respond(spendByDay((day, project) => costs.get(project)?.get(day), isKnown));
});

const WEEK_BEFORE = days('2026-11-07', ['100', '100', '100', '100', '100', '100', '100']);

describe('/spend with “why” for one project', () => {
  it('shows the three days whose costs changed most, and the sum of the other days', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['101.5', '400', '90.25', '100', '700', '100', '50']));
    const answer = await bot.ask('/spend prod why');
    expect(answer.lines.slice(0, 2)).toEqual([
      'prod · 14–20 Nov · 841.75 EUR more than 7–13 Nov',
      '*▲ 120.2 %* · Mostly Wed 18 Nov: + 600.00 of 841.75.',
    ]);
    expect(answer.rows).toEqual([
      ['Day · 14–20 Nov', 'Difference', '7–13 Nov'],
      ['Wed 18 Nov vs Wed 11 Nov · 700.00', '+ 600.00', '100.00'],
      ['Sun 15 Nov vs Sun 8 Nov · 400.00', '+ 300.00', '100.00'],
      ['Fri 20 Nov vs Fri 13 Nov · 50.00', '− 50.00', '100.00'],
      ['The other 4 days · 391.75', '− 8.25', '400.00'],
    ]);
    expect(sumOf(answer)).toBe(84_175);
    expect(bot.slack.complaints).toEqual([]);
  });

  it('says “less” if the cost fell, and “unchanged” if the cost stayed the same', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['90', '110', '100', '100', '100', '100', '70']));
    expect((await bot.ask('/spend prod why')).lines[0]).toBe(
      'prod · 14–20 Nov · 30.00 EUR less than 7–13 Nov',
    );
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['90', '110', '100', '100', '100', '100', '100']));
    const answer = await bot.ask('/spend prod why');
    expect(answer.lines[0]).toBe('prod · 14–20 Nov · unchanged vs 7–13 Nov');
    expect(sumOf(answer)).toBe(0);
  });

  it('marks a day as not compared if its counterpart in the other period has no data', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['100', '100', '', '100', '400', '100', '100']));
    const answer = await bot.ask('/spend prod why');
    expect(answer.lines.slice(0, 2)).toEqual([
      'prod · 14–20 Nov · 300.00 EUR more than 7–13 Nov, leaving out 1 day',
      'All of it comes from Wed 18 Nov.',
    ]);
    expect(answer.rows.slice(1)).toEqual([
      ['Wed 18 Nov vs Wed 11 Nov · 400.00', '+ 300.00', '100.00'],
      ['The other 5 days · 500.00', '0.00', '500.00'],
      ['Mon 9 Nov', 'not compared', '100.00'],
    ]);
    expect(answer.visibleText).toContain('No data for Mon 16 Nov.');
    expect(sumOf(answer)).toBe(30_000);
  });

  it('explains that a longer month costs more because of its additional day', async () => {
    sends('6001', days('2026-09-01', Array(30).fill('10')), days('2026-10-01', Array(31).fill('10')));
    const answer = await bot.ask('/spend prod october why');
    expect(answer.lines[1]).toBe('All of it comes from one more day.');
    expect(answer.rows.slice(1)).toEqual([
      ['Sat 31 Oct · 10.00', '+ 10.00', '–'],
      ['The other 30 days · 300.00', '0.00', '300.00'],
    ]);
  });

  it('has no table if the period is a single day', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-20', ['150']));
    const answer = await bot.ask('/spend prod yesterday why');
    expect(answer.lines.slice(0, 2)).toEqual([
      'prod · Fri 20 Nov · 50.00 EUR more than Fri 13 Nov',
      '*▲ 50.0 %* · 150.00 vs 100.00',
    ]);
    expect(answer.rows).toEqual([]);
  });

  it('explains the difference from the period that follows “vs” in the command', async () => {
    sends(
      '6001',
      days('2025-11-14', ['1', '1', '1', '1', '1', '1', '1']),
      days('2026-11-14', Array(7).fill('2')),
    );
    const answer = await bot.ask('/spend prod 2026-11-14..2026-11-20 vs last-year why');
    expect(answer.lines[0]).toBe('prod · 14–20 Nov · 7.00 EUR more than 14–20 Nov 2025');
    expect(answer.rows[1]?.[0]).toBe('Sat 14 Nov vs Sat 15 Nov · 2.00');
    expect(answer.commands[0]).toBe('/spend prod 2026-11-14..2026-11-20 vs last-year cloud');
  });

  it('leaves out today, and says so', async () => {
    sends('6001', days('2026-10-01', Array(20).fill('1')), days('2026-11-01', Array(21).fill('2')));
    const answer = await bot.ask('/spend prod mtd why');
    expect(answer.lines[0]).toBe('prod · 1–20 Nov · 20.00 EUR more than 1–20 Oct');
    expect(answer.visibleText).toContain('today left out');
  });

  it('names the day whose amount is unreadable', async () => {
    sends(
      '6001',
      WEEK_BEFORE,
      days('2026-11-14', ['100.004', '200.004', '300.004', '400.004', '"n/a"', '0', '0']),
    );
    const answer = await bot.ask('/spend prod why');
    expect(answer.rows.at(-1)).toEqual(['Wed 11 Nov', 'not compared', '100.00']);
    expect(answer.visibleText).toContain('The amount for Wed 18 Nov couldn’t be read in full.');
  });

  it('says why there is nothing to compare', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['100', '', '', '', '100', '100', '100']));
    const few = await bot.ask('/spend prod why');
    expect(few.lines.slice(0, 2)).toEqual([
      'prod · 14–20 Nov',
      'Too few days reported to compare with 7–13 Nov (14–20 Nov: 4 of 7 days reported).',
    ]);
    expect(few.rows).toEqual([]);
    sends('6001', days('2026-11-21', ['5']));
    expect(await bot.read('/spend prod today why')).toContain(
      'Only complete days are compared, and this period has none yet.',
    );
  });

  it.each([
    [['100', '100', '100', '100', '100', '100', '-400'], '*▼ 71.4 %* · All of it comes from Fri 20 Nov.'],
    [
      ['400', '100', '100', '100', '100', '100', '10'],
      '*▲ 30.0 %* · Sat 14 Nov: + 300.00. The other day: − 90.00.',
    ],
    [Array(7).fill('150'), '*▲ 50.0 %* · Spread over 7 days.'],
  ])('says in one sentence which days made the difference: %j', async (amounts, reason) => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', amounts));
    expect((await bot.ask('/spend prod why')).lines[1]).toBe(reason);
  });

  it('names the day with an unusual cost, even if that day is in the earlier period', async () => {
    const before = days('2026-11-07', ['50', '50', '100', '100', '-4470', '100', '100']);
    sends('6001', before, days('2026-11-14', ['50', '50', '100', '100', '110', '100', '120']));
    expect((await bot.ask('/spend prod why')).lines[1]).toBe(
      'Mostly Wed 11 Nov, −4,470.00 then: + 4,580.00 of 4,600.00.',
    );
  });

  it('names no single day as the reason if weekdays are compared with weekends', async () => {
    const isWeekend = (day: string) => [0, 6].includes(new Date(day).getUTCDay());
    const usual = (first: string, count: number, weekday: number, weekend: number) =>
      daysFrom(first, count).map((day) => [day, String(isWeekend(day) ? weekend : weekday)] as const);
    sends('6001', usual('2026-10-01', 20, 100, 10), usual('2026-11-01', 20, 100, 30));
    expect((await bot.ask('/spend prod mtd why')).lines[1]).toMatch(/· Spread over \d+ days\.$/);
  });

  it('shows no percentage if the total fell but the daily average rose', async () => {
    sends(
      '6001',
      days('2026-08-01', Array(31).fill('9.9')),
      days('2026-09-01', ['', ...Array(29).fill('10')]),
    );
    const answer = await bot.ask('/spend prod september why');
    expect(answer.lines.slice(0, 2)).toEqual([
      'prod · September · 7.00 EUR less than August, leaving out 1 day',
      'One fewer day: − 9.90. The other days: + 2.90.',
    ]);
  });

  it('says how much of the difference is due to a longer or shorter month', async () => {
    const october = days('2026-10-01', ['15', ...Array(30).fill('10')]);
    sends('6001', days('2026-09-01', Array(30).fill('10')), october);
    expect((await bot.ask('/spend prod october why')).lines[1]).toBe(
      'Mostly one more day: + 10.00 of 15.00.',
    );
    sends('6001', days('2026-09-01', Array(30).fill('10.5')), days('2026-08-01', Array(31).fill('10')));
    expect((await bot.ask('/spend prod september why')).lines[1]).toBe(
      'One fewer day: − 10.00. The other days: + 15.00.',
    );
  });

  it('has buttons for figures, sharing and scheduling', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', Array(7).fill('200')));
    const queries = await bot.queriesDuring(async () => {
      const { labels, commands } = await bot.ask('/spend prod why');
      expect(labels.map((label, at) => [label, commands[at]])).toEqual([
        ['Spend', '/spend prod last-7-days cloud'],
        ['Share', '/spend prod last-7-days cloud why'],
        ['CSV', '/spend prod last-7-days cloud csv'],
        ['Details', '/spend prod last-7-days cloud details'],
        ['Schedule this…', '/billing schedule prod cloud'],
        ['Watch…', '/billing watch prod cloud'],
      ]);
    });
    expect(queries).toHaveLength(2);
  });
});

describe('the menu item “What changed”', () => {
  it('explains the difference between the periods that an answer compares', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', Array(7).fill('200')));
    const answer = await bot.ask('/spend prod');
    const labels = ['What changed', 'Include today', 'CSV', 'Details', 'Schedule this…', 'Watch…'];
    expect(answer.labels).toEqual(expect.arrayContaining(labels));
    await bot.choose(answer, 'rerun:more', 'What changed');
    const { lines } = await bot.updated(answer, 'more than');
    expect(lines[0]).toBe('prod · 14–20 Nov · 700.00 EUR more than 7–13 Nov');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('is not offered in an answer without a comparison', async () => {
    sends('6001', days('2026-11-14', Array(7).fill('200')));
    const { labels } = await bot.ask('/spend prod');
    expect(labels).not.toContain('What changed');
  });
});

describe('/spend with “why” for several projects', () => {
  it('lists the projects whose costs changed most, and names projects without figures', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', Array(7).fill('200')));
    sends('6002', WEEK_BEFORE, days('2026-11-14', Array(7).fill('20.5')));
    sends('6003');
    const answer = await bot.ask('/spend all why');
    expect(answer.lines[0]).toBe('2 of 3 projects · 14–20 Nov · 143.50 EUR more than 7–13 Nov');
    expect(answer.rows).toEqual([
      ['Project · 14–20 Nov', 'Difference', '7–13 Nov'],
      ['prod · 1,400.00', '+ 700.00', '700.00'],
      ['staging · 143.50', '− 556.50', '700.00'],
      ['dev', 'no data', '–'],
    ]);
    expect(sumOf(answer)).toBe(14_350);
    expect(answer.buttons).toContain('What changed in prod');
    expect(answer.commands).toContain('/spend prod last-7-days cloud why');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('names the days for which a project has no data, and does not compare them', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', ['100', '100', '', '100', '400', '100', '100']));
    sends('6002', WEEK_BEFORE, days('2026-11-14', Array(7).fill('110')));
    const answer = await bot.ask('/spend prod,staging why');
    expect(answer.lines[0]).toBe('2 projects · 14–20 Nov · 370.00 EUR more than 7–13 Nov, leaving out 1 day');
    expect(answer.rows[1]).toEqual(['prod · 900.00', '+ 300.00', '600.00']);
    expect(answer.visibleText).toContain('prod: no data for Mon 16 Nov.');
  });

  it('has a total for each currency', async () => {
    await addProject(bot, { alias: 'usa', id: '6004', currency: 'USD' });
    sends('6001', WEEK_BEFORE, days('2026-11-14', Array(7).fill('200')));
    sends('6004', WEEK_BEFORE, days('2026-11-14', Array(7).fill('90')));
    const answer = await bot.ask('/spend prod,usa why');
    expect(answer.lines[0]).toBe('2 projects · 14–20 Nov · 700.00 EUR more and 70.00 USD less than 7–13 Nov');
    expect(answer.rows[2]?.[1]).toBe('− 70.00 USD');
  });

  it('lists a project that can’t be compared, but leaves it out of the total', async () => {
    sends('6001', WEEK_BEFORE, days('2026-11-14', Array(7).fill('200')));
    sends('6002', days('2026-11-14', Array(7).fill('20')));
    const answer = await bot.ask('/spend prod,staging why');
    expect(answer.lines[0]).toBe('1 of 2 projects · 14–20 Nov · 700.00 EUR more than 7–13 Nov');
    expect(answer.rows.at(-1)).toEqual(['staging', 'not compared', '–']);
    expect(answer.visibleText).toContain('staging: ');
  });
});
