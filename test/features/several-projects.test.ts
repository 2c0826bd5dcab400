import { beforeEach, describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { botOfFile } from '../support/bot.ts';
import { addProject, addProjects } from '../support/projects.ts';
import { answerQueries, itemsJson, november, spendByDay } from '../support/service-replies.ts';

const bot = await botOfFile();
await bot.connect();
await addProjects(bot, { prod: '6001', staging: '6002', archive: { id: '6003', product: 2 } });

beforeEach(() => {
  bot.billing.setItems('6001', itemsJson(...november(7, 13, 20), ...november(14, 20, 30)));
  bot.billing.setItems('6002', itemsJson(...november(7, 13, 50), ...november(14, 20, 40)));
  bot.billing.setItems('6003', itemsJson(...november(14, 20, 5)));
  for (const [id, balance] of Object.entries({ 6001: 3000, 6002: 400, 6003: 100 }))
    bot.billing.setBalance(id, `{"balance":${balance},"bonuses":0}`);
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
  it('shows the total and its change, then a row for each project, the largest first', async () => {
    inWindow();
    const answer = await bot.ask('/spend prod, staging');
    expect(answer.lines.slice(0, 2)).toEqual([
      '2 projects · 14–20 Nov · 490.00 spent',
      '*unchanged* vs 7–13 Nov · biggest change: prod + 70.00',
    ]);
    expect(answer.rows).toEqual([
      ['Project', 'Spent', 'Change'],
      ['staging', '280.00', '▼ 20.0 %'],
      ['prod', '210.00', '▲ 50.0 %'],
    ]);
    expect(answer.visibleText).not.toContain('fetched');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('says why a project can’t be compared, instead of naming the biggest change', async () => {
    bot.billing.setItems('6001', itemsJson(...november(14, 20, 30)));
    const { visibleText } = await bot.ask('/spend prod,staging yesterday');
    expect(visibleText).not.toContain('biggest change');
    expect(visibleText).toContain('prod: No comparison: Fri 13 Nov isn’t reported.');
  });

  it('doesn’t include a project without figures in the total', async () => {
    answerQueries(bot.billing, '6002', { status: 403, body: '' });
    const answer = await bot.ask('/spend prod,staging yesterday');
    expect(answer.visibleText).toMatch(/^1 of 2 projects · Fri 20 Nov · [\d,.]+ spent/);
    expect(answer.rows.at(-1)?.slice(0, 2)).toEqual(['staging', 'access refused']);
    expect(answer.visibleText).toContain(
      'staging: The billing service says the access token doesn’t have permission for this',
    );
  });

  it('says in the table that billing returned an error', async () => {
    answerQueries(bot.billing, '6001', { status: 500, body: '' });
    const [, ...rows] = (await bot.ask('/spend prod,staging')).rows;
    expect(rows.map(([name, spent]) => [name, spent])).toEqual([
      ['staging', expect.stringMatching(/\d/)],
      ['prod', 'service error'],
    ]);
  });

  it('asks billing about each registered project’s own product', async () => {
    inWindow();
    const queries = await bot.queriesDuring(async () => {
      const { rows, visibleText } = await bot.ask('/spend all yesterday');
      expect(visibleText).toMatch(/^3 projects · /);
      expect(rows.map(([project]) => project?.split(' · ')[0])).toContain('archive (Object storage)');
    });
    expect(queries.filter((query) => query.includes('6003, productId: 2'))).toHaveLength(2);
  });

  it('counts a project once if it is given by its name and by its ID', async () => {
    expect(await bot.read('/spend prod,6001 yesterday')).toMatch(/^1 project · /);
    expect(await bot.read('/balance prod,6001')).toMatch(/^1 project · 3,000\.00 left/);
  });

  it('sends billing at most eight requests at the same time', async () => {
    let open = 0;
    let most = 0;
    const ids = Array.from({ length: 12 }, (_, n) => String(6100 + n));
    for (const id of ids) bot.billing.setItems(id, itemsJson(...november(14, 20, 1)));
    bot.billing.respond(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return undefined;
    });
    expect(await bot.read(`/spend ${ids.join(',')} yesterday`)).toMatch(/^12 projects · /);
    expect(most).toBeLessThanOrEqual(8);
  });

  it('has no percentage for the total if one of the projects has none', async () => {
    bot.billing.setItems('6005', itemsJson(...november(14, 20, 5)));
    const { lines } = await bot.ask('/spend prod,6005');
    expect(lines[1]).not.toMatch(/[▲▼]/);
  });

  it('marks a project that has days without data, and says how many of its days are reported', async () => {
    bot.billing.setItems('6001', itemsJson(...november(14, 18, 30)));
    const answer = await bot.ask('/spend prod,staging');
    expect(answer.rows.find(([project]) => project === 'prod')?.[1]).toBe('150.00*');
    expect(answer.visibleText).toContain('prod: 5 of 7 days reported');
  });

  it('has at most two lines of small print', async () => {
    bot.billing.setItems('6001', itemsJson(...november(14, 18, 30)));
    bot.billing.setItems(
      '6002',
      itemsJson(...november(14, 20, 10).map(([day, amount]) => [day, amount, 7] as const)),
    );
    const { blocks } = await bot.ask('/spend prod,staging,999 vs 2026-11-01..2026-11-07');
    const print = JSON.stringify(blocks.find(({ type }) => type === 'context'));
    expect(print).toContain('bonuses: staging');
    expect(print.split('\\n')).toHaveLength(2);
  });

  it('refuses two projects without a comma between them, and offers the command with a comma', async () => {
    const refused = await bot.ask('/spend prod staging last-week');
    expect(refused.visibleText).toContain('You named two projects without a comma');
    await bot.press(refused, '/spend prod,staging last-week');
    expect((await bot.updated(refused, '2 projects')).visibleText).toContain('2 projects · 9–15 Nov');
  });

  it('includes only projects that are allowed in the channel', async () => {
    await addProject(bot, { alias: 'secret', id: '6004', channels: ['C0FINANCE1'] });
    const all = await bot.ask('/spend all yesterday', MEMBER);
    expect(all.visibleText).not.toContain('secret');
    const named = await bot.ask('/spend prod,secret yesterday', MEMBER);
    expect(named.rows.find(([project]) => project === 'secret')?.[1]).toBe('not allowed here');
    expect(bot.billing.requests.some(({ query }) => String(query).includes('6004'))).toBe(false);
  });
});

describe('/balance about several projects', () => {
  it('shows the total balance, and warns about projects whose money runs out soon', async () => {
    const answer = await bot.ask('/balance prod,staging');
    expect(answer.lines.slice(0, 2)).toEqual([
      '2 projects · 3,400.00 left',
      ':warning: *Under 14 days or overdrawn: staging*',
    ]);
    expect(answer.rows).toEqual([
      ['Project', 'Left', 'Lasts'],
      ['staging', '400.00', '10 days'],
      ['prod', '3,000.00', '100 days'],
    ]);
  });

  it('names the project whose money runs out first if no project’s money runs out soon', async () => {
    bot.billing.setBalance('6002', '{"balance":4000,"bonuses":0}');
    expect((await bot.ask('/balance prod,staging')).lines[0]).toBe(
      '2 projects · 7,000.00 left, prod runs out first',
    );
  });

  it('doesn’t include a project without figures in the total', async () => {
    bot.billing.setBalance('6002', 'null');
    const answer = await bot.ask('/balance prod,staging');
    expect(answer.visibleText).toMatch(/^1 of 2 projects · 3,000\.00 left/);
    expect(answer.visibleText).toContain('No Cloud platform data for staging.');
    bot.billing.setBalance('6099', 'null');
    const byId = await bot.ask('/balance prod,6099');
    expect(byId.visibleText).toMatch(/^No Cloud platform data for project 6099\.$/m);
    expect(byId.visibleText).not.toContain('Project 6099:');
  });

  it('names projects without data in one sentence, without a table', async () => {
    for (const id of ['6002', '6099']) bot.billing.setBalance(id, 'null');
    const answer = await bot.ask('/balance staging,6099');
    expect(answer.lines.slice(0, 2)).toEqual([
      '2 projects · no figures',
      'No Cloud platform data for staging and project 6099.',
    ]);
    expect(answer.rows).toEqual([]);
  });
});

describe('/balance about many projects', () => {
  it('lists overdrawn projects first, and sorts the others by days left, then by balance', async () => {
    const balances = { over: '-5', deep: '-90', idle: '7', poor: '3', rich: '900' };
    for (const [at, [alias, balance]] of Object.entries(balances).entries()) {
      const id = String(6200 + at);
      await addProject(bot, { alias, id });
      bot.billing.setBalance(id, `{"balance":${balance},"bonuses":0}`);
      bot.billing.setItems(id, alias === 'rich' ? itemsJson(...november(14, 20, 300)) : '[]');
    }
    const answer = await bot.ask('/balance prod,idle,rich,over,poor,deep,staging');
    expect(answer.rows.map(([name, , lasts]) => [name, lasts])).toEqual([
      ['Project', 'Lasts'],
      ['deep', 'overdrawn'],
      ['over', 'overdrawn'],
      ['rich', '3 days'],
      ['staging', '10 days'],
      ['prod', '100 days'],
      ['poor', 'unknown'],
      ['idle', 'unknown'],
    ]);
    expect(answer.visibleText).toContain('runway at the last 7 days’ average');
    // A project's money doesn't pay another's debt.
    expect(answer.lines[0]).toMatch(/^7 projects · 4,310\.00 left and 95\.00 overdrawn/);
  });
});

describe('an answer about too many projects for Slack’s menus', () => {
  it('has buttons instead of a menu', async () => {
    const ids = Array.from({ length: 6 }, (_, n) => `${n + 1}`.repeat(31));
    for (const id of ids) bot.billing.setItems(id, itemsJson(...november(14, 20, 1)));
    const answer = await bot.ask(`/spend ${ids.join(',')}`);
    expect(answer.buttons).toEqual(expect.arrayContaining(['Share', 'Include today', 'CSV', 'Details']));
    expect(JSON.stringify(answer.blocks)).not.toContain('"overflow"');
    expect(bot.slack.complaints).toEqual([]);
  });
});
