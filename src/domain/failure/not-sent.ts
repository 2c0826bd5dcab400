import { FailureBase } from './base.ts';

const SENTENCES = {
  'channel-archived': 'The channel is archived.',
  'not-in-channel': 'Tally isn’t in the channel.',
  'channel-restricted': 'Tally isn’t allowed to post in the channel.',
  'slack-token-rejected': 'Slack rejected Tally’s token.',
  'post-unconfirmed': 'Slack didn’t confirm the post.',
  'message-unconfirmed': 'Slack didn’t confirm the message; it may have arrived.',
  'schedule-changed': 'The schedule was changed or paused before this was posted.',
  'person-left': 'This person is no longer a full member of the workspace.',
  'person-not-manager': 'The project is limited to certain channels, and this person doesn’t manage Tally.',
  'channel-limited': 'The project is limited to other channels.',
  'own-error': 'Tally ran into an error of its own. Its log says more.',
} as const;

/** Why something that Tally sends by itself did not go out, in sentences about a post rather than about an answer. */
export class NotSent extends FailureBase<'not-sent'> {
  constructor(readonly why: keyof typeof SENTENCES) {
    super('not-sent', SENTENCES[why]);
  }
}

export const NOT_SENT_REASONS = Object.keys(SENTENCES) as readonly NotSent['why'][];
