import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { isPublicAddress } from '../../http/address.ts';

/** How many redirects from Slack a process accepts in `window` (ms). */
export const CALLBACK_LIMITS = { window: MINUTE, perAddress: 10, total: 60 } as const;

/**
 * A fixed window for all addresses bounds the memory to what one window accepts.
 * @param clock ms since the epoch
 * @returns a function that accepts a redirect, or returns the seconds to wait
 */
export function createCallbackThrottle(
  clock: () => Millis,
  limits: typeof CALLBACK_LIMITS = CALLBACK_LIMITS,
) {
  const counts = new Map<string, number>();
  let total = 0;
  let ends = 0;
  return (address: string): number | undefined => {
    const now = clock();
    if (now >= ends || ends - now > limits.window) {
      counts.clear();
      total = 0;
      ends = now + limits.window;
    }
    const count = counts.get(address) ?? 0;
    if (count >= limits.perAddress || total >= limits.total) return Math.ceil((ends - now) / 1000);
    counts.set(address, count + 1);
    total += 1;
    return undefined;
  };
}

/**
 * The network that a request came from. `X-Forwarded-For` counts only from a private address, which is the operator's own
 * proxy; anybody else could write anything into it.
 * @returns an IPv4 address, or the /64 prefix of an IPv6 address
 */
export function networkOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim() ?? '';
  const address = isIP(forwarded) !== 0 && !isPublicAddress(peer) ? forwarded : peer;
  return isIP(address) === 6 && !address.includes('.')
    ? prefixOf(address)
    : (address.split(':').at(-1) ?? '');
}

/** The /64 prefix: a subscriber usually has all of its addresses. */
function prefixOf(address: string): string {
  const [head = '', tail] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])].slice(0, 4).join(':');
}
