import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type InstallURLOptions, InvalidStateError, type StateStore } from '@slack/oauth';
import type { States } from '../../workspace/states.ts';

/** How long a person may take between our page and Slack's answer, in s. */
export const STATE_LIFE = 600;

/**
 * `<random>.<signature>`: the random part is kept until it is spent, and the signature refuses what was never issued
 * without asking the store.
 */
export function createStateStore(states: States, secret: string, options: InstallURLOptions): StateStore {
  const sign = (word: string): string => createHmac('sha256', secret).update(word).digest('base64url');
  return {
    async generateStateParam() {
      const word = randomBytes(24).toString('base64url');
      await states.issue(word, STATE_LIFE);
      return `${word}.${sign(word)}`;
    },
    async verifyStateParam(_, state) {
      const [word = '', signature = ''] = state.split('.');
      if (!isSame(signature, sign(word)) || !(await states.spend(word)))
        throw new InvalidStateError('The state was not issued, has lapsed or was used before.');
      return options;
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
