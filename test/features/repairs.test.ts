import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { type Answer, type Bot, startBot } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';

let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ now: () => Date.UTC(2026, 10, 21, 10, 15) });
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
  await addProject(bot, { alias: 'staging', id: '456' });
});
afterAll(() => bot.stop());

interface Element {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly options?: readonly { readonly text: { readonly text: string } }[];
}
const elementsOf = ({ blocks }: Answer) =>
  blocks.flatMap((block) => (block.type === 'actions' ? (block.elements as Element[]) : []));
const buttons = (answer: Answer) =>
  elementsOf(answer).flatMap(({ type, text }) => (type === 'button' ? [text?.text] : []));
const choices = (answer: Answer) =>
  elementsOf(answer)
    .flatMap(({ type, options = [] }) => (type === 'static_select' ? options : []))
    .map(({ text }) => text.text);
describe('a refusal', () => {
  it.each([
    ['/billing projects remvoe prod', '/billing projects remove prod'],
    ['/billing disconnect mian', '/billing disconnect main'],
    ['/billing disconnect nope', '/billing disconnect'],
    ['/spend prod next week', '/spend prod this-week'],
    ['/spend prod 2026-12', '/spend prod this-month'],
    ['/spend prod last-20-years', '/spend prod last-3-years'],
    ['/spend prod staging', '/spend prod,staging'],
  ])('of %s has the command that works as a button', async (typed, works) => {
    expect(buttons(await bot.ask(typed))[0]).toBe(works);
  });

  it.each([
    '/billing status foo',
    '/billing schedules foo',
    '/billing schedule prod banana',
    '/billing schedule prod last-month daily 8:00',
    '/spend prod banana',
    '/spend prod,banana',
    '/spend prod banana csv',
  ])('of %s offers no command, which would leave a word out', async (typed) => {
    expect(buttons(await bot.ask(typed))).toEqual([]);
  });

  it.each(['/spend banana yesterday', '/balance banana', '/os-token banana'])(
    'of %s lets choose a project',
    async (typed) => {
      const answer = await bot.ask(typed);
      expect(answer.visibleText).toContain('I don’t recognize “banana”. Which project?');
      expect(choices(answer)).toEqual([
        'prod',
        'staging',
        ...(typed.startsWith('/os-token') ? [] : ['All projects']),
      ]);
    },
  );

  it('of an address that answers with a web page offers managers the form, and tells others whom to ask', async () => {
    bot.billing.setMode('html');
    expect(buttons(await bot.ask('/balance prod'))).toEqual(['Try again', 'Check the address…']);
    const { visibleText, ...answer } = await bot.ask('/balance prod', MEMBER);
    expect(visibleText).toContain('A Tally manager can check it');
    expect(buttons({ visibleText, ...answer })).toEqual(['Try again']);
    bot.billing.setMode(bot.billing.modes[0]!.mode);
  });
});
