import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canRevoke,
  fitModalTokens,
  liveTokens,
  type ModalToken,
  parseModalTokens,
  serializeModalTokens,
} from '../../src/features/os-token/modal-tokens.ts';

const HANDLE = 'A'.repeat(22);
const handle = fc.stringMatching(/^[\w-]{22}$/);
const sealed = fc.stringMatching(/^v1\.once\.[\w-]{16}\.[\w-]{20,400}$/);
const token: fc.Arbitrary<ModalToken> = fc.oneof(
  handle.map((grantText) => ({ grantText, expires: undefined })),
  fc.record({
    grantText: fc.tuple(handle, sealed).map((halves) => halves.join(' ')),
    expires: fc.oneof(fc.constant('unknown' as const), fc.nat()),
  }),
);

describe('the tokens in a modal’s metadata', () => {
  it('are parsed as they were written', () => {
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        expect(parseModalTokens(serializeModalTokens(tokens))).toEqual(tokens);
      }),
    );
  });

  it('of an older version are one token that may still work', () => {
    expect(parseModalTokens(`${HANDLE} v1.once.x.y`)).toEqual([
      { grantText: `${HANDLE} v1.once.x.y`, expires: 'unknown' },
    ]);
    expect(parseModalTokens(HANDLE)).toEqual([{ grantText: HANDLE, expires: undefined }]);
  });

  it('fit, and the newest lose their encrypted half last', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), fc.integer({ min: 0, max: 3_000 }), (tokens, limit) => {
        const kept = fitModalTokens(tokens, limit);
        expect(serializeModalTokens(kept).length).toBeLessThanOrEqual(limit);
        const could = tokens.flatMap((one, at) => (canRevoke(one) ? [at] : []));
        const can = kept.flatMap((one, at) => (canRevoke(one) ? [at] : []));
        expect(can).toEqual(could.slice(0, can.length));
        expect(kept.map(({ expires }) => expires)).toEqual(
          tokens.slice(0, kept.length).map(({ expires }) => expires),
        );
      }),
    );
  });

  it('can be any text, and forged values do nothing', () => {
    fc.assert(fc.property(fc.string(), (text) => void liveTokens(parseModalTokens(text), 0)));
    expect(parseModalTokens('')).toEqual([]);
    expect(parseModalTokens('!5')).toEqual([]);
    expect(parseModalTokens(`${HANDLE} !x`)).toEqual([{ grantText: HANDLE, expires: 'unknown' }]);
  });

  it('may work until they have expired', () => {
    const tokens = parseModalTokens(`${HANDLE} v !10\n${HANDLE} v !20\n${HANDLE} v !unknown\n${HANDLE}`);
    expect(liveTokens(tokens, 10).map(({ expires }) => expires)).toEqual([20, 'unknown']);
  });
});
