import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, rowsOf, startBot, toAnswer } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';
import { spendByDay } from '../support/service-replies.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

/** One amount for each of the days of November from `first` to `last`. */
const november = (first: number, last: number, amount: string): string =>
  `[${Array.from(
    { length: last - first + 1 },
    (_, n) =>
      `{"day":"2026-11-${String(first + n).padStart(2, '0')}","totalAmount":${amount},"totalBonuses":0}`,
  ).join(',')}]`;

const both = (...parts: string[]): string => `[${parts.map((part) => part.slice(1, -1)).join(',')}]`;

beforeAll(async () => {
  bot = await startBot({ now: () => NOW });
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '6001' });
  await addProject(bot, { alias: 'staging', id: '6002' });
  await addProject(bot, { alias: 'archive', id: '6003', product: 2 });
});
afterAll(() => bot.stop());

beforeEach(() => {
  bot.billing.respond(undefined);
  bot.billing.setItems('6001', both(november(7, 13, '20'), november(14, 20, '30')));
  bot.billing.setItems('6002', both(november(7, 13, '50'), november(14, 20, '40')));
  bot.billing.setItems('6003', november(14, 20, '5'));
  bot.billing.setBalance('6001', '{"balance":3000,"bonuses":0}');
  bot.billing.setBalance('6002', '{"balance":400,"bonuses":0}');
  bot.billing.setBalance('6003', '{"balance":100,"bonuses":0}');
});

/** Billing sends only the items of the requested period. */
const inWindow = () =>
  bot.billing.respond(
    spendByDay((day, project) => {
      const amounts: Record<string, [string, string]> = { 6001: ['20', '30'], 6002: ['50', '40'] };
      return amounts[project]?.[day < '2026-11-14' ? 0 : 1] ?? '0';
    }),
  );

describe('/spend about several projects', () => {
  it('shows the total, the change and the largest project, then a row each, largest first', async () => {
    inWindow();
    const answer = await bot.ask('/spend prod, staging');
    expect(answer.visibleText.split('\n').slice(0, 2)).toEqual([
      '2 projects · 14–20 Nov · 490.00 spent',
      '*unchanged* vs 7–13 Nov · biggest change: prod + 70.00',
    ]);
    expect(rowsOf(answer.blocks)).toEqual([
      ['Project', 'Spent', 'Change'],
      ['staging', '280.00', '▼ 20.0 %'],
      ['prod', '210.00', '▲ 50.0 %'],
    ]);
    expect(answer.visibleText).not.toContain('fetched');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('is answered without a project that fails, which is not in the total', async () => {
    bot.billing.respond(({ query }) =>
      String(query).includes('6002') ? { status: 403, body: '' } : undefined,
    );
    const answer = await bot.ask('/spend prod,staging yesterday');
    expect(answer.visibleText).toMatch(/^1 of 2 projects · Fri 20 Nov · [\d,.]+ spent/);
    expect(rowsOf(answer.blocks).at(-1)?.slice(0, 2)).toEqual(['staging', 'access refused']);
    expect(answer.visibleText).toContain('staging: The billing service refused this access token');
  });

  it('says of a service that returned an error that it did', async () => {
    bot.billing.respond(({ query }) => (query.includes('6001') ? { status: 500, body: '' } : undefined));
    const [, ...rows] = rowsOf((await bot.ask('/spend prod,staging')).blocks);
    expect(rows.map(([name, spent]) => [name, spent])).toEqual([
      ['staging', expect.stringMatching(/\d/)],
      ['prod', 'service error'],
    ]);
  });

  it('asks about all registered projects, each as its product, and names the products', async () => {
    inWindow();
    const before = bot.billing.requests.length;
    const answer = await bot.ask('/spend all yesterday');
    expect(answer.visibleText).toMatch(/^3 projects · /);
    const queries = bot.billing.requests.slice(before).map(({ query }) => String(query));
    expect(queries.filter((query) => query.includes('6003, productId: 2'))).toHaveLength(2);
    expect(rowsOf(answer.blocks).map(([project]) => project?.split(' · ')[0])).toContain(
      'archive (Object storage)',
    );
  });

  it('says “1 project” for a single one', async () => {
    expect((await bot.ask('/spend prod,6001 yesterday')).visibleText).toMatch(/^1 project · /);
    expect((await bot.ask('/balance prod,6001')).visibleText).toMatch(/^1 project · 3,000\.00 left/);
  });

  it('asks at most four projects at a time', async () => {
    let open = 0;
    let most = 0;
    const ids = Array.from({ length: 12 }, (_, n) => String(6100 + n));
    for (const id of ids) bot.billing.setItems(id, november(14, 20, '1'));
    bot.billing.respond(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return undefined;
    });
    expect((await bot.ask(`/spend ${ids.join(',')} yesterday`)).visibleText).toMatch(/^12 projects · /);
    // Two queries for each project.
    expect(most).toBeLessThanOrEqual(8);
  });

  it('has no percentage for the total when one project has none', async () => {
    bot.billing.setItems('6005', november(14, 20, '5'));
    const { visibleText } = await bot.ask('/spend prod,6005');
    expect(visibleText.split('\n')[1]).not.toMatch(/[▲▼]/);
  });

  it('marks a project of which days are missing, and says how many have data', async () => {
    bot.billing.setItems('6001', november(14, 18, '30'));
    const answer = await bot.ask('/spend prod,staging');
    expect(rowsOf(answer.blocks).find(([project]) => project === 'prod')?.[1]).toBe('150.00*');
    expect(answer.visibleText).toContain('* Days with data: prod 5 of 7 days.');
  });

  it('rejects two projects without a comma; the button adds it', async () => {
    const refused = await bot.ask('/spend prod staging last-week');
    expect(refused.visibleText).toContain('You named two projects without a comma');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: refused.ts }, '/spend prod,staging last-week');
    const answer = await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, CHANNEL)
        .find(({ ts, text }) => ts === refused.ts && text.includes('2 projects')),
    );
    expect(toAnswer(answer).visibleText).toContain('2 projects · 9–15 Nov');
  });

  it('includes only projects that can be asked about in the channel', async () => {
    await addProject(bot, { alias: 'secret', id: '6004', channels: ['C0FINANCE1'] });
    const all = await bot.ask('/spend all yesterday', MEMBER);
    expect(all.visibleText).not.toContain('secret');
    const named = await bot.ask('/spend prod,secret yesterday', MEMBER);
    expect(rowsOf(named.blocks).find(([project]) => project === 'secret')?.[1]).toBe('not allowed here');
    expect(bot.billing.requests.some(({ query }) => String(query).includes('6004'))).toBe(false);
  });
});

describe('/balance about several projects', () => {
  it('shows the total balance and warns about what runs out, soonest first', async () => {
    const answer = await bot.ask('/balance prod,staging');
    expect(answer.visibleText.split('\n').slice(0, 2)).toEqual([
      '2 projects · 3,400.00 left',
      ':warning: *Under 14 days or overdrawn: staging*',
    ]);
    expect(rowsOf(answer.blocks)).toEqual([
      ['Project', 'Left', 'Lasts'],
      ['staging', '400.00', '10 days'],
      ['prod', '3,000.00', '100 days'],
    ]);
  });

  it('is answered without a project that fails', async () => {
    bot.billing.setBalance('6002', 'null');
    const answer = await bot.ask('/balance prod,staging');
    expect(answer.visibleText).toMatch(/^1 of 2 projects · 3,000\.00 left/);
    expect(answer.visibleText).toContain('staging: No Cloud platform data for project 6002.');
    bot.billing.setBalance('6099', 'null');
    const byId = await bot.ask('/balance prod,6099');
    expect(byId.visibleText).toMatch(/^No Cloud platform data for project 6099\.$/m);
    expect(byId.visibleText).not.toContain('Project 6099:');
  });
});

describe('/balance all', () => {
  it('begins with what is overdrawn, then what runs out first, then by balance, and says so', async () => {
    const balances = { over: '-5', deep: '-90', idle: '7', poor: '3', rich: '900' };
    for (const [at, [alias, balance]] of Object.entries(balances).entries()) {
      const id = String(6200 + at);
      await addProject(bot, { alias, id });
      bot.billing.setBalance(id, `{"balance":${balance},"bonuses":0}`);
      bot.billing.setItems(id, alias === 'rich' ? november(14, 20, '300') : '[]');
    }
    const answer = await bot.ask('/balance prod,idle,rich,over,poor,deep,staging');
    expect(rowsOf(answer.blocks).map(([name, , lasts]) => [name, lasts])).toEqual([
      ['Project', 'Lasts'],
      ['deep', 'overdrawn'],
      ['over', 'overdrawn'],
      ['rich', '3 days'],
      ['staging', '10 days'],
      ['prod', '100 days'],
      ['poor', 'unknown'],
      ['idle', 'unknown'],
    ]);
    expect(answer.visibleText).toContain('runway at the average of the last 7 days');
  });
});

describe('a list of projects that is longer than an option’s value', () => {
  it('has its menu items as buttons', async () => {
    const ids = Array.from({ length: 6 }, (_, n) => `${n + 1}`.repeat(31));
    for (const id of ids) bot.billing.setItems(id, november(14, 20, '1'));
    const answer = await bot.ask(`/spend ${ids.join(',')}`);
    const buttons = JSON.stringify(answer.blocks.filter(({ type }) => type === 'actions'));
    for (const label of ['Share', 'Include today', 'CSV', 'Details']) expect(buttons).toContain(`"${label}"`);
    expect(buttons).not.toContain('"overflow"');
    expect(bot.slack.complaints).toEqual([]);
  });
});
