/** The buttons below a refusal. Each button works, and keeps all typed words. */
import { describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { botOfFile } from '../support/bot.ts';
import { addConnection, addProjects } from '../support/projects.ts';

const bot = await botOfFile();
await addConnection(bot);
await addProjects(bot, { prod: '123', staging: '456', 'web-shop': '789' });

/** The commands of the answer's buttons, without help and forms. */
const offeredFor = async (command: string): Promise<readonly string[]> =>
  (await bot.ask(command)).commands.filter((one) => !one.startsWith('/billing help'));

describe('the answer to a mistake', () => {
  it('never suggests a day in the future', async () => {
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
    '@Tally spnd prod banana',
    '@Tally send prod last week',
    '/billing status foo',
    '/billing schedules foo',
    '/billing schedule prod banana',
    '/billing schedule prod last-month daily 8:00',
    '/spend prod banana csv',
    '/spend prod,banana',
  ])('suggests no command for “%s”, because no command would mean the same', async (command) => {
    expect(await offeredFor(command)).toEqual([]);
  });

  it.each([
    ['/spend prod lst week', ['/spend prod last week']],
    ['/spend prod lst week csv', ['/spend prod last week csv']],
    ['/spend prod 7m csv', ['/spend prod 7mo csv', '/spend prod today csv']],
    ['/spend prod next week csv', ['/spend prod this-week csv']],
    ['/spend prod 2027-10 storage', ['/spend prod this-month storage']],
    ['/spend prod last-20-years', ['/spend prod last-3-years']],
    ['/spend prod week', ['/spend prod last-week', '/spend prod last-4-weeks']],
    ['/spend prod staging last month', ['/spend prod,staging last month']],
    ['/balance prod stroage', ['/balance prod storage']],
    ['/billing projects remvoe prod', ['/billing projects remove prod']],
    ['/billing disconnect mian', ['/billing disconnect main']],
    ['/billing disconnect nope', ['/billing disconnect']],
    ['/billing wach prod budget 500', ['/billing watch prod budget 500']],
    ['/billing shcedule staging daily', ['/billing schedule staging daily']],
    ['/billing watch prod blance 500', ['/billing watch prod balance 500']],
    ['@Tally spnd prod lst month', ['/spend prod last month']],
    ['@Tally how much did staging spend lst month?', ['/spend staging last-month']],
    ['@Tally prod', ['/balance prod', '/spend prod']],
  ])('suggests for “%s” exactly these commands: %j', async (command, expected) => {
    const offered = await offeredFor(command);
    expect(offered).toEqual(expected);
    for (const one of offered.filter((text) => /^\/(?:spend|balance)/.test(text) && !text.endsWith('csv')))
      expect(await bot.read(one)).not.toContain('recognize');
  });

  it.each([
    ['/spend banana yesterday', 'All projects'],
    ['/balance banana storage', 'All projects'],
    ['/os-token banana', 'web-shop'],
  ])('offers a choice of projects in place of the unknown word in “%s”', async (command, last) => {
    const { visibleText, options } = await bot.ask(command);
    expect(visibleText).toContain('I don’t recognize “banana”. Which project?');
    expect(options.map(({ label }) => label).slice(0, 3)).toEqual(['prod', 'staging', 'web-shop']);
    expect(options.at(-1)?.label).toBe(last);
    expect(options[0]?.value).toContain(command.replace('banana', 'prod').split(' ').at(-1));
  });

  it.each([
    '/spend <@U012AB3CD4E> last month',
    '/spend prod <#C012AB3CD4E>',
    '/balance <!subteam^S012AB3CD4E>',
    '@Tally what did @mateus spend last month?',
  ])(
    'says that “%s” mentions a person, a channel or a group, and doesn’t warn about secrets',
    async (command) => {
      const { visibleText } = await bot.ask(command);
      expect(visibleText).toContain('You mentioned a person, a channel or a group.');
      expect(visibleText).not.toContain('secret');
    },
  );

  it('says how many projects were named if there are too many', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => String(1_000 + n)).join(',');
    const { visibleText } = await bot.ask(`/spend ${ids}`);
    expect(visibleText).toContain('You named 60 projects. Ask about 20 at a time.');
    expect(visibleText).not.toContain('secret');
  });

  it('lets only managers check the billing address if that address returns a web page', async () => {
    bot.billing.setMode('html');
    expect((await bot.ask('/balance prod')).buttons).toEqual(['Try again', 'Check the address…']);
    const { visibleText, buttons } = await bot.ask('/balance prod', MEMBER);
    expect(visibleText).toContain('A Tally manager can check it');
    expect(buttons).toEqual(['Try again']);
  });
});
