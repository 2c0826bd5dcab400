import type { Person } from '../../protocol.ts';
import { APP, BOT_ID, BOT_USER, type Conversation, teamOf } from '../people.ts';
import { userIdOf } from '../workspace.ts';
import { zoneOffset } from '../zone-offset.ts';
import {
  type Method,
  type MethodContext,
  MethodError,
  requireScope,
  textArgument,
  visibleConversation,
} from './method.ts';

function isTrue(flag: unknown): boolean {
  return flag === true || flag === 'true' || flag === '1';
}

/** Slack does not set `is_stranger` for people who share a channel with the app. */
function userOf(person: Person, { workspace }: MethodContext, includeLocale: boolean) {
  const isInSharedChannel = [...workspace.conversations.values()].some(
    ({ kind, members }) => kind !== 'im' && members.includes(person.id) && members.includes('bot'),
  );
  const { offset, label } = zoneOffset(person.tz, workspace.now());
  return {
    id: person.id,
    team_id: teamOf(person),
    name: person.name,
    real_name: person.realName,
    deleted: person.left ?? false,
    tz: person.tz,
    tz_label: label,
    tz_offset: offset,
    profile: { real_name: person.realName, display_name: person.name, team: teamOf(person) },
    is_admin: person.role === 'owner' || person.role === 'admin',
    is_owner: person.role === 'owner',
    is_primary_owner: person.role === 'owner',
    is_restricted: person.role === 'guest',
    is_ultra_restricted: false,
    is_stranger: person.role === 'external' && !isInSharedChannel,
    is_bot: false,
    is_app_user: false,
    ...(includeLocale && { locale: person.locale }),
  };
}

function botUser({ manifest, workspace }: MethodContext) {
  const team = workspace.team.id;
  return {
    id: BOT_USER,
    team_id: team,
    name: manifest.botName.toLowerCase(),
    real_name: manifest.botName,
    deleted: false,
    profile: { real_name: manifest.botName, bot_id: BOT_ID, api_app_id: APP, team },
    is_bot: true,
    is_app_user: false,
  };
}

const SCOPE_KIND = { public: 'channels', private: 'groups', im: 'im' } as const;

function conversationOf(conversation: Conversation) {
  const isIm = conversation.kind === 'im';
  return {
    id: conversation.id,
    ...(isIm
      ? { user: conversation.members.find((member) => member !== 'bot') }
      : { name: conversation.name }),
    is_channel: conversation.kind === 'public',
    is_group: false,
    is_im: isIm,
    is_mpim: false,
    is_private: conversation.kind !== 'public',
    is_archived: conversation.archived ?? false,
    is_general: conversation.name === 'general',
    is_shared: conversation.shared ?? false,
    is_ext_shared: conversation.shared ?? false,
    is_org_shared: false,
    is_member: conversation.members.includes('bot'),
    topic: { value: conversation.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    num_members: conversation.members.length,
  };
}

/** Returns a conversation that the bot's scopes let it read. @throws MethodError */
export function readableConversation(
  context: MethodContext,
  given: unknown,
  right: 'read' | 'history',
): Conversation {
  const conversation = visibleConversation(context, given);
  requireScope(context, `${SCOPE_KIND[conversation.kind]}:${right}`);
  return conversation;
}

const DEFAULT_TYPES = 'public_channel';
const KINDS: Record<string, Conversation['kind']> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
};

export const reads: Record<string, Method> = {
  'api.test': { run: (args) => ({ ok: true, args }) },
  'auth.test': {
    run: (_args, { url, manifest, workspace: { team } }) => ({
      ok: true,
      url: `${url()}/`,
      team: team.name,
      user: manifest.botName.toLowerCase(),
      team_id: team.id,
      user_id: BOT_USER,
      bot_id: BOT_ID,
      is_enterprise_install: false,
    }),
  },
  'team.info': {
    scope: 'team:read',
    run: (_args, { workspace: { team } }) => ({ ok: true, team: { ...team, email_domain: '' } }),
  },
  'bots.info': {
    scope: 'users:read',
    run(args, { manifest }) {
      if (args.bot !== undefined && args.bot !== BOT_ID) throw new MethodError('bot_not_found');
      const bot = { id: BOT_ID, app_id: APP, user_id: BOT_USER, name: manifest.botName, deleted: false };
      return { ok: true, bot };
    },
  },
  'users.info': {
    scope: 'users:read',
    required: ['user'],
    run(args, context) {
      if (args.user === BOT_USER) return { ok: true, user: botUser(context) };
      const person = context.workspace.person(textArgument(args.user));
      if (!person) throw new MethodError('user_not_found');
      const user = userOf(person, context, isTrue(args.include_locale));
      return { ok: true, user };
    },
  },
  'users.list': {
    scope: 'users:read',
    run(args, context) {
      const people = context.workspace.people.filter(({ role }) => role !== 'external');
      const members = people.map((person) => userOf(person, context, isTrue(args.include_locale)));
      return {
        ok: true,
        members: [...members, botUser(context)],
        response_metadata: { next_cursor: '' },
      };
    },
  },
  'usergroups.list': {
    scope: 'usergroups:read',
    run: (_args, { workspace }) => ({
      ok: true,
      usergroups: workspace.userGroups.map(({ id, handle, name, members }) => ({
        id,
        team_id: workspace.team.id,
        is_usergroup: true,
        name,
        handle,
        date_delete: 0,
        user_count: members.length,
      })),
    }),
  },
  'usergroups.users.list': {
    scope: 'usergroups:read',
    required: ['usergroup'],
    run(args, { workspace }) {
      const group = workspace.userGroups.find(({ id }) => id === args.usergroup);
      if (!group) throw new MethodError('no_such_subteam');
      return { ok: true, users: [...group.members] };
    },
  },
  'conversations.info': {
    required: ['channel'],
    run: (args, context) => ({
      ok: true,
      channel: conversationOf(readableConversation(context, args.channel, 'read')),
    }),
  },
  'conversations.members': {
    required: ['channel'],
    run: (args, context) => ({
      ok: true,
      members: readableConversation(context, args.channel, 'read').members.map(userIdOf),
      response_metadata: { next_cursor: '' },
    }),
  },
  'conversations.list': {
    run(args, context) {
      const kinds = (textArgument(args.types) || DEFAULT_TYPES).split(',').map((type) => KINDS[type.trim()]);
      for (const kind of kinds) if (kind) requireScope(context, `${SCOPE_KIND[kind]}:read`);
      const conversations = [...context.workspace.conversations.values()].filter(
        (conversation) =>
          kinds.includes(conversation.kind) &&
          (conversation.kind === 'public' || conversation.members.includes('bot')),
      );
      return {
        ok: true,
        channels: conversations.map(conversationOf),
        response_metadata: { next_cursor: '' },
      };
    },
  },
  'conversations.open': {
    scope: 'im:write',
    run(args, context) {
      const conversation = context.workspace.directMessageOf(textArgument(args.users));
      if (!conversation) throw new MethodError('user_not_found');
      return { ok: true, channel: { id: conversation.id } };
    },
  },
  'conversations.join': {
    scope: 'channels:join',
    required: ['channel'],
    run(args, context) {
      const conversation = visibleConversation(context, args.channel);
      if (conversation.kind !== 'public') throw new MethodError('method_not_supported_for_channel_type');
      if (conversation.archived) throw new MethodError('is_archived');
      if (!conversation.members.includes('bot')) conversation.members.push('bot');
      context.workspace.changed();
      return { ok: true, channel: conversationOf(conversation) };
    },
  },
  'apps.connections.open': {
    appToken: true,
    run(_args, { socketUrl }) {
      if (!socketUrl) throw new MethodError('forbidden_team');
      return { ok: true, url: socketUrl() };
    },
  },
};
