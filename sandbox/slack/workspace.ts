/** The workspace's truth: who is where, and what was said. Whoever changes it calls `changed`. */
import { randomInt } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Message, Person, SharedFile } from '../protocol.ts';
import { BOT_USER, type Conversation, directMessage, type UserGroup } from './people.ts';
import { SANDBOX, type Team } from './teams.ts';
import { withIds } from './validate-view.ts';

export interface StoredMessage extends Message {
  team: string;
  channel: string;
  /** The only one who sees it, when it is ephemeral. */
  viewer?: string;
  /** What an app attached for apps to read. */
  metadata?: object;
}

export interface NewMessage {
  channel: string;
  /** A person's id, `bot` or `slackbot`. */
  from: string;
  text: string;
  blocks?: readonly object[] | undefined;
  viewer?: string | undefined;
  threadTs?: string | undefined;
  /** Of an answer in a thread: the channel shows it as well. */
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
  /** Whether the app is there from the beginning; it is, by default. */
  isInstalled?: boolean;
  /** Told of every change; several workspaces may share them. */
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
    // Copies: what becomes of a person here is no other workspace's business.
    this.people = structuredClone(people);
    this.now = now;
    for (const conversation of [...channels, ...people.map((one) => directMessage(one, botName))])
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
    return this.people.find((one) => one.id === id);
  }

  /** Where a person talks with the bot. */
  directMessageOf(person: string): Conversation | undefined {
    return [...this.conversations.values()].find(
      ({ kind, members }) => kind === 'im' && members.includes(person),
    );
  }

  /** By id, or a public channel by its name with or without `#`. */
  conversation(idOrName: string): Conversation | undefined {
    const name = idOrName.replace(/^#/, '');
    return (
      this.conversations.get(idOrName) ??
      [...this.conversations.values()].find((one) => one.kind === 'public' && one.name === name)
    );
  }

  /** Full members may look into every public channel; guests and external people only where they were invited. */
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
    return this.#messages.get(channel)?.find((one) => one.ts === ts);
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
    const others = (this.#messages.get(message.channel) ?? []).filter((one) => one !== message);
    this.#messages.set(message.channel, others);
    this.changed();
  }

  /** What Slack itself says to one person. */
  slackbot(viewer: string, channel: string, text: string, threadTs?: string): StoredMessage {
    return this.post({ channel, from: 'slackbot', text, viewer, threadTs });
  }

  /** Message ids are times, and never the same twice. */
  #timestamp(): string {
    this.#lastMicros = Math.max(this.now() * 1000, this.#lastMicros + 1);
    const seconds = Math.floor(this.#lastMicros / 1_000_000);
    return `${seconds}.${String(this.#lastMicros % 1_000_000).padStart(6, '0')}`;
  }
}

/** The id of a sender as payloads carry it. */
export function userIdOf(from: string): string {
  if (from === 'bot') return BOT_USER;
  return from === 'slackbot' ? 'USLACKBOT' : from;
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Letters that look like one of Slack's ids. */
export function randomId(length = 5): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
