/** The parts of Slack's payloads. */
import type { Person, StateValues } from '../protocol.ts';
import type { Loose } from './blocks.ts';
import { inputStateOf } from './forms.ts';
import { APP, BOT_ID, BOT_USER, type Conversation, teamOf } from './people.ts';
import { type StoredMessage, type StoredView, userIdOf, type Workspace } from './workspace.ts';

export const interactionOf = ({ team: { id, domain } }: Workspace, person: Person) => ({
  api_app_id: APP,
  team: { id, domain },
  enterprise: null,
  is_enterprise_install: false,
  user: { id: person.id, username: person.name, name: person.name, team_id: teamOf(person) },
});

/** Slack hides the names of private conversations. */
export function channelOf({ id, kind, name }: Conversation) {
  return { id, name: { public: name, private: 'privategroup', im: 'directmessage' }[kind] };
}

export function commandOf(person: Person, conversation: Conversation, { team }: Workspace) {
  const { id, name } = channelOf(conversation);
  return {
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
    hash,
    private_metadata: '',
    callback_id: '',
    clear_on_close: false,
    notify_on_close: false,
    submit: null,
    close: null,
    ...view,
    state: { values: inputStateOf(view.blocks, values) },
    root_view_id: rootId,
    previous_view_id: previousId,
  };
}

export function messageOf({ team, ts, from, text, blocks, edited, threadTs, isBroadcast }: StoredMessage) {
  return {
    type: 'message',
    user: userIdOf(from),
    ts,
    text,
    team,
    ...(isBroadcast && { subtype: 'thread_broadcast' }),
    ...(from === 'bot' && { bot_id: BOT_ID, app_id: APP }),
    ...(blocks && { blocks }),
    ...(edited && { edited: { user: userIdOf(from), ts } }),
    ...(threadTs && { thread_ts: threadTs }),
  };
}

export function eventOf(event: Loose, id: string, at: number, workspace: Workspace) {
  const { team } = workspace;
  const authorization = { enterprise_id: null, team_id: team.id, user_id: BOT_USER, is_bot: true };
  return {
    type: 'event_callback',
    api_app_id: APP,
    event,
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    event_id: id,
    event_time: Math.floor(at / 1000),
    event_context: `4-${id}`,
    authorizations: [{ ...authorization, is_enterprise_install: false }],
    is_ext_shared_channel: workspace.conversation(String(event.channel))?.shared === true,
  };
}
