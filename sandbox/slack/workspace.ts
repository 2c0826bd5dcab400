/** A workspace's state: people, conversations, messages, modals and Homes. */
import { randomInt } from 'node:crypto';
import type { KnownBlock, View } from '@slack/types';
import type { Message, OpenView, Person } from '../protocol.ts';
import { type ViewInput, withIds } from './blocks.ts';
import { LIMITS } from './limits.ts';
import { BOT_USER, type Conversation, type Team, type WorkspaceSeed } from './people.ts';

export interface StoredMessage extends Message {
  team: string;
  channel: string;
  /** The only person who sees an ephemeral message. */
  viewer?: string;
  metadata?: object;
}

type Optional<T> = { [K in keyof T]?: T[K] | undefined };
type NewMessage = Pick<StoredMessage, 'channel' | 'from' | 'text'> &
  Optional<Pick<StoredMessage, 'viewer' | 'threadTs' | 'isBroadcast' | 'files' | 'metadata'>> & {
    blocks?: readonly object[] | undefined;
  };

export interface StoredView {
  id: string;
  team: string;
  person: string;
  view: ViewInput;
  errors: Record<string, string>;
  busy: boolean;
  hash: string;
  rootId: string;
  previousId: string | null;
}

/** The key of an error about the whole modal. Other errors have a block ID as key. */
export const WHOLE_VIEW = '';

export class Workspace {
  readonly team: Team;
  readonly people: WorkspaceSeed['people'];
  readonly userGroups: WorkspaceSeed['userGroups'];
  readonly conversations = new Map<string, Conversation>();
  readonly #messages = new Map<string, StoredMessage[]>();
  readonly #stacks = new Map<string, StoredView[]>();
  readonly #homes = new Map<string, StoredView>();
  #lastMicros = 0;
  #views = 0;

  constructor(
    seed: WorkspaceSeed,
    botName: string,
    public isInstalled: boolean,
    readonly now: () => number,
    readonly changed: () => void,
  ) {
    // Other workspaces start with the same data.
    const { team, people, channels, userGroups } = structuredClone(seed);
    this.team = team;
    this.people = people;
    this.userGroups = userGroups;
    for (const channel of channels) this.conversations.set(channel.id, channel);
    for (const { id: person } of people) {
      const id = person.replace(/^U/, 'D');
      this.conversations.set(id, { id, name: botName, kind: 'im', topic: '', members: [person, 'bot'] });
    }
  }

  person(id: string): Person | undefined {
    return this.people.find((person) => person.id === id);
  }

  directMessageOf(person: string): Conversation | undefined {
    return [...this.conversations.values()].find(
      ({ kind, members }) => kind === 'im' && members.includes(person),
    );
  }

  conversation(id: string): Conversation | undefined {
    return this.conversations.get(id);
  }

  /** Guests and external people see only the public channels that they have joined. */
  canSee(person: string, conversation: Conversation): boolean {
    if (conversation.members.includes(person)) return true;
    const role = this.person(person)?.role;
    return conversation.kind === 'public' && role !== 'guest' && role !== 'external';
  }

  conversationsOf(person: string): Conversation[] {
    return [...this.conversations.values()].filter((conversation) => this.canSee(person, conversation));
  }

  get messages(): readonly StoredMessage[] {
    return [...this.#messages.values()].flat().sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  messagesFor(person: string, channel: string): StoredMessage[] {
    return (this.#messages.get(channel) ?? []).filter(({ viewer }) => !viewer || viewer === person);
  }

  find(channel: string, ts: string): StoredMessage | undefined {
    return this.#messages.get(channel)?.find((message) => message.ts === ts);
  }

  post({ channel, from, text, blocks, viewer, threadTs, ...rest }: NewMessage): StoredMessage {
    const { isBroadcast, files, metadata } = rest;
    const message: StoredMessage = {
      team: this.team.id,
      channel,
      ts: this.#timestamp(),
      from,
      text,
      ephemeral: viewer !== undefined,
      edited: false,
      ...(blocks && { blocks: withIds(blocks, randomId) as unknown as KnownBlock[] }),
      ...(viewer && { viewer }),
      ...(threadTs && { threadTs }),
      ...(threadTs && isBroadcast && { isBroadcast }),
      ...(files && { files }),
      ...(metadata && { metadata }),
    };
    const messages = this.#messages.get(channel) ?? [];
    this.#messages.set(channel, messages);
    messages.push(message);
    this.changed();
    return message;
  }

  edit(
    message: StoredMessage,
    { text, blocks }: { text: string; blocks?: readonly object[] | undefined },
  ): void {
    Object.assign(message, { text, edited: true });
    if (blocks) message.blocks = withIds(blocks, randomId) as unknown as KnownBlock[];
    else delete message.blocks;
    this.changed();
  }

  remove(message: StoredMessage): void {
    const messages = this.#messages.get(message.channel) ?? [];
    messages.splice(messages.indexOf(message), 1);
    this.changed();
  }

  stack(person: string): readonly StoredView[] {
    return this.#stacks.get(person) ?? [];
  }

  modal(person: string): StoredView | undefined {
    return this.stack(person).at(-1);
  }

  home(person: string): StoredView | undefined {
    return this.#homes.get(person);
  }

  findModal(id: string): StoredView | undefined {
    return [...this.#stacks.values()].flat().find((view) => view.id === id);
  }

  openModal(person: string, view: ViewInput): StoredView {
    this.#stacks.set(person, []);
    return this.pushModal(person, view) as StoredView;
  }

  /** @returns undefined if three views are open already */
  pushModal(person: string, view: ViewInput): StoredView | undefined {
    const stack = this.stack(person);
    if (stack.length >= LIMITS.view.depth) return undefined;
    const stored = this.#store(person, view, stack.at(-1));
    this.#stacks.set(person, [...stack, stored]);
    this.changed();
    return stored;
  }

  publishHome(person: string, view: ViewInput): StoredView {
    const home = this.#homes.get(person) ?? this.#store(person, view);
    this.#homes.set(person, home);
    this.replaceView(home, view);
    return home;
  }

  replaceView(stored: StoredView, view: ViewInput): StoredView {
    const blocks = withIds(view.blocks, randomId);
    this.markView(stored, { view: { ...view, blocks }, errors: {}, hash: this.#hash() });
    return stored;
  }

  markView(stored: StoredView, changes: Partial<StoredView>): void {
    Object.assign(stored, changes);
    this.changed();
  }

  /** Also closes the modals above it. */
  closeModal(view: StoredView): void {
    const stack = this.stack(view.person);
    this.#stacks.set(view.person, stack.slice(0, Math.max(0, stack.indexOf(view))));
    this.changed();
  }

  #store(person: string, view: ViewInput, below?: StoredView): StoredView {
    const id = `V${randomId(10)}`;
    const placed = { rootId: below?.rootId ?? id, previousId: below?.id ?? null };
    const blocks = withIds(view.blocks, randomId);
    const state = { errors: {}, busy: false, hash: this.#hash() };
    return { id, team: this.team.id, person, view: { ...view, blocks }, ...state, ...placed };
  }

  #hash(): string {
    this.#views += 1;
    return `${Math.floor(this.now() / 1000)}.${randomId(4)}${this.#views}`;
  }

  /** Slack's message IDs are timestamps, unique within the workspace. */
  #timestamp(): string {
    this.#lastMicros = Math.max(this.now() * 1000, this.#lastMicros + 1);
    const seconds = Math.floor(this.#lastMicros / 1_000_000);
    return `${seconds}.${String(this.#lastMicros % 1_000_000).padStart(6, '0')}`;
  }
}

export function toOpenView({ id, view, errors, busy, hash }: StoredView): OpenView {
  return { id, view: view as unknown as View, errors, busy, hash };
}

export function userIdOf(from: string): string {
  if (from === 'bot') return BOT_USER;
  return from === 'slackbot' ? 'USLACKBOT' : from;
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function randomId(length = 5): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
