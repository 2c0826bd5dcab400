import { describe, expect, it } from 'vitest';
import * as failures from '../../src/domain/failure/index.ts';
import { InvalidWord } from '../../src/domain/failure/index.ts';
import { tryParse } from '../../src/domain/try-parse.ts';
import { cause, failuresOfAll } from '../support/failures.ts';

/** What managers read: the sentence and, of a service that is away, where and why. */
const wholeText = (failure: failures.Failure): string =>
  'detail' in failure ? `${failure.message} ${failure.detail}` : failure.message;

describe('a failure', () => {
  it('says what happened in whole sentences, and names what it is about', () => {
    for (const [failure, ...names] of failuresOfAll()) {
      const { message } = failure;
      expect(message).toMatch(/^(?:[A-Z]|“|prod ).{10,}[.?]$/u);
      expect(message).not.toMatch(/undefined|null|\[object|\s{2}/);
      for (const name of names) expect(wholeText(failure)).toContain(name);
      if ('detail' in failure) expect(message).not.toMatch(/example|ECONN/);
      expect(failures.isFailure(failure)).toBe(true);
    }
  });

  it('has the kind that its class, or its superclass, is named after', () => {
    for (const [failure] of failuresOfAll()) {
      expect(failure.name).toBe(failure.constructor.name);
      const names = [failure.name, Object.getPrototypeOf(failure.constructor).name];
      const kinds = names.map((name) => name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase());
      expect(kinds).toContain(failure.kind);
    }
  });

  it('of every class is tested here', () => {
    const classes = Object.values(failures).filter(
      (one) => typeof one === 'function' && one.prototype instanceof Error,
    );
    expect(new Set(failuresOfAll().map(([failure]) => failure.constructor))).toEqual(new Set(classes));
  });

  it('has a sentence of its own for each reason', () => {
    const said = failuresOfAll().map(([failure]) => `${failure.kind} ${wholeText(failure)}`);
    expect(said.filter((one, at) => said.indexOf(one) !== at)).toEqual([
      // A kind that nobody knows, and none, are a record.
      ...['unseal-failed', 'unseal-failed'].map((kind) => `${kind} Tally can’t read the stored record.`),
      // A refused write differs only in what is certain.
      'store-unavailable Tally can’t reach its database right now.',
    ]);
  });

  it('fits into a cell of a table', () => {
    const summaries = new Map(failuresOfAll().map(([{ kind, summary }]) => [kind, summary]));
    expect([...summaries].filter(([, summary]) => summary !== 'no answer')).toEqual([
      ['not-connected', 'not connected'],
      ['connection-missing', 'not connected'],
      ['not-allowed', 'not allowed here'],
      ['token-rejected', 'token rejected'],
      ['forbidden', 'access refused'],
      ['no-data', 'no data'],
      ['query-rejected', 'query rejected'],
      ['rate-limited', 'rate limited'],
      ['service-failed', 'service error'],
      ['invalid-response', 'unreadable answer'],
      ['response-too-large', 'answer too large'],
      ['redirect-refused', 'redirected'],
      ['address-refused', 'address refused'],
      ['unseal-failed', 'damaged record'],
    ]);
  });

  it('of a response that is too large counts its bytes, items or values', () => {
    const { message } = new failures.ResponseTooLarge('billing', 20_000, 'items');
    expect(message).toBe('The billing service sent more than 20,000 items, far more than Tally asked for.');
  });

  it('keeps its cause, which only the log shows', () => {
    const withCause = failuresOfAll().filter(([failure]) => failure.cause === cause.cause);
    expect(withCause.map(([{ kind }]) => kind)).toEqual([
      ...[
        'outcome-unclear',
        'service-unreachable',
        'invalid-response',
        'store-unavailable',
        'token-not-shown',
      ],
    ]);
    for (const [failure] of withCause) expect(failure.message).not.toContain('the reason');
  });

  it('of Slack says when to try again, and whether something may have been done', () => {
    expect(new failures.SlackFailed('a', 'ratelimited', { retryAfter: 0 })).toMatchObject({
      ...{ retryAfter: 0, unclear: false },
    });
    expect(new failures.SlackFailed('a', 'b', { unclear: true })).toMatchObject({ unclear: true });
    expect(new failures.SlackFailed('a', 'b')).not.toHaveProperty('retryAfter', expect.anything());
  });

  it('says whether anything may have been saved', () => {
    const outcomes = [
      new failures.StoreUnavailable({}, true),
      new failures.StoreUnavailable(),
      new failures.EditConflict(''),
      new failures.NotConnected(),
    ].map((failure) => [failures.mayHaveBeenSaved(failure), failures.changedNothing(failure)]);
    expect(outcomes).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, true],
    ]);
    expect(failures.isFailure(new Error('other'))).toBe(false);
  });
});

describe('a refused word', () => {
  const SECRET = 'gAAAAABk1234567890abcdefXYZ';

  it('is quoted, at its beginning or where the sentence wants it', () => {
    expect(new InvalidWord('a', 'is wrong', 'Type b.').fact).toBe('“a” is wrong.');
    expect(new InvalidWord('a', 'You named {word}', '')).toMatchObject({
      ...{ fact: 'You named “a”.', message: 'You named “a”.', word: 'a', readings: [] },
    });
    expect(new InvalidWord('$&', 'You named {word}', '').fact).toBe('You named “$&”.');
  });

  it('is not repeated if it may be a secret, nor offered as part of a command', () => {
    const refused = new InvalidWord(SECRET, 'is wrong', 'Type b.', `${SECRET} today`);
    expect(refused.fact).toBe('One word (not repeated, as it may be a secret) is wrong.');
    expect(refused).toMatchObject({ word: '…', suggestion: undefined, readings: [] });
    const within = new InvalidWord(SECRET, 'You named {word}', '').fact;
    expect(within).toBe('You named one word (not repeated, as it may be a secret).');
    expect(new InvalidWord(SECRET, 'is wrong', '', [`${SECRET} a`, 'b'])).toMatchObject({
      ...{ suggestion: 'b', readings: [] },
    });
  });

  it('is repeated or withheld as the caller says', () => {
    const always = new InvalidWord(SECRET, 'is wrong', '', SECRET, 'always');
    expect(always).toMatchObject({ word: SECRET, suggestion: SECRET });
    const never = new InvalidWord('a', 'is wrong', '', 'b', 'never');
    expect(never).toMatchObject({ word: '…', suggestion: undefined });
  });

  it('offers one text, or the readings of an ambiguous one', () => {
    expect(new InvalidWord('a', 'is wrong', '', 'b')).toMatchObject({ suggestion: 'b', readings: [] });
    expect(new InvalidWord('a', 'is wrong', '', ['b'])).toMatchObject({ suggestion: 'b', readings: [] });
    expect(new InvalidWord('a', 'is wrong', '', ['b', 'c'])).toMatchObject({
      ...{ suggestion: undefined, readings: ['b', 'c'] },
    });
    expect(new InvalidWord('a', 'is wrong', '', [])).toMatchObject({ suggestion: undefined, readings: [] });
  });

  it('keeps its rule of quoting when its suggestion becomes a whole command', () => {
    const always = new InvalidWord(SECRET, 'is wrong', '', 'b', 'always', 'projects edit');
    expect(always.within((text) => `${text} csv`)).toMatchObject({
      ...{ word: SECRET, suggestion: 'b csv', projectFor: 'projects edit' },
    });
    expect(new InvalidWord('a', 'is wrong', '', 'b', 'never').within((text) => text).word).toBe('…');
  });

  it('can be removed later, with the text that it offered', () => {
    const refused = new InvalidWord('a', 'is wrong', 'Type b.', 'b', 'judged', 'projects edit').withheld();
    expect(refused).toMatchObject({
      ...{ word: '…', suggestion: undefined, projectFor: 'projects edit' },
      message: 'One word (not repeated, as it may be a secret) is wrong. Type b.',
    });
  });
});

it('a text of more than a thousand characters is refused', () => {
  expect(() => failures.requireShortText('a'.repeat(1_000))).not.toThrow();
  expect(() => failures.requireShortText('a'.repeat(1_001))).toThrow(failures.TextTooLong);
});

it('only the named failure makes a text unreadable', () => {
  const refuse = () => {
    throw new failures.TextTooLong();
  };
  expect(tryParse(refuse)).toBeUndefined();
  expect(tryParse(refuse, failures.TextTooLong)).toBeUndefined();
  expect(() => tryParse(refuse, InvalidWord)).toThrow(failures.TextTooLong);
  expect(tryParse(() => 1, InvalidWord)).toBe(1);
});
