/**
 * Parsers of untrusted text take time in proportion to its length. No test measures time: with 100,000 characters, a
 * quadratic parser would exceed the time-out of a test, and a recursive one would exceed the stack.
 */
import { describe, expect, it } from 'vitest';
import { cleanTyping, simplifyText } from '../../src/domain/language/text-cleanup.ts';
import { parseAmount } from '../../src/domain/money/amount.ts';
import { couldBeSecret, looksLikeSecret } from '../../src/domain/secret-detection.ts';
import { checkBaseUrl } from '../../src/http/address-rules.ts';
import { redact } from '../../src/ops/redact.ts';
import { escapeMarkup } from '../../src/slack/block-kit/blocks.ts';
import { replyTo, replyToCommand } from './language/corpus/what-tally-reads.ts';

/** Repeated, these texts make careless patterns and recursions slow. */
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
/** Begins like an address or a number; the end keeps a pattern with `$` from matching. */
const textsOf = (length: number) => UNITS.map((unit) => `1${unit.repeat(Math.ceil(length / unit.length))}!x`);

/** A parser may refuse a text, but not exceed the stack. */
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
/** Commands of more than 700 characters are refused before they are parsed. */
const COMMANDS: Record<string, (text: string) => unknown> = {
  'a command': (text) => replyToCommand(`/spend ${text}`),
  'a question': replyTo,
  'a follow-up': (text) => replyTo(`/spend prod october | ${text}`),
};

describe('a long text', () => {
  it.each(Object.entries(ANY_LENGTH))(
    'is processed by the function %s before the test times out',
    (_, read) => readAll(100_000, read),
  );
  it.each(Object.entries(COMMANDS))('gets a reply before the test times out if it is %s', (_, read) =>
    readAll(700, read),
  );
});
