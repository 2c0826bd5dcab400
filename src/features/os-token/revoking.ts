import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { Tenant } from '../../identity/client.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { withoutActions } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request.ts';
import type { AuditEntry } from '../../workspace/audit.ts';
import type { GrantClaim, TokenGrant } from '../../workspace/one-time-grants.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { revocationAudit, tokenAuditText } from './audit.ts';
import {
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
import type { WindowToken } from './window-tokens.ts';

type RevokingParts = Omit<IssuingParts, 'allowance'> & Pick<{ workspaces: Workspaces }, 'workspaces'>;

/** How long what another token is asked for is kept after one was given back, in ms. */
const AFTERWARDS = 60 * 60_000;

/** What leaves nothing to be revoked later. */
const isFinal = (outcome: RevokeOutcome): boolean => outcome !== 'alive' && outcome !== 'refused';

/**
 * **Revoke now**: the two halves make the token once more, which goes back to the service that issued it and to no
 * other. Whoever was issued it may give it back, named still or not: that takes nothing from anybody. The halves stay
 * until the service has confirmed it.
 */
export function createRevoking({ identity, handles, workspaces, audit, clock, explain }: RevokingParts) {
  const revokeAndCheck = async (authUrl: string, token: string, tenant: Tenant): Promise<RevokeOutcome> => {
    const revoked = await identity.revoke(authUrl, token, tenant);
    if (revoked !== 'revoked') return revoked;
    try {
      const checked = await identity.check(authUrl, token, tenant);
      return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
    } catch (error) {
      if (!isFailure(error)) throw error;
      return 'unchecked';
    }
  };

  const learn = async (
    outcome: RevokeOutcome,
    grant: TokenGrant,
    { user, workspace }: Request,
  ): Promise<void> => {
    const access = workspace.accesses.get(grant.project);
    if (outcome === 'not-offered' && access !== undefined && access.authUrl === grant.authUrl)
      await workspaces.noteRevocable(user.teamId, access, false).catch(ignoreFailure);
  };

  const windowOf = (tokens: readonly WindowToken[], request: Request): TokenWindow => ({
    ...{ tokens, now: clock() },
    zone: userZone(request),
  });

  /** The window offers to revoke it once more; a message cannot. */
  const fail = async (
    failure: Failure,
    token: WindowToken,
    tokens: Tokens,
    request: Request,
  ): Promise<void> => {
    explain(failure, 'os-token-revoke');
    const { text, blocks } = failureMessage(failure);
    const explanation = withoutActions(blocks);
    const until = formatUntil(token.expires, userZone(request));
    const message = notRevokedText({ text, blocks: explanation }, until);
    await request.reply.modal.update(tokenErrorModal(explanation, [], windowOf(tokens, request)), message);
  };

  const claimOf = ({ carried }: WindowToken, { user: { teamId, id } }: Request): GrantClaim => ({
    ...{ workspace: teamId, person: id, carried },
    purpose: 'revoke',
    at: clock(),
  });

  /** Keeps what another token is asked for in its place. @returns what the window carries; undefined where nothing could be kept */
  const settle = async (
    grant: TokenGrant,
    token: WindowToken,
    entry: AuditEntry | undefined,
    { user }: Request,
  ): Promise<string | undefined> => {
    const { authUrl: _, audit: __, expiresAt: ___, ...again } = grant;
    const at = clock();
    const life = { at, until: at + AFTERWARDS };
    return handles
      .keep(user.teamId, again, life, undefined, { entry, replaces: token.carried })
      .catch(ignoreFailure);
  };

  const record = async (entry: AuditEntry | undefined, { user }: Request): Promise<boolean> => {
    if (entry === undefined) return true;
    const recording = audit.record(user.teamId, entry).then(() => true);
    return (await recording.catch(ignoreFailure)) === true;
  };

  /** @param tokens all that the window leads to; @param token one of them */
  return async (tokens: Tokens, token: WindowToken, request: Request): Promise<void> => {
    const claim = claimOf(token, request);
    let claimed: Awaited<ReturnType<typeof handles.claim>>;
    try {
      claimed = await handles.claim(claim);
    } catch (error) {
      if (!isFailure(error)) throw error;
      return fail(error, token, tokens, request);
    }
    if (claimed === 'busy')
      return request.reply.modal.updateIfUnchanged(busyModal([], windowOf(tokens, request)));
    const others = tokens.filter((one) => one !== token);
    const { grant, token: opened } = claimed ?? {};
    if (grant?.authUrl === undefined || opened === undefined) {
      if (grant !== undefined) await handles.release(claim).catch(ignoreFailure);
      return request.reply.modal.update(usedModal(windowOf(others, request)));
    }

    await request.reply.modal.update(revokingModal);
    const about = tokenAuditText(grant.word, grant.project, grant.audit);
    const entryOf = (outcome: RevokeOutcome | Failure) =>
      revocationAudit({ at: clock(), who: request.user.id, about }, outcome);
    const tenant = { workspace: request.user.teamId, connection: grant.project };
    let outcome: RevokeOutcome;
    try {
      outcome = await revokeAndCheck(grant.authUrl, opened, tenant);
    } catch (error) {
      if (!isFailure(error)) throw error;
      await Promise.all([record(entryOf(error), request), handles.release(claim).catch(ignoreFailure)]);
      return fail(error, token, tokens, request);
    }
    // What became of it is explanation, whatever else fails.
    const entry = entryOf(outcome);
    const until = formatUntil(token.expires, userZone(request));
    if (!isFinal(outcome)) {
      const [isAudited] = await Promise.all([
        record(entry, request),
        handles.release(claim).catch(ignoreFailure),
      ]);
      const message = revokedMessage({ outcome, until, isAudited });
      return request.reply.modal.update(
        revokedModal(message.blocks, windowOf(tokens, request), undefined),
        message,
      );
    }
    const [carried] = await Promise.all([
      settle(grant, token, entry, request),
      learn(outcome, grant, request),
    ]);
    const message = revokedMessage({
      outcome,
      until,
      isAudited: entry === undefined || carried !== undefined,
    });
    const left = carried === undefined ? others : [{ carried, expires: undefined }, ...others];
    const word = carried === undefined ? undefined : grant.word;
    await request.reply.modal.update(revokedModal(message.blocks, windowOf(left, request), word), message);
  };
}

type Tokens = readonly WindowToken[];
