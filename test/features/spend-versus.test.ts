import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, type Bot, CHANNEL, rowsOf, startBot, textOf } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';
import { spendByDay } from '../support/service-replies.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

/** What each project costs on a day; undefined for no item. */
const COSTS: Record<string, (day: string) => number | undefined> = {
  7001: (day) => (day.startsWith('2026-10') ? 20 : 10),
  7002: (day) => (day === '2026-09-05' ? undefined : 5),
};

const requested = (query: string) => {
  const [, from = '', to = ''] = /"(\d{4}-\d\d-\d\d)T.*?"(\d{4}-\d\d-\d\d)T/s.exec(query) ?? [];
  return { from, to };
};

beforeAll(async () => {
  bot = await startBot({ now: () => NOW });
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '7001' });
  await addProject(bot, { alias: 'staging', id: '7002' });
});
afterAll(() => bot.stop());

const costs = spendByDay((day, project) => COSTS[project]?.(day));
beforeEach(() => bot.billing.respond(costs));

const linesOf = ({ visibleText }: { visibleText: string }) => visibleText.split('\n');

describe('/spend … vs …', () => {
  it('compares with the named days, in one request for each side', async () => {
    const before = bot.billing.requests.length;
    const answer = await bot.ask('/spend prod october vs september');
    expect(linesOf(answer).slice(0, 2)).toEqual([
      'prod · October · 620.00 spent',
      '*▲ 100.0 %* vs 1–30 Sep (daily average, 300.00 then) · 20.00 a day',
    ]);
    const asked = bot.billing.requests.slice(before).map(({ query }) => requested(String(query)));
    expect(asked.sort((a, b) => (a.from < b.from ? -1 : 1))).toEqual([
      { from: '2026-09-01', to: '2026-09-30' },
      { from: '2026-10-01', to: '2026-10-31' },
    ]);
    expect(bot.slack.complaints).toEqual([]);
  });

  it('compares a month that runs, with its forecast', async () => {
    const before = bot.billing.requests.length;
    const answer = await bot.ask('/spend prod mtd vs last-year');
    expect(answer.visibleText).toContain('*unchanged* vs 1–20 Nov 2025');
    expect(answer.visibleText).toMatch(/expected|forecast|estimate/i);
    expect(bot.billing.requests.length - before).toBe(2);
  });

  it('refuses days that the period has', async () => {
    const answer = await bot.ask('/spend prod last-7-days vs last-30-days');
    expect(answer.visibleText).toContain('“vs last-30-days” shares days with 14–20 Nov.');
  });

  it('offers what goes after vs, with the rest of the command', async () => {
    const answer = await bot.ask('/spend prod october vs 2026-09-15..2026-09-01 csv');
    expect(answer.visibleText).toContain('/spend prod october vs 2026-09-01..2026-09-15 csv');
  });
});

/** The table, folded away, by row, and the bars by series. */
function partsOf({ blocks }: Answer) {
  const all = blocks as readonly {
    readonly type: string;
    readonly title?: unknown;
    readonly child_blocks?: readonly { readonly rows?: readonly (readonly { readonly text: string }[])[] }[];
    readonly chart?: {
      readonly series: readonly {
        readonly name: string;
        readonly data: readonly { readonly value: number }[];
      }[];
      readonly axis_config: { readonly categories: readonly string[] };
    };
  }[];
  const container = all.find(({ type }) => type === 'container');
  const chart = all.find(({ type }) => type === 'data_visualization')?.chart;
  return {
    types: all.map(({ type }) => type),
    title: (container?.title as { text?: string } | undefined)?.text,
    rows: container?.child_blocks?.[0]?.rows?.map((row) => row.map(({ text }) => text)) ?? [],
    series: chart?.series.map(({ name, data }) => [name, data.map(({ value }) => value)]),
    labels: chart?.axis_config.categories,
  };
}

describe('the days of /spend … vs …', () => {
  it('are drawn and listed side by side', async () => {
    const { title, rows, series, labels } = partsOf(
      await bot.ask('/spend staging 2026-10-02..2026-10-05 vs 2026-09-04..2026-09-08'),
    );
    expect(labels).toEqual(['2 / 4', '3 / no data', '4 / 6', '5 / 7']);
    expect(series).toEqual([
      ['2–5 Oct', [5, 5, 5, 5]],
      ['4–8 Sep', [5, 0, 5, 5]],
    ]);
    expect(title).toBe('Each day (5)');
    expect(rows).toEqual([
      ['Day', '2–5 Oct', '4–8 Sep'],
      ['Fri 2 Oct vs Fri 4 Sep', '5.00', '5.00'],
      ['Sat 3 Oct vs Sat 5 Sep', '5.00', 'no data'],
      ['Sun 4 Oct vs Sun 6 Sep', '5.00', '5.00'],
      ['Mon 5 Oct vs Mon 7 Sep', '5.00', '5.00'],
      ['Tue 8 Sep', '–', '5.00'],
    ]);
  });

  it('are grouped by week when they do not fit, with what is missing', async () => {
    const { title, rows } = partsOf(await bot.ask('/spend staging q3 vs q2'));
    expect(title).toBe('Every 7 days (14)');
    expect(rows[1]).toEqual(['1–7 Jul vs 1–7 Apr', '35.00', '35.00']);
    expect(rows[10]).toEqual(['2–8 Sep vs 3–9 Jun', '30.00 (6 of 7 days)', '35.00']);
  });

  it('have today after the compared days', async () => {
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

describe('the files of /spend … vs …', () => {
  it('have a row for each compared day too, with a note, and say so', async () => {
    const files = () =>
      bot.slack.messages(OWNER, OWNER.replace(/^U/, 'D')).filter((message) => message.files?.[0]);
    const before = files().length;
    await bot.slack.say(
      OWNER,
      CHANNEL,
      '/spend staging 2026-10-05..2026-10-06 vs 2026-09-04..2026-09-05 csv',
    );
    const message = await bot.slack.waitFor(() => files()[before]);
    const [file] = message.files ?? [];
    expect(file?.name).toBe('spend-staging-2026-10-05_2026-10-06-vs-2026-09-04_2026-09-05.csv');
    expect((await (await fetch(file?.url ?? '')).text()).trim().split('\r\n')).toEqual([
      'project,product,day,amount,bonuses,items,note',
      '7002,cloud,2026-10-05,5,0,1,',
      '7002,cloud,2026-10-06,5,0,1,',
      '7002,cloud,2026-09-04,5,0,1,"compared, not in the total"',
      '7002,cloud,2026-09-05,,,0,"compared, not in the total; no data"',
    ]);
    expect(message.text).toBe(
      'staging · 5–6 Oct · 10.00 spent. The file has a row for each day (UTC). Rows noted “compared, not in the total” are for 4–5 Sep. staging, 4–5 Sep: 1 of 2 days reported, no data for Sat 5 Sep.',
    );
  });

  it('show both periods in the details', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/spend prod october vs september details');
    const text = await bot.slack.waitFor(() => {
      const shown = textOf(bot.slack.modal(OWNER)?.view);
      return shown.includes('Compared total') ? shown : undefined;
    });
    for (const line of [
      'Total             620',
      'Compared start    2026-09-01T00:00:00.000Z',
      'Compared end      2026-09-30T23:59:59.999Z',
      'Compared total    300',
      'Compared items    30',
    ])
      expect(text).toContain(line);
    await bot.slack.dismiss(OWNER);
  });
});

describe('what /spend … vs … says', () => {
  const factsOf = async (command: string) => linesOf(await bot.ask(command));

  it('is the difference of the totals if equally many days are reported', async () => {
    const [, line] = await factsOf('/spend prod 2026-10-05..2026-10-07 vs 2026-09-07..2026-09-09');
    expect(line).toBe('*▲ 100.0 %* vs 7–9 Sep (+ 30.00, 30.00 then) · 20.00 a day');
  });

  it('compares averages a day if the numbers of days differ, and says how many days are reported', async () => {
    const [, line] = await factsOf('/spend staging october vs september');
    expect(line).toBe(
      '*unchanged* vs 1–30 Sep (daily average, 145.00 then, 29 of 30 days reported) · 5.00 a day',
    );
  });

  it('has no percentage if too few days are reported, and says so first', async () => {
    const [, line, ...others] = await factsOf(
      '/spend staging 2026-10-05..2026-10-07 vs 2026-09-04..2026-09-05',
    );
    expect(line).toBe('Too few days reported to compare with 4–5 Sep (1 of 2 days reported).');
    expect(others.join(' ')).not.toContain('Too few');
  });

  it('is the reason why there is nothing to compare with', async () => {
    bot.billing.respond((request, ordinary) =>
      request.query.includes('2026-09-01T') ? { status: 500, body: '' } : costs(request, ordinary),
    );
    const [title, line] = await factsOf('/spend prod october vs september');
    expect(title).toMatch(/ spent$/);
    expect(line).toMatch(/^No comparison with 1–30 Sep: /);
  });

  it('is the same weekdays of a week a year before', async () => {
    const { visibleText } = await bot.ask('/spend prod last-week vs last year');
    expect(visibleText).toContain('*unchanged* vs 10–16 Nov 2025');
  });

  it('has a row for each of several projects, with both amounts', async () => {
    const answer = await bot.ask('/spend prod,staging october vs september');
    expect(linesOf(answer).slice(0, 2)).toEqual([
      '2 projects · October · 775.00 spent',
      '*▲ 66.7 %* vs 1–30 Sep (daily average, 29 of 30 days reported) · biggest change: prod + 10.00 a day',
    ]);
    expect(rowsOf(answer.blocks)).toEqual([
      ['Project', 'Spent', '1–30 Sep'],
      ['prod', '620.00', '300.00 · ▲ 100.0 %'],
      ['staging', '155.00', '145.00* · unchanged'],
    ]);
    expect(answer.visibleText).toContain('* Days with data, 1–30 Sep: staging 29 of 30 days.');
  });

  it('offers no other period beside the one that is compared', async () => {
    const { blocks } = await bot.ask('/spend prod october vs 2026-11-10..2026-11-16');
    expect(JSON.stringify(blocks)).not.toContain('rerun:period');
  });
});

describe('the words of a comparison', () => {
  it.each([
    ['prod mtd vs 1-15 oct', 'vs 1–15 Oct'],
    ['october vs september prod', 'vs 1–30 Sep'],
    ['prod vs last year october', 'vs 1–31 Oct 2025'],
    ['prod last-7-days vs the week of 4 november', 'vs 2–8 Nov'],
    ['prod october vs september cloud', 'vs 1–30 Sep'],
  ])('may be %s', async (words, said) => {
    expect((await bot.ask(`/spend ${words}`)).visibleText).toContain(said);
  });

  it('are kept by the picker of projects', async () => {
    const { blocks } = await bot.ask('/spend october vs september');
    expect(JSON.stringify(blocks)).toContain('2026-10 vs 2026-09');
  });

  it('are kept by the buttons of other products', async () => {
    bot.billing.respond(() => ({
      status: 200,
      body: '{"data":{"bill":{"reportSubscriptionConsuming":null}}}',
    }));
    const { blocks } = await bot.ask('/spend prod october vs september');
    expect(JSON.stringify(blocks)).toContain('/spend prod 2026-10 vs 2026-09 storage');
  });

  it('are kept when the answer is shared', async () => {
    const { ts } = await bot.ask('/spend prod october vs september');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts }, 'share');
    const shared = await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, CHANNEL)
        .find((message) => !message.ephemeral && /shared by/.test(textOf(message.blocks ?? []))),
    );
    expect(textOf(shared.blocks ?? [])).toContain('*▲ 100.0 %* vs 1–30 Sep (daily average, 300.00 then)');
  });

  it('may name days too long ago for a forecast', async () => {
    const before = bot.billing.requests.length;
    const { visibleText } = await bot.ask('/spend prod mtd vs 2010-01');
    expect(visibleText).toContain('vs 1–31 Jan 2010');
    expect(visibleText).not.toContain('Estimate');
    expect(bot.billing.requests.length - before).toBe(2);
  });
});
