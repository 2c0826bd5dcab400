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

/** What an authorized person asks for. */
export interface Request extends ProjectScope {
  /** All figures in the answer are as of this time. */
  readonly at: Millis;
  /** The instant at which the figures of a shared answer were first asked for. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  readonly workspace: Workspace;
  readonly audience: Audience;
  /** The person who asked for a public answer, or shared it. Undefined if the answer is private. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** The locale (BCP 47) of the user, or for a public answer of the workspace. */
  readonly locale: string;
  /** The thread in which a follow-up finds the question before it. Undefined where threads don't work. */
  readonly thread?: ThreadPlace | undefined;
  /** The user ID of Tally's bot, which only events name. */
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Logs a failure that is part of the answer and isn't thrown. */
  readonly recordError: (error: unknown) => void;
  readonly slack: ReturnType<typeof slackLookups>;
}

/** What everyone in the channel may see. A direct message with Tally has no other reader. */
export const publicScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage && isDirectMessage(channel ?? ''),
});

export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

export interface HandlerRules {
  readonly right: Right;
  /** Opens a modal. Slack's trigger is valid for 3 s, so after a slow look-up a loading modal opens first. */
  readonly opensForm?: boolean;
  /** Changes data, so it never runs twice for a request, and its errors say whether anything was changed. */
  readonly changes?: boolean;
  /** Answers with figures, which can be public, and which follow-up questions in a thread can refer to. */
  readonly figures?: boolean;
  /** Sends a file, so the message with the button stays. */
  readonly sendsFile?: boolean;
  /** Shows data for managers only, so a reply doesn't offer **Ask a manager**. */
  readonly isForManagers?: boolean;
}

export const slackLookups = (people: People, client: WebClient, asker: SlackId, workspace: Workspace) => ({
  channels: channelsOf(client),
  /** @throws slack-failed with `missing_scope` if the optional scope usergroups:read was declined */
  userGroups: () => people.userGroups(),
  isInGroups: async (groups: readonly string[]) => (await people.membersOf(groups, true)).includes(asker),
  roleOf: (person: SlackId) => people.roleOf(person),
  permissionsOf: (person: SlackId, settings: Settings = workspace.settings) =>
    people.permissionsOf(person, settings, false),
  managers: () => people.managers(workspace, true),
});
