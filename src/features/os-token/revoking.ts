import { type AuditState, type Failure, isFailure } from '../../domain/failure/index.ts';
import type { Tenant } from '../../identity/client.ts';
import { section, withoutActions } from '../../slack/kit/atoms.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import type { TokenGrant } from '../../workspace/once/one-time-grants.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { auditStateOf, isRevocationUnclear, revocationAudit, tokenAuditText } from './audit.ts';
import {
  auditBlocks,
  busyModal,
  formatUntil,
  notRevokedText,
  type RevokeOutcome,
  revokedMessage,
  revokedModal,
  revokingModal,
  type TokenWindow,
  tokenErrorModal,
  usedModal,
} from './blocks.ts';
import { type IssuingParts, ignoreFailure, userZone } from './issuing.ts';
import type { Tokens } from './token-requests.ts';
import type { WindowToken } from './window-tokens.ts';

export interface RevokingParts extends Omit<IssuingParts, 'quota'> {
  readonly workspaces: Workspaces;
}

/** How long another token can be asked for from the modal after one was revoked, in ms. */
const GRANT_TTL = 60 * 60_000;

/** Whether nothing is left to revoke. */
const isFinal = (outcome: RevokeOutcome): boolean => outcome !== 'alive' && outcome !== 'refused';

/**
 * **Revoke now**: joins the two halves of a token, and sends it to the service that issued it and to no other. Everyone
 * may revoke their own token, also when they are no issuer any more. The halves stay until the service has confirmed it.
 *
 * @param tokens all that the modal lists
 * @param token one of them
 */
export async function revokeToken(
  tokens: Tokens,
  token: WindowToken,
  request: Request,
  parts: RevokingParts,
): Promise<void> {
  const { user, reply } = request;
  const { grants, clock } = parts;
  const { carried } = token;
  const claim = { workspace: user.teamId, person: user.id, carried, purpose: 'revoke', at: clock() } as const;
  const claimed = await grants.claim(claim).catch(failureOf);
  if (isFailure(claimed))
    return showFailure({ failure: claimed, audit: 'yes', token, tokens }, request, parts);
  if (claimed === 'busy')
    return reply.modal.updateIfUnchanged(busyModal([], windowOf(tokens, request, parts)));
  const { grant, token: opened } = claimed ?? {};
  if (grant?.authUrl === undefined || opened === undefined) {
    if (grant !== undefined) await grants.release(claim).catch(ignoreFailure);
    const others = tokens.filter((one) => one !== token);
    return reply.modal.update(usedModal(windowOf(others, request, parts)));
  }

  await reply.modal.update(revokingModal);
  const tenant = { workspace: user.teamId, connection: grant.project };
  const outcome = await revokeAndCheck(grant.authUrl, opened, tenant, parts).catch(failureOf);
  const about = tokenAuditText(grant.word, grant.project, grant.audit);
  const entry = revocationAudit({ at: clock(), who: user.id, about }, outcome);
  if (!isFailure(outcome) && isFinal(outcome))
    return showRevoked({ outcome, grant, token, tokens, entry }, request, parts);
  const [audit] = await Promise.all([
    recordEntry(entry, request, parts),
    grants.release(claim).catch(ignoreFailure),
  ]);
  if (isFailure(outcome)) return showFailure({ failure: outcome, audit, token, tokens }, request, parts);
  const until = formatUntil(token.expires, userZone(request));
  const message = revokedMessage({ outcome, until, audit });
  await reply.modal.update(
    revokedModal(message.blocks, windowOf(tokens, request, parts), undefined),
    message,
  );
}

/** @throws any other error */
function failureOf(error: unknown): Failure {
  if (!isFailure(error)) throw error;
  return error;
}

/** Revokes the token, then checks whether the service still accepts it. @throws Failure of the revocation */
async function revokeAndCheck(
  authUrl: string,
  token: string,
  tenant: Tenant,
  { identity }: RevokingParts,
): Promise<RevokeOutcome> {
  const revoked = await identity.revoke(authUrl, token, tenant);
  if (revoked !== 'revoked') return revoked;
  const checked = await identity.check(authUrl, token, tenant).catch(ignoreFailure);
  return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
}

interface RevokedToken {
  readonly outcome: RevokeOutcome;
  readonly grant: TokenGrant;
  readonly token: WindowToken;
  readonly tokens: Tokens;
  readonly entry: AuditEntry | undefined;
}

/** Reports the outcome, whatever else fails. The modal offers another token if its grant could be stored. */
async function showRevoked(
  { outcome, grant, token, tokens, entry }: RevokedToken,
  request: Request,
  parts: RevokingParts,
): Promise<void> {
  const [{ carried, audit }] = await Promise.all([
    keepGrant(grant, token, entry, request, parts),
    noteIfNotOffered(outcome, grant, request, parts),
  ]);
  const until = formatUntil(token.expires, userZone(request));
  const message = revokedMessage({ outcome, until, audit });
  const others = tokens.filter((one) => one !== token);
  const left = carried === undefined ? others : [{ carried, expires: undefined }, ...others];
  const word = carried === undefined ? undefined : grant.word;
  await request.reply.modal.update(
    revokedModal(message.blocks, windowOf(left, request, parts), word),
    message,
  );
}

interface FailedRevocation {
  readonly failure: Failure;
  readonly audit: AuditState;
  readonly token: WindowToken;
  readonly tokens: Tokens;
}

/** The modal offers to try again; a message cannot. */
async function showFailure(
  { failure, audit, token, tokens }: FailedRevocation,
  request: Request,
  parts: RevokingParts,
): Promise<void> {
  parts.explain(failure, 'os-token-revoke');
  const { text, blocks } = failureMessage(failure);
  const state = notRevokedText(isRevocationUnclear(failure), formatUntil(token.expires, userZone(request)));
  const explanation = [...withoutActions(blocks), section(state), ...auditBlocks(audit)];
  const closed = 'The window that could revoke it is closed.';
  await request.reply.modal.update(tokenErrorModal(explanation, [], windowOf(tokens, request, parts)), {
    text: `${text} ${state} ${closed}`,
    blocks: [...explanation, section(closed)],
  });
}

const windowOf = (tokens: Tokens, request: Request, { clock }: RevokingParts): TokenWindow => ({
  ...{ tokens, now: clock() },
  zone: userZone(request),
});

/**
 * Replaces the token by a grant for another one, with the entry in the audit.
 * @returns the modal's metadata; undefined if it could not be stored
 */
async function keepGrant(
  grant: TokenGrant,
  { carried: replaces }: WindowToken,
  entry: AuditEntry | undefined,
  request: Request,
  parts: RevokingParts,
): Promise<{ readonly carried: string | undefined; readonly audit: AuditState }> {
  const { authUrl: _, audit: __, expiresAt: ___, ...again } = grant;
  const at = parts.clock();
  const life = { at, until: at + GRANT_TTL };
  const keeping = parts.grants.keep(request.user.teamId, again, life, undefined, { entry, replaces });
  const audit = await auditStateOf(keeping, parts.explain);
  const carried = await keeping.catch(() => undefined);
  // The entry may still go in alone.
  return { carried, audit: audit === 'no' ? await recordEntry(entry, request, parts) : audit };
}

/** The next token then has no button that revokes it. */
async function noteIfNotOffered(
  outcome: RevokeOutcome,
  grant: TokenGrant,
  { user, workspace }: Request,
  { workspaces }: RevokingParts,
): Promise<void> {
  const access = workspace.accesses.get(grant.project);
  if (outcome === 'not-offered' && access !== undefined && access.authUrl === grant.authUrl)
    await workspaces.noteRevocable(user.teamId, access, false).catch(ignoreFailure);
}

async function recordEntry(
  entry: AuditEntry | undefined,
  { user }: Request,
  { audit, explain }: RevokingParts,
): Promise<AuditState> {
  return entry === undefined ? 'yes' : auditStateOf(audit.record(user.teamId, entry), explain);
}
