/** What a handler gets: who asks, where, what this person may see, and how to reply. */
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { ProjectScope } from '../../workspace/projects/project-scope.ts';
import type { ResolvedProject, UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ThreadPlace } from '../../workspace/thread-store.ts';
import type { Reply } from '../reply/reply.ts';
import type { WebClient } from '../web-client.ts';
import { channelsOf } from './channels.ts';
import type { Audience } from './payload.ts';
import type { User, UserLookup } from './users.ts';

export interface Request extends ProjectScope {
  /** All figures in the answer are as of this time. */
  readonly at: Millis;
  readonly sharedFrom: number | undefined;
  readonly user: User;
  readonly workspace: Workspace;
  readonly audience: Audience;
  /** The person who asked for a public answer, or shared it. Undefined if the answer is private. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** The locale (BCP 47) of the user, or, for a public answer, of the workspace. */
  readonly locale: string;
  /** The thread, whose last question a follow-up refers to. Undefined where follow-ups don't work. */
  readonly thread?: ThreadPlace | undefined;
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Logs a failure that is part of the answer and isn't thrown. */
  readonly recordError: (error: unknown) => void;
  readonly slack: ReturnType<typeof slackLookups>;
}

export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

/** Each method throws slack-failed. */
export const slackLookups = (
  people: UserLookup,
  client: WebClient,
  asker: SlackId,
  workspace: Workspace,
) => ({
  channels: channelsOf(client),
  userGroups: () => people.userGroups(),
  /** Asks Slack, not the cache. */
  isInGroups: async (groups: readonly string[]) => (await people.membersOf(groups, true)).includes(asker),
  roleOf: (person: SlackId) => people.roleOf(person),
  permissionsOf: (person: SlackId) => people.permissionsOf(person, workspace.settings, false),
  managers: () => people.managers(workspace, true),
});
