/** The workspace's truth: who is where, and what was said. Whoever changes it calls `changed`. */
import { randomInt } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import type { Message, Person } from '../protocol.ts';
import { BOT_USER, CHANNELS, directMessage, PEOPLE, type Place } from './people.ts';
import { withIds } from './view-shape.ts';

export interface Stored extends Message {
  channel: string;
  /** The only one who sees it, when it is ephemeral. */
  viewer?: string;
}

export interface Draft {
  channel: string;
  /** A person's id, `bot` or `slackbot`. */
  from: string;
  text: string;
  blocks?: readonly object[] | undefined;
  viewer?: string | undefined;
  threadTs?: string | undefined;
}

export interface WorkspaceOptions {
  botName: string;
  now: () => number;
  people?: readonly Person[];
  channels?: readonly Place[];
}

export class Workspace {
  readonly people: readonly Person[];
  readonly places = new Map<string, Place>();
  readonly now: () => number;
  readonly #messages = new Map<string, Stored[]>();
  readonly #listeners = new Set<() => void>();
  #lastMicros = 0;

  constructor({ botName, now, people = PEOPLE, channels = CHANNELS }: WorkspaceOptions) {
    this.people = people;
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
  directMessageOf(person: string): Place | undefined {
    return [...this.places.values()].find(({ kind, members }) => kind === 'im' && members.includes(person));
  }

  /** By id, or a public channel by its name with or without `#`. */
  place(given: string): Place | undefined {
    const name = given.replace(/^#/, '');
    return (
      this.places.get(given) ??
      [...this.places.values()].find((one) => one.kind === 'public' && one.name === name)
    );
  }

  /** Full members may look into every public channel; guests only where they were invited. */
  maySee(person: string, place: Place): boolean {
    if (place.members.includes(person)) return true;
    return place.kind === 'public' && this.person(person)?.role !== 'guest';
  }

  placesOf(person: string): Place[] {
    return [...this.places.values()].filter((place) => this.maySee(person, place));
  }

  /** Oldest first. */
  messagesFor(person: string, channel: string): Stored[] {
    return (this.#messages.get(channel) ?? []).filter(({ viewer }) => !viewer || viewer === person);
  }

  find(channel: string, ts: string): Stored | undefined {
    return this.#messages.get(channel)?.find((one) => one.ts === ts);
  }

  post({ channel, from, text, blocks, viewer, threadTs }: Draft): Stored {
    const message: Stored = {
      channel,
      ts: this.#timestamp(),
      from,
      text,
      ...(blocks && { blocks: withIds(blocks, invent) as KnownBlock[] }),
      ephemeral: viewer !== undefined,
      ...(viewer && { viewer }),
      edited: false,
      ...(threadTs && { threadTs }),
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
