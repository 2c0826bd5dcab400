/** Decides who may get the messages that Tally sends on its own. Every send and every update checks this again. */
import { isPerson, type SlackId } from '../../domain/slack-id.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { isShownTo, type ProjectScope } from '../../workspace/projects/project-scope.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { meetsRight } from '../../workspace/roles-and-rights.ts';
import type { OutboxMessage } from '../delivery-log.ts';
import type { DeliveryContext } from '../run-context.ts';
import type { Recipient, Refusal } from './message-kind.ts';
import { CHANNEL_LIMITED, notSentFailure } from './retry-policy.ts';

/** @returns a refusal if the recipient may not see these projects now @throws slack-failed, store-unavailable */
export async function checkRecipient(
  to: SlackId,
  projects: readonly ChosenProject[],
  {
    loadWorkspace,
    users,
    client,
    teamId,
  }: Pick<DeliveryContext, 'loadWorkspace' | 'users' | 'client' | 'teamId'>,
): Promise<{ readonly recipient: Recipient; readonly refusal?: Refusal }> {
  const workspace = await loadWorkspace();
  const isShown = (scope: ProjectScope) => projects.every((project) => isShownTo(project, workspace, scope));
  if (!isPerson(to)) {
    const recipient = { workspace, scope: { channel: to, isUnlimited: false } };
    if (isShown(recipient.scope)) return { recipient };
    return { recipient, refusal: { isGone: false, cause: CHANNEL_LIMITED } };
  }
  const hasLimits = workspace.projects.some(({ channels }) => channels.length > 0);
  const people = users(await client(), teamId);
  const permissions = await people.permissionsOf(to, workspace.settings, hasLimits);
  const recipient = { workspace, scope: { channel: undefined, isUnlimited: permissions.canManage } };
  const isGone = !meetsRight('member', permissions);
  if (!isGone && isShown(recipient.scope)) return { recipient };
  const cause = notSentFailure(isGone ? 'person-left' : 'person-not-manager');
  return { recipient, refusal: { isGone, cause } };
}

/** Managers named in the settings come first, then the people who registered a connection. */
export const responsiblePeople = (workspace: Workspace): readonly SlackId[] => [
  ...workspace.settings.managers,
  ...workspace.connectionNames.flatMap((name) => workspace.connections.get(name)?.registeredBy ?? []),
];

/**
 * Finds another person for a message: its owner, another responsible person, or an admin. Nobody gets a message twice.
 * @returns undefined if nobody is left @throws slack-failed, store-unavailable
 */
export async function findReplacement(
  message: OutboxMessage,
  context: DeliveryContext,
): Promise<SlackId | undefined> {
  const { workspace, teamId, users, client, deliveryLog } = context;
  const { owner } = (message.about ?? {}) as { readonly owner?: SlackId };
  const about = message.key.slice(0, message.key.lastIndexOf('/'));
  const { messages } = await deliveryLog.load(teamId);
  const others = messages.filter(({ key }) => key !== message.key && key.startsWith(`${about}/`));
  const taken = new Set([
    ...[message.to, ...(message.insteadOf?.tried ?? [])],
    ...others.flatMap(({ to, insteadOf }) => [to, ...(insteadOf?.tried ?? [])]),
  ]);
  const isNext = (person: SlackId) => !taken.has(person);
  const next = [...(owner === undefined ? [] : [owner]), ...responsiblePeople(workspace)].find(isNext);
  // Slack finds admins only by listing all users. Ask only if no other copy of the message was delivered.
  if (next !== undefined || others.some(({ state }) => state !== 'failed')) return next;
  return (await users(await client(), teamId).admins()).find(isNext);
}
