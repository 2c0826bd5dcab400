import type { Logger } from 'pino';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import {
  createMemberAccessStore,
  type MemberAccess,
} from '../../workspace/credentials/installation-store.ts';
import type { Deletion } from '../../workspace/record/record-store.ts';
import { isOrganizationId, type SlackPayload } from '../request/payload.ts';
import type { WebClient } from '../web-client.ts';
import type { InstallationTokens } from './installation-tokens.ts';

interface UninstallParts {
  readonly redis: RedisConnection;
  readonly forget: Deletion;
  readonly clock: () => Millis;
  readonly log: Logger;
  /** The stored installations; absent in single-workspace mode, which has none. */
  readonly tokens?: Pick<InstallationTokens, 'loadReadable' | 'drop'>;
  readonly clientOf?: (token: string) => WebClient;
}

/**
 * Deletes all data of a workspace or organization that uninstalls Tally. Slack sends the events of an uninstall in any
 * order and more than once, so each of them deletes everything; repeating it is harmless. @returns false for other
 * events @throws store-unavailable, so that Slack resends the event
 */
export function createUninstallHandler(parts: UninstallParts) {
  const { redis, forget, clock, log, tokens } = parts;
  const access = createMemberAccessStore(redis);
  const gone = (id: string, event: string): void => {
    tokens?.drop(id);
    log.info({ workspace: id, event }, 'Deleted everything of a workspace');
  };

  const uninstall = async (body: SlackPayload, event: string): Promise<void> => {
    const { team_id: team, enterprise_id: organization } = body;
    const whole = await isOrganization(parts, body);
    const id = whole ? organization : team;
    if (!id || (await isOutdated(parts, id, body))) return;
    if (whole) await forget.organization(id);
    else await forget.workspace(id, organization ?? undefined);
    gone(id, event);
  };

  /** The workspaces in the event that lost or got access, except those for which a later event is already stored. */
  const membersIn = async (body: SlackPayload, state: MemberAccess): Promise<readonly string[]> => {
    const { event_time: at = Math.floor(clock() / 1000), enterprise_id: organization, event } = body;
    const teams = (event?.team_ids ?? []).filter((id) => !isOrganizationId(id));
    if (!organization) return teams;
    tokens?.drop(organization);
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
        // Only a revoked bot token counts, because Tally uses no user tokens.
        if ((event.tokens?.bot ?? []).length > 0) await uninstall(body, event.type);
        return true;
      case 'team_access_revoked':
        // Store that access is revoked before deleting, so that a running request can't link the workspace again.
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

/** When Tally was installed; undefined if it isn't installed. */
const installedAt = async ({ tokens }: UninstallParts, id: string): Promise<Millis | undefined> =>
  (await tokens?.loadReadable(id))?.at;

/** Whether Slack still accepts the installation's token. */
async function isWorking({ tokens, clientOf }: UninstallParts, id: string): Promise<boolean> {
  const token = (await tokens?.loadReadable(id))?.installation.bot?.token;
  const answer = token === undefined ? undefined : clientOf?.(token).auth.test();
  return (await answer?.catch(() => undefined)) !== undefined;
}

/** Whether Slack resent an event from before the current installation, whose data must stay. */
async function isOutdated(parts: UninstallParts, id: string, { event_time }: SlackPayload): Promise<boolean> {
  const since = await installedAt(parts, id);
  if (since === undefined || event_time === undefined) return false;
  return event_time < Math.floor(since / 1000) && (await isWorking(parts, id));
}

async function isOrganization(parts: UninstallParts, body: SlackPayload): Promise<boolean> {
  const { team_id: team, enterprise_id: organization } = body;
  if (!organization) return false;
  if (body.is_enterprise_install ?? body.authorizations?.[0]?.is_enterprise_install) return true;
  if (!team || team === organization) return true;
  // When tokens are revoked, Slack may not say whether the workspace or its whole organization uninstalled Tally.
  const hasOwn = (await installedAt(parts, team)) !== undefined;
  if (hasOwn || (await installedAt(parts, organization)) === undefined) return false;
  return !(await isWorking(parts, organization));
}

/** Adds the organization: Slack may put its ID into the workspace's field, or only into `authorizations`. */
function withOrganization(body: SlackPayload): SlackPayload {
  const { team_id: team, enterprise_id, authorizations } = body;
  const inTeam = team && isOrganizationId(team) ? team : undefined;
  return { ...body, enterprise_id: enterprise_id || inTeam || authorizations?.[0]?.enterprise_id || null };
}
