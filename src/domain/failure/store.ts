/** What is kept. */
import { Base } from './base.ts';

/** What may stand in the store, each with what people call it. */
const STORED = {
  'billing-token': 'access token',
  'application-access': 'application access',
  'slack-installation': 'installation of Tally',
  project: 'project',
  record: 'record',
} as const;
type Stored = keyof typeof STORED;

/** A sealed record cannot be opened: unknown key id, tampered with, or moved from elsewhere. Never guessed at. */
export class SealBroken extends Base<'seal-broken'> {
  readonly what: Stored;

  /**
   * @param keyId the name of an unknown key, for operators
   * @param kind of whatever it is
   */
  constructor(
    readonly reason: 'unknown-key' | 'not-authentic' | 'malformed',
    readonly keyId?: string,
    kind: string = 'record',
  ) {
    const what = Object.hasOwn(STORED, kind) ? (kind as Stored) : 'record';
    super('seal-broken', `The stored ${STORED[what]} cannot be ${what === 'project' ? 'read' : 'opened'}.`);
    this.what = what;
  }
}

/** The stored settings cannot be read: days guessed at would be wrong sums, and rights guessed at would be wrong too. */
export class SettingsDamaged extends Base<'settings-damaged'> {
  constructor() {
    super('settings-damaged', 'The stored settings of this workspace are damaged.');
  }
}

/** Somebody else changed the same thing between the look and the change. @param now in a sentence what is there now */
export class ChangedMeanwhile extends Base<'changed-meanwhile'> {
  constructor(readonly now: string) {
    super('changed-meanwhile', `Somebody else was quicker. ${now}`);
  }
}

/** Redis does not answer. @param unsure whether something may have been changed all the same: its answer was lost */
export class StoreUnreachable extends Base<'store-unreachable'> {
  constructor(
    options?: ErrorOptions,
    readonly unsure: boolean = false,
  ) {
    super('store-unreachable', 'Tally cannot reach its own store right now.', options);
  }
}

export type StoreFailure = SealBroken | SettingsDamaged | ChangedMeanwhile | StoreUnreachable;
