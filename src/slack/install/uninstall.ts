/** Deletes the data of a workspace or organization that uninstalls Tally. */
import type { Logger } from 'pino';
import { isOrganizationId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import {
  createMemberAccessStore,
  type MemberAccess,
} from '../../workspace/credentials/installation-store.ts';
import type { WorkspaceDeleter } from '../../workspace/record/workspace-store.ts';
import type { SlackPayload } from '../request/payload.ts';
import type { InstallationTokens } from './installation-tokens.ts';

interface UninstallParts {
  readonly redis: RedisConnection;
  readonly forget: WorkspaceDeleter;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly tokens?: Pick<InstallationTokens, 'loadReadable' | 'drop'>;
  readonly isAccepted?: (id: string) => Promise<boolean>;
}

/** Slack sends several events, in any order, so each deletes everything. @returns false for other events */
export function createUninstallHandler(parts: UninstallParts) {
  const { redis, forget, clock, log, tokens } = parts;
  const access = createMemberAccessStore(redis);
  const finishDeletion = (id: string, event: string): void => {
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
    finishDeletion(id, event);
  };

  /** Events can arrive in the wrong order, so this leaves out workspaces that have had a later event. */
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
        // Tally uses no user tokens, so only a revoked bot token counts.
        if ((event.tokens?.bot ?? []).length > 0) await uninstall(body, event.type);
        return true;
      case 'team_access_revoked':
        // Stores the revocation before it deletes the data, so that no running request can link the workspace again.
        for (const team of await membersIn(body, 'revoked'))
          if (await forget.member(team, body.enterprise_id ?? undefined)) finishDeletion(team, event.type);
        return true;
      case 'team_access_granted':
        await membersIn(body, 'granted');
        return true;
      default:
        return false;
    }
  };
}

const installedAt = async ({ tokens }: UninstallParts, id: string): Promise<Millis | undefined> =>
  (await tokens?.loadReadable(id))?.at;

/** Slack may resend an old uninstall event after Tally has been reinstalled. The new data must stay. */
async function isOutdated(parts: UninstallParts, id: string, { event_time }: SlackPayload): Promise<boolean> {
  const since = await installedAt(parts, id);
  if (since === undefined || event_time === undefined) return false;
  return event_time < Math.floor(since / 1000) && (await parts.isAccepted?.(id)) === true;
}

async function isOrganization(parts: UninstallParts, body: SlackPayload): Promise<boolean> {
  const { team_id: team, enterprise_id: organization } = body;
  if (!organization) return false;
  if (body.is_enterprise_install ?? body.authorizations?.[0]?.is_enterprise_install) return true;
  if (!team || team === organization) return true;
  const hasOwn = (await installedAt(parts, team)) !== undefined;
  if (hasOwn || (await installedAt(parts, organization)) === undefined) return false;
  return !(await parts.isAccepted?.(organization));
}

/** Slack may put the organization's ID into the workspace's field, or only into `authorizations`. */
function withOrganization(body: SlackPayload): SlackPayload {
  const { team_id: team, enterprise_id, authorizations } = body;
  const inTeam = team && isOrganizationId(team) ? team : undefined;
  return { ...body, enterprise_id: enterprise_id || inTeam || authorizations?.[0]?.enterprise_id || null };
}
