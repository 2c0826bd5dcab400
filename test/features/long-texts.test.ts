import { describe, expect, it } from 'vitest';
import { MEMBER } from '../../sandbox/slack/index.ts';
import { botOfFile } from '../support/bot.ts';

const bot = await botOfFile();

const TOO_LONG = 'That’s too long. Tally reads up to 500 characters.';

describe('a long text', () => {
  it.each([
    '/spend',
    '/balance',
    '/os-token',
    '/billing',
    '/billing default',
    '/billing schedule',
    '@Tally',
    '@Tally spend',
  ])('is refused by %s if it has more than 500 characters', async (command) => {
    for (const unit of ['project : ', '? ', 'help ', 'gAAAAAB'])
      expect(await bot.read(`${command} ${unit.repeat(10_000 / unit.length)}`, MEMBER)).toContain(TOO_LONG);
  });

  it('is accepted if it has exactly 500 characters', async () => {
    const text = `help ${'1'.repeat(495)}`;
    expect(await bot.read(`/spend ${text}`, MEMBER)).not.toContain('too long.');
  });
});
