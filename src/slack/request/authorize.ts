/** Finds out who sent a payload, and what this person may do. */
import { Failure } from '../../domain/failure/index.ts';
import { isDirectMessage } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type Annotate, errorOutcome } from '../../ops/work-record.ts';
import { limitedProjects } from '../../workspace/projects/project-scope.ts';
import type { ResolvedProject, UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { hasSameRights, hasSaved } from '../../workspace/record/audited-change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { requireRight } from '../../workspace/roles-and-rights.ts';
import { type Command, withoutSecrets } from '../commands/command-buttons.ts';
import type { Reply } from '../reply/reply.ts';
import type { HandlerRules } from '../server/handlers.ts';
import type { SlackServices } from '../slack-services.ts';
import { type Audience, type Source, threadOf } from './payload.ts';
import { type Request, slackLookups } from './request.ts';
import type { User } from './users.ts';

/** A role that was checked more recently than this isn't checked again before an answer is sent. */
const ROLE_MAX_AGE: Millis = 1_000;

/**
 * Before an answer is sent, the reply checks the sender's rights again. @returns undefined for a replay @throws
 * not-allowed, slack-failed
 */
export type Authorize = (
  reply: Reply,
  rules: HandlerRules,
  annotate: Annotate,
  command?: Command,
) => Promise<Request | undefined>;

export const createAuthorize =
  ({ users, workspaces }: Pick<SlackServices, 'users' | 'workspaces'>): Authorize =>
  async (reply, rules, annotate, command) => {
    const { source, client } = reply;
    const { right } = rules;
    const { teamId, userId } = source;
    if (teamId === '' || userId === '') throw new Failure('not-allowed', { reason: 'external' });
    const people = users(client, teamId);
    // For the right `ask`, a cached role is enough. For other rights, Tally asks Slack again.
    const isFresh = right === 'member' || right === 'manage';
    const began = performance.now();
    const lookups = Promise.all([people.find(source, isFresh), source.workspace ?? workspaces.load(teamId)]);
    // Nobody waits for the look-ups of a replay, so their errors are caught here.
    lookups.catch(() => undefined);
    if ((await source.isFirst) === false) {
      annotate({ outcome: 'replayed' });
      return undefined;
    }
    const [profile, workspace] = await lookups;
    // Slack allows about 20 look-ups of user groups a minute, but asks for suggestions at every keystroke.
    const asksGroups = isFresh && source.via !== 'suggestions';
    const user = await people.admit(profile, workspace.settings, asksGroups);
    if (right === 'manage' && user.canAsk && !user.canManage) {
      const managers = await people.managers(workspace, false);
      throw new Failure('not-allowed', { reason: 'not-manager', people: managers });
    }
    requireRight(right, user);

    const confirm = async (): Promise<void> => {
      const isLate = performance.now() - began > ROLE_MAX_AGE;
      // A request must not be refused because of its own change.
      const isChanging = hasSaved(workspace);
      const [latest, now] = await Promise.all([
        isLate ? people.find(source, true) : profile,
        isChanging ? workspace : workspaces.load(teamId),
      ]);
      const person = await people.admit(latest, now.settings, isLate && asksGroups);
      requireRight(right, person);
      if (!isChanging && !(hasSamePermissions(user, person) && hasSameRights(workspace, now)))
        throw new Failure('rights-changed');
    };
    // Answers in direct messages stay private, because the other person may have fewer rights.
    const mayBePublic = rules.figures && !isDirectMessage(source.channel ?? '');
    const audience = mayBePublic ? (source.audience ?? workspace.settings.visibility) : 'asker';
    const offered = command && withoutSecrets(command, workspace.aliases);
    return {
      ...scopeOf(source, user, workspace, audience),
      at: source.at,
      sharedFrom: source.sharedFrom,
      self: source.self,
      thread: threadOf(source),
      user,
      workspace,
      audience,
      reply: reply.as(source, { audience, confirm, command: offered }),
      recordError: (error) => annotate(errorOutcome(error)),
      slack: slackLookups(people, client, userId, workspace),
    };
  };

function scopeOf(
  source: Source,
  user: User,
  workspace: Workspace,
  audience: Audience,
): Pick<Request, 'channel' | 'isUnlimited' | 'sharedBy' | 'locale' | 'mayShare'> {
  const isPrivate = audience === 'asker';
  const channel = source.askedIn ?? source.channel;
  const isChannel = source.channel !== undefined && !isDirectMessage(source.channel);
  const canEverybodyAsk = (asked: ResolvedProject | UnresolvedProject): boolean =>
    !('failure' in asked) &&
    limitedProjects(channel ?? '', [{ id: asked.project, product: asked.product }], workspace).length === 0;
  return {
    channel,
    isUnlimited: user.canManage && isPrivate,
    sharedBy: isPrivate
      ? undefined
      : { how: source.sharedFrom === undefined ? 'asked' : 'shared', person: user.id },
    locale: isPrivate ? user.locale : workspace.settings.locale,
    // A manager may see projects that other people in this channel may not see.
    mayShare: (asked) => isChannel && (!user.canManage || asked.some(canEverybodyAsk)),
  };
}

const hasSamePermissions = (before: User, now: User): boolean =>
  before.role === now.role && before.canAsk === now.canAsk && before.canManage === now.canManage;
