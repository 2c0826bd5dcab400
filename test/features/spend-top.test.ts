import { beforeEach, describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { botOfFile } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';
import { answerQueries, itemsJson } from '../support/service-replies.ts';

const NAMES = ['dev', 'labs', 'prod', 'shop', 'staging'];
const idOf = (name: string) => String(6001 + NAMES.indexOf(name));
const yesterday = (amount: number) => itemsJson(['2026-11-20', amount]);

const bot = await botOfFile();
await bot.connect();
for (const alias of NAMES) await addProject(bot, { alias, id: idOf(alias), currency: 'EUR' });

beforeEach(() => {
  for (const [at, amount] of [10, 40, 100, 30, 20].entries())
    bot.billing.setItems(String(6001 + at), yesterday(amount));
});

describe('the answer to /spend top', () => {
  it('shows the projects that spent most', async () => {
    const answer = await bot.ask('/spend top 3 yesterday');
    expect(answer.lines[0]).toBe('Top 3 of 5 projects · Fri 20 Nov · 170.00 EUR spent');
    expect(answer.rows).toEqual([
      ['Project', 'Spent'],
      ['prod', '100.00'],
      ['labs', '40.00'],
      ['shop', '30.00'],
    ]);
    expect(bot.slack.complaints).toEqual([]);
  });

  it('offers other periods, a CSV file and the projects’ balances, but no schedule', async () => {
    const { commands } = await bot.ask('/spend top 2 yesterday');
    expect(commands).toContain('/spend top 2 last-month');
    expect(commands).toContain('/spend top 2 yesterday csv');
    expect(commands).toContain('/balance prod,labs');
    expect(commands.some((command) => command.startsWith('/billing schedule'))).toBe(false);
  });

  it('also lists a project without figures, because that project might be among the top projects', async () => {
    answerQueries(bot.billing, '6003', { status: 403, body: '' });
    const answer = await bot.ask('/spend top 2 yesterday');
    expect(answer.lines[0]).toBe('Top 2 of 5 projects, 4 with figures · Fri 20 Nov · 70.00 EUR spent');
    expect(answer.rows).toEqual([
      ['Project', 'Spent'],
      ['labs', '40.00'],
      ['shop', '30.00'],
      ['prod', 'access refused'],
    ]);
    expect(answer.visibleText).toContain(
      'prod: The billing service says the access token doesn’t have permission for this',
    );
  });

  it('shows all projects if there are fewer than requested', async () => {
    const answer = await bot.ask('/spend top 9 yesterday');
    expect(answer.lines[0]).toBe('5 projects · Fri 20 Nov · 200.00 EUR spent');
    expect(answer.rows.map(([name]) => name)).toEqual([
      'Project',
      ...['prod', 'labs', 'shop', 'staging', 'dev'],
    ]);
  });

  it('explains how the costs of the top projects changed if the command says “why”', async () => {
    const both = (then: number, now: number) => itemsJson(['2026-11-13', then], ['2026-11-20', now]);
    bot.billing.setItems(idOf('prod'), both(60, 100));
    const part = await bot.ask('/spend top 2 yesterday why');
    expect(part.lines[0]).toMatch(/^1 of 2 projects · Fri 20 Nov · 40.00 EUR more than Fri 13 Nov/);
    expect(part.rows.map(([name = '', difference]) => [name.split(' · ')[0], difference])).toEqual([
      ['Project', 'Difference'],
      ['prod', '+ 40.00'],
      ['labs', 'not compared'],
    ]);
    bot.billing.setItems(idOf('labs'), both(60, 40));
    const answer = await bot.ask('/spend top 2 yesterday why');
    expect(answer.lines[0]).toBe('Top 2 of 5 projects · Fri 20 Nov · 20.00 EUR more than Fri 13 Nov');
    expect(answer.commands).toContain('/spend top 2 yesterday');
  });

  it('doesn’t count a project that is limited to another channel', async () => {
    await addProject(bot, { alias: 'secret', id: '6050', channels: ['C0FINANCE1'] });
    const queries = await bot.queriesDuring(async () => {
      const { lines } = await bot.ask('/spend top 1 yesterday', MEMBER);
      expect(lines[0]).toBe('Top 1 of 5 projects · Fri 20 Nov · 100,00 EUR spent');
    });
    expect(queries.join()).not.toContain('6050');
  });

  it('shows all projects if their currencies differ', async () => {
    await addProject(bot, { alias: 'usa', id: '6060', currency: 'USD' });
    bot.billing.setItems('6060', yesterday(70));
    const answer = await bot.ask('/spend top 2 yesterday', MEMBER);
    expect(answer.lines[0]).toBe('6 projects · Fri 20 Nov · 200,00 EUR and 70,00 USD spent');
    expect(answer.visibleText).toContain(
      'Amounts in different currencies can’t be ranked, so all projects are shown.',
    );
  });
});
