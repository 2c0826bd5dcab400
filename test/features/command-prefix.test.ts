import { describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { botOfEachTest, textOf } from '../support/bot.ts';
import { directOf } from '../support/people.ts';
import { addConnection } from '../support/projects.ts';

const bot = botOfEachTest(undefined, () => ({ prefix: 'acme', env: { COMMAND_PREFIX: 'acme' } }));

/** A command by the name that another app may have. */
const PLAIN = /(?<![\w/.-])\/(?:balance|spend|os-token|billing)(?![\w/-])/;

/** All that Slack got to show the owner, in messages and in windows. */
const shown = (): string =>
  [
    ...bot.answers().map(({ visibleText }) => visibleText),
    bot.modalText(),
    textOf(bot.slack.home(OWNER)?.view),
  ].join('\n');

describe('an app whose commands have a prefix', () => {
  it('has the prefix in help, answers, errors and buttons', async () => {
    const all = await bot.ask('/acme-billing help more', OWNER);
    expect(all.visibleText).toContain('`/acme-spend 123 last-7-days`');
    const word = await bot.ask('/acme-spend 123 lst-week', OWNER);
    expect(word.visibleText).toContain('/acme-spend 123 last-week');
    await bot.press(word, '/acme-spend 123 last-week');
    await bot.slack.waitFor(() => shown().includes('isn’t connected'));
    const unknown = await bot.ask('/acme-billing hlep', OWNER);
    expect(unknown.visibleText).toContain('/acme-billing help');
    await bot.openForm('/acme-billing connect');
    expect(shown()).not.toMatch(PLAIN);
  });

  it('has the prefix on Home, too', async () => {
    await addConnection(bot);
    expect(await bot.home()).toContain('`/acme-balance prod`');
    const help = await bot.ask('help more', OWNER, directOf(OWNER));
    expect(help.visibleText).toContain('`/acme-spend 123 last-7-days`');
    expect(help.visibleText).not.toMatch(PLAIN);
    expect(shown()).not.toMatch(PLAIN);
  });
});
