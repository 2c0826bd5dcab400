/** What people type: messages, sent to the bot as events, and slash commands. */
import type { Person, Verbs } from '../protocol.ts';
import { type Loose, Rejection, readMessage } from './blocks.ts';
import { type Core, failed, type Outcome } from './core.ts';
import type { Ack } from './delivery.ts';
import { commandOf, eventOf } from './payloads.ts';
import { BOT_USER, type Conversation, teamOf } from './people.ts';
import type { ResponseUrlOrigin } from './response-urls.ts';
import { randomId, type Workspace } from './workspace.ts';

const EVENT = { public: 'message.channels', private: 'message.groups', im: 'message.im' } as const;
const CHANNEL_TYPE = { public: 'channel', private: 'group', im: 'im' } as const;

/** Resolves when the bot has acknowledged, or failed to. */
export async function say(
  core: Core,
  workspace: Workspace,
  { as, channel, text, threadTs }: Verbs['say'],
): Promise<Outcome> {
  const person = workspace.person(as);
  const conversation = workspace.conversation(channel);
  const typed = text.trim();
  if (!person) return failed('user_not_found');
  if (!conversation || !workspace.canSee(as, conversation)) return failed('channel_not_found');
  if (!conversation.members.includes(as)) return failed('not_in_channel');
  if (typed === '') return failed('no_text');
  if (!typed.startsWith('/')) await sendMessage(core, workspace, person, conversation, typed, threadTs);
  else {
    const complaint = await sendCommand(core, workspace, person, conversation, typed, threadTs);
    if (complaint) slackbot(workspace, as, channel, complaint, threadTs);
  }
  return { ok: true };
}

const slackbot = (
  workspace: Workspace,
  viewer: string,
  channel: string,
  text: string,
  threadTs: string | undefined,
) => workspace.post({ channel, from: 'slackbot', text, viewer, threadTs });

async function sendMessage(
  core: Core,
  workspace: Workspace,
  person: Person,
  conversation: Conversation,
  typed: string,
  threadTs?: string,
): Promise<void> {
  const { botName } = core.manifest;
  const { id: channel, kind } = conversation;
  const text = encodeText(typed, workspace, botName);
  const { ts } = workspace.post({ channel, from: person.id, text, threadTs });
  const isMention = text.includes(`<@${BOT_USER}>`);
  if (!conversation.members.includes('bot')) {
    const invitation = `@${botName} is not in this channel. Type \`/invite @${botName}\` first.`;
    if (isMention) slackbot(workspace, person.id, channel, invitation, threadTs);
    return;
  }
  const team = teamOf(person);
  const event = { user: person.id, text, ts, channel, team, user_team: team, event_ts: ts };
  const placed = { ...event, ...(threadTs && { thread_ts: threadTs }) };
  if (isMention && kind !== 'im')
    await publish(core, workspace, 'app_mention', { type: 'app_mention', ...placed });
  const message = { type: 'message', channel_type: CHANNEL_TYPE[kind], ...placed };
  await publish(core, workspace, EVENT[kind], message);
}

/** @returns Slackbot's answer if the command fails */
async function sendCommand(
  core: Core,
  workspace: Workspace,
  person: Person,
  conversation: Conversation,
  typed: string,
  threadTs?: string,
): Promise<string | undefined> {
  const { manifest, triggers, responses, delivery } = core;
  const [, command = typed, text = ''] = /^(\S+)\s*(.*)$/s.exec(typed) ?? [];
  if (threadTs) return `${command} is not supported in threads. Sorry!`;
  const isBot = text.trim().toLowerCase() === `@${manifest.botName.toLowerCase()}`;
  if (isBot && conversation.kind !== 'im' && (command === '/invite' || command === '/remove')) {
    const others = conversation.members.filter((member) => member !== 'bot');
    conversation.members = command === '/invite' ? [...others, 'bot'] : others;
    return void workspace.changed();
  }
  // People of other organizations can't use commands, even in shared channels.
  if (!workspace.isInstalled || person.role === 'external' || !manifest.commands.has(command))
    return `${command} is not a valid command.`;
  const origin = {
    workspace,
    person: person.id,
    channel: conversation.id,
    typed: `${command} ${text}`.trim(),
  };
  const ack = await delivery.send('slash_commands', {
    ...commandOf(person, conversation, workspace),
    command,
    text,
    response_url: responses.issue(origin),
    trigger_id: triggers.issue({ person: person.id }),
  });
  if (ack.how === 'acked') return showAcknowledgement(core, origin, ack.body);
  return ack.how === 'timeout'
    ? `${command} failed because the app did not respond (operation_timeout).`
    : `${command} failed with the error “dispatch_failed”.`;
}

function showAcknowledgement(core: Core, origin: ResponseUrlOrigin, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  const message = typeof body === 'string' ? { text: body } : (body as Loose);
  try {
    core.responses.post(origin, readMessage(message, core.refuse), message);
    return undefined;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    core.complain(`acknowledgement: ${error.message}`);
    return `${origin.typed} failed with the error “${error.code}”.`;
  }
}

/** Turns URLs, @names and #channels into Slack's `<…>` forms, and escapes the rest. */
function encodeText(text: string, workspace: Workspace, botName: string): string {
  const mention = (whole: string, name: string) => {
    const wanted = name.toLowerCase();
    if (wanted === botName.toLowerCase()) return `<@${BOT_USER}>`;
    const person = workspace.people.find((member) => member.name === wanted);
    return person ? `<@${person.id}>` : whole;
  };
  const channel = (whole: string, wanted: string) => {
    const all = [...workspace.conversations.values()];
    const found = all.find(({ kind, name }) => kind !== 'im' && name === wanted);
    return found ? `<#${found.id}|${found.kind === 'public' ? found.name : ''}>` : whole;
  };
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/https?:\/\/[^\s<>]+/g, (address) => `<${address}>`)
    .replace(/(?<![\w<@])@([\w.-]*\w)/g, mention)
    .replace(/(?<![\w<&])#([\w-]+)/g, channel);
}

/** The delay before each retry of an event, in ms. */
const EVENT_RETRIES = [0, 60_000, 300_000];
const REASONS = { refused: 'http_error', timeout: 'http_timeout', unreachable: 'connection_failed' } as const;

/** Sends the event if the app subscribes to `name`; resolves after the first attempt. */
export async function publish(core: Core, workspace: Workspace, name: string, event: Loose): Promise<void> {
  if (core.manifest.events.has(name) && workspace.isInstalled) await sendEvent(core, workspace, event);
}

/** Sends the event even without a subscription, and retries it until it is acknowledged. */
export async function sendEvent(core: Core, workspace: Workspace, event: Loose): Promise<Ack> {
  const at = core.now();
  const payload = eventOf({ event_ts: String(at / 1000), ...event }, `Ev${randomId(9)}`, at, workspace);
  const attempt = async (number: number, before?: Ack): Promise<Ack> => {
    const retry = before && before.how !== 'acked' && { number, reason: REASONS[before.how] };
    const ack = await core.delivery.send('events_api', payload, retry || undefined);
    const wait = EVENT_RETRIES[number];
    const isOver = ack.how === 'acked' || (ack.how === 'refused' && ack.noRetry);
    if (!isOver && wait !== undefined) setTimeout(() => void attempt(number + 1, ack), wait).unref();
    return ack;
  };
  return attempt(0);
}

export async function openHome(core: Core, workspace: Workspace, user: string): Promise<Outcome> {
  const channel = workspace.directMessageOf(user)?.id;
  if (!channel) return failed('user_not_found');
  await publish(core, workspace, 'app_home_opened', { type: 'app_home_opened', user, channel, tab: 'home' });
  return { ok: true };
}
