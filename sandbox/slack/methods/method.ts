/** What a Web API method is made of. */
import type { Files } from '../files.ts';
import type { Manifest } from '../manifest.ts';
import type { OAuth } from '../oauth.ts';
import type { Conversation } from '../people.ts';
import type { Triggers } from '../triggers.ts';
import type { Views } from '../views.ts';
import type { Workspace } from '../workspace.ts';

export type Arguments = Record<string, unknown>;

export interface MethodContext {
  workspace: Workspace;
  views: Views;
  triggers: Triggers;
  manifest: Manifest;
  files: Files;
  /** Block types not taken in ephemeral messages. */
  refuse: ReadonlySet<string>;
  /** The base of this server. */
  url: () => string;
  /** Absent where the app has one token for one workspace. */
  oauth?: OAuth | undefined;
  /** The app is there from now on. */
  markInstalled: (team: string) => void;
  /** It is there no more: its tokens end, and it is told. */
  uninstall: (team: string) => void;
  /** Where a Socket Mode client shall connect; absent in HTTP mode. */
  socketUrl?: (() => string) | undefined;
}

export type Result = { ok: true } & Record<string, unknown>;

export interface Method {
  run: (args: Arguments, context: MethodContext) => Result;
  scope?: string;
  /** Arguments that have to be there. */
  required?: readonly string[];
  /** Asks for no token: the app names itself by its client ID and secret. */
  needsNoToken?: boolean;
  /** Taken with the app-level token instead of the bot's. */
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

/** The problems where Slack puts them, so that the SDK prints them. */
export function withProblems(problems: readonly string[]): Record<string, unknown> {
  if (problems.length === 0) return {};
  return { errors: problems, response_metadata: { messages: problems.map((one) => `[ERROR] ${one}`) } };
}

export function textArgument(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function requireScope({ manifest: { scopes } }: MethodContext, needed: string): void {
  if (scopes.size === 0 || scopes.has(needed)) return;
  throw new MethodError('missing_scope', { needed, provided: [...scopes].join(',') });
}

/** A channel that the bot can see: private ones only from inside. */
export function visibleConversation(context: MethodContext, given: unknown): Conversation {
  const conversation = context.workspace.conversation(textArgument(given));
  const isInside = conversation?.members.includes('bot') ?? false;
  if (!conversation || (conversation.kind !== 'public' && !isInside))
    throw new MethodError('channel_not_found');
  return conversation;
}

/** A channel that the bot can write to; a person's id stands for the conversation with them. */
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
