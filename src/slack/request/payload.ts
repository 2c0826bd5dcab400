import * as z from 'zod';
import { stateValues } from './form-fields.ts';

const word = z.string().nullish();
/** The ID of a workspace or organization, which becomes part of Redis keys. */
const team = z
  .string()
  .regex(/^[A-Z0-9]{0,64}$/)
  .nullish();

/** Fields of one type. */
const each = <Name extends string, Type>(type: Type, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;

const state = z.looseObject({ values: stateValues.nullish() }).nullish();

/** `user_team` is the workspace that the user belongs to. */
const event = z.looseObject({
  type: z.string(),
  ...each(word, 'user', 'user_team', 'channel', 'channel_type', 'channel_id', 'text', 'ts', 'thread_ts'),
  ...each(word, 'tab', 'bot_id', 'subtype'),
  item: z.looseObject({}).nullish(),
  tokens: z.looseObject({ bot: z.array(z.string()).nullish() }).nullish(),
  team_ids: z.array(z.string().regex(/^[A-Z0-9]{1,64}$/)).nullish(),
});

const view = z.looseObject({
  ...each(word, 'id', 'type', 'hash', 'private_metadata'),
  callback_id: z.string().optional(),
  app_installed_team_id: team,
  state,
  blocks: z.array(z.looseObject({})).nullish(),
});

const action = z.looseObject({
  action_id: z.string(),
  ...each(word, 'block_id', 'value'),
  selected_option: z.looseObject({ value: word }).nullish(),
});

/** The fields of a payload that Tally or Bolt reads. Others are not checked. */
const schema = z.looseObject({
  ...each(word, 'type', 'text', 'action_id', 'value', 'user_id', 'channel_id', 'response_url'),
  ...each(word, 'trigger_id', 'event_id'),
  ...each(team, 'team_id', 'enterprise_id', 'context_team_id'),
  command: z.string().optional(),
  state,
  is_enterprise_install: z.union([z.boolean(), z.string()]).nullish(),
  is_ext_shared_channel: z.boolean().nullish(),
  team: z.looseObject(each(team, 'id', 'enterprise_id')).nullish(),
  enterprise: z.looseObject({ id: team }).nullish(),
  user: z.looseObject({ id: word, team_id: team }).nullish(),
  channel: z.looseObject({ id: word }).nullish(),
  container: z
    .looseObject({ ...each(word, 'thread_ts', 'message_ts'), is_ephemeral: z.boolean().nullish() })
    .nullish(),
  view: view.nullish(),
  actions: z.tuple([action]).rest(z.unknown()).optional(),
  authorizations: z
    .array(
      z.looseObject({
        ...each(team, 'team_id', 'enterprise_id'),
        user_id: word,
        is_enterprise_install: z.boolean().nullish(),
      }),
    )
    .nullish(),
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
