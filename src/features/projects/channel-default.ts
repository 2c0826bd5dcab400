import { WordRefused } from '../../domain/failure.ts';
import { normalise, readWords } from '../../domain/words.ts';
import { actions, select } from '../../slack/kit/atoms.ts';
import type { CommandListener } from '../../slack/listeners.ts';
import { isDirect } from '../../slack/post.ts';
import { rerunOption } from '../../slack/rerun.ts';
import type { Visit } from '../../slack/visit.ts';
import { changeBy } from '../../workspace/change.ts';
import type { Project } from '../../workspace/projects.ts';
import { mayAsk } from '../../workspace/target.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { defaultMessage, plainMessage } from './blocks.ts';
import { knownProject } from './words.ts';

const NONE = 'none';
const ALONE = plainMessage(
  'A direct message has no default project. Name the project here, as in /balance prod; or go to a channel and type /billing default prod there.',
);

export interface ChannelDefaults {
  readonly verb: CommandListener;
  /** Makes the project that a command's text names the default of this channel. */
  remember(text: string, visit: Visit): Promise<void>;
}

/** The project that a channel asks about when none is named. Everybody there can ask about it, or it is not taken. */
export function createChannelDefaults(workspaces: Workspaces): ChannelDefaults {
  const set = (channel: string, alias: string | undefined, visit: Visit): Promise<void> => {
    const change = changeBy(visit, ['channel default changed', `${channel}: ${alias ?? NONE}`]);
    return workspaces.setChannelDefault(change, channel, alias);
  };

  const tell = (channel: string, { record, asker, answer }: Visit): Promise<void> => {
    const alias = record.channelDefault(channel);
    const project = alias === undefined ? undefined : record.project(alias);
    if (project !== undefined && isFor(project, channel))
      return answer(defaultMessage(project, asker.manage));
    return answer(
      noDefault(
        record.projects.filter((one) => isFor(one, channel)),
        asker.manage,
      ),
    );
  };

  return {
    verb: {
      right: (text) => (/ \S/.test(normalise(text)) ? 'manage' : 'ask'),
      async run(word, visit) {
        const { channel, record } = visit;
        if (channel === undefined || isDirect(channel)) return visit.answer(ALONE);
        if (word === '') return tell(channel, visit);
        if (word === NONE) {
          await set(channel, undefined, visit);
          return visit.answer(plainMessage('This channel has no default project now.'));
        }
        const project = knownProject(word, record, (meant) => `default ${meant}`);
        if (!isFor(project, channel)) throw elsewhere(project);
        await set(channel, project.alias, visit);
        await visit.answer(defaultMessage(project, true));
      },
    },

    async remember(text, visit) {
      const { channel, record } = visit;
      const { alias = '' } = readWords(text, record.aliases);
      const project = record.project(alias);
      if (channel === undefined || isDirect(channel) || project === undefined) return;
      if (!isFor(project, channel)) return visit.whisper(plainMessage(elsewhere(project).message));
      await set(channel, alias, visit);
      await visit.whisper(
        plainMessage(
          `Remembered: this channel asks about ${alias} when no project is named. /billing default none ends that.`,
        ),
      );
    },
  };
}

/** A default is everybody's: what managers may ask does not count. */
const isFor = (project: Project, channel: string): boolean => mayAsk(project, { channel, manager: false });

const elsewhere = ({ alias }: Project): WordRefused =>
  new WordRefused(
    alias,
    'is limited to other channels, so it cannot be the default of this one',
    `Add this channel to it first: /billing projects edit ${alias}.`,
  );

function noDefault(projects: readonly Project[], manager: boolean) {
  const text = 'This channel has no default project: commands name theirs, as in /balance prod.';
  if (!manager) return plainMessage(`${text} An owner or admin can set one with /billing default prod.`);
  if (projects.length === 0)
    return plainMessage(`${text} To set one, give a project a name first: /billing projects add.`);
  const options = projects.map(({ alias }) =>
    rerunOption(alias, { command: '/billing', text: `default ${alias}` }),
  );
  return plainMessage(text, actions(select('rerun:default', 'Set a default', options)));
}
