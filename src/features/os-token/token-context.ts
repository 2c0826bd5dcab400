import { HOUR, isTimeZone } from '../../domain/time/calendar.ts';
import type { IdentityClient, Tenant } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import type { GrantClaim, TokenGrants } from '../../workspace/short-lived/token-grants.ts';
import type { TokenQuota } from '../../workspace/short-lived/token-quota.ts';
import type { Services } from '../feature.ts';

/** One person's command, click or form, and what the feature answers it with. */
export interface TokenContext extends Services {
  readonly request: Request;
  readonly identity: IdentityClient;
  readonly grants: TokenGrants;
  readonly quota: TokenQuota;
}

/** How long a window can ask for another token, in ms. */
const GRANT_TTL = HOUR;

/** From when until when a grant that is stored now is valid. */
export function grantLifetime({ clock }: TokenContext) {
  const at = clock();
  return { at, until: at + GRANT_TTL };
}

export const claimOf = (
  grantText: string,
  purpose: GrantClaim['purpose'],
  { request: { user }, clock }: TokenContext,
): GrantClaim => ({ workspace: user.teamId, person: user.id, grantText, purpose, at: clock() });

/** Whose turn it is at the identity service, and where its waits count. @param project the access's */
export const tenantOf = (project: string, { request: { user, workspace } }: TokenContext): Tenant => ({
  ...{ workspace: user.teamId, connection: project, waits: workspace.waits },
});

/** The reader's own zone, or the workspace's if Slack's can't be used. */
export const readerZone = ({ user, workspace }: Request): string =>
  user.zone !== undefined && isTimeZone(user.zone) ? user.zone : workspace.settings.zone;

export type RevokeOutcome = 'dead' | 'alive' | 'unchecked' | 'already-dead' | 'not-offered' | 'refused';
