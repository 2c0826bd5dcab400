import type { SlackId } from '../../domain/slack-id.ts';
import type { SlackPayload } from '../server/payload.ts';

/** Where a request comes from, as Slack's payload says it. */
export interface RequestSource {
  /** The workspace that has the app. */
  readonly teamId: SlackId;
  readonly userId: SlackId;
  /** The workspace the user belongs to, if the payload names it. */
  readonly homeTeamId: SlackId | undefined;
  readonly channel: SlackId | undefined;
  readonly responseUrl: string | undefined;
  /** Whether something was clicked in a message: then `replace_original` at the response_url replaces that one. */
  readonly isClick: boolean;
  readonly triggerId: string | undefined;
  /** The modal in which the user clicked or submitted; undefined for Home, which is a view but not a modal. */
  readonly viewId: string | undefined;
  /** `thread_ts` of the thread it was asked in. Ephemeral messages don't show in a thread that has no replies yet. */
  readonly thread: string | undefined;
  /** `ts` of the channel message that asked; a public answer starts a thread there. */
  readonly startsThread: string | undefined;
  /** Resolves with false for a replayed request; undefined in Socket Mode, where replays are impossible. */
  readonly isFirst: Promise<boolean> | undefined;
}

/** Whose record a payload is about, and whose installation it came by. */
export interface PayloadOrigin {
  /** Never an organisation's ID. Undefined if the payload names no workspace of the installation. */
  readonly teamId: SlackId | undefined;
  readonly enterpriseId: string | undefined;
  readonly isEnterpriseInstall: boolean;
}

type Id = string | null | undefined;

export const isOrganisationId = (id: string): boolean => id.startsWith('E');
const workspaceAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && !isOrganisationId(id));
const organisationAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && isOrganisationId(id));

/** The one place where a payload is assigned to a workspace: Slack writes an organisation's ID into any of the fields. */
export const originOf = (payload: SlackPayload): PayloadOrigin =>
  payload.event === undefined ? originOfInteraction(payload) : originOfEvent(payload);

function originOfInteraction(payload: SlackPayload): PayloadOrigin {
  const { team, user, view, enterprise, is_enterprise_install: flag } = payload;
  const installed = view?.app_installed_team_id;
  const installedFor = organisationAmong(installed);
  const own = organisationAmong(payload.enterprise_id, enterprise?.id, team?.enterprise_id);
  // The workspace of somebody from another organisation is not one of the installation's.
  const isOutside = installedFor !== undefined && own !== undefined && own !== installedFor;
  const here = [payload.team_id, team?.id];
  return {
    teamId: isOutside
      ? undefined
      : // In a form of a shared channel, `team` is an external user's own. In Home, `installed` may be another
        // workspace of the organisation that also installed the app.
        workspaceAmong(
          ...(view?.type === 'home' ? [...here, installed] : [installed, ...here]),
          user?.team_id,
        ),
    enterpriseId: installedFor ?? own ?? organisationAmong(...here),
    isEnterpriseInstall: installedFor !== undefined || flag === true || flag === 'true',
  };
}

function originOfEvent(payload: SlackPayload): PayloadOrigin {
  const { team_id, enterprise_id, authorizations, context_team_id: context } = payload;
  const { is_ext_shared_channel: isShared, is_enterprise_install: flag } = payload;
  const authorization = authorizations?.[0];
  const enterpriseId =
    authorization === undefined
      ? organisationAmong(enterprise_id, team_id)
      : organisationAmong(authorization.enterprise_id, authorization.team_id);
  // In a shared channel, the outer `team_id` may be the other organisation's.
  const isOutside = isShared === true && authorization !== undefined && enterprise_id !== enterpriseId;
  return {
    teamId: workspaceAmong(authorization?.team_id, context, isOutside ? undefined : team_id),
    enterpriseId,
    isEnterpriseInstall: (authorization?.is_enterprise_install ?? flag) === true,
  };
}

/** @returns '' for a workspace or user that the payload doesn't name; `authorize` refuses both */
export function sourceOfPayload(payload: SlackPayload, isFirst?: RequestSource['isFirst']): RequestSource {
  const { teamId = '' } = originOf(payload);
  return {
    teamId,
    userId: payload.user_id ?? payload.user?.id ?? '',
    homeTeamId: payload.user?.team_id ?? undefined,
    channel: payload.channel_id ?? payload.channel?.id ?? undefined,
    responseUrl: payload.response_url ?? undefined,
    isClick: (payload.container?.message_ts ?? undefined) !== undefined,
    triggerId: payload.trigger_id ?? undefined,
    viewId: payload.view?.type === 'home' ? undefined : (payload.view?.id ?? undefined),
    thread: payload.container?.thread_ts ?? undefined,
    startsThread: undefined,
    isFirst,
  };
}
