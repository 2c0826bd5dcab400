import { commandText } from '../../domain/command-names.ts';
import { Failure, type FailureOf, failureOf, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import { DAY } from '../../domain/time/calendar.ts';
import type { IssuedToken } from '../../identity/client.ts';
import { findEndpoint, renderShellCommands } from '../../identity/shell-commands.ts';
import { SLACK_LIMITS } from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { AccessSecrets, ApplicationAccessRecord } from '../../workspace/credentials/access-record.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import {
  isRevocationUnclear,
  mayHaveIssued,
  recordEntry,
  revocationAudit,
  type TokenSubject,
  tokenAuditId,
  tokenSubject,
  unclearIssueAudit,
} from './audit.ts';
import { tokenModal, tokenWindow } from './blocks.ts';
import { canRevoke, fitModalTokens, formatClockTime, liveTokens } from './modal-tokens.ts';
import { readerZone, type TokenContext, type TokenRequest, tenantOf } from './token-request.ts';

/** Issues a token and shows it in the open modal. A token that could not be shown or audited is revoked. */
export async function issueToken(tokenRequest: TokenRequest, context: TokenContext): Promise<void> {
  const { request, grants, clock } = context;
  const { label, access, grant, tokens } = tokenRequest;
  const issued = await issueWithinQuota(tokenRequest, context);
  let isAudited = false;
  const notShown = async (
    why: string | undefined,
    cause?: unknown,
  ): Promise<FailureOf<'token-not-shown'>> => {
    const token = await revokeUnseen(tokenRequest, issued, isAudited, context);
    return new Failure('token-not-shown', { label, why, ...token }, { cause });
  };
  if (linesFor(issued, access).length > SLACK_LIMITS.section)
    throw await notShown(`It has ${issued.token.length} characters, more than Slack can show.`);
  try {
    const grantText = await keepToken(tokenRequest, issued, context);
    isAudited = true;
    if (await showToken(tokenRequest, issued, grantText, context)) return;
    await grants.drop(request.user.teamId, grantText);
  } catch (error) {
    const failure = await notShown(isFailure(error) ? error.message : undefined, error);
    if (isFailure(error)) throw failure;
    await request.reply.private(failureMessage(failure, request)).catch(ignoreFailure);
    throw error;
  }
  const failure = await notShown(
    `The window was closed, or Slack refused it. To get another one, type ${commandText('/os-token')} ${grant.word}.`,
  );
  request.recordError(failure);
  const message = failureMessage(failure, request);
  // Without this, a window that is still open would show “Issuing…” forever.
  const left = liveTokens(tokens, clock());
  if (!(await request.reply.modal.tryUpdate(tokenWindow(message.blocks, left, context))))
    await request.reply.private(message);
}

async function issueWithinQuota(
  { access, grant }: TokenRequest,
  context: TokenContext,
): Promise<IssuedToken> {
  const { request, workspaces, quota, clock } = context;
  const { teamId, id } = request.user;
  const at = clock();
  const opened = access.open();
  const next = await quota.take(teamId, id, at);
  if (next !== undefined) throw new Failure('too-many-tokens', { limit: quota.limit, wait: next - at });
  const about = tokenSubject(grant, undefined);
  const issued = await requestToken(opened, grant.project, about, context).catch(async (error: unknown) => {
    if (isFailure(error) && !mayHaveIssued(error)) await quota.giveBack(teamId, id, at).catch(ignoreFailure);
    throw error;
  });
  const credential = { kind: 'access', name: grant.project } as const;
  // The token was issued, so a failure to update this record is ignored.
  if (request.workspace.rejectedAt(credential) !== undefined)
    await workspaces.clearRejection(teamId, credential).catch(ignoreFailure);
  return issued;
}

/** Audits a token that the service may have issued although Tally has none. @param about for that entry */
export function requestToken(
  access: AccessSecrets,
  project: string,
  about: TokenSubject,
  context: TokenContext,
): Promise<IssuedToken> {
  const { request, identity, audit, clock } = context;
  const { teamId, id } = request.user;
  return identity.issue(access, tenantOf(project, context)).catch(async (error: unknown) => {
    if (isFailure(error) && mayHaveIssued(error))
      await audit.record(teamId, unclearIssueAudit(clock(), id, about)).catch(ignoreFailure);
    throw error;
  });
}

/** @param isAudited whether the entry of the audit was certainly written */
async function revokeUnseen(
  { grant, access }: TokenRequest,
  issued: IssuedToken,
  isAudited: boolean,
  context: TokenContext,
): Promise<Pick<FailureOf<'token-not-shown'>['data'], 'state' | 'until' | 'audit'>> {
  const { request, identity, clock } = context;
  const tenant = tenantOf(grant.project, context);
  const outcome = await identity.revoke(access.authUrl, issued.token, tenant).catch(failureOf);
  const about = tokenSubject(grant, tokenAuditId(issued.auditId));
  const token = { at: clock(), who: request.user.id, about };
  const notShown: AuditEntry = {
    ...token,
    action: 'token issued',
    about: { ...about, outcome: 'not-shown' },
  };
  const states = [
    await recordEntry(isAudited ? undefined : notShown, context),
    await recordEntry(revocationAudit(token, outcome), context),
  ];
  const isRevoked = outcome === 'revoked' || outcome === 'already-dead';
  const isUnclear = isFailure(outcome) && isRevocationUnclear(outcome);
  const { expiresAt } = issued;
  return {
    state: isRevoked ? 'revoked' : isUnclear ? 'unclear' : 'not-revoked',
    until: expiresAt === undefined ? 'it expires' : formatClockTime(expiresAt, readerZone(request)),
    audit: states.includes('no') ? 'no' : states.includes('maybe') ? 'maybe' : 'yes',
  };
}

const mayBeRevoked = ({ access }: TokenRequest): boolean => access.revocable !== false;

/** Writes to the audit that it was issued, before anybody sees it. @returns its halves for the modal */
function keepToken(
  tokenRequest: TokenRequest,
  { token, expiresAt, auditId }: IssuedToken,
  { request, grants, clock }: TokenContext,
): Promise<string> {
  const { access, tokens } = tokenRequest;
  const { teamId, id } = request.user;
  const now = clock();
  const hash = tokenAuditId(auditId);
  const grant = {
    ...tokenRequest.grant,
    authUrl: access.authUrl,
    ...(hash !== undefined && { audit: hash }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  // If the service doesn't say when the token expires, a day.
  const life = { at: now, until: Math.max(expiresAt ?? now + DAY, now + 1) };
  const about = tokenSubject(grant, hash);
  const [before] = tokens;
  // Replaces the first entry if it has no token that may still work.
  const isOver = before !== undefined && !liveTokens(tokens, now).includes(before);
  return grants.keep(teamId, grant, life, mayBeRevoked(tokenRequest) ? token : undefined, {
    entry: { at: now, who: id, action: 'token issued', about },
    replaces: isOver ? before.grantText : undefined,
  });
}

/** @param grantText from `keepToken` @returns whether it was shown */
function showToken(
  tokenRequest: TokenRequest,
  issued: IssuedToken,
  grantText: string,
  context: TokenContext,
): Promise<boolean> {
  const { label, access, grant } = tokenRequest;
  const tokens = fitModalTokens(
    [
      { grantText, expires: issued.expiresAt ?? 'unknown' },
      ...liveTokens(tokenRequest.tokens, context.clock()),
    ],
    SLACK_LIMITS.privateMetadata,
  );
  const here = tokens.slice(0, 1).some(canRevoke) ? 'here' : 'too-long';
  const { service: endpoint } = findEndpoint(issued.endpoints, access.authUrl);
  const revocation = mayBeRevoked(tokenRequest) ? here : 'not-offered';
  const lines = linesFor(issued, access);
  return context.request.reply.modal.tryUpdate(
    tokenModal({ label, issued, word: grant.word, lines, endpoint, revocation }, tokens, context),
  );
}

/** As many lines as Slack takes in one piece; the last ones are comments. The token is in them, so it fits if they do. */
function linesFor(issued: IssuedToken, { authUrl }: ApplicationAccessRecord): string {
  const lines = [...renderShellCommands(issued, authUrl)];
  while (lines.join('\n').length > SLACK_LIMITS.section && lines.at(-1)?.startsWith('#')) lines.pop();
  return lines.join('\n');
}
