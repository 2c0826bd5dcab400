import { describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { botOfFile } from '../support/bot.ts';

const bot = await botOfFile();

const TOO_LONG = 'That’s too long. Tally reads up to 1,000 characters.';

describe('a text of more than a thousand characters', () => {
  it.each([
    '/spend',
    '/balance',
    '/os-token',
    '/billing',
    '/billing default',
    '/billing schedule',
    '@Tally',
    '@Tally spend',
  ])('is refused by %s because it is too long', async (command) => {
    for (const unit of ['project : ', '? ', 'help ', 'gAAAAAB'])
      expect(await bot.read(`${command} ${unit.repeat(10_000 / unit.length)}`, MEMBER)).toContain(TOO_LONG);
  });

  it('is accepted in fields that allow that length', async () => {
    const text = `help ${'1'.repeat(995)}`;
    expect(await bot.read(`/spend ${text}`, MEMBER)).not.toContain('too long.');
  });
});
