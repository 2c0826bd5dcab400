import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type {
  ProjectScope,
  ResolvedProject,
  UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Right } from '../../workspace/roles-and-rights.ts';
import type { Settings } from '../../workspace/settings.ts';
import type { ThreadPlace } from '../../workspace/thread-store.ts';
import type { Reply } from '../reply/reply.ts';
import type { WebClient } from '../web-client.ts';
import { channelsOf } from './channels.ts';
import type { Audience } from './payload.ts';
import type { People, User } from './users.ts';

/** An authorized request from any payload, and how to reply. */
export interface Request extends ProjectScope {
  /** When it arrived. All figures are as of this instant. */
  readonly at: Millis;
  /** When a shared answer was first asked for. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  /** Loaded once per request. */
  readonly workspace: Workspace;
  /** Who reads `reply.update`. */
  readonly audience: Audience;
  /** Who asked or shared; undefined if private. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** The reader's locale (BCP 47): the user's, or the workspace's for a public answer. */
  readonly locale: string;
  /** Where follow-ups look up the previous question; undefined without threads. */
  readonly thread?: ThreadPlace | undefined;
  /** Tally's user ID, if the event has it. */
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  /** Whether everyone in the channel may see these projects. */
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Records a failure in the log line, for failures that are part of an answer rather than thrown. */
  readonly recordError: (error: unknown) => void;
  /** Slack look-ups. Each throws slack-failed. */
  readonly slack: ReturnType<typeof slackLookups>;
}

/** Scope of a mention's answer. The only direct messages that Slack sends to Tally are with Tally itself. */
export const publicScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage && isDirectMessage(channel ?? ''),
});

/** Scope of a private reply: a manager can see every project. */
export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

/** What a handler needs. It also decides how its errors are answered. */
export interface HandlerRules {
  readonly right: Right;
  /** Opens a form or window. Slack's trigger lasts 3 s, so a loading view opens if reading takes longer. */
  readonly opensForm?: boolean;
  /** Changes something: never runs twice, and its errors say whether anything was changed. */
  readonly changes?: boolean;
  /** Answers with figures: public if the settings say so, with follow-ups in its thread. */
  readonly figures?: boolean;
  /** Sends a file; the message with the button stays. */
  readonly sendsFile?: boolean;
  /** Shows manager-only data, so “Ask a manager” isn't offered. */
  readonly isForManagers?: boolean;
}

/** What a request can ask of Slack. Each throws slack-failed. */
export const slackLookups = (people: People, client: WebClient, asker: SlackId, workspace: Workspace) => ({
  channels: channelsOf(client),
  /** The workspace's user groups. @throws slack-failed `missing_scope` without the optional scope usergroups:read */
  userGroups: () => people.userGroups(),
  /** Whether the user is in one of these user groups now, never cached. */
  isInGroups: async (groups: readonly string[]) => (await people.membersOf(groups, true)).includes(asker),
  roleOf: (person: SlackId) => people.roleOf(person),
  /** Another user's permissions. @param settings default: the workspace's current ones */
  permissionsOf: (person: SlackId, settings: Settings = workspace.settings) =>
    people.permissionsOf(person, settings, false),
  managers: () => people.managers(workspace, true),
});
