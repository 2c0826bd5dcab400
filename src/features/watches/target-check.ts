import { SlackFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { mention } from '../../slack/kit/atoms.ts';
import { checkItemChannel, joinIfWanted } from '../../slack/owned/form.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { meetsRight } from '../../workspace/permissions.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { isShownTo, limitedProjects } from '../../workspace/projects/resolve-project.ts';

const CLOSED_CHANNEL = 'That channel can’t see this project. Choose another project or channel.';
const CLOSED_PROJECT =
  'This project is limited to certain channels. Send its alerts to one of them, or only to Tally managers.';

interface Wanted {
  readonly target: Watch['target'];
  readonly project: ChosenProject;
  /** The watch that is edited: a manager may keep its channel without being in it. */
  readonly before: Watch | undefined;
}

/** Joins the channel if asked and needed. @returns why alerts cannot be sent, as a mrkdwn sentence */
export async function findTargetProblem(
  wanted: Wanted & { readonly joins: boolean },
  request: Request,
): Promise<string | undefined> {
  const { target, joins } = wanted;
  if ('people' in target) return findReaderProblem(wanted, request);
  const channelCheck = await checkWatchChannel(target.channel, wanted, request);
  return channelCheck.problem ?? joinIfWanted(target.channel, channelCheck, joins, request);
}

/** Why the recipients may not see the project, or the user may not choose them; as a mrkdwn sentence. */
export async function findReaderProblem(
  wanted: Wanted,
  request: Request,
  channelCheck?: ChannelCheck,
): Promise<string | undefined> {
  const { target, project } = wanted;
  if ('people' in target) return findPeopleProblem(target.people, project, request);
  return (channelCheck ?? (await checkWatchChannel(target.channel, wanted, request))).problem;
}

/** Whether the user may have alerts sent there, and everybody there may see the project. */
export async function checkWatchChannel(
  channel: SlackId,
  { before, project }: { readonly before: Watch | undefined; readonly project: ChosenProject | undefined },
  request: Request,
): Promise<ChannelCheck> {
  const channelCheck = await checkItemChannel(channel, before, request);
  const isShown =
    project === undefined || isShownTo(project, request.workspace, { channel, isUnlimited: false });
  return channelCheck.problem === undefined && !isShown
    ? { ...channelCheck, problem: CLOSED_CHANNEL }
    : channelCheck;
}

async function findPeopleProblem(
  people: readonly SlackId[],
  project: ChosenProject,
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
    if (limitedProjects('', [project], workspace).length === 0) return undefined;
    return found.every(({ canManage }) => canManage) ? undefined : CLOSED_PROJECT;
  } catch (error) {
    if (!(error instanceof SlackFailed)) throw error;
    return `Slack couldn’t confirm who they are (${error.code}). Try again.`;
  }
}
