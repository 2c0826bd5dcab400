import { Failure } from '../../domain/failure/index.ts';
import { type Annotate, errorOutcome } from '../../runtime/work-record.ts';
import { type Right, requireRight } from '../../workspace/permissions.ts';
import { type Command, withoutSecrets } from '../commands/command.ts';
import type { Reply } from '../reply/reply.ts';
import type { SlackServices } from '../slack-services.ts';
import { asksFigures, type HandlerRules, managersOf, type Request, slackLookups } from './request.ts';
import { isDirectMessage, threadOf } from './source.ts';

/** Asking accepts a role that Slack confirmed within the last minute; changing something does not. */
const needsFreshRole = (right: Right): boolean => right === 'member' || right === 'manage';

export type Authorize = ReturnType<typeof createRequestAuthorizer>;

/** Asks Slack and Redis in parallel, so that a request with a cached user waits for one round trip. */
export const createRequestAuthorizer =
  ({ users, workspaces }: Pick<SlackServices, 'users' | 'workspaces'>) =>
  /**
   * Checks the right of the user who sent a payload: a command, click, form, suggestion or event.
   * @param reply to the sender alone
   * @param annotate gets whose record it works with, and that it was replayed
   * @param command the command that is run, if any
   * @returns undefined for a replayed request, which was answered before and gets no second answer
   * @throws not-allowed, slack-failed, store-unavailable
   */
  async (
    reply: Reply,
    task: Pick<HandlerRules, 'right'> & Partial<HandlerRules>,
    annotate: Annotate,
    command?: Command,
  ): Promise<Request | undefined> => {
    const { source, client } = reply;
    const { right } = task;
    const { at, teamId, userId, sharedFrom, self } = source;
    if (teamId === '' || userId === '') throw new Failure('not-allowed', { reason: 'external' });
    const people = users(client, teamId);
    const isFresh = needsFreshRole(right);
    const lookups = Promise.all([people.find(source, isFresh), source.workspace ?? workspaces.load(teamId)]);
    // A replay is dropped before its lookups are awaited, so their errors must not count as unhandled.
    lookups.catch(() => undefined);
    if ((await source.isFirst) === false) {
      annotate({ outcome: 'replayed' });
      return undefined;
    }
    const [profile, workspace] = await lookups;
    annotate({ waits: workspace.waits });
    // Slack allows only about twenty look-ups of user groups a minute, and a person types faster.
    const asksGroups = isFresh && source.via !== 'suggestions';
    const user = await people.admit(profile, workspace.settings, asksGroups);
    if (right === 'manage' && user.canAsk && !user.canManage)
      throw new Failure('not-allowed', {
        reason: 'not-manager',
        managers: await managersOf(people, workspace).known(),
      });
    requireRight(right, user);
    const audience = asksFigures(task) ? (source.audience ?? workspace.settings.visibility) : 'asker';
    const isPrivate = audience === 'asker';
    const channel = source.askedIn ?? source.channel;
    const how = sharedFrom === undefined ? 'asked' : 'shared';
    return {
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
      reply: reply.as(source, audience, command && withoutSecrets(command, workspace.aliases)),
      recordError: (error) => annotate(errorOutcome(error)),
      slack: slackLookups(people, client, userId, workspace),
    };
  };
