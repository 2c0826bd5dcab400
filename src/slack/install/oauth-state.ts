import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type InstallURLOptions, InvalidStateError, type StateStore } from '@slack/oauth';
import type { OAuthNonces } from '../../workspace/oauth-nonces.ts';

/** How long an installation may take between Tally's page and Slack's redirect, in s. */
export const STATE_LIFETIME = 600;

/** States are `<expiry, in s since the epoch>-<random>.<signature>`; the store remembers only those that were used. */
export function createStateStore(
  states: OAuthNonces,
  secret: string,
  options: InstallURLOptions,
): StateStore {
  const sign = (word: string): string => createHmac('sha256', secret).update(word).digest('base64url');
  return {
    async generateStateParam(_, now) {
      const word = `${secondsOf(now) + STATE_LIFETIME}-${randomBytes(24).toString('base64url')}`;
      return `${word}.${sign(word)}`;
    },
    async verifyStateParam(now, state) {
      const [word = '', signature = ''] = state.split('.');
      const left = isSame(signature, sign(word)) ? Number.parseInt(word, 10) - secondsOf(now) : 0;
      if (!(left > 0 && (await states.spend(word, left))))
        throw new InvalidStateError('The state was not issued, has expired or was used before.');
      return options;
    },
  };
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
