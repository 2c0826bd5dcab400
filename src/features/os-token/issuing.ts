import {
  type Failure,
  isFailure,
  TokenNotRevoked,
  TokenTooLong,
  TooManyTokens,
} from '../../domain/failure/index.ts';
import type { IdentityClient, IssuedToken } from '../../identity/client.ts';
import { findEndpoint, renderShellCommands } from '../../identity/shell.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { SLACK_LIMITS } from '../../slack/kit/limits.ts';
import type { Request } from '../../slack/request.ts';
import type { ApplicationAccessRecord } from '../../workspace/accesses.ts';
import type { Audit } from '../../workspace/audit.ts';
import { ISSUE_WINDOW, type IssueLimit, MAX_TOKENS } from '../../workspace/issue-limit.ts';
import type { OneTimeGrants, TokenGrant } from '../../workspace/one-time-grants.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { mayHaveIssued, revocationAudit, tokenAuditId, tokenAuditText, unclearIssueAudit } from './audit.ts';
import { lostMessage, lostModal, tokenModal } from './blocks.ts';
import { displayZone, formatClockTime } from './expiry.ts';
import type { TokenRequest } from './token-requests.ts';
import { canRevoke, fitWindowTokens, liveTokens } from './window-tokens.ts';

export interface IssuingParts {
  readonly workspaces: Pick<Workspaces, 'clearRejection'>;
  readonly identity: IdentityClient;
  readonly audit: Audit;
  readonly grants: OneTimeGrants;
  readonly issueLimit: IssueLimit;
  /** ms since the epoch */
  readonly clock: () => number;
  /** Logs a failure that a user was shown, and where. */
  readonly explain: (failure: Failure, where: string) => void;
}

/** How long a handle is kept if the service doesn't say when the token expires, in ms. */
const UNKNOWN_EXPIRY = 24 * 60 * 60_000;

/** Issues a token and shows it in the open modal. A token that could not be shown or audited is revoked. */
export async function issueToken(
  tokenRequest: TokenRequest,
  request: Request,
  parts: IssuingParts,
): Promise<void> {
  const issued = await requestToken(tokenRequest, request, parts);
  try {
    if (linesFor(issued, tokenRequest.access).length > SLACK_LIMITS.section)
      throw new TokenTooLong(issued.token.length);
    if (await showToken(tokenRequest, issued, request, parts)) return;
  } catch (error) {
    if (await revokeUnseen(tokenRequest, issued, request, parts)) throw error;
    const until =
      issued.expiresAt === undefined ? 'it expires' : formatClockTime(issued.expiresAt, userZone(request));
    const left = new TokenNotRevoked(isFailure(error) ? error.message : undefined, until, { cause: error });
    if (isFailure(error)) throw left;
    await request.reply.private(failureMessage(left)).catch(ignoreFailure);
    throw error;
  }
  const isRevoked = await revokeUnseen(tokenRequest, issued, request, parts);
  const lost = lostMessage({ label: tokenRequest.label, word: tokenRequest.grant.word }, isRevoked);
  // Without this, a window that is still open would show “Issuing…” forever.
  const now = parts.clock();
  const shownIn = { now, tokens: liveTokens(tokenRequest.tokens, now), zone: userZone(request) };
  if (!(await request.reply.modal.tryUpdate(lostModal(lost, shownIn)))) await request.reply.private(lost);
}

async function requestToken(
  { access, label, grant }: TokenRequest,
  { user, workspace }: Request,
  { workspaces, identity, audit, issueLimit, clock }: IssuingParts,
): Promise<IssuedToken> {
  const { teamId, id } = user;
  const at = clock();
  const opened = access.open();
  const next = await issueLimit.take(teamId, id, at);
  if (next !== undefined) throw new TooManyTokens(MAX_TOKENS, ISSUE_WINDOW / 60_000, next - at);
  try {
    const issued = await identity.issue(opened, { workspace: teamId, connection: grant.project });
    const credential = { kind: 'access', name: grant.project } as const;
    // The token was issued, so a failure to update this record is ignored.
    if (workspace.rejectedAt(credential) !== undefined)
      await workspaces.clearRejection(teamId, credential).catch(ignoreFailure);
    return issued;
  } catch (error) {
    if (!isFailure(error)) throw error;
    const about = tokenAuditText(label, grant.project, undefined);
    const noting = mayHaveIssued(error)
      ? audit.record(teamId, unclearIssueAudit(clock(), id, about))
      : issueLimit.giveBack(teamId, id, at);
    await noting.catch(ignoreFailure);
    throw error;
  }
}

/** @returns whether the service revoked it */
async function revokeUnseen(
  { grant, label, access }: TokenRequest,
  issued: IssuedToken,
  request: Request,
  { identity, audit, clock }: IssuingParts,
): Promise<boolean> {
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
}

/** Audits first, so that every token that is shown is in the audit. @returns whether it was shown */
async function showToken(
  tokenRequest: TokenRequest,
  issued: IssuedToken,
  request: Request,
  { grants, clock }: IssuingParts,
): Promise<boolean> {
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
  // Replaces the first one if it has no token that may still work.
  const replaces = before !== undefined && !earlier.includes(before) ? before.carried : undefined;
  const token = isOffered ? issued.token : undefined;
  const carried = await grants.keep(teamId, grant, life, token, { entry, replaces });
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
  if (!isShown) await grants.drop(teamId, carried);
  return isShown;
}

/** As many lines as Slack takes in one piece; the last ones are comments. The token is in them, so it fits if they do. */
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
