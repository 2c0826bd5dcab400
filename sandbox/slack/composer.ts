/** Messages and slash commands that people send. */
import type { Person, Verbs } from '../protocol.ts';
import type { Ack, Delivery } from './delivery.ts';
import { encodeText } from './encode-text.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import { commandOf } from './payloads.ts';
import { BOT_USER, type Conversation, teamOf } from './people.ts';
import { readMessage } from './read-message.ts';
import type { ResponseUrlRequest, ResponseUrls } from './response-urls.ts';
import type { Triggers } from './triggers.ts';
import type { Workspace } from './workspace.ts';

export type Outcome = { ok: true } | { ok: false; error: string };

export interface ComposerParts {
  workspace: Workspace;
  manifest: Manifest;
  events: Events;
  triggers: Triggers;
  responses: ResponseUrls;
  delivery: () => Delivery;
  /** Called with what the bot sent that Slack rejects. */
  complain: (problem: string) => void;
}

const CHANNEL_EVENT = { public: 'message.channels', private: 'message.groups', im: 'message.im' } as const;
const CHANNEL_TYPE = { public: 'channel', private: 'group', im: 'im' } as const;

/** What Slack shows instead of the message field. */
const READ_ONLY = 'Sending messages to this app has been turned off.';

export class Composer {
  constructor(readonly parts: ComposerParts) {}

  /** Resolves when the bot has acknowledged the message or command, or failed to. */
  async say({ as, channel, text, threadTs }: Verbs['say']): Promise<Outcome> {
    const { workspace } = this.parts;
    const person = workspace.person(as);
    const conversation = workspace.conversation(channel);
    const typed = text.trim();
    if (!person) return { ok: false, error: 'user_not_found' };
    if (!conversation || !workspace.canSee(as, conversation))
      return { ok: false, error: 'channel_not_found' };
    if (!conversation.members.includes(as)) return { ok: false, error: 'not_in_channel' };
    if (conversation.kind === 'im' && this.parts.manifest.tabs.messages !== 'open')
      return { ok: false, error: READ_ONLY };
    if (typed === '') return { ok: false, error: 'no_text' };
    if (typed.startsWith('/')) await this.#command(person, conversation, typed, threadTs);
    else await this.#message(person, conversation, typed, threadTs);
    return { ok: true };
  }

  async #message(
    person: Person,
    conversation: Conversation,
    typed: string,
    threadTs?: string,
  ): Promise<void> {
    const { workspace, events, manifest } = this.parts;
    const text = encodeText(typed, workspace, manifest.botName);
    const { ts } = workspace.post({ channel: conversation.id, from: person.id, text, threadTs });
    const isInside = conversation.members.includes('bot');
    const isMention = text.includes(`<@${BOT_USER}>`);
    if (isMention && !isInside) {
      const invitation = `@${manifest.botName} is not in this channel. Type \`/invite @${manifest.botName}\` first.`;
      workspace.slackbot(person.id, conversation.id, invitation, threadTs);
    }
    if (!isInside) return;
    const event = {
      user: person.id,
      text,
      ts,
      channel: conversation.id,
      team: teamOf(person),
      user_team: teamOf(person),
      event_ts: ts,
      ...(threadTs && { thread_ts: threadTs }),
    };
    if (isMention && conversation.kind !== 'im')
      await events.publish('app_mention', { type: 'app_mention', ...event });
    const channel_type = CHANNEL_TYPE[conversation.kind];
    await events.publish(CHANNEL_EVENT[conversation.kind], { type: 'message', channel_type, ...event });
  }

  async #command(
    person: Person,
    conversation: Conversation,
    typed: string,
    threadTs?: string,
  ): Promise<void> {
    const { workspace, manifest } = this.parts;
    const [, command = typed, text = ''] = /^(\S+)\s*(.*)$/s.exec(typed) ?? [];
    const say = (sentence: string) => workspace.slackbot(person.id, conversation.id, sentence, threadTs);
    if (threadTs) {
      say(`${command} is not supported in threads. Sorry!`);
    } else if (this.#builtIn(command, text, conversation)) {
      workspace.changed();
    } else if (
      !workspace.isInstalled ||
      person.role === 'external' ||
      !manifest.commands.some((known) => known.command === command)
    ) {
      // Only members of the workspace that installed the app can use its commands, in shared channels too.
      say(`${command} is not a valid command.`);
    } else {
      const problem = await this.#dispatch(person, conversation, command, text);
      if (problem) say(`${command} failed ${problem}`);
    }
  }

  /** Slack's own `/invite @bot` and `/remove @bot`. */
  #builtIn(command: string, text: string, conversation: Conversation): boolean {
    const isBot = text.trim().toLowerCase() === `@${this.parts.manifest.botName.toLowerCase()}`;
    if (!isBot || conversation.kind === 'im') return false;
    if (command === '/invite' && !conversation.members.includes('bot')) conversation.members.push('bot');
    if (command === '/remove')
      conversation.members = conversation.members.filter((member) => member !== 'bot');
    return command === '/invite' || command === '/remove';
  }

  /** Returns what Slackbot says about a failure, if anything. */
  async #dispatch(
    person: Person,
    conversation: Conversation,
    command: string,
    text: string,
  ): Promise<string | undefined> {
    const { workspace, manifest, triggers, responses, delivery } = this.parts;
    const escapes = manifest.commands.some((known) => known.command === command && known.shouldEscape);
    const origin: ResponseUrlRequest = {
      person: person.id,
      channel: conversation.id,
      typed: `${command} ${text}`.trim(),
    };
    const ack = await delivery().send('slash_commands', {
      ...commandOf(person, conversation, workspace),
      command,
      text: escapes ? encodeText(text, workspace, manifest.botName) : text,
      response_url: responses.issue(origin),
      trigger_id: triggers.issue({ person: person.id }),
    });
    return ack.how === 'acked' ? this.#show(origin, ack.body) : failureOf(ack);
  }

  #show(origin: ResponseUrlRequest, body: unknown): string | undefined {
    if (body === undefined) return undefined;
    const { workspace, responses, complain } = this.parts;
    const message = typeof body === 'string' ? { text: body } : (body as Record<string, unknown>);
    const read = readMessage(message, responses.refusals);
    if (read.ok) responses.post(origin, read, message);
    else if (read.error === 'no_text' && message.response_type === 'in_channel')
      workspace.post({ channel: origin.channel, from: origin.person, text: origin.typed ?? '' });
    else if (read.error !== 'no_text') {
      complain([`acknowledgement: ${read.error}`, ...read.problems].join('; '));
      return `with the error “${read.error}”.`;
    }
    return undefined;
  }
}

/** Slack's two messages for a failed command. */
function failureOf(ack: Exclude<Ack, { how: 'acked' }>): string {
  return ack.how === 'timeout'
    ? 'because the app did not respond (operation_timeout).'
    : 'with the error “dispatch_failed”.';
}
