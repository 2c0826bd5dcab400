import { isFailure } from '../../domain/failure/index.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../../slack/channel-check.ts';
import { mention } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request.ts';
import { type ChosenProject, limitedProjects } from '../../workspace/chosen-project.ts';
import type { Watch } from '../../workspace/watches.ts';

const CLOSED_CHANNEL = 'That channel can’t see this project. Choose another project or channel.';
const CLOSED_PROJECT =
  'This project is limited to certain channels. Send its alerts to one of them, or only to Tally managers.';
const NOT_JOINED = 'Tally isn’t in that channel. Let it join, or type /invite @Tally there and try again.';

interface Wanted {
  readonly target: Watch['target'];
  readonly project: ChosenProject;
  readonly joins: boolean;
  /** The watch that is edited: a manager may keep its channel without being in it. */
  readonly before: Watch | undefined;
}

/** Joins the channel if asked and needed. @returns why alerts cannot be sent, as a mrkdwn sentence */
export async function findTargetProblem(wanted: Wanted, request: Request): Promise<string | undefined> {
  const { target, project, joins, before } = wanted;
  if ('people' in target) return findPeopleProblem(target.people, project, request);
  const { problem, canJoin } = await checkWatchChannel(target.channel, before, request);
  if (problem !== undefined) return problem;
  if (limitedProjects(target.channel, [project], request.workspace).length > 0) return CLOSED_CHANNEL;
  if (!canJoin) return undefined;
  return joins ? joinChannel(target.channel, request) : NOT_JOINED;
}

export function checkWatchChannel(
  channel: string,
  before: Watch | undefined,
  request: Request,
): Promise<ChannelCheck> {
  const isUnchanged = before !== undefined && 'channel' in before.target && before.target.channel === channel;
  return checkChannel(channel, request, request.user.canManage && isUnchanged);
}

async function findPeopleProblem(
  people: readonly string[],
  project: ChosenProject,
  { slack, workspace, user }: Request,
): Promise<string | undefined> {
  try {
    const roles = await Promise.all(people.map((person) => slack.roleOf(person)));
    const others = people.filter((_, at) => roles[at] !== 'admin' && roles[at] !== 'member');
    if (others.length > 0)
      return `Only full members of this workspace can get alerts, so choose someone else for ${others.map(mention).join(', ')}.`;
    // A direct message is not one of the channels that a limited project may be shown in.
    if (limitedProjects('', [project], workspace).length === 0) return undefined;
    const isManager = (person: string, at: number): boolean =>
      roles[at] === 'admin' ||
      workspace.settings.managers.includes(person) ||
      (person === user.id && user.canManage);
    return people.every(isManager) ? undefined : CLOSED_PROJECT;
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed') throw error;
    return `Slack couldn’t confirm who they are (${error.code}). Try again.`;
  }
}
