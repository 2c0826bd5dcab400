import type { Logger } from 'pino';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { MemberAccess, MemberAccessStore } from '../../workspace/credentials/installation-store.ts';
import type { Deletion } from '../../workspace/record/workspace-store.ts';
import { isOrganizationId, type SlackPayload } from '../request/payload.ts';
import type { WebClient } from '../web-client.ts';
import type { InstallationTokens } from './installation-tokens.ts';

/** What the store and Slack say of an installation now: another process may have changed what this one has cached. */
export interface TokenStatus {
  /** When it was installed, in ms; undefined when it isn't. */
  since(id: string): Promise<Millis | undefined>;
  /** Whether Slack still accepts its token. */
  works(id: string): Promise<boolean>;
}

export function tokenStatusOf(
  { load }: Pick<InstallationTokens, 'load'>,
  clientFor: (token: string) => WebClient,
): TokenStatus {
  /** An installation that can't be unsealed counts as none, so that it can be deleted. */
  const stored = (id: string) =>
    load(id).catch((error: unknown) => {
      if (!isFailure(error, 'unseal-failed')) throw error;
    });
  return {
    since: async (id) => (await stored(id))?.at,
    async works(id) {
      const token = (await stored(id))?.installation.bot?.token;
      const answer = token === undefined ? undefined : clientFor(token).auth.test();
      return (await answer?.catch(() => undefined)) !== undefined;
    },
  };
}

/**
 * Deletes everything of a workspace or organization that uninstalls Tally. Slack's events come in any order and more than
 * once, so each deletes everything, and doing it twice is harmless.
 * @returns a handler that returns false for any other event, and throws store-unavailable: then Slack must send it again
 */
export function createUninstallHandler({
  forget,
  access,
  tokenStatus,
  onGone,
  clock,
  log,
}: {
  readonly forget: Deletion;
  readonly access: MemberAccessStore;
  readonly clock: () => Millis;
  readonly tokenStatus: TokenStatus;
  /** Called with every ID that was deleted. */
  readonly onGone: (id: string) => void;
  readonly log: Logger;
}) {
  const gone = (id: string, event: string): void => {
    onGone(id);
    log.info({ workspace: id, event }, 'Deleted everything of a workspace');
  };

  /** A repeated event must not delete an installation that is newer than it. */
  const isOutdated = async (id: string, { event_time }: SlackPayload): Promise<boolean> => {
    const since = await tokenStatus.since(id);
    if (since === undefined || event_time === undefined) return false;
    return event_time < Math.floor(since / 1000) && (await tokenStatus.works(id));
  };

  const isOrganization = async (body: SlackPayload): Promise<boolean> => {
    const { team_id: team, enterprise_id: organization } = body;
    if (!organization) return false;
    if (body.is_enterprise_install ?? body.authorizations?.[0]?.is_enterprise_install) return true;
    if (!team || team === organization) return true;
    // Once its tokens are revoked, Slack may not say which of the two was installed.
    if (
      (await tokenStatus.since(team)) !== undefined ||
      (await tokenStatus.since(organization)) === undefined
    )
      return false;
    return !(await tokenStatus.works(organization));
  };

  const uninstall = async (body: SlackPayload, event: string): Promise<void> => {
    const { team_id: team, enterprise_id: organization } = body;
    const whole = await isOrganization(body);
    const id = whole ? organization : team;
    if (!id || (await isOutdated(id, body))) return;
    if (whole) await forget.organization(id);
    else await forget.workspace(id, organization ?? undefined);
    gone(id, event);
  };

  /** @returns the workspaces that the event is about; none that a later event was about */
  const membersIn = async (body: SlackPayload, state: MemberAccess): Promise<readonly string[]> => {
    const { event_time: at = Math.floor(clock() / 1000), enterprise_id: organization, event } = body;
    const teams = (event?.team_ids ?? []).filter((id) => !isOrganizationId(id));
    if (!organization) return teams;
    onGone(organization);
    const current = await Promise.all(teams.map((team) => access.save(organization, team, state, at)));
    return teams.filter((_, index) => current[index]);
  };

  return async (payload: SlackPayload): Promise<boolean> => {
    const { event } = payload;
    const body = withOrganization(payload);
    switch (event?.type) {
      case 'app_uninstalled':
        await uninstall(body, event.type);
        return true;
      case 'tokens_revoked':
        // Tally works without users' tokens, but not without the bot's.
        if ((event.tokens?.bot ?? []).length > 0) await uninstall(body, event.type);
        return true;
      case 'team_access_revoked':
        // Noted first, so that no request that is under way brings the workspace back after it was deleted.
        for (const team of await membersIn(body, 'revoked'))
          if (await forget.member(team, body.enterprise_id ?? undefined)) gone(team, event.type);
        return true;
      case 'team_access_granted':
        await membersIn(body, 'granted');
        return true;
      default:
        return false;
    }
  };
}

/** Slack may give the organization's ID as the workspace's, or name the organization in the authorization alone. */
function withOrganization(body: SlackPayload): SlackPayload {
  const { team_id: team, enterprise_id, authorizations } = body;
  const inTeam = team && isOrganizationId(team) ? team : undefined;
  return { ...body, enterprise_id: enterprise_id || inTeam || authorizations?.[0]?.enterprise_id || null };
}
