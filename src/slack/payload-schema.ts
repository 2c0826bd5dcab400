import * as z from 'zod';

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
