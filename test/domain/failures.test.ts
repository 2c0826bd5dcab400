import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../src/delivery/delivery-log.ts';
import { collectWarnings, warningLead } from '../../src/domain/billing-warnings.ts';
import {
  Failure,
  failureSentence,
  InvalidWord,
  isFailure,
  storedFailureSchema,
  toStoredFailure,
} from '../../src/domain/failure/index.ts';
import { KINDS } from '../../src/domain/failure/kinds.ts';
import { requireShortText } from '../../src/slack/commands/command-buttons.ts';
import { failuresOfAll } from '../support/failures.ts';

describe('a failure', () => {
  it('has a message that is a whole sentence and names the project, word or service concerned', () => {
    for (const [{ message }, ...names] of failuresOfAll()) {
      expect(message).toMatch(/^(?:[A-Z]|“|prod ).{10,}[.?]$/u);
      expect(message).not.toMatch(/undefined|null|\[object|\s{2}/);
      for (const name of names) expect(message).toContain(name);
    }
  });

  it('has a message that never names a host', () => {
    for (const [{ message }] of failuresOfAll()) expect(message).not.toMatch(/example/);
  });

  it('of each kind is tested in this file', () => {
    expect(new Set(failuresOfAll().map(([{ kind }]) => kind))).toEqual(new Set(Object.keys(KINDS)));
  });

  it('has a different message for each reason, unless a stored record can’t be read', () => {
    const said = failuresOfAll().map(([{ kind, message }]) => `${kind} ${message}`);
    expect(said.filter((one, at) => said.indexOf(one) !== at)).toEqual(
      ['unseal-failed', 'unseal-failed'].map((kind) => `${kind} Tally can’t read the stored record.`),
    );
  });

  it('is distinguished from other errors and from failures of other kinds', () => {
    const failure: unknown = new Failure('timed-out', { service: 'billing', after: 1_000 });
    expect(isFailure(failure)).toBe(true);
    expect(isFailure(failure, 'timed-out') && failure.data.after).toBe(1_000);
    expect(isFailure(failure, 'no-data')).toBe(false);
    expect(isFailure(new Error('other'))).toBe(false);
  });
});

describe('a refused word', () => {
  const SECRET = 'gAAAAABk1234567890abcdefXYZ';

  it('is quoted at the beginning of the message, or where the message has the placeholder {word}', () => {
    expect(new InvalidWord('a', 'is wrong', 'Type b.').fact).toBe('“a” is wrong.');
    expect(new InvalidWord('a', 'You named {word}', '')).toMatchObject({
      fact: 'You named “a”.',
      message: 'You named “a”.',
      word: 'a',
      offered: [],
    });
    expect(new InvalidWord('$&', 'You named {word}', '').fact).toBe('You named “$&”.');
  });

  it('is neither quoted nor suggested if it may be a secret', () => {
    const refused = new InvalidWord(SECRET, 'is wrong', 'Type b.', `${SECRET} today`);
    expect(refused.fact).toBe('One word (hidden, because it may be a secret) is wrong.');
    expect(refused).toMatchObject({ word: '…', offered: [] });
    const within = new InvalidWord(SECRET, 'You named {word}', '').fact;
    expect(within).toBe('You named one word (hidden, because it may be a secret).');
    expect(new InvalidWord(SECRET, 'is wrong', '', [`${SECRET} a`, 'b'])).toMatchObject({ offered: ['b'] });
  });
});

it('a command of more than 700 characters is refused', () => {
  expect(() => requireShortText('a'.repeat(500))).not.toThrow();
  expect(() => requireShortText('a'.repeat(701))).toThrow(expect.objectContaining({ kind: 'text-too-long' }));
});

it('an error message that billing sends more than once is shown only the first time', () => {
  const remarks = collectWarnings(
    ['the balance', { remarks: ['a', 'both', 'a'] }],
    ['the last 7 days', { remarks: ['both', 'b'] }],
  );
  expect(remarks).toEqual([
    { about: 'the balance', messages: ['a', 'both'] },
    { about: 'the last 7 days', messages: ['b'] },
  ]);
  expect(remarks.map(warningLead)[1]).toBe('The billing service reported a problem with the last 7 days:');
  expect(collectWarnings(['the balance', { remarks: [] }])).toEqual([]);
});

/** Kinds for the person who asks alone, whose data is not stored. */
const OF_REQUESTS = [
  ...['access-missing', 'edit-conflict', 'invalid-word', 'not-issuer', 'period-just-began', 'throttled'],
  ...['token-not-shown'],
];
const PLAIN = 'It failed. This version of Tally doesn’t know the reason.';
const TODAY = '2026-11-21';

const readBack = (json: string) => storedFailureSchema.parse(JSON.parse(json));

describe('a stored failure', () => {
  it('has the same message as when it happened, but names no address', () => {
    const others = failuresOfAll().filter(([{ kind }]) => !OF_REQUESTS.includes(kind));
    expect(others.length).toBeGreaterThan(40);
    for (const [failure] of others) {
      const worded = failureSentence(readBack(JSON.stringify(toStoredFailure(failure))), TODAY);
      if (failure.kind === 'address-refused')
        expect(worded).toBe('Tally doesn’t connect to the service’s address: it is private.');
      else expect(worded).toBe(failure.message);
    }
  });

  it('contains no message, no host, and no text from people or services', () => {
    for (const [failure] of failuresOfAll()) {
      const json = JSON.stringify(toStoredFailure(failure));
      expect(json).not.toContain(failure.message);
      expect(json).not.toMatch(/example|127\.0\.0\.1|yesterdya|"no"/);
    }
  });

  it('has a message whose dates include the year, unless that is the current year', () => {
    const days = { first: '2026-11-14', last: '2026-11-20', today: TODAY };
    const stored = toStoredFailure(
      new Failure('no-data', { question: { project: '123', product: 1, days } }),
    );
    expect(failureSentence(stored, TODAY)).toBe('No Cloud platform data for project 123, 14–20 Nov.');
    expect(failureSentence(stored, '2027-01-02')).toContain('14–20 Nov 2026');
    expect(failureSentence(stored)).toContain('14–20 Nov 2026');
  });

  it('says that a post may have been sent if Slack didn’t confirm it', () => {
    const stored = {
      ...toStoredFailure(new Failure('not-sent', { reason: 'post-unconfirmed' })),
      mayBePosted: true,
    };
    expect(failureSentence(stored)).toBe(
      'Slack didn’t confirm the post. It may have been posted. Check the channel before you send it again.',
    );
  });

  it.each([
    { kind: 'moon-eclipsed', data: { service: 'billing' } },
    { kind: 'toString' },
    { kind: 'service-failed', data: { service: 'weather', status: 'x' } },
    { kind: 'service-failed' },
    { kind: 'invalid-word' },
  ])('from a newer version of Tally gets a general message and is stored unchanged: %j', (of) => {
    expect(failureSentence(readBack(JSON.stringify(of)))).toBe(PLAIN);
    const message = { to: 'U1', about: {}, state: 'failed', at: 2, tries: 1, cause: of };
    expect(parseMessage('notice/x/U1', JSON.stringify(message))).toMatchObject({ tries: 1, cause: of });
  });
});
