/**
 * The protocol between the sandbox's page and its server.
 *
 * The server holds the state. Page → server: `POST /sandbox/<verb>` with a JSON body (`Verbs`).
 * Server → page: `GET /sandbox/stream?as=<person id>`, server-sent events, each `data:` one `ServerEvent`.
 * A snapshot is complete: it replaces the one before.
 */
import type { KnownBlock, View } from '@slack/types';

/** An external user belongs to another organization and only appears in shared channels. */
export type Role = 'owner' | 'admin' | 'member' | 'guest' | 'external';

export interface Person {
  id: string;
  name: string;
  realName: string;
  role: Role;
  /** ID of their workspace; the first one when absent. */
  team?: string;
  /** The account is deactivated. */
  left?: boolean;
  tz: string;
  locale: string;
  /** CSS colour of the avatar. */
  color: string;
}

export interface Channel {
  id: string;
  name: string;
  kind: 'public' | 'private' | 'im';
  topic: string;
}

export interface Message {
  ts: string;
  /** A person's ID, `bot`, or `slackbot` for Slack's own messages, such as timeouts. */
  from: string;
  text: string;
  blocks?: KnownBlock[];
  /** Only visible to one person. */
  ephemeral: boolean;
  edited: boolean;
  threadTs?: string;
  /** A thread reply that is also shown in the channel. */
  isBroadcast?: boolean;
  files?: SharedFile[];
  /** Names of emoji, without colons. */
  reactions?: string[];
}

/** A file in a message. */
export interface SharedFile {
  id: string;
  name: string;
  title: string;
  /** In bytes. */
  size: number;
  url: string;
}

export interface OpenView {
  id: string;
  view: View;
  /** block_id → sentence, as `response_action: errors` sent them. */
  errors: Record<string, string>;
  /** A submission is in progress. */
  busy: boolean;
  /** Changes with every update of the view. */
  hash: string;
}

export interface SlashCommand {
  command: string;
  description: string;
  usageHint: string;
}

/** One HTTP exchange or Socket Mode envelope. The server has masked its secrets. */
export interface Traffic {
  id: number;
  /** ms since the epoch */
  at: number;
  /** `slack→bot`, `bot→slack`, `bot→billing`, `bot→identity` */
  direction: string;
  /** Method and path, or the Web API method. */
  title: string;
  /** HTTP status, or `…` while in progress. */
  status: string;
  /** Duration in ms. */
  took?: number;
  request: string;
  response: string;
}

/** The modes of a fake service, and the current one. */
export interface Switch {
  /** `billing`, `identity` */
  service: string;
  mode: string;
  modes: { mode: string; label: string; hint: string }[];
}

/** To a time of day on the viewer's clock, `HH:MM`, or by a number of hours. */
export type Skip = { time: string } | { hours: number };

/** Something to try. A click puts `text` into the message field. */
export interface Example {
  text: string;
  why: string;
  /** Goes into the thread of the newest answer of the channel. */
  inThread?: true;
}

export interface Snapshot {
  type: 'snapshot';
  workspace: { id: string; name: string };
  /** All workspaces of this Slack; `as` is the person to view each one as. */
  workspaces: { id: string; name: string; as: string }[];
  /** Absent when the app has a fixed token and is not installed by OAuth. */
  install?: { url: string; isInstalled: boolean };
  me: string;
  people: Person[];
  channels: Channel[];
  /** Channel ID → the messages that this viewer can see, oldest first. */
  messages: Record<string, Message[]>;
  /** The viewer's modal stack, bottom first; the last is on top. */
  views: OpenView[];
  /** The App Home that the bot published for this viewer. */
  home?: View;
  commands: SlashCommand[];
  bot: { name: string; userId: string; mode: 'http' | 'socket'; up: boolean };
  /** How far the sandbox's clock is ahead of the machine's, in ms. */
  skipped: number;
  switches: Switch[];
  examples: Example[];
  /** Sandbox secrets to paste into Tally's forms. */
  credentials: { label: string; value: string }[];
}

export type ServerEvent = Snapshot | { type: 'traffic'; entries: Traffic[] };

/** A state value as Slack's `view.state.values[block][action]` has it. */
export interface StateValue {
  type: string;
  selected_option?: { value: string } | null;
  /** By the key of {@link VALUE_KEYS}. */
  [key: string]: unknown;
}

/** Element type → the key of its value; the initial value is named alike, `initial_…`. */
export const VALUE_KEYS: Readonly<Record<string, string>> = {
  plain_text_input: 'value',
  static_select: 'selected_option',
  external_select: 'selected_option',
  overflow: 'selected_option',
  checkboxes: 'selected_options',
  multi_external_select: 'selected_options',
  users_select: 'selected_user',
  multi_users_select: 'selected_users',
  conversations_select: 'selected_conversation',
  multi_conversations_select: 'selected_conversations',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
};

export const initialOf = (key: string) => `initial_${key.replace('selected_', '')}`;

export type StateValues = Record<string, Record<string, StateValue>>;

/** A message or a view: where an interaction happens. */
export type SurfaceRef = { channel: string; ts: string } | { viewId: string };

/** `POST /sandbox/<verb>` bodies; each answers 200 with `{ ok: true, … }` or `{ ok: false, error }`. */
export interface Verbs {
  /** A message, or a slash command when `text` begins with `/`. */
  say: { as: string; channel: string; text: string; threadTs?: string };
  /** A click or a choice. `action` is the element's action as Slack sends it, without `action_ts`. */
  act: { as: string; surface: SurfaceRef; action: Record<string, unknown>; values: StateValues };
  submit: { as: string; viewId: string; values: StateValues };
  close: { as: string; viewId: string };
  /** external_select typing; answers `{ ok: true, options, option_groups }`. */
  suggest: { as: string; surface: SurfaceRef; blockId: string; actionId: string; value: string };
  home: { as: string };
  /** Uninstalls the app from this person's workspace. */
  uninstall: { as: string };
  switch: { service: string; mode: string };
  /** Moves the sandbox's clock forward; a time of day is in this person's zone. */
  skip: { as: string; to: Skip };
}
