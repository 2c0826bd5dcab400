import { type Failure, isFailure } from '../../domain/failure.ts';
import type { Tenant } from '../../identity/client.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import { withoutActions } from '../../slack/kit/atoms.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Errand, Taken } from '../../workspace/handles.ts';
import { readable } from '../../workspace/record.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { aboutToken, revocation } from './audited.ts';
import { givingBack, type Outcome, revokedModal, sorryModal, stuckModal, usedModal } from './blocks.ts';
import { type IssuingParts, unlessFailure, zoneOf } from './issuing.ts';
import { clockTime } from './lapse.ts';

type RevokingParts = Omit<IssuingParts, 'allowance' | 'audit'> &
  Pick<{ workspaces: Workspaces }, 'workspaces'>;

/** How long another token can be asked for after one was given back, in ms. */
const AFTERWARDS = 60 * 60_000;

/**
 * **Revoke now**: the two halves make the token once more, which goes back to the service that issued it and to no
 * other. Whoever was issued it may give it back, named still or not: that takes nothing from anybody.
 */
export function createRevoking({ identity, handles, workspaces, clock, explain }: RevokingParts) {
  const giveBack = async (authUrl: string, token: string, tenant: Tenant): Promise<Outcome> => {
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

  const learn = async (outcome: Outcome, errand: Errand, { asker, record }: Visit): Promise<void> => {
    const access = readable(() => record.access(errand.project));
    if (outcome === 'not-offered' && access !== undefined && access.authUrl === errand.authUrl)
      await workspaces.noteRevocable(asker.workspace, access, false).catch(unlessFailure);
  };

  return async ({ errand, token, until }: Taken, visit: Visit): Promise<void> => {
    const { workspace } = visit.asker;
    const { authUrl, audit: _, expiresAt, ...again } = errand;
    if (token === undefined || authUrl === undefined) return visit.show(usedModal(errand.word));
    await visit.show(givingBack);
    const at = clock();
    const about = aboutToken(errand.word, errand.project, errand.audit);
    const entryOf = (outcome: Outcome | Failure) =>
      revocation({ at: clock(), who: visit.asker.person, about }, outcome);
    const lapses = expiresAt === undefined ? undefined : clockTime(expiresAt, zoneOf(visit));
    let outcome: Outcome;
    try {
      outcome = await giveBack(authUrl, token, { workspace, connection: errand.project });
    } catch (error) {
      if (!isFailure(error)) throw error;
      explain(error, 'os-token-revoke');
      // The token may live: the way to give it back stays open, where there is something to keep it in.
      const carried = await handles
        .keep(workspace, errand, { at, until }, token, entryOf(error))
        .catch(unlessFailure);
      const said = withoutActions(failureMessage(error).blocks);
      return visit.show(
        carried === undefined ? stuckModal(said, lapses) : sorryModal(said, [], true, carried),
      );
    }
    // What became of it is said, whatever else fails.
    const entry = entryOf(outcome);
    const life = { at, until: at + AFTERWARDS };
    const [handle] = await Promise.all([
      handles.keep(workspace, again, life, undefined, entry).catch(unlessFailure),
      learn(outcome, errand, visit),
    ]);
    const isAudited = entry === undefined || handle !== undefined;
    await visit.show(revokedModal({ outcome, until: lapses, isAudited }, handle));
  };
}
