import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isPublicAddress } from '../../http/address.ts';

/** How many may come back from Slack in `window` (ms), to each process: more than people do, too few to be a burden. */
export const CALLBACK_LIMITS = { window: 60_000, perAddress: 10, total: 60 } as const;

/**
 * Counts what is let in. Windows are fixed and the same for all, so no more is remembered than a window lets in.
 * @param clock ms since the epoch
 * @returns lets one in, or tells after how many seconds to try again
 */
export function createCallbackThrottle(
  clock: () => number,
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
 * The network that a request came from: the sender's, where a proxy of ours names it. A proxy is one of ours when it is at a
 * private address; what anybody else says in `X-Forwarded-For` counts for nothing.
 */
export function networkOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim() ?? '';
  const address = isIP(forwarded) !== 0 && !isPublicAddress(peer) ? forwarded : peer;
  return isIP(address) === 6 && !address.includes('.')
    ? prefixOf(address)
    : (address.split(':').at(-1) ?? '');
}

/** The first half of an IPv6 address: who has one of its addresses has them all. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter((one) => one !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])].slice(0, 4).join(':');
}
