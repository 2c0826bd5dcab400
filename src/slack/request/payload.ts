/** Reads Slack's payloads: who sent them, where, and from which message or view. */
import * as z from 'zod';
import { isDirectMessage, isOrganizationId, type SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RequestVia } from '../../ops/work-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ThreadPlace } from '../../workspace/thread-store.ts';
import { SLACK_LIMITS } from '../block-kit/blocks.ts';

const word = z.string().nullish();
const choice = z.looseObject({ value: word });
const stateValue = z.looseObject({
  value: word,
  selected_user: word,
  selected_conversation: word,
  selected_time: word,
  selected_date: word,
  selected_option: choice.nullish(),
  selected_options: z.array(choice).nullish(),
  selected_users: z.array(z.string()).nullish(),
  selected_conversations: z.array(z.string()).nullish(),
});

/** The ID becomes part of Redis keys, so other characters are refused. */
const team = z
  .string()
  .regex(/^[A-Z0-9]{0,64}$/)
  .nullish();

const each = <Name extends string, Type>(type: Type, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;

const stateValues = z.record(z.string(), z.record(z.string(), stateValue));
const state = z.looseObject({ values: stateValues.nullish() }).nullish();

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
  selected_option: choice.nullish(),
});

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

export type SlackPayload = Readonly<Record<string, unknown>> & z.output<typeof schema>;

/** Drops null fields, which count as missing. Undefined if a field that Bolt reads without a check has a wrong type. */
export function parsePayload(body: unknown): SlackPayload | undefined {
  if (!schema.safeParse(body).success) return undefined;
  const payload = withoutNulls(body as SlackPayload);
  if (payload.event !== undefined) return { ...payload, event: withoutNulls(payload.event) };
  if (payload.command !== undefined) return payload;
  const { type, user, actions, view } = payload;
  // The field that Bolt reads without a check, for each type of interaction.
  const needed = new Map<string, unknown>([
    ['block_actions', actions],
    ['view_submission', view],
    ['block_suggestion', user],
  ]);
  return user !== undefined && needed.get(type ?? '') !== undefined ? payload : undefined;
}

const withoutNulls = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;

type ParsedEvent = z.output<typeof event>;

export type SlackEvent = { readonly [K in keyof ParsedEvent]: Exclude<ParsedEvent[K], null> };

/** Where a request comes from. The sender's rights haven't been checked yet. */
export interface Source {
  readonly via: RequestVia;
  readonly at: Millis;
  readonly teamId: SlackId;
  readonly userId: SlackId;
  readonly homeTeamId: SlackId | undefined;
  readonly channel: SlackId | undefined;
  readonly responseUrl?: string | undefined;
  /** Whether the user clicked in a message. A response with `replace_original` then replaces the message. */
  readonly isClick: boolean;
  readonly replaces: boolean;
  readonly triggerId?: string | undefined;
  /** The modal's `view_id`. Undefined for Home. */
  readonly viewId?: string | undefined;
  readonly hasFields: boolean;
  /** Slack's `hash` of the modal, which changes whenever the modal changes. */
  readonly viewHash?: string | undefined;
  readonly thread: string | undefined;
  /** The channel has members of another organization. Slack says so only with events. */
  readonly isShared?: boolean;
  /** The `ts` of the question. A public answer starts a thread below the question. */
  readonly startsThread?: string | undefined;
  /** Resolves to false if the payload was handled already. Undefined if other code checks this. */
  readonly isFirst?: Promise<boolean> | undefined;
  /** Who reads the answer. Undefined if the workspace's settings decide this. */
  readonly audience?: Audience | undefined;
  readonly sharedFrom?: Millis;
  /** The channel in which the user counts as asking, if it isn't the payload's own. */
  readonly askedIn?: SlackId | undefined;
  readonly self?: SlackId | undefined;
  readonly workspace?: Workspace | undefined;
}

export type Audience = 'asker' | 'channel';

/** A missing `teamId` or `userId` becomes '', which `authorize` rejects. */
export function sourceOfPayload(payload: SlackPayload, { via, at }: Pick<Source, 'via' | 'at'>): Source {
  const { teamId = '' } = originOf(payload);
  const { container, view } = payload;
  const channel = payload.channel_id ?? payload.channel?.id ?? undefined;
  return {
    userId: payload.user_id ?? payload.user?.id ?? '',
    via,
    at,
    teamId,
    channel,
    homeTeamId: payload.user?.team_id ?? undefined,
    responseUrl: payload.response_url ?? undefined,
    isClick: (container?.message_ts ?? undefined) !== undefined,
    // A public message stays, because the answer depends on the rights of the person who clicked.
    replaces:
      via === 'button' && (container?.is_ephemeral === true || isDirectMessage(payload.channel?.id ?? '')),
    triggerId: payload.trigger_id ?? undefined,
    viewId: view?.type === 'home' ? undefined : (view?.id ?? undefined),
    viewHash: view?.hash || undefined,
    // An error modal keeps the channel of the request in its metadata, for the **Try again** button.
    askedIn: /^[CDG][A-Z0-9]+$/.exec(view?.private_metadata ?? '')?.[0],
    hasFields: view?.blocks?.some(({ type }) => type === 'input') ?? false,
    thread: container?.thread_ts ?? undefined,
    ...(via === 'button' && { audience: 'asker' }),
  };
}

export function sourceOfEvent(
  { user: userId, user_team: homeTeamId, channel, thread_ts: thread, ts }: SlackEvent,
  payload: SlackPayload,
  { via, at }: Pick<Source, 'via' | 'at'>,
): Source | undefined {
  const { teamId } = originOf(payload);
  if (teamId === undefined || userId === undefined) return undefined;
  const isPrivate = channel === undefined || isDirectMessage(channel);
  return {
    via,
    at,
    teamId,
    userId,
    homeTeamId,
    channel,
    thread,
    isShared: payload.is_ext_shared_channel === true,
    startsThread: isPrivate ? undefined : ts,
    audience: isPrivate ? 'asker' : 'channel',
    isClick: false,
    replaces: false,
    hasFields: false,
    self: payload.authorizations?.[0]?.user_id ?? undefined,
  };
}

/** In a new direct message, `thread` is ''. Undefined where follow-up questions can't work. */
export function threadOf({ teamId, userId, channel, thread, startsThread }: Source): ThreadPlace | undefined {
  if (channel === undefined) return undefined;
  const ts = thread ?? startsThread ?? (isDirectMessage(channel) ? '' : undefined);
  return ts === undefined
    ? undefined
    : { workspace: teamId, channel, thread: ts, person: userId, isReply: thread !== undefined };
}

export interface PayloadOrigin {
  /** Undefined if the payload names only an organization. */
  readonly teamId: SlackId | undefined;
  readonly enterpriseId: string | undefined;
  readonly isEnterpriseInstall: boolean;
}

type Id = string | null | undefined;

const workspaceAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && !isOrganizationId(id));

const organizationAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && isOrganizationId(id));

/** Slack can put an organization's ID into the field of a workspace, so other code must not read these fields. */
export const originOf = (payload: SlackPayload): PayloadOrigin =>
  payload.event === undefined ? originOfInteraction(payload) : originOfEvent(payload);

function originOfInteraction(payload: SlackPayload): PayloadOrigin {
  const { team, user, view, enterprise, is_enterprise_install: flag } = payload;
  const installed = view?.app_installed_team_id;
  const installedFor = organizationAmong(installed);
  const own = organizationAmong(payload.enterprise_id, enterprise?.id, team?.enterprise_id);
  // The user's organization isn't the one that installed Tally.
  const isOutside = installedFor !== undefined && own !== undefined && own !== installedFor;
  const here = [payload.team_id, team?.id];
  // In a form opened in a shared channel, `team` is an external user's own workspace.
  const places = view?.type === 'home' ? [...here, installed] : [installed, ...here];
  return {
    teamId: isOutside ? undefined : workspaceAmong(...places, user?.team_id),
    enterpriseId: installedFor ?? own ?? organizationAmong(...here),
    isEnterpriseInstall: installedFor !== undefined || flag === true || flag === 'true',
  };
}

function originOfEvent(payload: SlackPayload): PayloadOrigin {
  const { team_id, enterprise_id, authorizations, context_team_id: context } = payload;
  const { is_ext_shared_channel: isShared, is_enterprise_install: flag } = payload;
  const authorization = authorizations?.[0];
  const enterpriseId =
    authorization === undefined
      ? organizationAmong(enterprise_id, team_id)
      : organizationAmong(authorization.enterprise_id, authorization.team_id);
  // In a shared channel, the outer `team_id` can be the workspace of the other organization.
  const isOutside = isShared === true && authorization !== undefined && enterprise_id !== enterpriseId;
  return {
    teamId: workspaceAmong(authorization?.team_id, context, isOutside ? undefined : team_id),
    enterpriseId,
    isEnterpriseInstall: (authorization?.is_enterprise_install ?? flag) === true,
  };
}

/** Trimmed values by block ID: '' for an empty field, and commas between several choices. */
export type FormValues = Readonly<Record<string, string>>;

export const selectedValues = (field = ''): readonly string[] => field.split(',').filter(Boolean);

export const parseFormValues = (values?: z.infer<typeof stateValues> | null): FormValues =>
  Object.fromEntries(
    Object.entries(values ?? {}).map(([block, byAction]) => [
      block,
      enteredText(Object.values(byAction)[0] ?? {}),
    ]),
  );

function enteredText(state: z.infer<typeof stateValue>): string {
  const several =
    state.selected_options?.map(({ value }) => value ?? '') ??
    state.selected_users ??
    state.selected_conversations;
  const single =
    state.value ??
    state.selected_option?.value ??
    state.selected_user ??
    state.selected_conversation ??
    state.selected_time ??
    state.selected_date;
  return several?.join(',') ?? (single ?? '').slice(0, SLACK_LIMITS.input).trim();
}
