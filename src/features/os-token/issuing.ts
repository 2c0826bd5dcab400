import { commandText } from '../../domain/commands.ts';
import {
  type AuditState,
  isFailure,
  TokenNotShown,
  TooManyTokens,
  type UnshownToken,
} from '../../domain/failure/index.ts';
import type { IdentityClient, IssuedToken } from '../../identity/client.ts';
import { findEndpoint, renderShellCommands } from '../../identity/shell-commands.ts';
import { SLACK_LIMITS } from '../../slack/kit/limits.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ApplicationAccessRecord } from '../../workspace/credentials/accesses.ts';
import type { OneTimeGrants, TokenGrant } from '../../workspace/once/one-time-grants.ts';
import { ISSUE_WINDOW, MAX_TOKENS, type TokenQuota } from '../../workspace/once/token-quota.ts';
import type { Audit, AuditEntry } from '../../workspace/record/audit.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import {
  auditStateOf,
  isRevocationUnclear,
  mayHaveIssued,
  revocationAudit,
  tokenAuditId,
  tokenAuditText,
  unclearIssueAudit,
} from './audit.ts';
import { tokenErrorModal, tokenModal } from './blocks.ts';
import { displayZone, formatClockTime } from './expiry.ts';
import type { TokenRequest } from './token-requests.ts';
import { canRevoke, fitWindowTokens, liveTokens } from './window-tokens.ts';

export interface IssuingParts {
  readonly workspaces: Pick<Workspaces, 'clearRejection'>;
  readonly identity: IdentityClient;
  readonly audit: Audit;
  readonly grants: OneTimeGrants;
  readonly quota: TokenQuota;
  /** ms since the epoch */
  readonly clock: () => number;
  /** Logs an error that a user was shown, and where. */
  readonly explain: (error: unknown, where: string) => void;
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
  const { label, access, grant } = tokenRequest;
  let isAudited = false;
  const notShown = async (why: string | undefined, cause?: unknown): Promise<TokenNotShown> => {
    const token = await revokeUnseen(tokenRequest, issued, isAudited, request, parts);
    return new TokenNotShown(label, why, token, { cause });
  };
  if (linesFor(issued, access).length > SLACK_LIMITS.section)
    throw await notShown(`It has ${issued.token.length} characters, more than Slack can show.`);
  try {
    const carried = await keepToken(tokenRequest, issued, request, parts);
    isAudited = true;
    if (await showToken(tokenRequest, issued, carried, request, parts)) return;
    await parts.grants.drop(request.user.teamId, carried);
  } catch (error) {
    const failure = await notShown(isFailure(error) ? error.message : undefined, error);
    if (isFailure(error)) throw failure;
    await request.reply.private(failureMessage(failure)).catch(ignoreFailure);
    throw error;
  }
  const failure = await notShown(
    `The window was closed, or Slack refused it. To get another one, type ${commandText('/os-token')} ${grant.word}.`,
  );
  parts.explain(failure, 'os-token');
  const message = failureMessage(failure);
  // Without this, a window that is still open would show “Issuing…” forever.
  const now = parts.clock();
  const shownIn = { now, tokens: liveTokens(tokenRequest.tokens, now), zone: userZone(request) };
  if (!(await request.reply.modal.tryUpdate(tokenErrorModal(message.blocks, [], shownIn))))
    await request.reply.private(message);
}

async function requestToken(
  { access, label, grant }: TokenRequest,
  { user, workspace }: Request,
  { workspaces, identity, audit, quota, clock }: IssuingParts,
): Promise<IssuedToken> {
  const { teamId, id } = user;
  const at = clock();
  const opened = access.open();
  const next = await quota.take(teamId, id, at);
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
      : quota.giveBack(teamId, id, at);
    await noting.catch(ignoreFailure);
    throw error;
  }
}

/** @param isAudited whether the audit certainly has that it was issued */
async function revokeUnseen(
  { grant, label, access }: TokenRequest,
  issued: IssuedToken,
  isAudited: boolean,
  request: Request,
  { identity, audit, clock, explain }: IssuingParts,
): Promise<UnshownToken> {
  const { teamId, id } = request.user;
  const tenant = { workspace: teamId, connection: grant.project };
  const outcome = await identity.revoke(access.authUrl, issued.token, tenant).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return error;
  });
  const about = tokenAuditText(label, grant.project, tokenAuditId(issued.auditId));
  const token = { at: clock(), who: id, about };
  const entries = [
    ...(isAudited
      ? []
      : [{ ...token, action: 'token issued', about: `${about} · not shown` } satisfies AuditEntry]),
    revocationAudit(token, outcome),
  ];
  const states: AuditState[] = [];
  for (const entry of entries)
    if (entry !== undefined) states.push(await auditStateOf(audit.record(teamId, entry), explain));
  const isRevoked = outcome === 'revoked' || outcome === 'already-dead';
  const isUnclear = isFailure(outcome) && isRevocationUnclear(outcome);
  return {
    state: isRevoked ? 'revoked' : isUnclear ? 'unclear' : 'not-revoked',
    until:
      issued.expiresAt === undefined ? 'it expires' : formatClockTime(issued.expiresAt, userZone(request)),
    audit: states.includes('no') ? 'no' : states.includes('maybe') ? 'maybe' : 'yes',
  };
}

const mayBeRevoked = ({ access }: TokenRequest): boolean => access.revocable !== false;

/** Writes to the audit that it was issued, before anybody sees it. @returns its halves for the modal */
function keepToken(
  tokenRequest: TokenRequest,
  { token, expiresAt, auditId }: IssuedToken,
  { user }: Request,
  { grants, clock }: IssuingParts,
): Promise<string> {
  const { label, access } = tokenRequest;
  const now = clock();
  const hash = tokenAuditId(auditId);
  const grant: TokenGrant = {
    ...tokenRequest.grant,
    authUrl: access.authUrl,
    ...(hash !== undefined && { audit: hash }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const life = { at: now, until: Math.max(expiresAt ?? now + UNKNOWN_EXPIRY, now + 1) };
  const about = tokenAuditText(label, grant.project, hash);
  const entry = { at: now, who: user.id, action: 'token issued', about } as const;
  const [before] = tokenRequest.tokens;
  // Replaces the first one if it has no token that may still work.
  const isOver = before !== undefined && !liveTokens(tokenRequest.tokens, now).includes(before);
  const replaces = isOver ? before.carried : undefined;
  return grants.keep(user.teamId, grant, life, mayBeRevoked(tokenRequest) ? token : undefined, {
    entry,
    replaces,
  });
}

/** @param carried from `keepToken` @returns whether it was shown */
function showToken(
  tokenRequest: TokenRequest,
  issued: IssuedToken,
  carried: string,
  request: Request,
  { clock }: IssuingParts,
): Promise<boolean> {
  const { label, access, grant } = tokenRequest;
  const now = clock();
  const tokens = fitWindowTokens(
    [{ carried, expires: issued.expiresAt ?? 'unknown' }, ...liveTokens(tokenRequest.tokens, now)],
    SLACK_LIMITS.privateMetadata,
  );
  const here = tokens.slice(0, 1).some(canRevoke) ? 'here' : 'too-long';
  return request.reply.modal.tryUpdate(
    tokenModal({
      ...{ label, issued, now, tokens },
      word: grant.word,
      lines: linesFor(issued, access),
      endpoint: findEndpoint(issued.endpoints, access.authUrl).service,
      zone: userZone(request),
      revocation: mayBeRevoked(tokenRequest) ? here : 'not-offered',
    }),
  );
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
