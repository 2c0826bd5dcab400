import type { Logger } from 'pino';
import type { Deletion } from '../../workspace/deletion.ts';

/** The events that a workspace or an organisation leaves by. */
export const UNINSTALL_EVENTS = ['app_uninstalled', 'tokens_revoked', 'team_access_revoked'] as const;

/** What of an event's body says whose installation it is about. */
export interface EventBody {
  readonly type?: string;
  readonly team_id?: string | null;
  readonly enterprise_id?: string | null;
  readonly is_enterprise_install?: boolean;
  readonly authorizations?: readonly { readonly is_enterprise_install?: boolean }[];
  /** Seconds since the epoch. */
  readonly event_time?: number;
  readonly event?: {
    readonly type?: string;
    readonly tokens?: { readonly bot?: readonly string[] };
    readonly team_ids?: readonly string[];
  };
}

/** What is known of an installation beside the event; nothing with the one token of one workspace. */
export interface TokenStatus {
  /** When it was made, in ms; undefined where there is none. */
  since(id: string): Promise<number | undefined>;
  /** Whether Slack still takes its token. */
  works(id: string): Promise<boolean>;
}

export interface UninstallParts {
  readonly forget: Deletion;
  readonly standing: TokenStatus;
  /** Called with every id that was forgotten. */
  readonly onGone: (id: string) => void;
  readonly log: Logger;
}

/** Slack sends an event again for about six minutes, longer where an app has asked for it; in s. */
const LATE = 3_600;

/**
 * Deletes everything of those who leave. The order of Slack's events is not guaranteed and they may come again: each
 * does the whole work, and doing it twice does no harm.
 *
 * @returns false for an event that is about something else
 * @throws StoreUnavailable: then Slack has to say it again
 */
export function createUninstallHandler({ forget, standing, onGone, log }: UninstallParts) {
  const gone = (id: string, event: string): void => {
    onGone(id);
    log.info({ workspace: id, event }, 'everything of the workspace was deleted');
  };

  /** An event sent again after somebody installed Tally anew must not take the new installation away. */
  const isOutdated = async (id: string, { event_time }: EventBody): Promise<boolean> => {
    const since = await standing.since(id);
    if (since === undefined || event_time === undefined) return false;
    const late = Math.floor(since / 1000) - event_time;
    return late > 0 && late < LATE && (await standing.works(id));
  };

  const isOrganisation = async (body: EventBody): Promise<boolean> => {
    const { team_id: team, enterprise_id: organisation } = body;
    if (!organisation) return false;
    if (body.is_enterprise_install ?? body.authorizations?.[0]?.is_enterprise_install) return true;
    if (!team || team === organisation) return true;
    // With the tokens gone Slack may not say whose they were: then it was the only installation there is.
    if ((await standing.since(team)) !== undefined || (await standing.since(organisation)) === undefined)
      return false;
    return !(await standing.works(organisation));
  };

  const uninstall = async (body: EventBody, event: string): Promise<void> => {
    const { team_id: team, enterprise_id: organisation } = body;
    const whole = await isOrganisation(body);
    const id = whole ? organisation : team;
    if (!id || (await isOutdated(id, body))) return;
    if (whole) await forget.organisation(id);
    else await forget.workspace(id, organisation ?? undefined);
    gone(id, event);
  };

  return async (body: EventBody): Promise<boolean> => {
    const event = body.type === 'event_callback' ? body.event : undefined;
    switch (event?.type) {
      case 'app_uninstalled':
        await uninstall(body, event.type);
        return true;
      case 'tokens_revoked':
        // Users' tokens may be revoked one by one; without the bot's there is no Tally any more.
        if ((event.tokens?.bot ?? []).length > 0) await uninstall(body, event.type);
        return true;
      case 'team_access_revoked':
        for (const team of event.team_ids ?? []) {
          await forget.workspace(team, body.enterprise_id ?? undefined);
          gone(team, event.type);
        }
        if (body.enterprise_id) onGone(body.enterprise_id);
        return true;
      default:
        return false;
    }
  };
}
