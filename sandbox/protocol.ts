/**
 * The protocol between the sandbox's page and its server.
 *
 * The page posts JSON to `/sandbox/<verb>` (`Verbs`). The server holds the state and sends it over `GET
 * /sandbox/stream?as=<person ID>`: server-sent events with a complete `Snapshot` each.
 */
import type { KnownBlock, View } from '@slack/types';

/** An external user belongs to another organization and appears only in shared channels. */
export type Role = 'owner' | 'admin' | 'member' | 'guest' | 'external';

export interface Person {
  id: string;
  name: string;
  realName: string;
  role: Role;
  /** Absent in the first workspace. */
  team?: string;
  left?: boolean;
  tz: string;
  locale: string;
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
  /** A person's ID, `bot`, or `slackbot` for Slack's own messages. */
  from: string;
  text: string;
  blocks?: KnownBlock[];
  ephemeral: boolean;
  edited: boolean;
  threadTs?: string;
  /** A thread reply that also appears in the channel. */
  isBroadcast?: boolean;
  files?: SharedFile[];
  /** Emoji names without colons. */
  reactions?: string[];
}

export interface SharedFile {
  id: string;
  name: string;
  title: string;
  size: number;
  url: string;
}

export interface OpenView {
  id: string;
  view: View;
  errors: Record<string, string>;
  busy: boolean;
  hash: string;
}

export interface Switch {
  service: string;
  mode: string;
  modes: { mode: string; label: string; hint: string }[];
}

/** `time` is a time of day on the viewer's clock, `HH:MM`. */
export type Skip = { time: string } | { hours: number };

export interface Example {
  text: string;
  why: string;
  inThread?: true;
}

export interface Snapshot {
  workspace: { id: string; name: string };
  /** All workspaces; `as` is a person to view the workspace as. */
  workspaces: { id: string; name: string; as: string }[];
  install?: { url: string; isInstalled: boolean };
  me: string;
  people: Person[];
  channels: Channel[];
  /** By channel ID, oldest first. */
  messages: Record<string, Message[]>;
  views: OpenView[];
  home?: View;
  bot: { name: string; userId: string; mode: 'http' | 'socket'; up: boolean };
  skipped: number;
  switches: Switch[];
  examples: readonly Example[];
  credentials: { label: string; value: string }[];
}

/** A value as in Slack's `view.state.values`. */
export interface StateValue {
  type: string;
  selected_option?: { value: string } | null;
  [key: string]: unknown;
}

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

export type SurfaceRef = { channel: string; ts: string } | { viewId: string };

/** The bodies of `POST /sandbox/<verb>`. Each verb answers 200 with `{ ok: true, … }` or `{ ok: false, error }`. */
export interface Verbs {
  /** A slash command if `text` begins with `/`. */
  say: { as: string; channel: string; text: string; threadTs?: string };
  /** `action` is Slack's action without `action_ts`. */
  act: { as: string; surface: SurfaceRef; action: Record<string, unknown>; values: StateValues };
  submit: { as: string; viewId: string; values: StateValues };
  close: { as: string; viewId: string };
  /** Typing into an `external_select`. Answers `{ ok: true, options, option_groups }`. */
  suggest: { as: string; surface: SurfaceRef; blockId: string; actionId: string; value: string };
  home: { as: string };
  uninstall: { as: string };
  switch: { service: string; mode: string };
  skip: { as: string; to: Skip };
}
