import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSigned, parseSignature, secondsLeft } from '../../src/slack/server/signed-request.ts';

/** ms; the timestamp below is of this second. */
const NOW = 1_800_000_000_000;
const DIGEST = 'ab'.repeat(32);
const headers = (timestamp: unknown = '1800000000', signature: unknown = `v0=${DIGEST}`) =>
  ({ 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature }) as Record<string, string>;

describe('what headers say of a signature', () => {
  it('is the time at which it was made, and its digest', () => {
    expect(parseSignature(headers(), NOW)).toEqual({
      timestamp: '1800000000',
      digest: Buffer.from(DIGEST, 'hex'),
    });
  });

  it.each([
    [0, true],
    [300_000, true],
    [300_001, false],
    [-300_000, true],
    [-300_001, false],
  ])('is accepted up to five minutes before or after: %i ms later', (later, counts) => {
    expect(parseSignature(headers(), NOW + later) !== 'outdated').toBe(counts);
  });

  it.each([
    ['no time', undefined, `v0=${DIGEST}`],
    ['no signature', '1800000000', undefined],
    ['two times', ['1800000000', '1800000000'], `v0=${DIGEST}`],
    ['no digits', '18e8', `v0=${DIGEST}`],
    ['an empty time', '', `v0=${DIGEST}`],
    ['text around the time', ' 1800000000', `v0=${DIGEST}`],
    ['text after the time', '1800000000 ', `v0=${DIGEST}`],
    ['thirteen digits', '0001800000000', `v0=${DIGEST}`],
    ['another version', '1800000000', `v1=${DIGEST}`],
    ['text before the version', '1800000000', `xv0=${DIGEST}`],
    ['a short digest', '1800000000', `v0=${DIGEST.slice(1)}`],
    ['a long digest', '1800000000', `v0=${DIGEST}a`],
    ['capitals', '1800000000', `v0=${DIGEST.toUpperCase()}`],
    ['no hexadecimal digest', '1800000000', `v0=${'g'.repeat(64)}`],
  ])('is missing or malformed with %s', (_, timestamp, signature) => {
    const given = { ...headers(), ...headers(timestamp ?? null, signature ?? null) };
    expect(parseSignature(given, NOW)).toBe('unsigned');
  });

  it('may begin with zeros, to twelve digits', () => {
    expect(parseSignature(headers('001800000000'), NOW)).toMatchObject({ timestamp: '001800000000' });
  });
});

describe('a signature', () => {
  const secret = 'the signing secret';
  const body = Buffer.from('command=/spend');
  const digest = createHmac('sha256', secret).update('v0:1800000000:command=/spend').digest();
  const claim = { timestamp: '1800000000', digest };

  it('is valid only for these bytes, at this time, with this secret', () => {
    expect(isSigned(body, claim, secret)).toBe(true);
    expect(isSigned(Buffer.from('command=/spenD'), claim, secret)).toBe(false);
    expect(isSigned(body, { ...claim, timestamp: '1800000001' }, secret)).toBe(false);
    expect(isSigned(body, { ...claim, digest: Buffer.alloc(32) }, secret)).toBe(false);
    expect(isSigned(body, claim, 'another secret')).toBe(false);
  });

  it.each([
    [0, 300],
    [1, 300],
    [1_000, 299],
    [-300_000, 600],
    [299_500, 1],
    [300_000, 1],
    [400_000, 1],
  ])('is remembered for as long as it is valid: %i ms after it was made for %i s', (later, seconds) => {
    expect(secondsLeft(claim, NOW + later)).toBe(seconds);
  });
});
