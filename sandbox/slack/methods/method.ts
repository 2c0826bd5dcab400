/** The parts of a Web API method. */
import type { Files } from '../files.ts';
import type { Manifest } from '../manifest.ts';
import type { OAuth } from '../oauth.ts';
import type { Conversation } from '../people.ts';
import type { Steps } from '../steps.ts';
import type { Triggers } from '../triggers.ts';
import type { Views } from '../views.ts';
import type { Workspace } from '../workspace.ts';

export type Arguments = Record<string, unknown>;

export interface MethodContext {
  workspace: Workspace;
  views: Views;
  steps: Steps;
  triggers: Triggers;
  manifest: Manifest;
  files: Files;
  /** Block types to reject in ephemeral messages. */
  refuse: ReadonlySet<string>;
  /** The base URL of this server. */
  url: () => string;
  /** Absent when the app has a fixed token. */
  oauth?: OAuth | undefined;
  /** Marks the app as installed. */
  markInstalled: (team: string) => void;
  /** Revokes the app's tokens and sends the events. */
  uninstall: (team: string) => void;
  /** The WebSocket URL for Socket Mode; absent in HTTP mode. */
  socketUrl?: (() => string) | undefined;
}

export type Result = { ok: true } & Record<string, unknown>;

export interface Method {
  run: (args: Arguments, context: MethodContext) => Result;
  scope?: string;
  /** The required arguments. */
  required?: readonly string[];
  /** Authenticated by client ID and secret instead of a token. */
  needsNoToken?: boolean;
  /** Needs the app-level token instead of the bot's. */
  appToken?: boolean;
}

/** An answer with `ok: false`. */
export class MethodError extends Error {
  constructor(
    readonly code: string,
    readonly detail: Record<string, unknown> = {},
  ) {
    super(code);
  }
}

/** Puts the problems where Slack puts them, so that the SDK prints them. */
export function withProblems(problems: readonly string[]): Record<string, unknown> {
  if (problems.length === 0) return {};
  return {
    errors: problems,
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  };
}

export function textArgument(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function requireScope({ manifest: { scopes } }: MethodContext, needed: string): void {
  if (scopes.size === 0 || scopes.has(needed)) return;
  throw new MethodError('missing_scope', { needed, provided: [...scopes].join(',') });
}

/** Returns a conversation that the bot can see: a private one only as a member. @throws MethodError */
export function visibleConversation(context: MethodContext, given: unknown): Conversation {
  const conversation = context.workspace.conversation(textArgument(given));
  const isInside = conversation?.members.includes('bot') ?? false;
  if (!conversation || (conversation.kind !== 'public' && !isInside))
    throw new MethodError('channel_not_found');
  return conversation;
}

/** Returns a conversation that the bot can write to; a person's ID means the DM with them. @throws MethodError */
export function writableConversation(context: MethodContext, given: unknown): Conversation {
  const direct = context.workspace.directMessageOf(textArgument(given));
  const conversation = direct ?? visibleConversation(context, given);
  if (conversation.kind === 'im' && context.manifest.tabs.messages === 'off')
    throw new MethodError('messages_tab_disabled');
  if (conversation.archived) throw new MethodError('is_archived');
  if (!conversation.members.includes('bot') && !context.manifest.scopes.has('chat:write.public'))
    throw new MethodError('not_in_channel');
  return conversation;
}
