import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CALLBACK_LIMITS, createCallbackThrottle, networkOf } from '../../src/slack/install/oauth-flow.ts';

describe('the throttle of installations', () => {
  it('accepts requests again once the window is over, and remembers no address beyond it', () => {
    let at = 1_000_000;
    const throttle = createCallbackThrottle(() => at);
    const tries = () =>
      Array.from({ length: CALLBACK_LIMITS.perAddress + 1 }, () => throttle('a')).filter(
        (wait) => wait !== undefined,
      );
    expect(tries()).toEqual([60]);
    at += 59_000;
    expect(throttle('a')).toBe(1);
    at += 1_000;
    expect(tries()).toEqual([60]);
    // A clock that is set back shuts nobody out for longer.
    at -= 3_600_000;
    expect(throttle('a')).toBeUndefined();
  });

  it.each([
    ['2600:1:2:3::9', '198.51.100.1', '2600:1:2:3'],
    ['8.8.8.8', '198.51.100.1', '8.8.8.8'],
    ['::ffff:8.8.8.8', '198.51.100.1', '8.8.8.8'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', 'invalid-response', '127.0.0.1'],
    ['::ffff:172.18.0.1', '9.9.9.9', '9.9.9.9'],
    ['10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    ['10.0.0.1', '2600:1:2:3:4:5:6:7', '2600:1:2:3'],
    ['2600:1::7', undefined, '2600:1:0:0'],
  ])('counts a request from %s, with %s forwarded, for %s', (remoteAddress, forwarded, network) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect(networkOf({ socket: { remoteAddress }, headers } as IncomingMessage)).toBe(network);
  });
});
