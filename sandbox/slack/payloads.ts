/** The parts of Slack's payloads. */
import type { Person, StateValues } from '../protocol.ts';
import { inputStateOf } from './input-state.ts';
import { APP, BOT_ID, BOT_USER, type Conversation, teamOf } from './people.ts';
import type { StoredView } from './views.ts';
import { type StoredMessage, userIdOf, type Workspace } from './workspace.ts';

/** The deprecated verification token, which every payload still has. */
const VERIFICATION = 'sandbox-verification-token';

export const envelopeOf = ({ team: { id, domain } }: Workspace) => ({
  token: VERIFICATION,
  api_app_id: APP,
  team: { id, domain },
  enterprise: null,
  is_enterprise_install: false,
});

export function userOf(person: Person) {
  return { id: person.id, username: person.name, name: person.name, team_id: teamOf(person) };
}

/** Slack hides the names of private conversations. */
export function channelOf(conversation: Conversation) {
  const hidden = { public: conversation.name, private: 'privategroup', im: 'directmessage' } as const;
  return { id: conversation.id, name: hidden[conversation.kind] };
}

/** The fields of a slash command. */
export function commandOf(person: Person, conversation: Conversation, { team }: Workspace) {
  const { id, name } = channelOf(conversation);
  return {
    token: VERIFICATION,
    team_id: team.id,
    team_domain: team.domain,
    channel_id: id,
    channel_name: name,
    user_id: person.id,
    user_name: person.name,
    api_app_id: APP,
    is_enterprise_install: 'false',
  };
}

export function viewOf({ id, team, view, hash, rootId, previousId }: StoredView, values: StateValues = {}) {
  return {
    id,
    team_id: team,
    app_id: APP,
    app_installed_team_id: team,
    bot_id: BOT_ID,
    type: view.type,
    ...(view.title && { title: view.title }),
    submit: view.submit ?? null,
    close: view.close ?? null,
    blocks: view.blocks,
    private_metadata: view.private_metadata ?? '',
    callback_id: view.callback_id ?? '',
    external_id: view.external_id ?? '',
    state: { values: inputStateOf(view.blocks, values) },
    hash,
    clear_on_close: view.clear_on_close ?? false,
    notify_on_close: view.notify_on_close ?? false,
    root_view_id: rootId,
    previous_view_id: previousId,
  };
}

export function messageOf({ team, ts, from, text, blocks, edited, threadTs, isBroadcast }: StoredMessage) {
  return {
    type: 'message',
    ...(isBroadcast && { subtype: 'thread_broadcast' }),
    user: userIdOf(from),
    ts,
    text,
    team,
    ...(from === 'bot' && { bot_id: BOT_ID, app_id: APP }),
    ...(blocks && { blocks }),
    ...(edited && { edited: { user: userIdOf(from), ts } }),
    ...(threadTs && { thread_ts: threadTs }),
  };
}

export function eventOf(event: Record<string, unknown>, id: string, at: number, { team }: Workspace) {
  return {
    token: VERIFICATION,
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    api_app_id: APP,
    event,
    type: 'event_callback',
    event_id: id,
    event_time: Math.floor(at / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: team.id,
        user_id: BOT_USER,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${id}`,
  };
}
