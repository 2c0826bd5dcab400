/** Records in Redis that can't be read or changed. */
import { FailureBase } from './base.ts';

/** The kinds of stored records, with their names in messages. */
const STORED = {
  'billing-token': 'access token',
  'application-access': 'application access',
  'slack-installation': 'installation of Tally',
  project: 'project',
  record: 'record',
} as const;
type Stored = keyof typeof STORED;

/** A sealed record cannot be opened: unknown key id, tampered with, or moved from elsewhere. Never guessed at. */
export class UnsealFailed extends FailureBase<'unseal-failed'> {
  override readonly summary = 'damaged record';
  readonly what: Stored;

  /**
   * @param keyId the name of the key that it needs, for operators
   * @param kind of the sealed record
   */
  constructor(
    readonly reason: 'unknown-key' | 'not-authentic' | 'malformed',
    readonly keyId?: string,
    kind: string = 'record',
  ) {
    const what = Object.hasOwn(STORED, kind) ? (kind as Stored) : 'record';
    super('unseal-failed', `Tally can’t read the stored ${STORED[what]}.`);
    this.what = what;
  }
}

/** What people read of a record that is whole, and that none of the keys opens: `unknown-key` and `not-authentic`. */
export const KEY_IS_GONE =
  'Tally can’t open this with its keys. Your operator has to put the old key back; nothing is lost.';

/** The stored settings cannot be read: days guessed at would be wrong sums, and rights guessed at would be wrong too. */
export class SettingsDamaged extends FailureBase<'settings-damaged'> {
  constructor() {
    super('settings-damaged', 'This workspace’s settings are damaged.');
  }
}

/** Someone else changed the same record after it was read. @param now a sentence about its current state */
export class EditConflict extends FailureBase<'edit-conflict'> {
  constructor(readonly now: string) {
    super('edit-conflict', `Someone else changed this first. ${now}`);
  }
}

/** Redis does not answer. @param unsure whether something may have been changed, because the answer was lost */
export class StoreUnavailable extends FailureBase<'store-unavailable'> {
  constructor(
    options?: ErrorOptions,
    readonly unsure: boolean = false,
    sentence = 'Tally can’t reach its database right now.',
  ) {
    super('store-unavailable', sentence, options);
  }
}

/** Redis refused a write, so nothing was changed. */
export class WriteRefused extends StoreUnavailable {}
