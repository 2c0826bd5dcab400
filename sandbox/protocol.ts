/**
 * What the sandbox's page and its server say to each other.
 *
 * The server holds the truth; the page draws it. Page → server: `POST /sandbox/<verb>` with a JSON body (below).
 * Server → page: `GET /sandbox/stream?as=<person id>`, server-sent events, each `data:` one `ServerEvent`.
 * A snapshot is whole: the page replaces what it had.
 */
import type { KnownBlock, View } from '@slack/types';

/** An external user belongs to another organisation and is seen in shared channels alone. */
export type Role = 'owner' | 'admin' | 'member' | 'guest' | 'external';

export interface Person {
  id: string;
  name: string;
  realName: string;
  role: Role;
  /** Id of the workspace they are at home in; the first one when absent. */
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
  /** A person's id, `bot`, or `slackbot` for what Slack itself says (time-outs, errors). */
  from: string;
  text: string;
  blocks?: KnownBlock[];
  /** Only visible to this viewer. */
  ephemeral: boolean;
  edited: boolean;
  threadTs?: string;
  /** An answer in a thread that the channel shows as well. */
  isBroadcast?: boolean;
  files?: SharedFile[];
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
  /** A submission is under way: show the spinner, disable the buttons. */
  busy: boolean;
  /** Values to keep when the view is drawn anew; block_id → action_id → state value. */
  hash: string;
}

export interface SlashCommand {
  command: string;
  description: string;
  usageHint: string;
}

/** One HTTP exchange or one Socket Mode envelope, either way, newest last. Secrets are masked by the server. */
export interface Traffic {
  id: number;
  /** ms since the epoch */
  at: number;
  /** `slack→bot`, `bot→slack`, `bot→billing`, `bot→identity` */
  direction: string;
  /** Method and path, or the Web API method. */
  title: string;
  /** HTTP status, or `…` while under way. */
  status: string;
  /** Duration in ms. */
  took?: number;
  request: string;
  response: string;
}

/** A panel switch: which behaviour a fake service shows now. */
export interface Switch {
  /** `billing`, `identity` */
  service: string;
  mode: string;
  modes: { mode: string; label: string; hint: string }[];
}

/** `HH:MM`, what the viewer's clock shows afterwards, or how many hours pass. */
export type Skip = { time: string } | { hours: number };

/** A thing to try, shown in the panel; clicking puts `text` into the composer, or lets time pass. */
export interface Example {
  text: string;
  why: string;
  skip?: Skip;
}

export interface Snapshot {
  type: 'snapshot';
  workspace: { id: string; name: string };
  /** All workspaces of this Slack, with somebody to be there. */
  workspaces: { id: string; name: string; as: string }[];
  /** Whether the app is installed in this workspace, and where it is installed from; absent where it just is there. */
  install?: { url: string; isInstalled: boolean };
  me: string;
  people: Person[];
  channels: Channel[];
  /** channel id → messages this viewer can see, oldest first. */
  messages: Record<string, Message[]>;
  /** The viewer's modal stack, bottom first; the last is on top. */
  views: OpenView[];
  /** App Home as published for this viewer, if it was. */
  home?: View;
  commands: SlashCommand[];
  bot: { name: string; userId: string; mode: 'http' | 'socket'; up: boolean };
  /** How far the sandbox's time is ahead of the machine's, in ms. */
  skipped: number;
  switches: Switch[];
  examples: Example[];
  /** What to paste into the connect form: never a real secret. */
  credentials: { label: string; value: string }[];
}

export type ServerEvent = Snapshot | { type: 'traffic'; entries: Traffic[] };

/** A state value as Slack's `view.state.values[block][action]` has it. */
export interface StateValue {
  type: string;
  value?: string | null;
  selected_option?: { text: { type: 'plain_text'; text: string }; value: string } | null;
  selected_options?: { text: { type: 'plain_text'; text: string }; value: string }[];
  selected_date?: string | null;
  selected_time?: string | null;
  /** Seconds since the epoch. */
  selected_date_time?: number | null;
  selected_conversation?: string | null;
  selected_channel?: string | null;
  selected_user?: string | null;
  selected_users?: string[];
  selected_conversations?: string[];
  selected_channels?: string[];
}

export type StateValues = Record<string, Record<string, StateValue>>;

/** Where an interaction happened. */
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
  /** Takes the app out of this person's workspace. */
  uninstall: { as: string };
  switch: { service: string; mode: string };
  /** Time passes for this person. */
  skip: { as: string; to: Skip };
}
