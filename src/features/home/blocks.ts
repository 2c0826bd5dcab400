import { commandText, mentionText } from '../../domain/commands.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { commandButton, projectButtons } from '../../slack/commands/command-buttons.ts';
import { exampleProject, exampleQuestions, testedProject } from '../../slack/commands/examples.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  context,
  formatInstant,
  header,
  markup,
  mention,
} from '../../slack/kit/atoms.ts';
import { exampleMarkup } from '../../slack/kit/help.ts';
import { isFullMember } from '../../slack/owned/ownership.ts';
import { DAMAGED_DATA } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { Section } from '../feature.ts';
import { attentionBlocks, connectionBlocks } from './connections.ts';
import { projectBlocks } from './projects.ts';

/** Slack refuses a view with more, and the person would keep an old page. */
const MOST_BLOCKS = 100;

/** @param urgent what needs attention @param more what else other features show */
export async function homeBlocks(
  request: Request,
  urgent: readonly Section[],
  more: readonly Section[],
): Promise<readonly Block[]> {
  const { workspace } = request;
  const isConnected = workspace.connectionNames.length > 0;
  const isUsed = workspace.connectionNames.some((name) => workspace.lastUsed(name) !== undefined);
  const hasNames = workspace.aliases.size > 0;
  const isNew = !(isConnected && (hasNames || isUsed));
  const sections: readonly Section[] = [
    ...(isConnected ? [attentionBlocks, ...urgent] : []),
    ...(isNew ? [steps] : []),
    hasNames ? projectBlocks : isUsed ? nameless : () => [],
    ...more,
    ...(isConnected ? [connectionBlocks] : []),
  ];
  const main = (await Promise.all(sections.map((section) => guarded(section, request)))).flat();
  const end = [...(isConnected ? [mainButtons(request)] : []), ...help(request, isNew)];
  return [...main.slice(0, MOST_BLOCKS - end.length), ...end];
}

/** A section that meets a damaged record says so; the rest of the page is drawn as usual. */
async function guarded(draw: Section, request: Request): Promise<readonly Block[]> {
  try {
    return await draw(request);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return [DAMAGED_DATA];
  }
}

/** The way from an empty workspace to the first answer. */
function steps(request: Request): Block[] {
  const isConnected = request.workspace.connectionNames.length > 0;
  const tested = testedWords(request);
  const id = exampleProject(request);
  return [
    header('Get your first answer in three steps'),
    ...(isConnected ? [markup('*1.* Connect Tally to the billing service: done')] : connectStep(request)),
    markup(`*2.* ${askHere(request)} You find a project’s ID on its card in the console.`),
    markup(
      `*3.* In any channel, type \`${commandText('/balance')} ${id}\` to see what project ${id} has left, and for how long, or \`${commandText('/spend')} ${id} last-7-days\` to see what it cost each day, compared with the week before.`,
    ),
    ...(tested === undefined ? [] : [actions(...projectButtons(tested))]),
  ];
}

const askHere = (request: Request): string =>
  `Ask in your own words, under Messages. ${exampleMarkup(exampleQuestions(request))}.`;

/** The project that the connection was tested with, and its product, as typed after a command. */
function testedWords({ workspace }: Request): string | undefined {
  const test = testedProject(workspace);
  return test && `${test.project} ${PRODUCTS[test.product].word}`;
}

/** Questions have been answered, but this page knows no project by name. */
function nameless(request: Request): Block[] {
  const tested = testedWords(request);
  const adding = {
    command: '/billing projects',
    text: ['add', tested].filter(Boolean).join(' '),
  } as const;
  const name = request.user.canManage
    ? commandButton('name', 'Name a project…', adding, { style: 'primary' })
    : [];
  const buttons = [...name, ...(tested === undefined ? [] : projectButtons(tested))];
  return [
    header('Projects'),
    markup(
      `No project has a name yet. Ask by ID, for example \`${commandText('/balance')} ${exampleProject(request)}\`. Name a project to type \`${commandText('/balance')} prod\` and to see its balance here.`,
    ),
    ...buttonRow(buttons),
  ];
}

function connectStep({ user, workspace }: Request): Block[] {
  if (user.canManage)
    return [
      markup('*1.* Connect Tally to the billing service. You need its address and a read-only access token.'),
      actions(
        button('connect', 'Connect…', { style: 'primary' }),
        ...commandButton('settings', 'Settings…', { command: '/billing settings' }),
      ),
    ];
  const named = requireSettings(workspace).managers.slice(0, 5).map(mention);
  const who = ['an owner or admin of this workspace', ...named].join(' or ');
  return [markup(`*1.* Ask ${who} to connect Tally.`)];
}

/** Redraws Home with balances asked for now. */
export const REFRESH = 'home-refresh';

const mainButtons = (request: Request): Block =>
  actions(
    ...(isFullMember(request)
      ? [
          ...commandButton('schedule', 'Schedule a post…', { command: '/billing schedule' }),
          ...commandButton('watch', 'Watch…', { command: '/billing watch' }),
        ]
      : []),
    ...(request.user.canManage
      ? commandButton('add', 'Add a project…', { command: '/billing projects', text: 'add' })
      : []),
    button(REFRESH, 'Refresh'),
    ...(request.user.canManage
      ? [
          button('connect', 'Connect…'),
          ...commandButton('settings', 'Settings…', { command: '/billing settings' }),
          ...commandButton('status', 'Status', { command: '/billing status' }),
        ]
      : []),
  );

function help(request: Request, isNew: boolean): Block[] {
  const project = exampleProject(request);
  return [
    header('Help'),
    markup(
      [
        ...(isNew ? [] : [askHere(request)]),
        `In any channel: \`${commandText('/spend')} ${project} last-month\`. In a thread: \`@Tally ${mentionText('/spend')} ${project} last-month\`.`,
      ].join('\n'),
    ),
    actions(...commandButton('help', 'All commands', { command: '/billing help' })),
    context(
      'Answers to these buttons arrive under Messages. Only you see them.',
      `As of ${formatInstant(request.at)}`,
    ),
  ];
}
