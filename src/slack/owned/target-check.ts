/** Whether posts or alerts may go to a channel or to people, and whether everybody there may see the projects. */

import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Delivery } from '../../workspace/owned/stop-reason.ts';
import { meetsRight } from '../../workspace/permissions.ts';
import { type ChosenProject, projectIdLabel, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { isShownTo, limitedProjects } from '../../workspace/projects/project-visibility.ts';
import { escapeMarkup, mention } from '../kit/blocks.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../request/channels.ts';
import type { Request } from '../request/request.ts';
import type { OwnedItem } from './owned-kind.ts';

const MANAGERS_ONLY =
  'This project is limited to certain channels. Send its alerts to one of them, or only to Tally managers.';

/** Checks a channel; by default as a channel that the user chooses now. */
type CheckOfChannel = (channel: SlackId) => Promise<ChannelCheck>;

/** What is wrong with the target or worth knowing; its sentences are mrkdwn. */
export async function checkTarget(
  { channel, people, projects }: Delivery,
  request: Request,
  checkOf: CheckOfChannel = (channel) => checkChannel(channel, request),
): Promise<ChannelCheck> {
  if (people !== undefined)
    return { problem: await findPeopleProblem(people, projects, request), canJoin: false, warnings: [] };
  const check = await checkOf(channel);
  const { workspace } = request;
  const limited = projects.filter(
    (project) => !isShownTo(project, workspace, { channel, isUnlimited: false }),
  );
  if (check.problem !== undefined || limited.length === 0) return check;
  const unnamed = unnamedProjects(limited, request, request.channel);
  const names = limited.map((project) => escapeMarkup(nameProject(project, unnamed, request))).join(', ');
  return { ...check, problem: `That channel can’t see ${names}. Choose another project or channel.` };
}

/**
 * Joins the channel if that is needed.
 * @returns why nothing can be sent there, as a mrkdwn sentence
 */
export async function findTargetProblem(
  delivery: Delivery,
  request: Request,
  checkOf?: CheckOfChannel,
): Promise<string | undefined> {
  const { channel } = delivery;
  const { problem, canJoin } = await checkTarget(delivery, request, checkOf);
  if (problem !== undefined || !canJoin || channel === undefined) return problem;
  return joinChannel(channel, request);
}

/** As `findTargetProblem`, for an item that exists: people who may change it need not be in the channel that others chose. */
export const findItemProblem = (item: OwnedItem, request: Request): Promise<string | undefined> =>
  findTargetProblem(item, request, (channel) => checkChannel(channel, request, true));

/** The projects whose names the user may not know. @param channel where they are named */
export const unnamedProjects = (
  projects: readonly ChosenProject[],
  { user, workspace }: Request,
  channel: SlackId | undefined,
): readonly ChosenProject[] => (user.canManage ? [] : limitedProjects(channel ?? '', projects, workspace));

/** The name of a project; its ID if it is one of `unnamed`. */
export const nameProject = (
  project: ChosenProject,
  unnamed: readonly ChosenProject[],
  { workspace }: Request,
): string => (unnamed.includes(project) ? projectIdLabel(project) : projectLabel(project, workspace));

async function findPeopleProblem(
  people: readonly SlackId[],
  projects: readonly ChosenProject[],
  { slack, workspace }: Request,
): Promise<string | undefined> {
  try {
    const found = await Promise.all(
      people.map(async (person) => ({ person, ...(await slack.permissionsOf(person)) })),
    );
    const others = found.filter((person) => !meetsRight('member', person)).map(({ person: id }) => id);
    if (others.length > 0)
      return `Only full members of this workspace can get alerts, so choose someone else for ${others.map(mention).join(', ')}.`;
    // A direct message is not one of the channels that a limited project may be shown in.
    if (limitedProjects('', projects, workspace).length === 0) return undefined;
    return found.every(({ canManage }) => canManage) ? undefined : MANAGERS_ONLY;
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    return `Slack couldn’t confirm who they are (${error.data.code}). Try again.`;
  }
}
