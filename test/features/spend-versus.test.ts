import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, botOfFile, CHANNEL } from '../support/bot.ts';
import { directOf } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { spendByDay } from '../support/service-replies.ts';

const bot = await botOfFile();
await bot.connect();
await addProjects(bot, { prod: '7001', staging: '7002' });

/** Undefined for an unreported day. */
const COSTS: Record<string, (day: string) => number | undefined> = {
  7001: (day) => (day.startsWith('2026-10') ? 20 : 10),
  7002: (day) => (day === '2026-09-05' ? undefined : 5),
};
const costs = spendByDay((day, project) => COSTS[project]?.(day));
beforeEach(() => bot.billing.respond(costs));

const daysIn = (query: string) =>
  [...query.matchAll(/"(\d{4}-\d\d-\d\d)T/g)].map(([, day]) => day).join('..');

describe('/spend with “vs”', () => {
  it('compares two months, with one request to billing for each month', async () => {
    const queries = await bot.queriesDuring(async () => {
      const { lines } = await bot.ask('/spend prod october vs september');
      expect(lines.slice(0, 2)).toEqual([
        'prod · October · 620.00 spent',
        '*▲ 100.0 %* vs September (300.00 spent then, daily average) · 20.00 a day',
      ]);
    });
    expect(queries.map(daysIn).toSorted()).toEqual(['2026-09-01..2026-09-30', '2026-10-01..2026-10-31']);
    expect(bot.slack.complaints).toEqual([]);
  });

  it('compares the current month with the same month of last year, and forecasts the current month', async () => {
    const queries = await bot.queriesDuring(async () => {
      const { visibleText } = await bot.ask('/spend prod mtd vs last-year');
      expect(visibleText).toContain('*unchanged* vs 1–20 Nov 2025');
      expect(visibleText).toMatch(/expected|forecast|estimate/i);
    });
    expect(queries).toHaveLength(2);
  });

  it('answers without a comparison if no day of the period is complete yet', async () => {
    bot.clock.now = Date.UTC(2026, 11, 1, 9);
    const { lines, visibleText } = await bot.ask('/spend prod mtd vs last month');
    expect(lines[1]).toBe('Only complete days are compared, and this period has none yet.');
    expect(visibleText.match(/Only complete/g)).toHaveLength(1);
  });

  it('refuses to compare two periods that overlap', async () => {
    const answer = await bot.ask('/spend prod last-7-days vs last-30-days');
    expect(answer.visibleText).toContain('“vs last-30-days” overlaps with 14–20 Nov.');
  });

  it('suggests a corrected command if the days after “vs” are in reverse order', async () => {
    const answer = await bot.ask('/spend prod october vs 2026-09-15..2026-09-01 csv');
    expect(answer.visibleText).toContain('/spend prod october vs 2026-09-01..2026-09-15 csv');
  });
});

function partsOf({ blocks, types }: Answer) {
  const { title, child_blocks } = (blocks.find(({ type }) => type === 'container') ?? {}) as {
    readonly title?: { readonly text: string };
    readonly child_blocks?: readonly { readonly rows?: readonly (readonly { readonly text: string }[])[] }[];
  };
  const { chart } = (blocks.find(({ type }) => type === 'data_visualization') ?? {}) as {
    readonly chart?: {
      readonly series: readonly {
        readonly name: string;
        readonly data: readonly { readonly value: number }[];
      }[];
      readonly axis_config: { readonly categories: readonly string[] };
    };
  };
  return {
    types,
    title: title?.text,
    rows: child_blocks?.[0]?.rows?.map((row) => row.map(({ text }) => text)) ?? [],
    series: chart?.series.map(({ name, data }) => [name, data.map(({ value }) => value)]),
    labels: chart?.axis_config.categories,
  };
}

describe('the days in the answer to /spend with “vs”', () => {
  it('are shown side by side in the chart and in the table', async () => {
    const { title, rows, series, labels } = partsOf(
      await bot.ask('/spend staging 2026-10-02..2026-10-05 vs 2026-09-04..2026-09-07'),
    );
    expect(labels).toEqual(['2 / 4', '3 / no data', '4 / 6', '5 / 7']);
    expect(series).toEqual([
      ['2–5 Oct', [5, 5, 5, 5]],
      ['4–7 Sep', [5, 0, 5, 5]],
    ]);
    expect(title).toBe('Each day (4)');
    expect(rows).toEqual([
      ['Day', '2–5 Oct', '4–7 Sep'],
      ['Fri 2 Oct vs Fri 4 Sep', '5.00', '5.00'],
      ['Sat 3 Oct vs Sat 5 Sep', '5.00', 'no data'],
      ['Sun 4 Oct vs Sun 6 Sep', '5.00', '5.00'],
      ['Mon 5 Oct vs Mon 7 Sep', '5.00', '5.00'],
    ]);
  });

  it('are compared in the table, but not in the chart, if the periods have different lengths', async () => {
    const { rows, series } = partsOf(
      await bot.ask('/spend staging 2026-10-02..2026-10-05 vs 2026-09-04..2026-09-08'),
    );
    expect(series).toEqual([['Spent', [5, 5, 5, 5]]]);
    expect(rows.at(-1)).toEqual(['Tue 8 Sep', '–', '5.00']);
  });

  it('are shown in groups of seven if there are many, with a note about missing days', async () => {
    const { title, rows } = partsOf(await bot.ask('/spend staging q3 vs q2'));
    expect(title).toBe('Every 7 days (14)');
    expect(rows[1]).toEqual(['1–7 Jul vs 1–7 Apr', '35.00', '35.00']);
    expect(rows[10]).toEqual(['2–8 Sep vs 3–9 Jun', '30.00 (6 of 7 days)', '35.00']);
  });

  it('end with today if the period includes today, but today is not compared', async () => {
    const { rows, types } = partsOf(
      await bot.ask('/spend prod last-3-days including today vs 2026-10-01..2026-10-02'),
    );
    expect(rows.slice(1)).toEqual([
      ['Thu 19 Nov vs Thu 1 Oct', '10.00', '20.00'],
      ['Fri 20 Nov vs Fri 2 Oct', '10.00', '20.00'],
      ['Sat 21 Nov (so far)', '10.00', '–'],
    ]);
    expect(types).not.toContain('data_visualization');
  });
});

describe('/spend with “vs” and with “csv” or “details”', () => {
  it('sends a file with the days of both periods, and notes which days aren’t in the total', async () => {
    const command = '/spend staging 2026-10-05..2026-10-06 vs 2026-09-04..2026-09-05 csv';
    const work = () => bot.slack.say(OWNER, CHANNEL, command);
    const { files: [file] = [], text } = await bot.next(work, OWNER, directOf(OWNER));
    expect(file?.name).toBe('spend-staging-2026-10-05_2026-10-06-vs-2026-09-04_2026-09-05.csv');
    expect((await (await fetch(file?.url ?? '')).text()).trim().split('\r\n')).toEqual([
      'project,product,day,amount,bonuses,items,note',
      'staging,cloud,2026-10-05,5,0,1,',
      'staging,cloud,2026-10-06,5,0,1,',
      'staging,cloud,2026-09-04,5,0,1,"compared, not in the total"',
      'staging,cloud,2026-09-05,,,0,"compared, not in the total; no data"',
    ]);
    expect(text).toBe(
      'staging · 5–6 Oct · 10.00 spent. The file has a row for each day (UTC). Rows noted “compared, not in the total” are for 4–5 Sep. staging, 4–5 Sep: 1 of 2 days reported, no data for Sat 5 Sep.',
    );
  });

  it('shows the totals of both periods if the command says “details”', async () => {
    await bot.openForm('/spend prod october vs september details');
    const text = await bot.modalSays('Compared total');
    for (const line of [
      'Total             620',
      'Compared start    2026-09-01T00:00:00.000Z',
      'Compared end      2026-09-30T23:59:59.999Z',
      'Compared total    300',
      'Compared items    30',
    ])
      expect(text).toContain(line);
  });
});

describe('the answer to /spend with “vs”', () => {
  const factsOf = async (command: string) => (await bot.ask(command)).lines;

  it('compares totals if the numbers of reported days are equal', async () => {
    const [, line] = await factsOf('/spend prod 2026-10-05..2026-10-07 vs 2026-09-07..2026-09-09');
    expect(line).toBe('*▲ 100.0 %* vs 7–9 Sep (+ 30.00, 30.00 spent then) · 20.00 a day');
  });

  it('compares daily averages if the numbers of reported days differ', async () => {
    const [, line] = await factsOf('/spend staging october vs september');
    expect(line).toBe('*unchanged* vs September (daily average, 29 of 30 days reported) · 5.00 a day');
  });

  it('says only once that too few days are reported for a comparison', async () => {
    const [, line, ...others] = await factsOf(
      '/spend staging 2026-10-05..2026-10-07 vs 2026-09-04..2026-09-05',
    );
    expect(line).toBe('Too few days reported to compare with 4–5 Sep (1 of 2 days reported).');
    expect(others.join(' ')).not.toContain('Too few');
  });

  it('says why there is no comparison if billing fails for the second period', async () => {
    bot.billing.respond((request, ordinary) =>
      request.query.includes('2026-09-01T') ? { status: 500, body: '' } : costs(request, ordinary),
    );
    const [title, line] = await factsOf('/spend prod october vs september');
    expect(title).toMatch(/ spent$/);
    expect(line).toMatch(/^No comparison with September: /);
  });

  it('compares a week with the week 52 weeks earlier if the command says “vs last year”', async () => {
    const { visibleText } = await bot.ask('/spend prod last-week vs last year');
    expect(visibleText).toContain('*unchanged* vs 10–16 Nov 2025');
  });

  it('has a row for each project, with the amounts of both periods', async () => {
    const answer = await bot.ask('/spend prod,staging october vs september');
    expect(answer.lines.slice(0, 2)).toEqual([
      '2 projects · October · 775.00 spent',
      '*▲ 66.7 %* vs September (daily average, 29 of 30 days reported) · biggest change: prod + 10.00 a day',
    ]);
    expect(answer.rows).toEqual([
      ['Project', 'Spent', 'September'],
      ['prod', '620.00', '300.00 · ▲ 100.0 %'],
      ['staging', '155.00', '145.00* · unchanged'],
    ]);
    expect(answer.visibleText).toContain('staging: 29 of 30 days reported for September');
  });

  it('has no menu to choose another period', async () => {
    const { blocks } = await bot.ask('/spend prod october vs 2026-11-10..2026-11-16');
    expect(JSON.stringify(blocks)).not.toContain('rerun:period');
  });
});

describe('“vs” and the words after it', () => {
  it.each([
    ['prod mtd vs 1-15 oct', 'vs 1–15 Oct'],
    ['october vs september prod', 'vs September'],
    ['prod vs last year october', 'vs October 2025'],
    ['prod last-7-days vs the week of 4 november', 'vs 2–8 Nov'],
    ['prod october vs september cloud', 'vs September'],
  ])('may stand anywhere in a command: %s', async (words, said) => {
    expect(await bot.read(`/spend ${words}`)).toContain(said);
  });

  it('are kept when Tally asks the person to choose a project', async () => {
    const { blocks } = await bot.ask('/spend october vs september');
    expect(JSON.stringify(blocks)).toContain('2026-10 vs 2026-09');
  });

  it('are kept in the commands of the buttons for other products', async () => {
    bot.billing.respond(() => ({
      status: 200,
      body: '{"data":{"bill":{"reportSubscriptionConsuming":null}}}',
    }));
    const { blocks } = await bot.ask('/spend prod october vs september');
    expect(JSON.stringify(blocks)).toContain('/spend prod 2026-10 vs 2026-09 storage');
  });

  it('are kept when the answer is shared', async () => {
    const answer = await bot.ask('/spend prod october vs september');
    const shared = await bot.next(() => bot.press(answer, 'Share'));
    expect(shared.visibleText).toContain('*▲ 100.0 %* vs September (300.00 spent then, daily average)');
    expect(shared.visibleText).toContain('shared by');
  });

  it('may name a month many years ago, and the answer then has no forecast', async () => {
    const queries = await bot.queriesDuring(async () => {
      const { visibleText } = await bot.ask('/spend prod mtd vs 2010-01');
      expect(visibleText).toContain('vs January 2010');
      expect(visibleText).not.toContain('estimate');
    });
    expect(queries).toHaveLength(2);
  });
});
