import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { HOUR, isTimeZone, type Millis } from '../../domain/time/calendar.ts';
import type { IdentityClient } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import type { RateLimiter } from '../../slack/server/rate-limit.ts';
import type { GrantClaim, OneTimeGrants } from '../../workspace/once/one-time-grants.ts';
import type { TokenQuota } from '../../workspace/once/token-quota.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { TokenWindow } from './blocks.ts';
import type { WindowToken } from './window-tokens.ts';

export interface OsTokenParts {
  readonly workspaces: Workspaces;
  readonly identity: IdentityClient;
  readonly audit: Audit;
  readonly grants: OneTimeGrants;
  readonly quota: TokenQuota;
  readonly limits: RateLimiter;
  /** The address as it will be used; throws AddressRefused, InvalidWord. */
  readonly readAuthUrl: (text: string) => string;
  /** Filled in if no connection has one. */
  readonly authUrl: string | undefined;
  readonly clock: () => Millis;
  /** Logs an error that a user was shown, and where. */
  readonly explain: (error: unknown, where: string) => void;
  /** Called after an access was saved, so that reminders are planned. */
  readonly onSaved?: (workspace: SlackId) => Promise<void>;
}

/** One person's command, click or form, and what the feature answers it with. */
export interface TokenContext extends OsTokenParts {
  readonly request: Request;
}

/** How long a window can ask for another token, in ms. */
const GRANT_TTL = HOUR;

/** The lifetime of a grant that is stored now. */
export function grantLifetime({ clock }: TokenContext) {
  const at = clock();
  return { at, until: at + GRANT_TTL };
}

export const claimOf = (
  grantText: string,
  purpose: GrantClaim['purpose'],
  { request: { user }, clock }: TokenContext,
): GrantClaim => ({ workspace: user.teamId, person: user.id, grantText, purpose, at: clock() });

/** The window as this person reads it now. */
export const windowOf = (tokens: readonly WindowToken[], context: TokenContext): TokenWindow => ({
  ...{ tokens, now: context.clock() },
  zone: readerZone(context.request),
});

/** The reader's own zone, or the workspace's if Slack's can't be used. */
export const readerZone = ({ user, workspace }: Request): string =>
  user.zone !== undefined && isTimeZone(user.zone) ? user.zone : workspace.settings.zone;

/** For work on the side: a failure of a service is ignored, a programming error isn't. */
export function ignoreFailure(error: unknown): undefined {
  if (!isFailure(error)) throw error;
}

/** For work whose failure is one of its outcomes. @throws any other error */
export function failureOf(error: unknown): Failure {
  if (!isFailure(error)) throw error;
  return error;
}
