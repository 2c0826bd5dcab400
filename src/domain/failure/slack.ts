/** Slack, and Tally’s place there. */
import { FailureBase } from './base.ts';

/**
 * Slack's Web API does not answer or refuses: `code` is Slack's (`missing_scope`, `ratelimited`, …) or the system's.
 * `parseRetryAfter` in seconds, if Slack said 429. `unclear` if the call went out and no answer came: Slack may have
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
    super('slack-failed', sentence(method, code), options);
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
    this.unclear = unclear;
  }
}

interface SlackFailedOptions extends ErrorOptions {
  readonly retryAfter?: number | undefined;
  readonly unclear?: boolean;
}

/** No answer came at all: the codes are the SDK's or the system's. */
const SILENT: ReadonlySet<string> = new Set(['request_error', 'http_error', 'failed']);

function sentence(method: string, code: string): string {
  if (code === 'ratelimited') return 'Slack asked Tally to slow down (rate limit).';
  if (SILENT.has(code) || /^E[A-Z]+$/.test(code)) return `Slack did not answer ${method} (${code}).`;
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

export type SlackFailure = SlackFailed | NotInstalled | CannotPost;
