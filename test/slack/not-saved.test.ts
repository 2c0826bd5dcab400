import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import { notSavedMessage } from '../../src/slack/reply/error-reply.ts';
import { textOf } from '../support/bot.ts';

const reads = (failure: Failure) =>
  textOf(
    notSavedMessage(
      failure,
      { text: failure.message, blocks: [] },
      'connected',
      'The current token stays in use.',
    ).blocks,
  );

describe('a token that was not registered', () => {
  it('leaves the previous token in use when this is certain', () => {
    expect(reads(new Failure('timed-out', { service: 'billing', after: 1000 }))).toMatch(
      /^Not connected\n.*stays in use/s,
    );
  });

  it('is not reported as unsaved if Redis’s answer was lost', () => {
    const said = reads(new Failure('store-unavailable', { write: 'unsure' }));
    expect(said).toMatch(/^May not be connected/);
    expect(said).not.toMatch(/stays in use|not stored/);
  });

  it('isn’t said to leave the previous token in use if another person changed it first', () => {
    const said = reads(new Failure('edit-conflict', { now: 'Someone else changed this first.' }));
    expect(said).toMatch(/^Not connected/);
    expect(said).not.toContain('stays in use');
  });
});
