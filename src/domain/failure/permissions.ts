/** Rights, and how often somebody may ask. */
import type { SlackId } from '../slack-id.ts';
import type { Millis } from '../time/calendar.ts';
import { FailureBase } from './base.ts';

/** The rights do not allow it. */
export class NotAllowed extends FailureBase<'not-allowed'> {
  override readonly summary = 'not allowed here';
  /**
   * @param managers Slack IDs of people who may, for `not-manager`, as far as they are known
   * @param owned what belongs to somebody else, for `not-owner`, and what was to be done with it: `pause abcd1234`
   */
  constructor(
    readonly reason: 'guest' | 'external' | 'not-member' | 'not-manager' | 'not-owner' | 'channel',
    readonly managers: readonly SlackId[] = [],
    readonly owned?: { readonly plural: 'schedules' | 'watches'; readonly text: string },
  ) {
    super(
      'not-allowed',
      {
        guest: 'Guests can’t use Tally in this workspace.',
        external: 'Tally only answers members of the workspace that installed it.',
        'not-member': 'Only full members of this workspace can set up schedules and watches.',
        'not-owner': 'Only its owner or a Tally manager can do this.',
        'not-manager': 'Only Tally managers can do this.',
        channel: 'This project is limited to certain channels.',
      }[reason],
    );
  }
}

/** Only the people named for the project get tokens, whatever their role. */
export class NotIssuer extends FailureBase<'not-issuer'> {
  constructor(readonly label: string) {
    super('not-issuer', `You can’t get tokens for ${label}.`);
  }
}

/** More than one person, or all of a workspace, may ask in a short time. `wait` in ms, until one more is possible. */
export class Throttled extends FailureBase<'throttled'> {
  /** @param doing completes "You're …" */
  constructor(
    readonly whose: 'person' | 'workspace',
    doing: string,
    readonly wait: Millis,
  ) {
    super('throttled', `${whose === 'person' ? 'You’re' : 'Your workspace is'} ${doing}.`);
  }
}
