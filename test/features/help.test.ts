import { describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { buttonsOf } from '../support/answer.ts';
import { type Answer, botOfEachTest, CHANNEL } from '../support/bot.ts';
import { directOf, GENERAL } from '../support/people.ts';
import { addProject, addProjects } from '../support/projects.ts';

const bot = botOfEachTest((bot) => bot.connect());

const linesOf = (visibleText: string) => visibleText.split('\n').filter((line) => line.includes('`'));

describe('help', () => {
  it.each([
    ['an owner', OWNER],
    ['a member', MEMBER],
  ])('shows %s at most eight lines of commands, and more after a click on More…', async (_, person) => {
    const short = await bot.ask('/billing help', person);
    expect(linesOf(short.visibleText).length).toBeGreaterThan(3);
    expect(linesOf(short.visibleText).length).toBeLessThanOrEqual(8);
    expect(short.visibleText).not.toContain('/billing help');
    await bot.press(short, 'More…', person);
    expect((await bot.updated(short, '/billing help', person)).visibleText).toContain(
      '/spend 123 last-7-days',
    );
  });

  it('begins with three example questions about one of the workspace’s projects', async () => {
    expect(await bot.read('/billing help', MEMBER)).toMatch(
      /^Ask Tally\nHow much did 123 spend last week\?\n.*\?\n.*\?\n`\/balance` See /,
    );
    await addProject(bot, { alias: 'web', id: '456' });
    expect(await bot.read('/billing help', MEMBER)).toContain('How much did web spend last week?\n');
  });

  it('has examples with the channel’s default project, or else with the connection’s test project', async () => {
    await addProjects(bot, { archive: '789', prod: '123' });
    const help = async () => await bot.read('/billing help', MEMBER);
    expect(await help()).toContain('did prod spend');
    await bot.ask('/billing default archive', OWNER);
    expect(await help()).toContain('did archive spend');
  });

  it('has no example about a project that the reader may not see', async () => {
    await addProject(bot, { alias: 'hidden', id: '456', channels: ['C0OTHER001'] });
    await addProject(bot, { alias: 'web', id: '789' });
    for (const text of ['/billing help', '/spend help', '/balance help'])
      expect(await bot.read(text, MEMBER)).not.toContain('hidden');
  });

  it('begins each command’s description with a verb in the imperative', async () => {
    const { visibleText } = await bot.ask('/billing help more', OWNER);
    const orders = visibleText
      .split('\n')
      .filter((line, at, all) => /^`[^`]*`$/.test(all[at - 1] ?? '') && !line.includes('`'));
    expect(orders.length).toBeGreaterThan(12);
    const verbs = ['Add', 'Ask', 'Disconnect', 'Get', 'List', 'Post', 'See', 'Set', 'Show'];
    expect(orders.filter((line) => !verbs.includes(line.split(' ')[0] ?? ''))).toEqual([]);
  });

  it('shows commands in lines of at most 72 characters', async () => {
    const { visibleText } = await bot.ask('/billing help', OWNER);
    for (const line of linesOf(visibleText)) expect(line.length, line).toBeLessThanOrEqual(72);
  });

  it('shows a guest only commands that guests can use', async () => {
    await bot.store({ settings: { guests: true } });
    for (const text of ['/billing help', '/billing help more']) {
      const { visibleText } = await bot.ask(text, GUEST, GENERAL);
      expect(visibleText).toContain('/balance');
      expect(visibleText).not.toMatch(/\/billing (?:schedule|watch)/);
    }
  });

  it('shows commands for managers only to managers', async () => {
    const manages = /\/billing (?:connect|disconnect|settings|audit|projects access)/;
    for (const text of ['/billing help', '/billing help more'])
      expect(await bot.read(text, MEMBER)).not.toMatch(manages);
    expect(await bot.read('/billing help more', OWNER)).toMatch(manages);
  });

  it('about one command shows nothing about other commands', async () => {
    const { visibleText } = await bot.ask('/billing audit help', OWNER);
    expect(visibleText).toContain('/billing audit');
    expect(visibleText).not.toContain('/spend');
    expect(await bot.read('/billing projects help', OWNER)).toContain('/billing projects access');
    expect(await bot.read('/billing audit help', MEMBER)).not.toContain('/billing audit');
  });
});

it('until billing is connected, help offers managers a Connect button and tells members whom to ask', async () => {
  await bot.drop('connection:main', 'settings');
  const forManager = await bot.ask('/billing help', OWNER);
  expect(forManager.visibleText).toMatch(/^Tally isn’t connected[\s\S]*\nConnect…/);
  const forMember = await bot.ask('/billing help', MEMBER);
  expect(forMember.visibleText).toContain('An owner or admin of this workspace can connect it');
  expect(forMember.visibleText).not.toContain('how much');
});

describe('an unknown word after /billing', () => {
  it.each([
    ['/billing audit foo', 'foo', []],
    ['/billing status foo', 'foo', []],
    ['/billing settings now', 'now', []],
    ['/billing statsu', 'statsu', ['/billing status']],
    ['/billing watchs', 'watchs', ['/billing watch', '/billing watches']],
  ])(
    'is refused when a person types “%s”, with buttons for any similar commands',
    async (command, word, buttons) => {
      const answer = await bot.ask(command, OWNER);
      expect(answer.visibleText).toMatch(new RegExp(`(?:I don’t recognize|Unknown command) “${word}”\\.`));
      expect(answer.buttons).toEqual(buttons);
    },
  );

  it('leads to a refusal, which a click on a suggested command turns into an answer', async () => {
    const answer = await bot.ask('/billing statsu', OWNER);
    await bot.press(answer, '/billing status');
    await bot.updated(answer, 'No problems');
  });
});

describe('an example question or command', () => {
  const DIRECT = directOf(MEMBER);
  const examplesIn = (visibleText: string): readonly string[] =>
    [...(/Try (`.*`)/.exec(visibleText)?.[1] ?? visibleText).matchAll(/(?<=^|· )`([^`]+)`(?=$| ·)/gm)].map(
      ([, example = '']) => example,
    );

  /** Types the example where a person would, and waits for the answer. */
  const answerTo = async (example: string): Promise<string> =>
    await bot.read(example, MEMBER, /^[/@]/.test(example) ? CHANNEL : DIRECT);

  async function expectAnswers(visibleText: string) {
    const examples = examplesIn(visibleText);
    expect(examples).toHaveLength(3);
    for (const example of examples)
      expect(await answerTo(example), example).toMatch(
        /^(?:web|\d projects?|Top \d|Project 456).*(?:spent|so far|left|more|less)/i,
      );
  }

  /** The labels of buttons that run an example. */
  const examplesOf = (blocks: Answer['blocks']): readonly string[] =>
    buttonsOf(blocks)
      .filter(({ action_id }) => action_id.startsWith('run:example'))
      .map(({ text }) => text.text);

  it.each(['/billing help', '/spend help', '/balance help'])(
    'in the answer to %s is a button that leads to an answer in a new message',
    async (help) => {
      await addProject(bot, { alias: 'web', id: '456' });
      const shown = await bot.ask(help, MEMBER);
      const labels = examplesOf(shown.blocks);
      expect(labels).toHaveLength(3);
      for (const label of labels) {
        const { visibleText } = await bot.next(() => bot.press(shown, label, MEMBER), MEMBER);
        expect(visibleText, label).toMatch(
          /^(?:web|\d projects?|Top \d).*(?:spent|so far|left|more|less)|^Here is the CSV/i,
        );
      }
    },
  );

  it('in the help for one command names a project that the reader may ask about', async () => {
    await addProject(bot, { alias: 'web', id: '456' });
    await bot.press(await bot.ask('/billing watch help', MEMBER), '/billing watch web runway 14', MEMBER);
    await bot.slack.waitFor(() => bot.modal(MEMBER));
    expect(bot.view(MEMBER)).toContain('456:1:web');
  });

  it.each(['@Tally hello', 'hello'])(
    'in the answer to “%s” can be typed exactly as shown',
    async (greeting) => {
      await addProject(bot, { alias: 'web', id: '456' });
      await expectAnswers(await answerTo(greeting));
    },
  );

  it('on the Home tab is a button that works even while no project has a name', async () => {
    await bot.home(MEMBER);
    const press = () => bot.slack.press(MEMBER, { viewId: 'home' }, 'How much did 123 spend last week?');
    expect((await bot.next(press, MEMBER, DIRECT)).visibleText).toMatch(/123 · .* spent/);
  });
});
