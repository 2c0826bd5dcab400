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

/** A request whose sender's rights are checked, and how to reply to it. */
export interface Request extends ProjectScope {
  /** When the request arrived. All figures in its answer are as of this time. */
  readonly at: Millis;
  /** For an answer that is shared: when its figures were first asked for. Otherwise undefined. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  /** The workspace's record, which is loaded once per request. */
  readonly workspace: Workspace;
  /** Who reads what `reply.update` sends. */
  readonly audience: Audience;
  /** Who asked for or shared a public answer; undefined if the answer is private. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** The locale of the answer (BCP 47): the user's, or for a public answer the workspace's. */
  readonly locale: string;
  /** The thread in which a follow-up finds the question before it; undefined where threads don't work. */
  readonly thread?: ThreadPlace | undefined;
  /** The user ID of Tally's bot, if the event has it. */
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  /** Whether everyone in the channel may see these projects. */
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Adds a failure to the request's log line, if the failure is part of the answer and isn't thrown. */
  readonly recordError: (error: unknown) => void;
  /** Slack look-ups. Each throws slack-failed. */
  readonly slack: ReturnType<typeof slackLookups>;
}

/** What everyone in the channel may see. Slack sends Tally only direct messages that are with Tally itself. */
export const publicScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage && isDirectMessage(channel ?? ''),
});

/** What a private reply may show: to a manager, every project. */
export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

/** What a handler needs, and how its errors are answered. */
export interface HandlerRules {
  readonly right: Right;
  /** Opens a modal. Slack's trigger is valid for 3 s, so if reading takes longer, a loading modal is opened first. */
  readonly opensForm?: boolean;
  /** Changes data, so it never runs twice for one request, and its errors say whether anything was changed. */
  readonly changes?: boolean;
  /** Answers with figures. The answer is public if the settings say so, and its thread takes follow-up questions. */
  readonly figures?: boolean;
  /** Sends a file, so the message with the button stays. */
  readonly sendsFile?: boolean;
  /** Shows data that only managers may see, so **Ask a manager** isn't offered. */
  readonly isForManagers?: boolean;
}

/** What a handler can look up in Slack. Each method throws slack-failed. */
export const slackLookups = (people: People, client: WebClient, asker: SlackId, workspace: Workspace) => ({
  channels: channelsOf(client),
  /** The workspace's user groups. @throws slack-failed `missing_scope` without usergroups:read, an optional scope */
  userGroups: () => people.userGroups(),
  /** Whether the user is in one of these groups now; Slack is always asked. */
  isInGroups: async (groups: readonly string[]) => (await people.membersOf(groups, true)).includes(asker),
  roleOf: (person: SlackId) => people.roleOf(person),
  /** What another user may do. @param settings by default the workspace's current settings */
  permissionsOf: (person: SlackId, settings: Settings = workspace.settings) =>
    people.permissionsOf(person, settings, false),
  managers: () => people.managers(workspace, true),
});
