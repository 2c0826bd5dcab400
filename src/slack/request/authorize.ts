/** Finds out who sent a payload, and what this person may do. */
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { isDirectMessage, type SlackId } from '../../domain/slack-id.ts';
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
import type { WebClient } from '../web-client.ts';
import { channelsOf } from './channels.ts';
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
    // For `member` and `manage`, Tally asks Slack again, except while people type. Otherwise, a cached role is enough.
    const isFresh = (right === 'member' || right === 'manage') && source.via !== 'suggestions';
    const began = performance.now();
    const lookups = Promise.all([people.find(source, isFresh), source.workspace ?? workspaces.load(teamId)]);
    // Nobody waits for the look-ups of a replay, so their errors are caught here.
    lookups.catch(() => undefined);
    if ((await source.isFirst) === false) {
      annotate({ outcome: 'duplicate' });
      return undefined;
    }
    const [profile, workspace] = await lookups;
    const user = await people.admit(profile, workspace.settings, isFresh);
    if (right === 'manage' && user.canAsk && !user.canManage) {
      const managers = await people.managers(workspace, false);
      throw new Failure('not-allowed', { reason: 'not-manager', people: managers });
    }
    requireRight(right, user);
    const { askedIn } = source;
    // A window remembers a channel, which the person may have left since.
    const isOutside =
      askedIn !== undefined && !(await maySeeProjectsOf(askedIn, user, workspace, client, false));
    const asked = isOutside ? { ...source, askedIn: undefined } : source;
    // Answers stay private where other readers may have fewer rights: in direct messages, and beside external people.
    const { externals, visibility } = workspace.settings;
    const hasStrangers = isDirectMessage(source.channel ?? '') || (source.isShared === true && !externals);
    const audience = rules.figures && !hasStrangers ? (source.audience ?? visibility) : 'asker';
    const scope = scopeOf(asked, user, workspace, audience);

    const confirm = async (): Promise<void> => {
      // A manager sees limited projects everywhere, so there a manager's role must not come from the cache.
      const hasLimits = workspace.projects.some(({ channels }) => channels.length > 0);
      const isCached = user.canManage && !isFresh && (hasLimits || right !== 'ask');
      const isLate = isCached || performance.now() - began > ROLE_MAX_AGE;
      // A request must not be refused because of its own change.
      const isChanging = hasSaved(workspace);
      const [latest, now] = await Promise.all([
        isLate ? people.find(source, true) : profile,
        isChanging ? workspace : workspaces.load(teamId),
      ]);
      const person = await people.admit(latest, now.settings, isLate && isFresh);
      requireRight(right, person);
      if (!isChanging && !(hasSamePermissions(user, person) && hasSameRights(workspace, now)))
        throw new Failure('rights-changed');
      const { channel = '' } = scope;
      const isPrivate = audience === 'asker';
      if (isLate && isPrivate && !(await maySeeProjectsOf(channel, person, now, client, true)))
        throw new Failure('rights-changed');
    };
    const offered = command && withoutSecrets(command, workspace.aliases);
    return {
      ...scope,
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

/** Only members may see a channel's projects. @param fallback the result if Tally itself can't see the channel */
const maySeeProjectsOf = async (
  channel: SlackId,
  { id, canManage }: User,
  { projects }: Workspace,
  client: WebClient,
  fallback: boolean,
): Promise<boolean> =>
  canManage ||
  !projects.some(({ channels }) => channels.includes(channel)) ||
  channelsOf(client)
    .has(channel, id)
    .catch((error: unknown) => {
      if (isFailure(error, 'slack-failed') && error.data.code === 'channel_not_found') return fallback;
      throw error;
    });

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
