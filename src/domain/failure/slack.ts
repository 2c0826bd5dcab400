/** What Slack refuses, and why Tally can't post in a channel. */
import { FailureBase } from './base.ts';

/**
 * Slack's Web API does not answer or refuses: `code` is Slack's (`missing_scope`, `ratelimited`, …) or the system's.
 * `retryAfter` in seconds, if Slack said 429. `unclear` if the call went out and no answer came: Slack may have
 * done what it was asked.
 */
export class SlackFailed extends FailureBase<'slack-failed'> {
  readonly retryAfter?: number;
  readonly unclear: boolean;
  constructor(
    readonly method: string,
    readonly code: string,
    { retryAfter, unclear = false, ...options }: SlackFailedOptions = {},
  ) {
    super('slack-failed', slackSentence(method, code), options);
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
    this.unclear = unclear;
  }
}

interface SlackFailedOptions extends ErrorOptions {
  readonly retryAfter?: number | undefined;
  readonly unclear?: boolean;
}

/** Codes of the SDK or the system when no answer came at all. */
const SILENT: ReadonlySet<string> = new Set(['request_error', 'http_error', 'failed']);

function slackSentence(method: string, code: string): string {
  if (code === 'ratelimited') return 'Slack asked Tally to slow down (rate limit).';
  if (SILENT.has(code) || /^E[A-Z]+$/.test(code)) return `Slack didn’t answer ${method} (${code}).`;
  return `Slack returned an error for ${method} (${code}).`;
}

/** The workspace has no installation, or Slack has revoked its token. */
export class NotInstalled extends FailureBase<'not-installed'> {
  constructor(readonly reason: 'unknown' | 'expired') {
    super(
      'not-installed',
      {
        unknown: 'Tally isn’t installed in this workspace.',
        expired: 'Slack no longer accepts Tally’s token for this workspace.',
      }[reason],
    );
  }
}

/** Slack does not let Tally post in a channel. */
export class CannotPost extends FailureBase<'cannot-post'> {
  constructor(readonly reason: 'not-there' | 'archived' | 'restricted') {
    super(
      'cannot-post',
      {
        'not-there': 'Tally isn’t in that channel, so it can’t post there.',
        archived: 'That channel is archived, so nobody can post there.',
        restricted: 'Only some people can post in that channel, so Tally can’t.',
      }[reason],
    );
  }
}

const NOT_SENT = {
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
  constructor(readonly why: keyof typeof NOT_SENT) {
    super('not-sent', NOT_SENT[why]);
  }
}

export const NOT_SENT_REASONS = Object.keys(NOT_SENT) as readonly NotSent['why'][];
