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

describe('a token that couldn’t be saved', () => {
  it('is reported as not connected, with a note that the old token stays in use', () => {
    expect(reads(new Failure('timed-out', { service: 'billing', after: 1000 }))).toMatch(
      /^Not connected\n.*stays in use/s,
    );
  });

  it('is reported as possibly saved if Redis failed', () => {
    const said = reads(new Failure('store-unavailable'));
    expect(said).toMatch(/^May not have been connected/);
    expect(said).not.toMatch(/stays in use|not stored/);
  });

  it('is reported without a note about the old token if somebody replaced that token', () => {
    const said = reads(new Failure('edit-conflict', { now: 'Someone else changed this first.' }));
    expect(said).toMatch(/^Not connected/);
    expect(said).not.toContain('stays in use');
  });
});
