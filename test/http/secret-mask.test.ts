import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretMask } from '../../src/http/secret-mask.ts';

const TOKEN = 'Zq81-hV_kW3pX9rT/2mN+6bL7cD';
const OTHER = 'aGf45jKe82LsWq03MzXy71RtUv96';
const mask = createSecretMask([TOKEN, OTHER]);
const random = fc.stringMatching(/^[A-Za-z0-9_+/.~-]{16,80}$/);

describe('a secret that a service repeats', () => {
  it.each([
    ['as it is', TOKEN],
    ['another one of the same request', OTHER],
    ['in capitals', TOKEN.toUpperCase()],
    ['its beginning', TOKEN.slice(0, 14)],
    ['its end', TOKEN.slice(-12)],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in base64 for an address', Buffer.from(TOKEN).toString('base64url')],
  ])('is masked: %s', (_, repeated) => {
    const masked = mask(`No access with <${repeated}>!`);
    expect(masked).toMatch(/^No access with <.{0,8}….{0,8}>!$/);
    for (let at = 0; at + 10 <= repeated.length; at += 1)
      expect(masked).not.toContain(repeated.slice(at, at + 10));
  });

  it('is masked anywhere in a text, and so is any piece of ten characters', () => {
    fc.assert(
      fc.property(random, fc.string(), fc.string(), fc.nat(), (secret, before, after, from) => {
        const start = from % (secret.length - 9);
        const piece = secret.slice(start, start + 10);
        fc.pre(!/^[\d\s.,:+\-TZe]{10}$/i.test(piece));
        expect(createSecretMask([secret])(`${before}|${piece}|${after}`)).not.toContain(`|${piece}|`);
      }),
    );
  });

  it('is masked in a number only if it appears whole', () => {
    const digits = createSecretMask(['2026111512345678']);
    expect(digits('2026111512345678')).toBe('…');
    expect(digits('20261115')).toBe('20261115');
    expect(digits('2026111512.00')).toBe('2026111512.00');
    expect(createSecretMask(['key-of-2026-11-15-abc'])('2026-11-15T00:00:00Z')).toBe('2026-11-15T00:00:00Z');
  });

  it('is masked only in answers to its own request', () => {
    expect(createSecretMask([OTHER])(TOKEN)).toBe(TOKEN);
    expect(createSecretMask([])(TOKEN)).toBe(TOKEN);
    expect(mask('Nothing of it is here.')).toBe('Nothing of it is here.');
  });

  it('is masked only as a whole if it is short', () => {
    expect(createSecretMask(['pa55w'])('the password pa55w is wrong')).toBe('the password … is wrong');
    expect(createSecretMask(['no'])('no such project')).toBe('no such project');
  });
});
