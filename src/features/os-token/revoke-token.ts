import { type Failure, failureOf, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import { section, withoutActions } from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import type { TokenGrant } from '../../workspace/short-lived/token-grants.ts';
import {
  type AuditState,
  auditStateOf,
  isRevocationUnclear,
  recordEntry,
  revocationAudit,
  tokenSubject,
} from './audit.ts';
import {
  ALREADY_USED,
  anotherButton,
  auditBlocks,
  BUSY,
  notRevokedText,
  revokedMessage,
  revokingModal,
  showInWindow,
  tokenWindow,
} from './blocks.ts';
import { formatUntil, type ModalToken, type Tokens } from './modal-tokens.ts';
import {
  claimOf,
  grantLifetime,
  type RevokeOutcome,
  readerZone,
  type TokenContext,
  tenantOf,
} from './token-request.ts';

/**
 * **Revoke now**: joins the two halves of a token, and sends it to the service that issued it and to no other. Everyone
 * may revoke their own token, also when they are no issuer any more. The halves stay until the service has confirmed it.
 * @param tokens all that the modal lists
 * @param token one of them
 */
export async function revokeToken(tokens: Tokens, token: ModalToken, context: TokenContext): Promise<void> {
  const { request, grants, clock } = context;
  const { user, reply } = request;
  const others = tokens.filter((other) => other !== token);
  const until = formatUntil(token.expires, readerZone(request));
  const claim = claimOf(token.grantText, 'revoke', context);
  const claimed = await grants.claim(claim).catch(failureOf);
  if (isFailure(claimed)) return showFailure(claimed, 'yes', until, tokens, context);
  if (claimed === 'busy') return reply.modal.updateIfUnchanged(tokenWindow([BUSY], tokens, context));
  const { grant, token: opened } = claimed ?? {};
  if (grant?.authUrl === undefined || opened === undefined) {
    if (grant !== undefined) await grants.release(claim).catch(ignoreFailure);
    return reply.modal.update(tokenWindow([ALREADY_USED], others, context));
  }

  await reply.modal.update(revokingModal);
  const outcome = await revokeAndCheck(grant.authUrl, opened, grant.project, context).catch(failureOf);
  const about = tokenSubject(grant, grant.audit);
  const entry = revocationAudit({ at: clock(), who: user.id, about }, outcome);
  if (isFailure(outcome) || outcome === 'alive' || outcome === 'refused') {
    // Something is left to revoke.
    const [audit] = await Promise.all([
      recordEntry(entry, context),
      grants.release(claim).catch(ignoreFailure),
    ]);
    return isFailure(outcome)
      ? showFailure(outcome, audit, until, tokens, context)
      : showInWindow(revokedMessage(outcome, until, audit), tokens, context);
  }
  const [{ grantText, audit }] = await Promise.all([
    replaceByGrant(token, grant, entry, context),
    recordIfNotOffered(outcome, grant, context),
  ]);
  const message = revokedMessage(outcome, until, audit);
  if (grantText === undefined) return showInWindow(message, others, context);
  const left = [{ grantText, expires: undefined }, ...others];
  await showInWindow(message, left, context, anotherButton('Issue another', grant.word));
}

/** Revokes the token, then checks whether the service still accepts it. @throws Failure of the revocation */
async function revokeAndCheck(
  authUrl: string,
  token: string,
  project: string,
  context: TokenContext,
): Promise<RevokeOutcome> {
  const { identity } = context;
  const tenant = tenantOf(project, context);
  const revoked = await identity.revoke(authUrl, token, tenant);
  if (revoked !== 'revoked') return revoked;
  const checked = await identity.check(authUrl, token, tenant).catch(ignoreFailure);
  return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
}

/** The modal offers to try again; a message cannot. @param until when the token expires */
async function showFailure(
  failure: Failure,
  audit: AuditState,
  until: string,
  tokens: Tokens,
  context: TokenContext,
): Promise<void> {
  context.request.recordError(failure);
  const { text, blocks } = failureMessage(failure, context.request);
  const state = notRevokedText(isRevocationUnclear(failure), until);
  const explanation = [...withoutActions(blocks), section(state), ...auditBlocks(audit)];
  const closed = 'The window that could revoke it is closed.';
  await context.request.reply.modal.update(tokenWindow(explanation, tokens, context), {
    text: `${text} ${state} ${closed}`,
    blocks: [...explanation, section(closed)],
  });
}

/**
 * Replaces the token by a grant for another one, with the entry in the audit.
 * @returns the modal's metadata; undefined if it could not be stored
 */
async function replaceByGrant(
  { grantText: replaces }: ModalToken,
  grant: TokenGrant,
  entry: AuditEntry | undefined,
  context: TokenContext,
): Promise<{ readonly grantText: string | undefined; readonly audit: AuditState }> {
  const { grants, request } = context;
  const { authUrl: _, audit: __, expiresAt: ___, ...again } = grant;
  const options = { entry, replaces };
  const keeping = grants.keep(request.user.teamId, again, grantLifetime(context), undefined, options);
  const audit = await auditStateOf(keeping, context);
  const grantText = await keeping.catch(() => undefined);
  // The entry may still go in alone.
  return { grantText, audit: audit === 'no' ? await recordEntry(entry, context) : audit };
}

/** The next token then has no button that revokes it. */
async function recordIfNotOffered(
  outcome: RevokeOutcome,
  grant: TokenGrant,
  { request: { user, workspace }, workspaces }: TokenContext,
): Promise<void> {
  const access = workspace.accesses.get(grant.project);
  if (outcome === 'not-offered' && access !== undefined && access.authUrl === grant.authUrl)
    await workspaces.saveRevocable(user.teamId, access, false).catch(ignoreFailure);
}
