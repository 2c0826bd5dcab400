import { afterEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { addConnection } from '../support/projects.ts';

const DIRECT = 'D0OWNER001';

let bot: Bot;
afterEach(() => bot.stop());

/** A command by the name that another app may have. */
const PLAIN = /(?<![\w/.-])\/(?:balance|spend|os-token|billing)(?![\w/-])/;

/** All that Slack got to show somebody, in messages and in windows. */
const shown = (person: string): string =>
  [
    ...bot.slack.messages(person, CHANNEL).map((message) => toAnswer(message).visibleText),
    textOf(bot.slack.modal(person)?.view ?? {}),
    textOf(bot.slack.home(person)?.view ?? {}),
  ].join('\n');

const connect = async () => {
  await bot.slack.say(OWNER, CHANNEL, '/acme-billing connect');
  await bot.slack.waitFor(() => bot.slack.modal(OWNER));
};

describe('an app whose commands have a prefix', () => {
  it('writes them so in help, answers, errors and buttons', async () => {
    bot = await startBot({ prefix: 'acme', env: { COMMAND_PREFIX: 'acme' } });
    const all = await bot.ask('/acme-billing help more', OWNER);
    expect(all.visibleText).toContain('`/acme-spend 123 last-7-days`');
    const word = await bot.ask('/acme-spend 123 lst-week', OWNER);
    expect(word.visibleText).toContain('/acme-spend 123 last-week');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: word.ts }, '/acme-spend 123 last-week');
    await bot.slack.waitFor(() => shown(OWNER).includes('isn’t connected') || undefined);
    const unknown = await bot.ask('/acme-billing hlep', OWNER);
    expect(unknown.visibleText).toContain('/acme-billing help');
    await connect();
    expect(shown(OWNER)).not.toMatch(PLAIN);
  });

  it('writes them so on Home, too', async () => {
    bot = await startBot({ prefix: 'acme', env: { COMMAND_PREFIX: 'acme' } });
    await addConnection(bot);
    await bot.slack.openHome(OWNER);
    await bot.slack.waitFor(() => shown(OWNER).includes('`/acme-balance prod`') || undefined);
    const help = await bot.ask('help more', OWNER, DIRECT);
    expect(help.visibleText).toContain('`/acme-spend 123 last-7-days`');
    expect(help.visibleText).not.toMatch(PLAIN);
    expect(shown(OWNER)).not.toMatch(PLAIN);
  });
});
