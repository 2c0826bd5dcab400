import * as z from 'zod';

/** Where a request comes from, as Slack's payload says it. */
export interface RequestSource {
  /** The workspace that has the app. */
  readonly teamId: string;
  readonly userId: string;
  /** The workspace the user belongs to, if the payload names it. */
  readonly homeTeamId: string | undefined;
  readonly channel: string | undefined;
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

/** The fields of commands, clicks, forms and option requests that say where they come from. */
export interface SlackPayload {
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly user_id?: string;
  readonly channel_id?: string;
  readonly team?: { readonly id?: string } | null;
  readonly enterprise?: { readonly id?: string } | null;
  readonly user?: { readonly id?: string; readonly team_id?: string };
  readonly channel?: { readonly id?: string };
  readonly view?: { readonly id?: string; readonly type?: string; readonly app_installed_team_id?: string };
  readonly container?: { readonly thread_ts?: string; readonly message_ts?: string };
  readonly response_url?: string;
  readonly trigger_id?: string;
}

/** @returns '' for a workspace or user that the payload doesn't name; `authorize` refuses both */
export function sourceOfPayload(payload: SlackPayload, isFirst?: RequestSource['isFirst']): RequestSource {
  // A form submitted by an external user has their workspace as `team`, and the app's in the view.
  const teamId =
    payload.view?.app_installed_team_id ??
    payload.team_id ??
    payload.team?.id ??
    payload.user?.team_id ??
    payload.enterprise_id ??
    payload.enterprise?.id ??
    '';
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

/** The fields of a payload that Tally or Bolt reads. Others are not checked. */
const word = z.string().nullish();
/** The ID of a workspace or organisation, which becomes part of Redis keys. */
const team = z
  .string()
  .regex(/^[A-Z0-9]{0,64}$/)
  .nullish();

const choice = z.looseObject({ value: word });
const values = z.record(
  z.string(),
  z.record(
    z.string(),
    z.looseObject({
      value: word,
      selected_option: choice.nullish(),
      selected_options: z.array(choice).nullish(),
      selected_user: word,
      selected_users: z.array(z.string()).nullish(),
      selected_conversation: word,
      selected_conversations: z.array(z.string()).nullish(),
      selected_time: word,
    }),
  ),
);
const state = z.looseObject({ values: values.nullish() }).nullish();

const schema = z.looseObject({
  ...{ type: word, command: word, text: word, action_id: word, value: word },
  ...{ user_id: word, channel_id: word, response_url: word, trigger_id: word, event_id: word },
  ...{ team_id: team, enterprise_id: team, state },
  team: z.looseObject({ id: team }).nullish(),
  enterprise: z.looseObject({ id: team }).nullish(),
  user: z.looseObject({ id: word, team_id: team }).nullish(),
  channel: z.looseObject({ id: word }).nullish(),
  container: z.looseObject({ thread_ts: word, is_ephemeral: z.boolean().nullish() }).nullish(),
  view: z
    .looseObject({
      ...{ id: word, type: word, callback_id: z.string().optional(), private_metadata: word, state },
      app_installed_team_id: team,
    })
    .nullish(),
  actions: z
    .tuple([
      z.looseObject({
        action_id: z.string(),
        block_id: word,
        value: word,
        selected_option: choice.nullish(),
      }),
    ])
    .rest(z.unknown())
    .optional(),
  authorizations: z.array(z.looseObject({ team_id: team, enterprise_id: team })).nullish(),
  event_time: z.number().optional(),
  event: z
    .looseObject({
      type: z.string(),
      ...{ user: word, user_team: word, channel: word, channel_type: word, text: word, ts: word },
      ...{ thread_ts: word, tab: word, bot_id: word, subtype: word },
      tokens: z.looseObject({ bot: z.array(z.string()).nullish() }).nullish(),
      team_ids: z.array(z.string().regex(/^[A-Z0-9]{1,64}$/)).nullish(),
    })
    .optional(),
});

/**
 * Whether the fields that are read have the types that Slack documents. Any other payload is acknowledged and dropped:
 * there is nobody to reply to, and a wrong type would fail deep inside other code.
 */
export const isValidPayload = (body: unknown): boolean => schema.safeParse(body).success;
