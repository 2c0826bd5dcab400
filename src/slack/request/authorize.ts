import { Failure } from '../../domain/failure/index.ts';
import { type Annotate, errorOutcome } from '../../ops/work-record.ts';
import { type Right, requireRight } from '../../workspace/permissions.ts';
import {
  limitedProjects,
  type ResolvedProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { hasChanged, hasSameLimits } from '../../workspace/record/change.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import { type Command, withoutSecrets } from '../commands/command-buttons.ts';
import type { Reply } from '../reply/reply.ts';
import type { SlackServices } from '../slack-services.ts';
import { threadOf } from './payload.ts';
import { findManagers, type HandlerRules, type Request, slackLookups } from './request.ts';
import type { User } from './users.ts';

/** Asking accepts a role that Slack confirmed within the last minute; changing something does not. */
const needsFreshRole = (right: Right): boolean => right === 'member' || right === 'manage';

/** After this time, in ms, an answer asks Slack again who it is for; a record is always read again. */
const ROLE_KEPT = 1_000;

/** How often work begins again because the rights changed. */
const MOST_ATTEMPTS = 3;

/** Thrown instead of sending an answer when the rights have changed since it was asked for. */
export class RightsChanged extends Error {}

/** Does the work, and again from its start when the rights that it rests on have changed. @throws rights-changed, and what the work throws */
export async function repeatIfRightsChange<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RightsChanged)) throw error;
    }
  }
  throw new Failure('rights-changed');
}

/**
 * Checks the right of the user who sent a payload (a command, click, form, suggestion or event) and does the work. Whatever
 * that sends asks about the rights again, and if they have changed since, the work begins again with those of now.
 * @param reply to the sender alone
 * @param annotate gets that it was replayed
 * @param command the command that is run, if any
 * @returns undefined for a replayed request, which was answered before and gets no second answer
 * @throws not-allowed, slack-failed, store-unavailable, rights-changed, and what the work throws
 */
export type WithRights = <T>(
  reply: Reply,
  rules: HandlerRules,
  annotate: Annotate,
  work: (request: Request) => T | Promise<T>,
  command?: Command,
) => Promise<T | undefined>;

/** Asks Slack and Redis in parallel, so that a request with a cached user waits for one round trip. */
export function createWithRights({
  users,
  workspaces,
}: Pick<SlackServices, 'users' | 'workspaces'>): WithRights {
  /** @returns undefined for a replayed request @throws not-allowed, slack-failed, store-unavailable */
  async function authorize(
    reply: Reply,
    rules: HandlerRules,
    annotate: Annotate,
    command?: Command,
  ): Promise<{ readonly request: Request; readonly isOutdated: () => boolean } | undefined> {
    const { source, client } = reply;
    const { right } = rules;
    const { at, teamId, userId, sharedFrom, self } = source;
    if (teamId === '' || userId === '') throw new Failure('not-allowed', { reason: 'external' });
    const people = users(client, teamId);
    const isFresh = needsFreshRole(right);
    const began = performance.now();
    const lookups = Promise.all([people.find(source, isFresh), source.workspace ?? workspaces.load(teamId)]);
    // A replay is dropped before its lookups are awaited, so their errors must not count as unhandled.
    lookups.catch(() => undefined);
    if ((await source.isFirst) === false) {
      annotate({ outcome: 'replayed' });
      return undefined;
    }
    const [profile, workspace] = await lookups;
    // Slack allows only about twenty look-ups of user groups a minute, and a person types faster.
    const asksGroups = isFresh && source.via !== 'suggestions';
    const user = await people.admit(profile, workspace.settings, asksGroups);
    if (right === 'manage' && user.canAsk && !user.canManage)
      throw new Failure('not-allowed', {
        reason: 'not-manager',
        managers: await findManagers(people, workspace, false),
      });
    requireRight(right, user);

    let isOutdated = false;
    const confirm = async (): Promise<void> => {
      const isLate = performance.now() - began > ROLE_KEPT;
      // Work that changes something is not done twice, and changes the record itself.
      const isDone = rules.changes === true || hasChanged(workspace);
      const [latest, now] = await Promise.all([
        isLate ? people.find(source, true) : profile,
        isDone ? workspace : workspaces.load(teamId),
      ]);
      const person = await people.admit(latest, now.settings, isLate && asksGroups);
      if (isDone) return requireRight(right, person);
      isOutdated = !hasSamePermissions(user, person) || !hasSameLimits(workspace, now);
      if (isOutdated) throw new RightsChanged();
    };
    const audience = rules.figures ? (source.audience ?? workspace.settings.visibility) : 'asker';
    const isPrivate = audience === 'asker';
    const channel = source.askedIn ?? source.channel;
    const how = sharedFrom === undefined ? 'asked' : 'shared';
    const isChannel = source.channel !== undefined && !isDirectMessage(source.channel);
    const canEverybodyAsk = (asked: ResolvedProject | UnresolvedProject): boolean =>
      !('failure' in asked) &&
      limitedProjects(channel ?? '', [{ id: asked.project, product: asked.product }], workspace).length === 0;
    const request: Request = {
      isUnlimited: user.canManage && (isPrivate || isDirectMessage(channel ?? '')),
      at,
      sharedFrom,
      user,
      workspace,
      audience,
      channel,
      self,
      sharedBy: isPrivate ? undefined : { how, person: user.id },
      locale: isPrivate ? user.locale : workspace.settings.locale,
      thread: threadOf(source),
      reply: reply.as(source, {
        audience,
        confirm,
        command: command && withoutSecrets(command, workspace.aliases),
      }),
      // A manager may see more than everybody who reads what is shared.
      mayShare: (asked) => isChannel && (!user.canManage || asked.some(canEverybodyAsk)),
      recordError: (error) => annotate(errorOutcome(error)),
      slack: slackLookups(people, client, userId, workspace),
    };
    return { request, isOutdated: () => isOutdated };
  }

  return async (reply, rules, annotate, work, command) => {
    let from = reply;
    return repeatIfRightsChange(async () => {
      const authorized = await authorize(from, rules, annotate, command);
      if (authorized === undefined) return undefined;
      from = reply.as({ ...reply.source, workspace: undefined });
      const result = await work(authorized.request);
      // The work may have caught it, and gone on without sending.
      if (authorized.isOutdated()) throw new RightsChanged();
      return result;
    });
  };
}

const hasSamePermissions = (before: User, now: User): boolean =>
  before.role === now.role && before.canAsk === now.canAsk && before.canManage === now.canManage;
