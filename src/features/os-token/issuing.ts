import {
  type Failure,
  isFailure,
  NotAllowed,
  NotIssuer,
  TokenNotRevoked,
  TokenTooLong,
  TooManyTokens,
} from '../../domain/failure/index.ts';
import type { IdentityClient, IssuedToken } from '../../identity/client.ts';
import { findEndpoint, renderShellCommands } from '../../identity/shell.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { SLACK_LIMITS } from '../../slack/kit/limits.ts';
import type { Request } from '../../slack/request.ts';
import {
  type ApplicationAccessRecord,
  isNamedIssuer,
  type OpenableAccess,
} from '../../workspace/accesses.ts';
import type { Audit } from '../../workspace/audit.ts';
import { ISSUE_WINDOW, type IssueLimit, MAX_TOKENS } from '../../workspace/issue-limit.ts';
import type { OneTimeGrants, TokenGrant } from '../../workspace/one-time-grants.ts';
import { mayHaveIssued, revocationAudit, tokenAuditId, tokenAuditText, unclearIssueAudit } from './audit.ts';
import { lostMessage, lostModal, tokenModal } from './blocks.ts';
import { displayZone, formatClockTime } from './expiry.ts';
import { canRevoke, fitWindowTokens, liveTokens, type WindowToken } from './window-tokens.ts';

export interface IssuingParts {
  readonly identity: IdentityClient;
  readonly audit: Audit;
  readonly handles: OneTimeGrants;
  readonly allowance: IssueLimit;
  /** ms since the epoch */
  readonly clock: () => number;
  /** Logs a failure that a person was told about, and where. */
  readonly explain: (failure: Failure, where: string) => void;
}

/** What a token is asked for. */
export interface TokenRequest {
  readonly grant: TokenGrant;
  readonly label: string;
  readonly access: OpenableAccess;
  /** What the window leads to that it is asked for in. */
  readonly tokens: readonly WindowToken[];
}

/** How long a handle is kept where the service doesn't say when the token expires, in ms. */
const UNKNOWN_EXPIRY = 24 * 60 * 60_000;

/** Named for the project, and no member of another organisation: those are named by nobody here. @throws NotIssuer */
export async function requireIssuer(
  label: string,
  access: ApplicationAccessRecord,
  request: Request,
): Promise<void> {
  const { role, id } = request.user;
  if (role === 'stranger') throw new NotAllowed('stranger');
  if (isNamedIssuer(access, id)) return;
  const { issuers } = access;
  if (issuers.groups.length === 0 || !(await request.slack.isInGroups(issuers.groups)))
    throw new NotIssuer(label);
}

/** Issues a token and shows it in the open modal. A token that could not be shown or audited is revoked. */
export function createIssuing({ identity, audit, handles, allowance, clock }: IssuingParts) {
  const issue = async ({ access, label, grant }: TokenRequest, { user }: Request): Promise<IssuedToken> => {
    const { teamId, id } = user;
    const at = clock();
    const opened = access.open();
    const next = await allowance.take(teamId, id, at);
    if (next !== undefined) throw new TooManyTokens(MAX_TOKENS, ISSUE_WINDOW / 60_000, next - at);
    try {
      return await identity.issue(opened, { workspace: teamId, connection: grant.project });
    } catch (error) {
      if (!isFailure(error)) throw error;
      const about = tokenAuditText(label, grant.project, undefined);
      const noting = mayHaveIssued(error)
        ? audit.record(teamId, unclearIssueAudit(clock(), id, about))
        : allowance.giveBack(teamId, id, at);
      await noting.catch(ignoreFailure);
      throw error;
    }
  };

  /** @returns whether the service revoked it */
  const revokeUnseen = async (
    { grant, label, access }: TokenRequest,
    issued: IssuedToken,
    request: Request,
  ) => {
    const { teamId } = request.user;
    const tenant = { workspace: teamId, connection: grant.project };
    const outcome = await identity.revoke(access.authUrl, issued.token, tenant).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return error;
    });
    const about = tokenAuditText(label, grant.project, tokenAuditId(issued.auditId));
    const entry = revocationAudit({ at: clock(), who: request.user.id, about }, outcome);
    if (entry !== undefined) await audit.record(teamId, entry).catch(ignoreFailure);
    return outcome === 'revoked' || outcome === 'already-dead';
  };

  /** Audited first, so that no token is shown that is not in the audit. Whether it was shown. */
  const present = async (
    tokenRequest: TokenRequest,
    issued: IssuedToken,
    request: Request,
  ): Promise<boolean> => {
    const { label, access } = tokenRequest;
    const { teamId, id } = request.user;
    const { expiresAt, auditId } = issued;
    const now = clock();
    const hash = tokenAuditId(auditId);
    const grant: TokenGrant = {
      ...tokenRequest.grant,
      authUrl: access.authUrl,
      ...(hash !== undefined && { audit: hash }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const isOffered = access.revocable !== false;
    const life = { at: now, until: Math.max(expiresAt ?? now + UNKNOWN_EXPIRY, now + 1) };
    const about = tokenAuditText(label, grant.project, hash);
    const entry = { at: now, who: id, action: 'token issued', about } as const;
    const earlier = liveTokens(tokenRequest.tokens, now);
    const [before] = tokenRequest.tokens;
    // What leads to no token that may still work has served its purpose.
    const replaces = before !== undefined && !earlier.includes(before) ? before.carried : undefined;
    const token = isOffered ? issued.token : undefined;
    const carried = await handles.keep(teamId, grant, life, token, { entry, replaces });
    const tokens = fitWindowTokens(
      [{ carried, expires: expiresAt ?? 'unknown' }, ...earlier],
      SLACK_LIMITS.privateMetadata,
    );
    const shown = {
      ...{ label, issued, now, tokens },
      word: grant.word,
      lines: linesFor(issued, access),
      endpoint: findEndpoint(issued.endpoints, access.authUrl).service,
      zone: userZone(request),
      revocation: isOffered ? (tokens.slice(0, 1).some(canRevoke) ? 'here' : 'too-long') : 'not-offered',
    } as const;
    const isShown = await request.reply.modal.tryUpdate(tokenModal(shown));
    if (!isShown) await handles.drop(teamId, carried);
    return isShown;
  };

  return async (tokenRequest: TokenRequest, request: Request): Promise<void> => {
    const issued = await issue(tokenRequest, request);
    try {
      if (linesFor(issued, tokenRequest.access).length > SLACK_LIMITS.section)
        throw new TokenTooLong(issued.token.length);
      if (await present(tokenRequest, issued, request)) return;
    } catch (error) {
      if (await revokeUnseen(tokenRequest, issued, request)) throw error;
      const until =
        issued.expiresAt === undefined ? 'it expires' : formatClockTime(issued.expiresAt, userZone(request));
      const left = new TokenNotRevoked(isFailure(error) ? error.message : undefined, until, { cause: error });
      if (isFailure(error)) throw left;
      await request.reply.private(failureMessage(left)).catch(ignoreFailure);
      throw error;
    }
    const isRevoked = await revokeUnseen(tokenRequest, issued, request);
    const lost = lostMessage({ label: tokenRequest.label, word: tokenRequest.grant.word }, isRevoked);
    // Without this, a window that is still open would show “Issuing…” forever.
    const now = clock();
    const shownIn = { now, tokens: liveTokens(tokenRequest.tokens, now), zone: userZone(request) };
    if (!(await request.reply.modal.tryUpdate(lostModal(lost, shownIn)))) await request.reply.private(lost);
  };
}

/** As many lines as Slack takes in one piece; the last ones are comments. The token is in them, so it fits where they do. */
function linesFor(issued: IssuedToken, { authUrl }: ApplicationAccessRecord): string {
  const lines = [...renderShellCommands(issued, authUrl)];
  while (lines.join('\n').length > SLACK_LIMITS.section && lines.at(-1)?.startsWith('#')) lines.pop();
  return lines.join('\n');
}

export const userZone = ({ user, workspace }: Request): string =>
  displayZone(user.zone, workspace.settings.zone);

/** For work on the side: a failure of a service is ignored, a programming error isn't. */
export function ignoreFailure(error: unknown): undefined {
  if (!isFailure(error)) throw error;
}
