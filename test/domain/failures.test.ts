import { describe, expect, it } from 'vitest';
import * as failures from '../../src/domain/failure/index.ts';
import { InvalidWord } from '../../src/domain/failure/index.ts';
import { failuresOfAll } from '../support/failures.ts';

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
});

it('a text of more than a thousand characters is refused', () => {
  expect(() => failures.requireShortText('a'.repeat(1_000))).not.toThrow();
  expect(() => failures.requireShortText('a'.repeat(1_001))).toThrow(failures.TextTooLong);
});
