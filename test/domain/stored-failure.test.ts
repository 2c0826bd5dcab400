import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../src/delivery/delivery-log.ts';
import { Failure, storedFailure, storeFailure, wordFailure } from '../../src/domain/failure/index.ts';
import { failuresOfAll } from '../support/failures.ts';

/** Kinds that only a person’s own request meets: what their sentences need is not stored. */
const OF_REQUESTS = [
  ...['access-missing', 'edit-conflict', 'invalid-word', 'not-issuer', 'period-just-began', 'throttled'],
  ...['token-not-shown'],
];
const PLAIN = 'It didn’t work, for a reason that this version of Tally doesn’t know.';
const TODAY = '2026-11-21';

/** As Redis gives it back. */
const readBack = (json: string) => storedFailure.parse(JSON.parse(json));

describe('a stored failure', () => {
  it('is worded when it is read, as it was when it happened', () => {
    const others = failuresOfAll().filter(([{ kind }]) => !OF_REQUESTS.includes(kind));
    expect(others.length).toBeGreaterThan(40);
    for (const [failure] of others) {
      const worded = wordFailure(readBack(JSON.stringify(storeFailure(failure))), TODAY);
      if (failure.kind === 'address-refused')
        expect(worded).toBe('Tally doesn’t connect to the service’s address: it is private.');
      else expect(worded).toBe(failure.message);
    }
  });

  it('has no sentence, no host, and nothing that a person or a service wrote', () => {
    for (const [failure] of failuresOfAll()) {
      const json = JSON.stringify(storeFailure(failure));
      expect(json).not.toContain(failure.message);
      expect(json).not.toMatch(/example|127\.0\.0\.1|yesterdya|"no"/);
    }
  });

  it('names the year unless it is the reader’s current one', () => {
    const days = { first: '2026-11-14', last: '2026-11-20', today: TODAY };
    const stored = storeFailure(new Failure('no-data', { question: { project: '123', product: 1, days } }));
    expect(wordFailure(stored, TODAY)).toBe('No Cloud platform data for project 123, 14–20 Nov.');
    expect(wordFailure(stored, '2027-01-02')).toContain('14–20 Nov 2026');
    expect(wordFailure(stored)).toContain('14–20 Nov 2026');
  });

  it('says that the post may be in the channel anyway', () => {
    const stored = {
      ...storeFailure(new Failure('not-sent', { reason: 'post-unconfirmed' })),
      mayBePosted: true,
    };
    expect(wordFailure(stored)).toBe(
      'Slack didn’t confirm the post. The post may be in the channel: check before you send it again.',
    );
  });

  it.each([
    { kind: 'moon-eclipsed', data: { service: 'billing' } },
    { kind: 'toString' },
    { kind: 'service-failed', data: { service: 'weather', status: 'x' } },
    { kind: 'service-failed' },
    { kind: 'invalid-word' },
  ])('of another version is worded plainly, and kept as it is: %j', (of) => {
    expect(wordFailure(readBack(JSON.stringify(of)))).toBe(PLAIN);
    const message = { to: 'U1', about: {}, state: 'failed', at: 2, tries: 1, cause: of };
    expect(parseMessage('notice/x/U1', JSON.stringify(message))).toMatchObject({ tries: 1, cause: of });
  });
});
