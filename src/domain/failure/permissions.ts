/** Who may. */
import { FailureBase } from './base.ts';

/** The rights do not allow it. */
export class NotAllowed extends FailureBase<'not-allowed'> {
  constructor(
    readonly reason: 'guest' | 'stranger' | 'not-member' | 'not-manager' | 'not-owner' | 'channel',
  ) {
    super(
      'not-allowed',
      {
        guest: 'Guests of this workspace cannot ask Tally.',
        stranger: 'Tally answers members of the workspace that installed it.',
        'not-member': 'Only full members of this workspace can set up what Tally posts.',
        'not-owner': 'Only its owner, and those who manage Tally, can do that.',
        'not-manager': 'Only owners and admins of this workspace, and people they named, can do that.',
        channel: 'This project can only be asked about in certain channels.',
      }[reason],
    );
  }
}

/** Tokens are issued to those alone who were named for the project, whatever else they may do. */
export class NotIssuer extends FailureBase<'not-issuer'> {
  constructor(readonly label: string) {
    super('not-issuer', `You are not among those who may have tokens issued for ${label}.`);
  }
}

export type PermissionFailure = NotAllowed | NotIssuer;
