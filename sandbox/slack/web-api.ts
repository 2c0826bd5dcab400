/** `POST /api/<method>`: authorizes and runs the Web API methods that Tally calls. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Person, SharedFile } from '../protocol.ts';
import { type Loose, Rejection, readMessage, readView } from './blocks.ts';
import type { Core, Failure } from './core.ts';
import { messageOf, viewOf } from './payloads.ts';
import { APP, BOT_ID, BOT_USER, type Conversation, teamOf } from './people.ts';
import { type StoredMessage, type StoredView, userIdOf, type Workspace } from './workspace.ts';

export interface Call {
  /** A method of the Web API, or `response_url`. */
  method: string;
  args: Loose;
  /** Undefined if the call failed with an HTTP status or wasn't answered. */
  response: Loose | undefined;
  /** The bearer token, or the key of the `response_url`. */
  token: string | undefined;
  at: number;
}

type Answer = { status: number; headers?: Record<string, string>; body: Loose | string } | 'hang';

/** Whose token a call has: the app's or a workspace's. An error code if it has neither. */
type Bearer = 'app' | Workspace | { error: string };

interface MethodContext {
  core: Core;
  workspace: Workspace;
  files: Map<string, UploadedFile>;
  socketUrl: (() => string) | undefined;
}

export interface UploadedFile {
  name: string;
  content?: Buffer;
}

type Run = (args: Loose, context: MethodContext) => Loose;

interface Needs {
  scope?: string;
  required?: readonly string[];
  /** Absent means the bot's token. */
  token?: 'none' | 'app';
}

type Method = Needs & { run: Run };

class MethodError extends Error {
  constructor(
    readonly code: string,
    readonly detail: Loose = {},
  ) {
    super(code);
  }
}

/** Forms carry these arguments as JSON text. */
const JSON_ARGUMENTS = ['blocks', 'view', 'metadata', 'files', 'outputs'];

function decodeArguments({ token: _token, ...args }: Loose): Loose {
  const decoded = { ...args };
  for (const name of JSON_ARGUMENTS.filter((name) => typeof args[name] === 'string')) {
    try {
      decoded[name] = JSON.parse(String(args[name]));
    } catch {
      // The argument stays a text, which its method rejects.
    }
  }
  return decoded;
}

export class WebApi {
  readonly calls: Call[] = [];
  readonly files = new Map<string, UploadedFile>();
  readonly #failures = new Map<string, Failure[]>();

  constructor(
    readonly core: Core,
    readonly bearerOf: (token: string, team: unknown) => Bearer,
    readonly socketUrl: (() => string) | undefined,
  ) {}

  failNext(method: string, failure: Failure, times = 1): void {
    const waiting = this.#failures.get(method) ?? [];
    this.#failures.set(method, [...waiting, ...Array<Failure>(times).fill(failure)]);
  }

  async answer(method: string, token: string | undefined, given: Loose): Promise<Answer> {
    const { latency, failure: general, failures } = this.core.behaviour;
    const args = decodeArguments(given);
    const call = this.note(method, args, undefined, token);
    if (latency > 0) await delay(latency);
    const failure = this.#failures.get(method)?.shift() ?? failures.get(method) ?? general;
    const answer = failure ? failedAnswer(failure) : this.#run(method, token, args);
    if (answer !== 'hang' && typeof answer.body !== 'string') call.response = answer.body;
    this.core.changed();
    return answer;
  }

  note(method: string, args: Loose, response: Loose | undefined, token?: string): Call {
    const call = { method, args, response, token, at: this.core.now() };
    this.calls.push(call);
    this.core.changed();
    return call;
  }

  #run(name: string, token: string | undefined, args: Loose): Answer {
    try {
      const method = METHODS[name];
      if (!method) throw new MethodError('unknown_method', { req_method: name });
      const workspace = this.#authorize(method, token, args.team_id);
      const context = { core: this.core, workspace, files: this.files, socketUrl: this.socketUrl };
      if (method.scope) requireScope(context, method.scope);
      const missing = method.required?.find((name) => args[name] === undefined || args[name] === '');
      if (missing) throw new MethodError('missing_argument', { argument: missing });
      return { status: 200, body: { ok: true, ...method.run(args, context) } };
    } catch (error) {
      if (error instanceof MethodError)
        return { status: 200, body: { ok: false, error: error.code, ...error.detail } };
      if (!(error instanceof Rejection)) throw error;
      // The SDK prints problems that it finds here.
      const messages = error.problems.map((problem) => `[ERROR] ${problem}`);
      const body = { errors: error.problems, response_metadata: { messages } };
      return { status: 200, body: { ok: false, error: error.code, ...(messages.length > 0 && body) } };
    }
  }

  #authorize({ token: needed }: Method, token: string | undefined, team: unknown): Workspace {
    const [first] = this.core.workspaces;
    if (needed === 'none') return first as Workspace;
    if (!token) throw new MethodError('not_authed');
    const bearer = this.bearerOf(token, team);
    if (bearer !== 'app' && 'error' in bearer) throw new MethodError(bearer.error);
    if ((bearer === 'app') !== (needed === 'app')) throw new MethodError('not_allowed_token_type');
    return bearer === 'app' ? (first as Workspace) : bearer;
  }
}

function failedAnswer(failure: Failure): Answer {
  if (failure === 'hang') return 'hang';
  if ('error' in failure) return { status: 200, body: { ok: false, error: failure.error } };
  const { status, retryAfter } = failure;
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return { status, headers, body: status === 429 ? { ok: false, error: 'ratelimited' } : `HTTP ${status}` };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isTrue = (flag: unknown): boolean => flag === '1' || String(flag) === 'true';

function requireScope({ core: { manifest } }: MethodContext, needed: string): void {
  const { scopes } = manifest;
  if (scopes.size === 0 || scopes.has(needed)) return;
  throw new MethodError('missing_scope', { needed, provided: [...scopes].join(',') });
}

/** A private conversation is visible only if the bot is a member. @throws MethodError */
function visibleConversation({ workspace }: MethodContext, given: unknown): Conversation {
  const conversation = workspace.conversation(text(given));
  if (!conversation || (conversation.kind !== 'public' && !conversation.members.includes('bot')))
    throw new MethodError('channel_not_found');
  return conversation;
}

/** A person's ID means the DM with them. @throws MethodError */
function writableConversation(context: MethodContext, given: unknown): Conversation {
  const direct = context.workspace.directMessageOf(text(given));
  const conversation = direct ?? visibleConversation(context, given);
  if (conversation.archived) throw new MethodError('is_archived');
  if (!conversation.members.includes('bot')) throw new MethodError('not_in_channel');
  return conversation;
}

const SCOPES = { public: 'channels', private: 'groups', im: 'im' } as const;

function readableConversation(context: MethodContext, given: unknown, right: 'read' | 'history') {
  const conversation = visibleConversation(context, given);
  requireScope(context, `${SCOPES[conversation.kind]}:${right}`);
  return conversation;
}

/** Slack doesn't set `is_stranger` for people who share a channel with the app. */
function userOf(person: Person, { workspace }: MethodContext, includeLocale: boolean) {
  const sharesChannel = [...workspace.conversations.values()].some(
    ({ kind, members }) => kind !== 'im' && members.includes(person.id) && members.includes('bot'),
  );
  const { id, name, realName, role, tz, locale, left = false } = person;
  const team = teamOf(person);
  return {
    id,
    team_id: team,
    name,
    real_name: realName,
    deleted: left,
    tz,
    is_bot: false,
    profile: { real_name: realName, display_name: name, team },
    is_admin: role === 'owner' || role === 'admin',
    is_owner: role === 'owner',
    is_primary_owner: role === 'owner',
    is_restricted: role === 'guest',
    is_ultra_restricted: false,
    is_stranger: role === 'external' && !sharesChannel,
    ...(includeLocale && { locale }),
  };
}

function botUser({ core: { manifest }, workspace }: MethodContext) {
  const { botName: real_name } = manifest;
  const profile = { real_name, bot_id: BOT_ID, api_app_id: APP };
  return { id: BOT_USER, team_id: workspace.team.id, real_name, deleted: false, is_bot: true, profile };
}

function conversationOf({ id, kind, name, members, archived = false, shared = false }: Conversation) {
  const isIm = kind === 'im';
  return {
    id,
    ...(isIm ? { user: members.find((member) => member !== 'bot') } : { name }),
    is_channel: kind === 'public',
    is_im: isIm,
    is_private: kind !== 'public',
    is_archived: archived,
    is_shared: shared,
    is_ext_shared: shared,
    is_member: members.includes('bot'),
    num_members: members.length,
  };
}

function history(conversation: Conversation, args: Loose, { workspace }: MethodContext) {
  if (!conversation.members.includes('bot')) throw new MethodError('not_in_channel');
  const [oldest, latest] = [Number(args.oldest ?? 0), Number(args.latest ?? Number.POSITIVE_INFINITY)];
  return workspace
    .messagesFor('', conversation.id)
    .filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    .map(({ metadata, ...message }) => ({
      ...messageOf(message),
      ...(isTrue(args.include_all_metadata) && metadata && { metadata }),
    }));
}

function botMessage(context: MethodContext, { channel, ts }: Loose, otherwise: string): StoredMessage {
  const conversation = visibleConversation(context, channel);
  const message = context.workspace.find(conversation.id, text(ts));
  if (!message || message.ephemeral) throw new MethodError('message_not_found');
  if (message.from !== 'bot') throw new MethodError(otherwise);
  return message;
}

/** @returns the trigger's person, and whether it belongs to an open modal */
function redeem({ trigger_id }: Loose, { core, workspace }: MethodContext) {
  const trigger = core.triggers.redeem(text(trigger_id));
  if (typeof trigger === 'string') throw new MethodError(trigger);
  const { person, viewId } = trigger;
  return { person, isInside: workspace.stack(person).some(({ id }) => id === viewId) };
}

function viewResult(stored: StoredView | undefined) {
  if (!stored) throw new MethodError('push_limit_reached');
  return { view: viewOf(stored) };
}

function checkHash({ hash }: Loose, stored: StoredView | undefined): void {
  if (hash && stored && hash !== stored.hash) throw new MethodError('hash_conflict');
}

function complete(id: unknown, { core }: MethodContext, result: Parameters<Core['steps']['complete']>[1]) {
  const problem = core.steps.complete(text(id), result);
  if (problem !== undefined) throw new MethodError(problem);
  return {};
}

const STEP_ID = 'function_execution_id';

const method = (needs: Needs, run: Run): Method => ({ ...needs, run });

const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': method({}, (_args, { core, workspace: { team } }) => ({
    url: `${core.url()}/`,
    user: core.manifest.botName.toLowerCase(),
    team: team.name,
    team_id: team.id,
    user_id: BOT_USER,
    bot_id: BOT_ID,
    is_enterprise_install: false,
  })),
  'users.info': method({ scope: 'users:read', required: ['user'] }, (args, context) => {
    if (args.user === BOT_USER) return { user: botUser(context) };
    const person = context.workspace.person(text(args.user));
    if (!person) throw new MethodError('user_not_found');
    return { user: userOf(person, context, isTrue(args.include_locale)) };
  }),
  'users.list': method({ scope: 'users:read' }, (args, context) => {
    const people = context.workspace.people.filter(({ role }) => role !== 'external');
    const members = people.map((person) => userOf(person, context, isTrue(args.include_locale)));
    return { members: [...members, botUser(context)], response_metadata: { next_cursor: '' } };
  }),
  'usergroups.list': method({ scope: 'usergroups:read' }, (_args, { workspace }) => ({
    usergroups: workspace.userGroups.map(({ id, handle, name, members }) => ({
      id,
      name,
      handle,
      date_delete: 0,
      user_count: members.length,
    })),
  })),
  'usergroups.users.list': method(
    { scope: 'usergroups:read', required: ['usergroup'] },
    (args, { workspace }) => {
      const group = workspace.userGroups.find(({ id }) => id === args.usergroup);
      if (!group) throw new MethodError('no_such_subteam');
      return { users: [...group.members] };
    },
  ),
  'conversations.info': method({ required: ['channel'] }, (args, context) => ({
    channel: conversationOf(readableConversation(context, args.channel, 'read')),
  })),
  'conversations.members': method({ required: ['channel'] }, (args, context) => ({
    members: readableConversation(context, args.channel, 'read').members.map(userIdOf),
    response_metadata: { next_cursor: '' },
  })),
  'conversations.open': method({ scope: 'im:write' }, (args, { workspace }) => {
    const conversation = workspace.directMessageOf(text(args.users));
    if (!conversation) throw new MethodError('user_not_found');
    return { channel: { id: conversation.id } };
  }),
  'conversations.join': method({ scope: 'channels:join', required: ['channel'] }, (args, context) => {
    const conversation = visibleConversation(context, args.channel);
    if (conversation.kind !== 'public') throw new MethodError('method_not_supported_for_channel_type');
    if (conversation.archived) throw new MethodError('is_archived');
    if (!conversation.members.includes('bot')) conversation.members.push('bot');
    return { channel: conversationOf(conversation) };
  }),
  'conversations.history': method({ required: ['channel'] }, (args, context) => {
    const conversation = readableConversation(context, args.channel, 'history');
    const all = history(conversation, args, context).filter(
      ({ thread_ts, subtype }) => !thread_ts || subtype,
    );
    const messages = all.slice(-Number(args.limit ?? 100)).reverse();
    return { messages, has_more: messages.length < all.length };
  }),
  'chat.postMessage': method({ scope: 'chat:write', required: ['channel'] }, (args, context) => {
    const { id: channel } = writableConversation(context, args.channel);
    const threadTs = text(args.thread_ts) || undefined;
    // An ephemeral message has no thread.
    if (threadTs !== undefined && context.workspace.find(channel, threadTs)?.ephemeral)
      throw new MethodError('cannot_reply_to_message');
    if (typeof args.metadata === 'string') throw new MethodError('metadata_must_be_sent_as_json');
    const message = context.workspace.post({
      channel,
      from: 'bot',
      ...readMessage(args),
      threadTs,
      // Without a thread, Slack ignores `reply_broadcast`.
      isBroadcast: threadTs !== undefined && isTrue(args.reply_broadcast),
      metadata: args.metadata as object | undefined,
    });
    return { channel, ts: message.ts, message: messageOf(message) };
  }),
  'chat.postEphemeral': method({ scope: 'chat:write', required: ['channel', 'user'] }, (args, context) => {
    const { id: channel, members } = writableConversation(context, args.channel);
    const viewer = text(args.user);
    if (!members.includes(viewer)) throw new MethodError('user_not_in_channel');
    const read = readMessage(args, context.core.refuse);
    const threadTs = text(args.thread_ts) || undefined;
    return { message_ts: context.workspace.post({ channel, from: 'bot', ...read, viewer, threadTs }).ts };
  }),
  'chat.update': method({ scope: 'chat:write', required: ['channel', 'ts'] }, (args, context) => {
    const message = botMessage(context, args, 'cant_update_message');
    context.workspace.edit(message, readMessage(args));
    const { channel, ts } = message;
    return { channel, ts, text: message.text, message: messageOf(message) };
  }),
  'chat.delete': method({ scope: 'chat:write', required: ['channel', 'ts'] }, (args, context) => {
    const message = botMessage(context, args, 'cant_delete_message');
    context.workspace.remove(message);
    return { channel: message.channel, ts: message.ts };
  }),
  'reactions.add': method(
    { scope: 'reactions:write', required: ['channel', 'name', 'timestamp'] },
    (args, context) => {
      const conversation = visibleConversation(context, args.channel);
      const message = context.workspace.find(conversation.id, text(args.timestamp));
      if (!message || message.ephemeral) throw new MethodError('message_not_found');
      const { reactions = [] } = message;
      if (reactions.includes(text(args.name))) throw new MethodError('already_reacted');
      message.reactions = [...reactions, text(args.name)];
      context.workspace.changed();
      return {};
    },
  ),
  'files.getUploadURLExternal': method(
    { scope: 'files:write', required: ['filename', 'length'] },
    (args, { core, files }) => {
      const id = `F${files.size + 1}0SANDBOX`;
      files.set(id, { name: text(args.filename) });
      return { upload_url: `${core.url()}/upload/${id}`, file_id: id };
    },
  ),
  'files.completeUploadExternal': method(
    { scope: 'files:write', required: ['files', 'channel_id'] },
    (args, context) => {
      const { id: channel } = writableConversation(context, args.channel_id);
      const files = (args.files as Loose[]).map(({ id, title }): SharedFile => {
        const { name, content } = context.files.get(text(id)) ?? {};
        if (name === undefined || content === undefined) throw new MethodError('file_not_found');
        const url = `${context.core.url()}/file/${id}`;
        return { id: text(id), name, title: text(title) || name, size: content.length, url };
      });
      const comment = { from: 'bot', text: text(args.initial_comment) };
      const threadTs = text(args.thread_ts) || undefined;
      context.workspace.post({ channel, ...comment, threadTs, files });
      return { files: files.map(({ id, title }) => ({ id, title })) };
    },
  ),
  /** A view opened from inside a modal is pushed on top of it. */
  'views.open': method({ required: ['trigger_id', 'view'] }, (args, context) => {
    const view = readView(args.view, 'modal');
    const { person, isInside } = redeem(args, context);
    const { workspace } = context;
    return viewResult(isInside ? workspace.pushModal(person, view) : workspace.openModal(person, view));
  }),
  'views.push': method({ required: ['trigger_id', 'view'] }, (args, context) => {
    const view = readView(args.view, 'modal');
    const { person } = redeem(args, context);
    if (!context.workspace.modal(person)) throw new MethodError('not_found');
    return viewResult(context.workspace.pushModal(person, view));
  }),
  'views.update': method({ required: ['view'] }, (args, { workspace }) => {
    const view = readView(args.view, 'modal');
    const stored = workspace.findModal(text(args.view_id));
    if (!stored) throw new MethodError('not_found');
    checkHash(args, stored);
    workspace.replaceView(stored, view);
    return viewResult(stored);
  }),
  'views.publish': method({ required: ['user_id', 'view'] }, (args, { workspace }) => {
    const view = readView(args.view, 'home');
    const person = workspace.person(text(args.user_id));
    if (!person) throw new MethodError('user_not_found');
    checkHash(args, workspace.home(person.id));
    return viewResult(workspace.publishHome(person.id, view));
  }),
  'functions.completeSuccess': method({ required: [STEP_ID, 'outputs'] }, (args, context) =>
    complete(args[STEP_ID], context, { outputs: args.outputs as Loose }),
  ),
  'functions.completeError': method({ required: [STEP_ID, 'error'] }, (args, context) =>
    complete(args[STEP_ID], context, { error: text(args.error) }),
  ),
  'apps.connections.open': method({ token: 'app' }, (_args, { socketUrl }) => {
    if (!socketUrl) throw new MethodError('forbidden_team');
    return { url: socketUrl() };
  }),
  'oauth.v2.access': method({ token: 'none' }, (args, { core: { oauth } }) => {
    const granted = oauth?.redeem(args) ?? 'invalid_client_id';
    if (typeof granted === 'string') throw new MethodError(granted);
    const { workspace, person, scope, tokens } = granted;
    const { id, name, enterprise, whole = false } = workspace.team;
    return {
      app_id: APP,
      scope,
      token_type: 'bot',
      ...tokens,
      bot_user_id: BOT_USER,
      team: whole ? null : { id, name },
      enterprise: enterprise === undefined ? null : { id: enterprise, name: `${name} Org` },
      is_enterprise_install: whole,
      authed_user: { id: person },
    };
  }),
};
