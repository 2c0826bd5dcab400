import * as z from 'zod';
import { stateValues } from './form-fields.ts';

/** The fields of a payload that Tally or Bolt reads. Others are not checked. */
const word = z.string().nullish();
/** The ID of a workspace or organization, which becomes part of Redis keys. */
const team = z
  .string()
  .regex(/^[A-Z0-9]{0,64}$/)
  .nullish();

const state = z.looseObject({ values: stateValues.nullish() }).nullish();

const authorization = z.looseObject({
  team_id: team,
  enterprise_id: team,
  user_id: word,
  is_enterprise_install: z.boolean().nullish(),
});

/** `user_team` is the workspace that the user belongs to. */
const event = z.looseObject({
  type: z.string(),
  user: word,
  user_team: word,
  channel: word,
  channel_type: word,
  text: word,
  ts: word,
  thread_ts: word,
  tab: word,
  bot_id: word,
  subtype: word,
  channel_id: word,
  item: z.looseObject({}).nullish(),
  tokens: z.looseObject({ bot: z.array(z.string()).nullish() }).nullish(),
  team_ids: z.array(z.string().regex(/^[A-Z0-9]{1,64}$/)).nullish(),
});

const schema = z.looseObject({
  type: word,
  command: z.string().optional(),
  text: word,
  action_id: word,
  value: word,
  user_id: word,
  channel_id: word,
  response_url: word,
  trigger_id: word,
  event_id: word,
  team_id: team,
  enterprise_id: team,
  context_team_id: team,
  state,
  is_enterprise_install: z.union([z.boolean(), z.string()]).nullish(),
  is_ext_shared_channel: z.boolean().nullish(),
  team: z.looseObject({ id: team, enterprise_id: team }).nullish(),
  enterprise: z.looseObject({ id: team }).nullish(),
  user: z.looseObject({ id: word, team_id: team }).nullish(),
  channel: z.looseObject({ id: word }).nullish(),
  container: z
    .looseObject({ thread_ts: word, message_ts: word, is_ephemeral: z.boolean().nullish() })
    .nullish(),
  view: z
    .looseObject({
      id: word,
      type: word,
      hash: word,
      callback_id: z.string().optional(),
      private_metadata: word,
      state,
      blocks: z.array(z.looseObject({})).nullish(),
      app_installed_team_id: team,
    })
    .nullish(),
  actions: z
    .tuple([
      z.looseObject({
        action_id: z.string(),
        block_id: word,
        value: word,
        selected_option: z.looseObject({ value: word }).nullish(),
      }),
    ])
    .rest(z.unknown())
    .optional(),
  authorizations: z.array(authorization).nullish(),
  event_time: z.number().optional(),
  event: event.optional(),
});

/** What Slack sends: a command, click, form, option request or event. */
export type SlackPayload = Readonly<Record<string, unknown>> & z.output<typeof schema>;

/**
 * A payload whose fields have the types that Slack documents, without the nulls that Slack sends for some missing ones.
 * Bolt reads parts of it unchecked, so one without them must not get there.
 * @returns undefined for any other, which is acknowledged and dropped: there is nobody to reply to
 */
export function parsePayload(body: unknown): SlackPayload | undefined {
  if (!schema.safeParse(body).success) return undefined;
  const payload = withoutNulls(body as SlackPayload);
  if (payload.event !== undefined) return { ...payload, event: withoutNulls(payload.event) };
  if (payload.command !== undefined) return payload;
  const isComplete = payload.user !== undefined && REQUIRED.get(payload.type ?? '')?.(payload);
  return isComplete ? payload : undefined;
}

/** What Bolt expects unchecked in each type of interaction, besides the user. */
const REQUIRED = new Map<string, (payload: SlackPayload) => boolean>([
  ['block_actions', ({ actions }) => actions !== undefined],
  ['view_submission', ({ view }) => view !== undefined],
  ['view_closed', ({ view }) => view !== undefined],
  ['block_suggestion', () => true],
  ['shortcut', () => true],
  ['message_action', () => true],
]);

const withoutNulls = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;

type ParsedEvent = z.output<typeof event>;

/** An event as `parsePayload` returns it. */
export type SlackEvent = { readonly [K in keyof ParsedEvent]: Exclude<ParsedEvent[K], null> };
