import { describe, expect, it } from 'vitest';
import { EditConflict, type Failure, StoreUnavailable, TimedOut } from '../../src/domain/failure/index.ts';
import { refusedBlocks } from '../../src/features/connect/blocks.ts';
import { textOf } from '../support/bot.ts';

const reads = (failure: Failure, kept = true) =>
  textOf(refusedBlocks({ text: failure.message, blocks: [] }, '{}', kept, failure));

describe('a token that was not registered', () => {
  it('leaves the previous one in use, or nothing, when that is certain', () => {
    expect(reads(new TimedOut('billing', 1000))).toMatch(/^Not connected\n.*stays in use/s);
    expect(reads(new TimedOut('billing', 1000), false)).toContain('Nothing was saved.');
  });

  it('is not reported as unsaved when the store’s answer was lost', () => {
    const said = reads(new StoreUnavailable({}, true));
    expect(said).toMatch(/^May not be connected\n/);
    expect(said).not.toMatch(/stays in use|not stored/);
  });

  it('says nothing about the previous one when another person was faster', () => {
    const said = reads(new EditConflict('Somebody else changed this first.'));
    expect(said).toMatch(/^Not connected\n/);
    expect(said).not.toContain('stays in use');
  });
});
