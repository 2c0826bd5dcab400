/** The workspace's truth: who is where, and what was said. Whoever changes it calls `changed`. */
import { randomInt } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Message, Person, SharedFile } from '../protocol.ts';
import { BOT_USER, directMessage, type SlackPlace, type UserGroup } from './people.ts';
import { SANDBOX, type Team } from './teams.ts';
import { withIds } from './view-shape.ts';

export interface Stored extends Message {
  team: string;
  channel: string;
  /** The only one who sees it, when it is ephemeral. */
  viewer?: string;
  /** What an app attached for apps to read. */
  metadata?: object;
}

export interface Draft {
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
  channels?: readonly SlackPlace[];
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
  readonly places = new Map<string, SlackPlace>();
  readonly now: () => number;
  readonly #messages = new Map<string, Stored[]>();
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
    for (const place of [...channels, ...people.map((one) => directMessage(one, botName))])
      this.places.set(place.id, structuredClone(place));
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
  directMessageOf(person: string): SlackPlace | undefined {
    return [...this.places.values()].find(({ kind, members }) => kind === 'im' && members.includes(person));
  }

  /** By id, or a public channel by its name with or without `#`. */
  place(given: string): SlackPlace | undefined {
    const name = given.replace(/^#/, '');
    return (
      this.places.get(given) ??
      [...this.places.values()].find((one) => one.kind === 'public' && one.name === name)
    );
  }

  /** Full members may look into every public channel; guests and external people only where they were invited. */
  maySee(person: string, place: SlackPlace): boolean {
    if (place.members.includes(person)) return true;
    const role = this.person(person)?.role;
    return place.kind === 'public' && role !== 'guest' && role !== 'external';
  }

  placesOf(person: string): SlackPlace[] {
    return [...this.places.values()].filter((place) => this.maySee(person, place));
  }

  /** Oldest first. */
  messagesFor(person: string, channel: string): Stored[] {
    return (this.#messages.get(channel) ?? []).filter(({ viewer }) => !viewer || viewer === person);
  }

  find(channel: string, ts: string): Stored | undefined {
    return this.#messages.get(channel)?.find((one) => one.ts === ts);
  }

  post({ channel, from, text, blocks, viewer, threadTs, isBroadcast, files, metadata }: Draft): Stored {
    const message: Stored = {
      team: this.team.id,
      channel,
      ts: this.#timestamp(),
      from,
      text,
      ...(blocks && { blocks: withIds(blocks, invent) as KnownBlock[] }),
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

  edit(message: Stored, { text, blocks }: { text: string; blocks?: readonly object[] | undefined }): void {
    message.text = text;
    message.edited = true;
    if (blocks) message.blocks = withIds(blocks, invent) as KnownBlock[];
    else delete message.blocks;
    this.changed();
  }

  remove(message: Stored): void {
    const others = (this.#messages.get(message.channel) ?? []).filter((one) => one !== message);
    this.#messages.set(message.channel, others);
    this.changed();
  }

  /** What Slack itself says to one person. */
  slackbot(viewer: string, channel: string, text: string, threadTs?: string): Stored {
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
export function invent(length = 5): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
