/**
 * Whatever reads text from outside does work in proportion to its length. Nothing here measures time: over a hundred
 * thousand characters anything quadratic takes ten thousand million steps, and so longer than a test may, and anything
 * that recurses by the character has no stack left.
 */
import { describe, expect, it } from 'vitest';
import { cleanTyping, simplifyText } from '../../src/domain/language/typed-text.ts';
import { parseAmount } from '../../src/domain/money/amount.ts';
import { couldBeSecret, looksLikeSecret } from '../../src/domain/secret-detection.ts';
import { checkBaseUrl } from '../../src/http/address-rules.ts';
import { redact } from '../../src/ops/redact.ts';
import { escapeMarkup } from '../../src/slack/block-kit/blocks.ts';
import { replyTo, replyToCommand } from './language/corpus/what-tally-reads.ts';

/** What patterns and recursions stumble over when it is repeated. */
const UNITS = [
  ...'project : ~: ~? ~?~!~.~,~-~- ~_~_ ~_-~-*~*~#~#1 ~<~<a|~<@U1|~>~|~&~“~ ~\n~/~\\~://~:~=~\\"token":'.split(
    '~',
  ),
  ...'a~A~aB~x ~1~1 ~0~1a~1,~2026-10-01..~q3 ~7 days ~3 october ~monday ~first half of ~between 1 and '.split(
    '~',
  ),
  ...'vs ~and it ~7 day ~last ~today ~help ~token ~bearer ~day~yestreday ~\u0301\u0316~\u200b~…~İ~😀~3rd ~month of '.split(
    '~',
  ),
];
/** The beginning is what an address or a number begins with, the end what a pattern with `$` looks for in vain. */
const textsOf = (length: number) => UNITS.map((unit) => `1${unit.repeat(Math.ceil(length / unit.length))}!x`);

/** Refusing a text is a way to read it; running out of stack is none. */
async function readAll(length: number, read: (text: string) => unknown): Promise<void> {
  for (const text of textsOf(length))
    await Promise.resolve(text)
      .then(read)
      .catch((error: unknown) => expect(String(error)).not.toContain('call stack'));
}

const ANY_LENGTH: Record<string, (text: string) => unknown> = {
  cleanTyping,
  simplifyText,
  couldBeSecret,
  looksLikeSecret,
  escapeMarkup,
  redact,
  parseAmount: (text) => parseAmount({ text }),
  checkBaseUrl: (text) => checkBaseUrl(`https://example.com/${text}`, []),
};
/** Refused beyond a thousand characters. */
const COMMANDS: Record<string, (text: string) => unknown> = {
  'a command': (text) => replyToCommand(`/spend ${text}`),
  'a question': replyTo,
  'a follow-up': (text) => replyTo(`/spend prod october | ${text}`),
};

describe('a long text', () => {
  it.each(Object.entries(ANY_LENGTH))('is accepted by %s', (_, read) => readAll(100_000, read));
  it.each(Object.entries(COMMANDS))('is read or refused as %s', (_, read) => readAll(1_000, read));
});
