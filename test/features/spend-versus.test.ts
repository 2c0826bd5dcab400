import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bot, startBot } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

/** What each project costs on a day; null for no item. */
const COSTS: Record<string, (day: string) => number | null> = {
  7001: (day) => (day.startsWith('2026-10') ? 20 : 10),
  7002: (day) => (day === '2026-09-05' ? null : 5),
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

beforeEach(() => {
  // Billing sends the items of the days that are asked about.
  bot.billing.respond(({ query }) => {
    if (!String(query).includes('reportSubscriptionConsuming')) return undefined;
    const project = /externalSubscriptionId: (\d+)/.exec(String(query))?.[1] ?? '';
    const { from, to } = requested(String(query));
    const items: object[] = [];
    for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      const amount = COSTS[project]?.(day) ?? null;
      if (amount !== null) items.push({ day, totalAmount: amount, totalBonuses: 0 });
    }
    const body = JSON.stringify({ data: { bill: { reportSubscriptionConsuming: { items } } } });
    return { status: 200, body };
  });
});

const linesOf = ({ visibleText }: { visibleText: string }) => visibleText.split('\n');

describe('/spend … vs …', () => {
  it('compares with the named days, in one request for each side', async () => {
    const before = bot.billing.requests.length;
    const answer = await bot.ask('/spend prod october vs september');
    expect(linesOf(answer).slice(0, 2)).toEqual([
      'prod · 620.00 spent',
      '*▲ 100.0 %* a day vs 1–30 Sep · 20.00 a day',
    ]);
    const asked = bot.billing.requests.slice(before).map(({ query }) => requested(String(query)));
    expect(asked.sort((a, b) => (a.from < b.from ? -1 : 1))).toEqual([
      { from: '2026-09-01', to: '2026-09-30' },
      { from: '2026-10-01', to: '2026-10-31' },
    ]);
    expect(bot.slack.complaints).toEqual([]);
  });

  it('keeps the comparison when it is shared', async () => {
    const answer = await bot.ask('/spend prod october vs last-year');
    expect(JSON.stringify(answer.blocks)).toContain('/spend prod october vs last-year cloud');
    expect(answer.visibleText).toContain('vs 1–31 Oct 2025');
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
