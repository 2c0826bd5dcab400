import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import { DEFAULT_PRODUCT, PRODUCTS } from '../../domain/product.ts';
import type { Request } from '../../slack/request.ts';
import { isChannel } from '../../workspace/record-schema.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import type { Workspace } from '../../workspace/workspaces.ts';
import type { ChosenProject } from './form-state.ts';

/** A channel that something shall be posted in, as Slack shows it now. */
export interface ChannelCheck {
  /** Why nothing can be posted there, in a sentence. */
  readonly problem: string | undefined;
  /** A public one that Tally can join by itself. */
  readonly canJoin: boolean;
  /** What whoever posts there should know. */
  readonly remarks: readonly string[];
}

const refused = (problem: string): ChannelCheck => ({ problem, canJoin: false, remarks: [] });

const UNSEEN =
  'Tally cannot see that channel. If it is a private one, type /invite @Tally there, then choose it again.';
const NO_SCOPE =
  'Slack does not show channels to Tally without the scopes channels:read and groups:read. Whoever runs Tally adds them and installs it again.';
const ARCHIVED = 'That channel is archived: nobody can post there. Choose another.';
const OUTSIDE = 'You are not in that channel. Whoever sets up a post there is in it: join it first.';
const SHARED = 'The channel is shared with another organisation, whose members will read the posts';

/**
 * Whether `visit`'s person may have something posted in a channel, and Tally can.
 * @param known the person need not be in it: a manager changes what is posted there already
 */
export async function checkChannel(channel: string, request: Request, known = false): Promise<ChannelCheck> {
  if (!isChannel(channel)) return refused('Choose a channel.');
  const {
    slack: { channels },
    user,
    workspace,
  } = request;
  try {
    const found = await channels.find(channel);
    if (found === undefined) return refused(UNSEEN);
    const isOpenTo = known || (!found.isPrivate && user.canManage);
    // Of a private channel that the person is not in nothing is told, not even that it is there.
    if (!isOpenTo && !(await channels.has(channel, user.id)))
      return refused(found.isPrivate ? UNSEEN : OUTSIDE);
    if (found.isArchived) return refused(ARCHIVED);
    const { strangers } = workspace.settings;
    const shared = `${SHARED}${strangers ? '' : ', although they may not ask Tally themselves'}.`;
    return { problem: undefined, canJoin: !found.isJoined, remarks: found.isShared ? [shared] : [] };
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed') throw error;
    if (error.code === 'missing_scope') return refused(NO_SCOPE);
    return refused(`Slack did not say whether Tally can post there (${error.code}). Try again.`);
  }
}

/** Takes Tally into a public channel. @returns why it could not, in a sentence */
export async function joinChannel(channel: string, { slack }: Request): Promise<string | undefined> {
  try {
    await slack.channels.join(channel);
    return undefined;
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed') throw error;
    const why =
      error.code === 'missing_scope' ? 'Tally may not join channels here' : `Slack said ${error.code}`;
    return `${why}: type /invite @Tally in that channel, then try again.`;
  }
}

/** The projects that everybody in the channel may not ask about: managers' rights do not count for what all read. */
export function limitedProjects(
  channel: string,
  projects: readonly ChosenProject[],
  record: Workspace,
): readonly ChosenProject[] {
  return projects.filter(({ id, product }) => {
    try {
      resolveProject({ project: id, product }, record, { channel, manager: false });
      return false;
    } catch (error) {
      if (error instanceof NotAllowed) return true;
      throw error;
    }
  });
}

/** How a project is called: its name where the workspace gave one to that ID and product. */
export function channelNameOf({ id, product }: ChosenProject, record: Workspace): string {
  const [only, ...others] = record.projects.filter((one) => one.id === id && one.product === product);
  if (only !== undefined && others.length === 0) return only.alias;
  return idNameOf({ id, product });
}

/** How it is called where its name is nobody's business. */
export function idNameOf({ id, product }: ChosenProject): string {
  return product === DEFAULT_PRODUCT ? `Project ${id}` : `Project ${id} (${PRODUCTS[product].name})`;
}
