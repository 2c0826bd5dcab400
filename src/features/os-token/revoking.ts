import { isFailure } from '../../domain/failure.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import { withoutActions } from '../../slack/kit/atoms.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Errand, Taken } from '../../workspace/handles.ts';
import { readable } from '../../workspace/record.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { givingBack, type Outcome, revokedModal, sorryModal, usedModal } from './blocks.ts';
import { aboutToken, type IssuingParts } from './issuing.ts';
import { clockTime, zoneFor } from './lapse.ts';

type RevokingParts = Omit<IssuingParts, 'allowance'> & Pick<{ workspaces: Workspaces }, 'workspaces'>;

/** How long another token can be asked for after one was given back, in ms. */
const AFTERWARDS = 60 * 60_000;

/**
 * **Revoke now**: the two halves make the token once more, which goes back to the service that issued it and to no
 * other. Whoever was issued it may give it back, named still or not: that takes nothing from anybody.
 */
export function createRevoking({ identity, audit, handles, workspaces, clock }: RevokingParts) {
  const giveBack = async (authUrl: string, token: string): Promise<Outcome> => {
    const revoked = await identity.revoke(authUrl, token);
    if (revoked !== 'revoked') return revoked;
    try {
      const checked = await identity.check(authUrl, token);
      return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
    } catch (error) {
      if (!isFailure(error)) throw error;
      return 'unchecked';
    }
  };

  const learn = async (outcome: Outcome, errand: Errand, visit: Visit): Promise<void> => {
    const { workspace, person } = visit.asker;
    const { project, word, audit: mark } = errand;
    const access = readable(() => visit.record.access(project));
    if (outcome === 'not-offered' && access !== undefined && access.authUrl === errand.authUrl)
      return workspaces.noteRevocable(workspace, access, false);
    if (outcome === 'not-offered' || outcome === 'already-dead') return;
    const about = aboutToken(word, project, mark);
    await audit.record(workspace, { at: clock(), who: person, deed: 'token revoked', about });
  };

  return async ({ errand, token, until }: Taken, visit: Visit): Promise<void> => {
    const { workspace, zone } = visit.asker;
    const { authUrl, audit: _, expiresAt, ...again } = errand;
    if (token === undefined || authUrl === undefined) return visit.show(usedModal(errand.word));
    await visit.show(givingBack);
    const at = clock();
    try {
      const outcome = await giveBack(authUrl, token);
      await learn(outcome, errand, visit);
      const lapses =
        expiresAt === undefined
          ? undefined
          : clockTime(
              expiresAt,
              zoneFor(
                zone,
                readable(() => visit.record.settings.zone),
              ),
            );
      const handle = await handles.keep(workspace, again, { at, until: at + AFTERWARDS });
      await visit.show(revokedModal(outcome, lapses, handle));
    } catch (error) {
      if (!isFailure(error)) throw error;
      // The token may live: the way to give it back stays open.
      const carried = await handles.keep(workspace, errand, { at, until }, token);
      const said = withoutActions(failureMessage(error).blocks);
      await visit.show(sorryModal(said, [], true, carried));
    }
  };
}
