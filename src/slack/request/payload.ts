/** What a payload of Slack says: who sent it, from where, and which message or window it came from. */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RequestVia } from '../../ops/work-record.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
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

/** The ID of a workspace or organization, which becomes part of Redis keys. */
const team = z
  .string()
  .regex(/^[A-Z0-9]{0,64}$/)
  .nullish();

/** Fields of one type. */
const each = <Name extends string, Type>(type: Type, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;

/** Of a view or a message: block ID → action ID → what was typed or chosen. */
const stateValues = z.record(z.string(), z.record(z.string(), stateValue));
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
  selected_option: choice.nullish(),
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
  const { type, user, actions, view } = payload;
  // What Bolt reads unchecked; Tally has no other interactions.
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

/** An event as `parsePayload` returns it. */
export type SlackEvent = { readonly [K in keyof ParsedEvent]: Exclude<ParsedEvent[K], null> };

/** Where a request comes from: what Slack's payload says of it, and what is known before anybody's rights are checked. */
export interface Source {
  readonly via: RequestVia;
  readonly at: Millis;
  /** The workspace that has the app. */
  readonly teamId: SlackId;
  readonly userId: SlackId;
  /** The workspace the user belongs to, if the payload names it. */
  readonly homeTeamId: SlackId | undefined;
  readonly channel: SlackId | undefined;
  readonly responseUrl?: string | undefined;
  /** Whether something was clicked in a message, which `replace_original` at the response_url then replaces. */
  readonly isClick: boolean;
  /** Whether the answer replaces that message. */
  readonly replaces: boolean;
  readonly triggerId?: string | undefined;
  /** The modal in which the user clicked or submitted; undefined for Home, which is a view but not a modal. */
  readonly viewId?: string | undefined;
  /** Whether that modal has fields. Slack forgets what was typed into them if another view takes its place. */
  readonly hasFields: boolean;
  /** Slack's `hash` of that modal as it was clicked. */
  readonly viewHash?: string | undefined;
  /** `thread_ts` of the thread it was asked in. Ephemeral messages don't show in a thread that has no replies yet. */
  readonly thread: string | undefined;
  /** `ts` of the channel message that asked; a public answer starts a thread there. */
  readonly startsThread?: string | undefined;
  /** Resolves with false for a replayed request; undefined in Socket Mode, where replays are impossible. */
  readonly isFirst: Promise<boolean> | undefined;
  /** Who reads the answer to a question; undefined for whom the workspace's settings say. */
  readonly audience?: Audience | undefined;
  readonly sharedFrom?: Millis;
  /** The channel whose rights and default count, if it isn't the one where it was sent. */
  readonly askedIn?: SlackId | undefined;
  readonly self?: SlackId | undefined;
  /** The workspace's record, if it was read already. */
  readonly workspace?: Workspace | undefined;
}

/** Who reads an answer: the person who asked, or everyone in the channel. */
export type Audience = 'asker' | 'channel';

/** @returns '' for a workspace or user that the payload doesn't name; `authorize` refuses both */
export function sourceOfPayload(
  payload: SlackPayload,
  { via, at, isFirst }: Pick<Source, 'via' | 'at'> & Partial<Pick<Source, 'isFirst'>>,
): Source {
  const { teamId = '' } = originOf(payload);
  const { container, view } = payload;
  const channel = payload.channel_id ?? payload.channel?.id ?? undefined;
  return {
    userId: payload.user_id ?? payload.user?.id ?? '',
    via,
    at,
    isFirst,
    teamId,
    channel,
    homeTeamId: payload.user?.team_id ?? undefined,
    responseUrl: payload.response_url ?? undefined,
    isClick: (container?.message_ts ?? undefined) !== undefined,
    // What everyone sees stays as it is: the answer goes by this user's rights.
    replaces:
      via === 'button' && (container?.is_ephemeral === true || isDirectMessage(payload.channel?.id ?? '')),
    triggerId: payload.trigger_id ?? undefined,
    viewId: view?.type === 'home' ? undefined : (view?.id ?? undefined),
    viewHash: view?.hash || undefined,
    // Of an error in a modal, which keeps the channel that it was asked in for [Try again].
    askedIn: /^[CDG][A-Z0-9]+$/.exec(view?.private_metadata ?? '')?.[0],
    hasFields: view?.blocks?.some(({ type }) => type === 'input') ?? false,
    thread: container?.thread_ts ?? undefined,
    ...(via === 'button' && { audience: 'asker' }),
  };
}

/** @returns undefined for an event that names no workspace or no user */
export function sourceOfEvent(
  { user: userId, user_team: homeTeamId, channel, thread_ts: thread, ts }: SlackEvent,
  payload: SlackPayload,
  { via, at, isFirst }: Pick<Source, 'via' | 'at' | 'isFirst'>,
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
    isFirst,
    startsThread: isPrivate ? undefined : ts,
    audience: isPrivate ? 'asker' : 'channel',
    isClick: false,
    replaces: false,
    hasFields: false,
    // Slack names the bot for which it sent the event.
    self: payload.authorizations?.[0]?.user_id ?? undefined,
  };
}

/** The thread of an answer; '' for a new message in a direct message, undefined where no thread can follow. */
export function threadOf({ teamId, userId, channel, thread, startsThread }: Source): ThreadPlace | undefined {
  if (channel === undefined) return undefined;
  const ts = thread ?? startsThread ?? (isDirectMessage(channel) ? '' : undefined);
  return ts === undefined
    ? undefined
    : { workspace: teamId, channel, thread: ts, person: userId, isReply: thread !== undefined };
}

/** Where it was asked; after a manager took it over, in the channel of who asked. */
export const placeOf = ({ askedIn, channel }: Source): SlackId | undefined => askedIn ?? channel;

/** Whose record a payload is about, and whose installation it came by. */
export interface PayloadOrigin {
  /** The workspace; undefined for a payload that names none, as an organization's may. */
  readonly teamId: SlackId | undefined;
  readonly enterpriseId: string | undefined;
  readonly isEnterpriseInstall: boolean;
}

type Id = string | null | undefined;

export const isOrganizationId = (id: string): boolean => id.startsWith('E');

const workspaceAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && !isOrganizationId(id));

const organizationAmong = (...ids: readonly Id[]): string | undefined =>
  ids.find((id): id is string => !!id && isOrganizationId(id));

/** The one place where a payload is assigned to a workspace: Slack writes an organization's ID into any of the fields. */
export const originOf = (payload: SlackPayload): PayloadOrigin =>
  payload.event === undefined ? originOfInteraction(payload) : originOfEvent(payload);

function originOfInteraction(payload: SlackPayload): PayloadOrigin {
  const { team, user, view, enterprise, is_enterprise_install: flag } = payload;
  const installed = view?.app_installed_team_id;
  const installedFor = organizationAmong(installed);
  const own = organizationAmong(payload.enterprise_id, enterprise?.id, team?.enterprise_id);
  // The workspace of somebody from another organization is not one of the installation's.
  const isOutside = installedFor !== undefined && own !== undefined && own !== installedFor;
  const here = [payload.team_id, team?.id];
  return {
    teamId: isOutside
      ? undefined
      : // In a form of a shared channel, `team` is an external user's own. In Home, `installed` may be another
        // workspace of the organization that also installed the app.
        workspaceAmong(
          ...(view?.type === 'home' ? [...here, installed] : [installed, ...here]),
          user?.team_id,
        ),
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
  // In a shared channel, the outer `team_id` may be the other organization's.
  const isOutside = isShared === true && authorization !== undefined && enterprise_id !== enterpriseId;
  return {
    teamId: workspaceAmong(authorization?.team_id, context, isOutside ? undefined : team_id),
    enterpriseId,
    isEnterpriseInstall: (authorization?.is_enterprise_install ?? flag) === true,
  };
}

/** Block ID → what was typed or chosen, trimmed; '' for nothing. Several choices are joined by commas. */
export type FormFields = Readonly<Record<string, string>>;

/** The choices of a field that takes several. */
export const selectedValues = (field = ''): readonly string[] => field.split(',').filter(Boolean);

/** Reads the `state.values` of a view or a message. */
export const parseFieldValues = (values?: z.infer<typeof stateValues> | null): FormFields =>
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
