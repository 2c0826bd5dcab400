import { commandText } from '../../domain/command-names.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { actions, channelLink, markupMessage, select, textMessage } from '../../slack/block-kit/blocks.ts';
import { commandOption, toCommand } from '../../slack/commands/command-buttons.ts';
import type { Request } from '../../slack/request/request.ts';
import type { CommandHandler } from '../../slack/server/listeners.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import { findProject, type Workspace } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { requireProject } from './parse-project-command.ts';
import { channelDefaultMessage } from './project-list.ts';

/** `none`, or `none` and a channel's ID in lower case, as a button has it that may be pressed in a direct message. */
const NONE_IN = /^none(?: ([cg]0[a-z0-9]{5,30}))?$/;
const ALONE = textMessage(
  `Direct messages have no default project. Type the project, for example ${commandText('/balance')} prod.`,
);

/** The project that a channel asks about when none is named. Everybody there can ask about it, or it is not taken. */
export function createChannelDefaults(workspaces: Workspaces) {
  const set = async (channel: SlackId, alias: string | undefined, request: Request): Promise<void> => {
    if (request.workspace.channelDefault(channel) === alias) return;
    const about = `${channel}: ${alias ?? 'none'}`;
    const change = auditedChange(request, ['changed the default project of', about]);
    await workspaces.setChannelDefault(change, channel, alias);
  };

  const tell = (channel: SlackId, { workspace, user, reply }: Request): Promise<void> => {
    const alias = workspace.channelDefault(channel);
    const project = alias === undefined ? undefined : findProject(workspace, alias);
    if (project !== undefined && isFor(project, channel, workspace))
      return reply.update(channelDefaultMessage(project, channel, user.canManage));
    return reply.update(
      noDefault(
        workspace.projects.filter((other) => isFor(other, channel, workspace)),
        user.canManage,
      ),
    );
  };

  return {
    verb: {
      right: 'manage',
      needs: (rest) => (rest === '' ? { right: 'ask' } : { changes: true }),
      parse: (word, workspace) =>
        word === '' || NONE_IN.test(word) || requireProject(word, workspace, 'default'),
      async run(word, request) {
        const { workspace } = request;
        const none = NONE_IN.exec(word);
        const channel = none?.[1]?.toUpperCase() ?? request.channel;
        if (channel === undefined || isDirectMessage(channel)) return request.reply.update(ALONE);
        if (word === '') return tell(channel, request);
        if (none !== null) {
          await set(channel, undefined, request);
          return request.reply.update(
            markupMessage(`Removed the default project of ${channelLink(channel)}.`),
          );
        }
        const project = requireProject(word, workspace, 'default');
        if (!isFor(project, channel, workspace)) throw limitedElsewhere(project);
        await set(channel, project.alias, request);
        await request.reply.update(channelDefaultMessage(project, channel, true));
      },
    } satisfies CommandHandler as CommandHandler,
  };
}

/** A default is everybody's: what managers may ask does not count. */
const isFor = (project: Project, channel: SlackId, workspace: Workspace): boolean =>
  canAskAbout(project, workspace, { channel, isUnlimited: false });

const limitedElsewhere = ({ alias }: Project): InvalidWord =>
  new InvalidWord(
    alias,
    'is limited to other channels, so it can’t be the default here',
    `Add this channel with ${commandText('/billing projects')} edit ${alias} first.`,
    undefined,
    'always',
  );

function noDefault(projects: readonly Project[], manager: boolean) {
  const text = `This channel has no default project. Type the project, for example ${commandText('/balance')} prod.`;
  if (!manager) return textMessage(`${text} A Tally manager can set a default.`);
  if (projects.length === 0)
    return textMessage(
      `${text} To set one, name a project first with ${commandText('/billing projects')} add.`,
    );
  const options = projects.map(({ alias }) => commandOption(alias, toCommand('/billing default', alias)));
  return textMessage(text, actions(select('rerun:default', 'Set a default', options)));
}
