/** The buttons below a refusal: each runs, and says all that was typed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, startBot } from '../support/bot.ts';
import { addConnection, addProject } from '../support/projects.ts';

let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ now: () => Date.UTC(2026, 10, 21, 10, 15, 30, 123) });
  await addConnection(bot);
  for (const [alias, id] of Object.entries({ prod: '123', staging: '456', 'web-shop': '789' }))
    await addProject(bot, { alias, id });
});
afterAll(() => bot.stop());

/** What the answer offers, without help and forms. */
async function offeredFor(command: string): Promise<readonly string[]> {
  const { blocks } = await bot.ask(command, OWNER);
  const values = [...JSON.stringify(blocks).matchAll(/"value":"(\/[^"]+)"/g)].map(([, value = '']) => value);
  return values.filter((value) => !value.startsWith('/billing help'));
}

describe('below a refusal', () => {
  it('no day is offered that is still to come', async () => {
    expect(await offeredFor('/spend prod 12/5/2026')).toEqual(['/spend prod 2026-05-12']);
    expect(await offeredFor('/spend prod 31.6.2035')).toEqual([]);
  });

  it.each([
    '/spend prod last week banana',
    '/spend staging tomorow',
    '/spend staging nxt week csv',
    '/spend staging including prod',
    '/spend prod last month including web-shop',
    '/spend prod including yesterday',
    '/spend staging > 700',
    '/balance prod <700',
    '/spend all without staging',
    '/spend -prod',
    '/spend prod since 2027-01-01 csv',
    '/spend prod last week including today',
    '/balance prod last-week',
    '/balance without staging',
    '/os-token prod last-week',
    '/os-token prod storage',
    '/billing watch prod monthly budget 500000',
    '/billing watch without prod balance 500',
    '/billing watch prod balance 5 runway 3',
    '/billing schedule prod hourly',
    '/billing schedule prod october daily',
    '/billing schedule prod yesterday including today daily',
    '/billing unschedule prod',
    '/billing which projects do we have',
    '/billing wach prod banana',
    '/billing status now',
    '/billing audit everything',
    '@Tally what’s left without staging?',
    '@Tally not prod, staging balance',
    '@Tally unschedule prod',
    '@Tally what did prod cost in q1 2026 and staging?',
    '@Tally what did prod cost in march 2026 and staging?',
    '@Tally staging spend tomorow',
    '@Tally what was left on prod last week?',
    '@Tally spnd prod banana',
    '@Tally send prod last week',
  ])('“%s” gets no suggestion, because no command says that', async (command) => {
    expect(await offeredFor(command)).toEqual([]);
  });

  it.each([
    ['/spend prod lst week', ['/spend prod last week']],
    ['/spend prod lst week csv', ['/spend prod last week csv']],
    ['/spend prod 7m csv', ['/spend prod 7mo csv', '/spend prod today csv']],
    ['/spend prod next week csv', ['/spend prod this-week csv']],
    ['/spend prod 2027-10 storage', ['/spend prod this-month storage']],
    ['/spend prod week', ['/spend prod last-week', '/spend prod last-4-weeks']],
    ['/spend prod staging last month', ['/spend prod,staging last month']],
    ['/balance prod stroage', ['/balance prod storage']],
    ['/billing wach prod budget 500', ['/billing watch prod budget 500']],
    ['/billing shcedule staging daily', ['/billing schedule staging daily']],
    ['/billing watch prod blance 500', ['/billing watch prod balance 500']],
    ['@Tally spnd prod lst month', ['/spend prod last month']],
    ['@Tally how much did staging spend lst month?', ['/spend staging last-month']],
    ['@Tally prod', ['/balance prod', '/spend prod']],
  ])('of “%s” is offered what says the same: %j', async (command, expected) => {
    const offered = await offeredFor(command);
    expect(offered).toEqual(expected);
    for (const one of offered.filter((text) => /^\/(?:spend|balance)/.test(text) && !text.endsWith('csv')))
      expect((await bot.ask(one, OWNER)).visibleText).not.toContain('recognize');
  });

  it.each([
    ['/spend banana last month', ['last-month', 'prod']],
    ['/balance banana storage', ['storage', 'prod']],
  ])('of “%s” a project is offered in the place of the unknown word: %j', async (command, words) => {
    const offered = await offeredFor(command);
    expect(offered).toHaveLength(4);
    for (const word of words) expect(offered[0]).toContain(word);
  });

  it.each([
    '/spend <@U012AB3CD4E> last month',
    '/spend prod <#C012AB3CD4E>',
    '/balance <!subteam^S012AB3CD4E>',
  ])('of “%s”, which names people, nothing is said about secrets', async (command) => {
    const { visibleText } = await bot.ask(command, OWNER);
    expect(visibleText).toContain('You mentioned a person, a channel or a group.');
    expect(visibleText).not.toContain('secret');
  });

  it('of too many projects says how many, and no word about secrets', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => String(1_000 + n)).join(',');
    const { visibleText } = await bot.ask(`/spend ${ids}`, OWNER);
    expect(visibleText).toContain('You named 60 projects. Ask about 20 at a time.');
    expect(visibleText).not.toContain('secret');
  });
});
