import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Right } from '../../workspace/permissions.ts';
import type {
  ProjectScope,
  ResolvedProject,
  UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Settings } from '../../workspace/settings.ts';
import type { ThreadPlace } from '../../workspace/thread-store.ts';
import type { Reply } from '../reply/reply.ts';
import type { WebClient } from '../web-client.ts';
import { type Channels, channelsOf } from './channels.ts';
import type { Audience } from './payload.ts';
import type { People, User } from './users.ts';

/** A user's request from any kind of payload, and the ways to reply. */
export interface Request extends ProjectScope {
  /** When the request arrived, in ms: every figure is as of this instant. */
  readonly at: Millis;
  /** For a shared answer: when it was first asked for, in ms. */
  readonly sharedFrom: number | undefined;
  readonly user: User;
  /** The workspace's record, read once for this request. */
  readonly workspace: Workspace;
  /** The readers of what `reply.update` sends. */
  readonly audience: Audience;
  /** Who asked for or shared a public answer; undefined for a private one. */
  readonly sharedBy: { readonly how: 'asked' | 'shared'; readonly person: SlackId } | undefined;
  /** BCP 47, of the reader: the user's, or the workspace's if the whole channel reads the answer. */
  readonly locale: string;
  /** Where a follow-up finds what was asked before; undefined where answers are in no thread. */
  readonly thread?: ThreadPlace | undefined;
  /** Tally’s own user ID, if an event names it. */
  readonly self?: SlackId | undefined;
  readonly reply: Reply;
  /** Whether everybody in the channel may read the answer about these projects. */
  readonly mayShare: (asked: readonly (ResolvedProject | UnresolvedProject)[]) => boolean;
  /** Notes in the request's line of the log what its answer says went wrong, where that is not thrown. */
  readonly recordError: (error: unknown) => void;
  /** What it may ask of Slack. Each throws slack-failed. */
  readonly slack: ReturnType<typeof slackLookups>;
}

/** For a reply that everybody in the channel sees: a manager may see every project there only in a direct message. */
export const publicScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage && isDirectMessage(channel ?? ''),
});

/** For a reply that only this user sees: a manager may see every project there. */
export const privateScope = ({ user, channel }: Request): ProjectScope => ({
  channel,
  isUnlimited: user.canManage,
});

/** What the handler of a payload needs and does. */
export interface HandlerRules {
  readonly right: Right;
  /** It may open a form or a window. Slack's trigger for it lasts 3 s, so a loading view opens if reading takes longer. */
  readonly opensForm?: boolean;
  /** It may change something: it is never run twice, and its errors say whether something was changed. */
  readonly changes?: boolean;
  /** It answers with figures: for everybody if the workspace's settings say so, and with follow-ups in its thread. */
  readonly figures?: boolean;
  /** It sends a file beside the message with its button, which stays. */
  readonly sendsFile?: boolean;
}

const MOST_NAMED = 5;

/** How many named managers are looked up at most, because some may have left. */
const MOST_LOOKED_UP = 15;

/**
 * Some managers of today: named in the settings, else admins who registered a connection, else any admins.
 * @param listsAdmins whether Slack may be asked for all users of the workspace, in the end
 */
export async function findManagers(
  people: People,
  { settings, connections }: Workspace,
  listsAdmins: boolean,
): Promise<readonly SlackId[]> {
  const named = [...settings.managers, ...(await people.membersOf(settings.managerGroups))];
  const registered = [...connections.values()].map(({ registeredBy }) => registeredBy);
  for (const find of [() => named, () => registered, () => (listsAdmins ? people.admins() : [])]) {
    const found = [...new Set(await find())].slice(0, MOST_LOOKED_UP);
    const roles = await Promise.all(found.map((person) => people.roleOf(person).catch(() => 'nobody')));
    const isManager = (person: SlackId, role = '') =>
      role === 'admin' || (role === 'member' && named.includes(person));
    const managers = found.filter((person, at) => isManager(person, roles[at]));
    if (managers.length > 0) return managers.slice(0, MOST_NAMED);
  }
  return [];
}

export const slackLookups = (people: People, client: WebClient, asker: SlackId, workspace: Workspace) => ({
  // Most requests ask nothing about channels.
  get channels(): Channels {
    return channelsOf(client);
  },
  /** The workspace's user groups. @throws slack-failed `missing_scope` without the optional scope usergroups:read */
  userGroups: people.userGroups,
  /** Whether the user is in one of these user groups now, never cached. */
  isInGroups: (groups: readonly string[]) => people.isIn(asker, groups),
  roleOf: people.roleOf,
  /** The rights of another user, looked up at Slack. @param settings those of the workspace, unless given */
  permissionsOf: (person: SlackId, settings: Settings = workspace.settings) =>
    people.permissionsOf(person, settings, false),
  /** Some managers of today, looked up at Slack; the workspace's admins if the settings name nobody. */
  managers: () => findManagers(people, workspace, true),
});
