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

/** A request whose sender's rights are checked. */
export interface Request extends ProjectScope {
  /** All figures in the answer are as of this time. */
  readonly at: Millis;
  /** For a shared answer, when its figures were first asked for. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  readonly workspace: Workspace;
  readonly audience: Audience;
  /** Who asked for a public answer, or shared it. Undefined if the answer is private. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** BCP 47: the user's, or for a public answer the workspace's. */
  readonly locale: string;
  /** Where a follow-up finds the question before it. Undefined where threads don't work. */
  readonly thread?: ThreadPlace | undefined;
  /** The user ID of Tally's bot. Only an event has it. */
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  /** Whether everyone in the channel may see these projects. */
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Logs a failure that is part of the answer and isn't thrown. */
  readonly recordError: (error: unknown) => void;
  readonly slack: ReturnType<typeof slackLookups>;
}

/** What everyone in the channel may see. A direct message has no other reader. */
export const publicScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage && isDirectMessage(channel ?? ''),
});

/** What a private reply may show. */
export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

export interface HandlerRules {
  readonly right: Right;
  /** Opens a modal. Slack's trigger is valid for 3 s, so if reading takes longer, Tally opens a loading modal first. */
  readonly opensForm?: boolean;
  /** Changes data, so it never runs twice for one request, and its errors say whether anything was changed. */
  readonly changes?: boolean;
  /** Answers with figures, which can be public, and to which a thread can ask follow-ups. */
  readonly figures?: boolean;
  /** Sends a file, so the message with the button stays. */
  readonly sendsFile?: boolean;
  /** Shows data for managers only, so **Ask a manager** isn't offered. */
  readonly isForManagers?: boolean;
}

/** Each method throws slack-failed. */
export const slackLookups = (people: People, client: WebClient, asker: SlackId, workspace: Workspace) => ({
  channels: channelsOf(client),
  /** @throws slack-failed with `missing_scope` if the optional scope usergroups:read was declined */
  userGroups: () => people.userGroups(),
  /** Slack is always asked. */
  isInGroups: async (groups: readonly string[]) => (await people.membersOf(groups, true)).includes(asker),
  roleOf: (person: SlackId) => people.roleOf(person),
  /** @param settings by default the workspace's current ones */
  permissionsOf: (person: SlackId, settings: Settings = workspace.settings) =>
    people.permissionsOf(person, settings, false),
  managers: () => people.managers(workspace, true),
});
