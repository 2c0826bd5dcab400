import type { Checkboxes } from '@slack/types';
import { parseCommandText } from '../domain/language/command-text.ts';
import { formatPhrase } from '../domain/language/period-phrase.ts';
import { PRODUCTS } from '../domain/product.ts';
import type { Project } from '../workspace/projects.ts';
import { type AskLocation, canAskAbout, visibleProjects } from '../workspace/resolve-project.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import { type CommandInvocation, commandButton, commandOption } from './command-buttons.ts';
import { actions, type Block, option, section, select } from './kit/atoms.ts';
import { SLACK_LIMITS } from './kit/limits.ts';
import { isDirectMessage } from './post-message.ts';

/** Where and by whom something was asked, and what the workspace told us. */
export interface Scene extends AskLocation {
  readonly workspace: Workspace;
}

/** What a choice of this block means: the project becomes the channel's default. */
export const REMEMBER_PROJECT = 'remember';

/**
 * Instead of a command without a project: the same command, its other words kept, for each project that this person
 * may ask about here. Managers can have the channel remember the choice; so their select is an action of its own.
 */
export function projectPicker(rerun: CommandInvocation, scene: Scene): Block[] {
  const options = choices(rerun, scene);
  if (options.length === 0) return withoutProjects(rerun, scene);
  const remembers = scene.manager && scene.channel !== undefined && !isDirectMessage(scene.channel);
  return [
    ...(remembers ? [rememberBlock()] : []),
    actions(select(remembers ? 'pick:project' : 'rerun:project', 'Choose a project', options)),
  ];
}

/**
 * The same for a command that needs nothing but a project: a choice of each that this person may ask about here.
 * @param prefix the command's text before the project: `projects edit`
 */
export function projectSelect(command: string, prefix: string, scene: Scene): Block[] {
  const options = (attempt(() => visibleProjects(scene.workspace, scene)) ?? []).map((project) =>
    commandOption(project.alias, { command, text: `${prefix} ${project.alias}` }, about(project)),
  );
  return options.length === 0 ? [] : [actions(select('rerun:project', 'Choose a project', options))];
}

/**
 * Whether a corrected text may be offered there: a word that comes near to the name of a project which is limited to
 * other channels must not bring the name to light.
 */
export function canSuggest(text: string, { workspace, ...place }: Scene): boolean {
  return text.split(/[ ,]/).every((word) => {
    if (!workspace.aliases.has(word)) return true;
    const project = workspace.projects.find(({ alias }) => alias === word);
    return project !== undefined && canAskAbout(project, place);
  });
}

function choices({ command, text }: CommandInvocation, scene: Scene) {
  const words = attempt(() => otherWords(text, scene.workspace.aliases)) ?? text;
  return visibleProjects(scene.workspace, scene)
    .map((project) => {
      const whole = [project.alias, words].filter(Boolean).join(' ');
      return commandOption(project.alias, { command, text: whole }, about(project));
    })
    .filter(({ value = '' }) => value.length <= SLACK_LIMITS.optionValue);
}

const about = ({ id, product }: Project): string => `project ${id} · ${PRODUCTS[product].name}`;

/** The period and the product that were typed. @throws InvalidWord */
function otherWords(text: string, aliases: ReadonlySet<string>): string {
  const { phrase, product } = parseCommandText(text, aliases);
  return [phrase && formatPhrase(phrase), product && PRODUCTS[product].word].filter(Boolean).join(' ');
}

/** Action ids tell the two apart; the block has an id of its own, by which the choice reaches the action. */
function rememberBlock(): Block {
  const boxes: Checkboxes = {
    type: 'checkboxes',
    action_id: REMEMBER_PROJECT,
    options: [option('Remember for this channel', 'yes')],
  };
  return { ...actions(boxes), block_id: REMEMBER_PROJECT };
}

function withoutProjects({ command, text }: CommandInvocation, { manager }: Scene): Block[] {
  const example = [command, '123', text].filter(Boolean).join(' ');
  const known = `Name it by the ID on its project card in the console, for example: ${example}`;
  if (!manager) return [section(known)];
  const add = commandButton('add', 'Add a project…', { command: '/billing', text: 'projects add' });
  return [section(`${known}\nOr give it a name once, and ask by that.`), actions(...add)];
}

/** A damaged record is told where it is asked for; here it only means that there is nothing to choose from. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
