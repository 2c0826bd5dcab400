/** A workspace's state: people, conversations and messages. Call `changed` after changing it from outside. */
import { randomInt } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Message, Person, SharedFile } from '../protocol.ts';
import { BOT_USER, type Conversation, directMessage, type UserGroup } from './people.ts';
import { SANDBOX, type Team } from './teams.ts';
import { withIds } from './validate-view.ts';

export interface StoredMessage extends Message {
  team: string;
  channel: string;
  /** The only person who sees an ephemeral message. */
  viewer?: string;
  /** Slack's message metadata. */
  metadata?: object;
}

export interface NewMessage {
  channel: string;
  /** A person's ID, `bot` or `slackbot`. */
  from: string;
  text: string;
  blocks?: readonly object[] | undefined;
  viewer?: string | undefined;
  threadTs?: string | undefined;
  /** A thread reply that is also shown in the channel. */
  isBroadcast?: boolean | undefined;
  files?: SharedFile[] | undefined;
  metadata?: object | undefined;
}

export interface WorkspaceOptions {
  botName: string;
  now: () => number;
  team?: Team;
  people?: readonly Person[];
  channels?: readonly Conversation[];
  userGroups?: readonly UserGroup[];
  /** Whether the app is installed from the start; true by default. */
  isInstalled?: boolean;
  /** Called after every change; workspaces can share them. */
  listeners?: Set<() => void>;
}

export class Workspace {
  readonly people: readonly Person[];
  readonly userGroups: readonly UserGroup[];
  readonly team: Team;
  isInstalled: boolean;
  readonly conversations = new Map<string, Conversation>();
  readonly now: () => number;
  readonly #messages = new Map<string, StoredMessage[]>();
  readonly #listeners: Set<() => void>;
  #lastMicros = 0;

  constructor(options: WorkspaceOptions) {
    const { botName, now, people = SANDBOX.people, channels = SANDBOX.channels } = options;
    this.team = options.team ?? SANDBOX.team;
    this.userGroups = structuredClone(options.userGroups ?? SANDBOX.userGroups);
    this.isInstalled = options.isInstalled ?? true;
    this.#listeners = options.listeners ?? new Set();
    // Copied, because other workspaces use the same data.
    this.people = structuredClone(people);
    this.now = now;
    for (const conversation of [...channels, ...people.map((person) => directMessage(person, botName))])
      this.conversations.set(conversation.id, structuredClone(conversation));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  person(id: string): Person | undefined {
    return this.people.find((person) => person.id === id);
  }

  /** The DM between a person and the bot. */
  directMessageOf(person: string): Conversation | undefined {
    return [...this.conversations.values()].find(
      ({ kind, members }) => kind === 'im' && members.includes(person),
    );
  }

  /** Finds a conversation by ID, or a public channel by name, with or without `#`. */
  conversation(idOrName: string): Conversation | undefined {
    const name = idOrName.replace(/^#/, '');
    return (
      this.conversations.get(idOrName) ??
      [...this.conversations.values()].find(
        (conversation) => conversation.kind === 'public' && conversation.name === name,
      )
    );
  }

  /** Full members see every public channel; guests and external people only those they are in. */
  canSee(person: string, conversation: Conversation): boolean {
    if (conversation.members.includes(person)) return true;
    const role = this.person(person)?.role;
    return conversation.kind === 'public' && role !== 'guest' && role !== 'external';
  }

  conversationsOf(person: string): Conversation[] {
    return [...this.conversations.values()].filter((conversation) => this.canSee(person, conversation));
  }

  /** Oldest first. */
  messagesFor(person: string, channel: string): StoredMessage[] {
    return (this.#messages.get(channel) ?? []).filter(({ viewer }) => !viewer || viewer === person);
  }

  find(channel: string, ts: string): StoredMessage | undefined {
    return this.#messages.get(channel)?.find((message) => message.ts === ts);
  }

  post({
    channel,
    from,
    text,
    blocks,
    viewer,
    threadTs,
    isBroadcast,
    files,
    metadata,
  }: NewMessage): StoredMessage {
    const message: StoredMessage = {
      team: this.team.id,
      channel,
      ts: this.#timestamp(),
      from,
      text,
      ...(blocks && { blocks: withIds(blocks, randomId) as KnownBlock[] }),
      ephemeral: viewer !== undefined,
      ...(viewer && { viewer }),
      edited: false,
      ...(threadTs && { threadTs }),
      ...(threadTs && isBroadcast && { isBroadcast }),
      ...(files && { files }),
      ...(metadata && { metadata }),
    };
    this.#messages.set(channel, [...(this.#messages.get(channel) ?? []), message]);
    this.changed();
    return message;
  }

  edit(
    message: StoredMessage,
    { text, blocks }: { text: string; blocks?: readonly object[] | undefined },
  ): void {
    message.text = text;
    message.edited = true;
    if (blocks) message.blocks = withIds(blocks, randomId) as KnownBlock[];
    else delete message.blocks;
    this.changed();
  }

  remove(message: StoredMessage): void {
    const others = (this.#messages.get(message.channel) ?? []).filter((other) => other !== message);
    this.#messages.set(message.channel, others);
    this.changed();
  }

  /** Posts a message from Slackbot that one person sees. */
  slackbot(viewer: string, channel: string, text: string, threadTs?: string): StoredMessage {
    return this.post({ channel, from: 'slackbot', text, viewer, threadTs });
  }

  /** Message IDs are timestamps, unique within the workspace. */
  #timestamp(): string {
    this.#lastMicros = Math.max(this.now() * 1000, this.#lastMicros + 1);
    const seconds = Math.floor(this.#lastMicros / 1_000_000);
    return `${seconds}.${String(this.#lastMicros % 1_000_000).padStart(6, '0')}`;
  }
}

/** A sender's user ID in payloads. */
export function userIdOf(from: string): string {
  if (from === 'bot') return BOT_USER;
  return from === 'slackbot' ? 'USLACKBOT' : from;
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Random letters and digits, as in Slack's IDs. */
export function randomId(length = 5): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
