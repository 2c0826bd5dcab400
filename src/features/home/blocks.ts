import type { Button } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { pluralize } from '../../domain/wording.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton, commandOption, projectButtons } from '../../slack/commands/command-buttons.ts';
import {
  ALL_COMMANDS,
  askableProject,
  exampleMarkup,
  exampleQuestions,
  testedProject,
} from '../../slack/commands/help.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  formatInstant,
  header,
  markup,
  overflow,
} from '../../slack/kit/blocks.ts';
import { isFullMember } from '../../slack/owned/owned-kind.ts';
import { DAMAGED_DATA, failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Section } from '../feature.ts';
import { attentionBlocks } from './connections.ts';
import { homeProjects, projectBlocks } from './projects.ts';

/** Slack refuses a view with more, and the person would keep an old page. */
const MOST_BLOCKS = 100;

/** @param urgent what needs attention, by other features */
export async function homeBlocks(request: Request, urgent: readonly Section[]): Promise<readonly Block[]> {
  const isConnected = request.workspace.connectionNames.length > 0;
  const sections: readonly Section[] = compact([
    isConnected && attentionBlocks,
    ...urgent,
    startBlocks,
    isConnected && mainButtons,
    projectBlocks,
  ]);
  const main = (await Promise.all(sections.map((section) => drawUnlessDamaged(section, request)))).flat();
  const end = help(request);
  return [...main.slice(0, MOST_BLOCKS - end.length), ...end];
}

/** A section that meets a damaged record says so; the rest of the page is drawn as usual. */
async function drawUnlessDamaged(draw: Section, request: Request): Promise<readonly Block[]> {
  try {
    return await draw(request);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return [DAMAGED_DATA];
  }
}

/** The button that redraws Home with new balances. */
export const REFRESH = 'home-refresh';

function mainButtons(request: Request): readonly Block[] {
  const refresh = button(REFRESH, 'Refresh');
  if (!isFullMember(request)) return [actions(refresh)];
  const rest = [
    commandOption('Watch…', toCommand('/billing watch')),
    ...(request.user.canManage
      ? [
          commandOption('Add a project…', toCommand('/billing projects', 'add')),
          commandOption('Connect…', toCommand('/billing connect')),
          commandOption('Settings…', toCommand('/billing settings')),
        ]
      : []),
    commandOption('Status', toCommand('/billing status')),
  ];
  return [
    actions(
      ...commandButton('schedule', 'Schedule a post…', toCommand('/billing schedule')),
      refresh,
      overflow('run:more', rest),
    ),
  ];
}

const help = (request: Request): readonly Block[] => [
  actions(...ALL_COMMANDS),
  context(`Answers arrive under Messages. Only you see them. Updated: ${formatInstant(request.at)}`),
];

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  /** What the step needs or brings: mrkdwn, shown while it is the next step. */
  readonly detail: string;
  readonly buttons: () => readonly Button[];
}

function startBlocks(request: Request): readonly Block[] {
  if (request.user.canManage) return setUpBlocks(stepsOf(request));
  if (request.workspace.connectionNames.length === 0)
    return failureMessage(new Failure('not-connected'), request).blocks;
  return hasAnswers(request) ? [] : askBlocks(request);
}

const hasAnswers = (request: Request): boolean =>
  homeProjects(request).some(({ id, product }) => request.workspace.lastBalance(id, product) !== undefined);

function stepsOf(request: Request): readonly Step[] {
  const { workspace } = request;
  const project = homeProjects(request)[0]?.alias;
  const test = testedProject(workspace);
  const adding = test === undefined ? 'add' : `add ${test.project} ${PRODUCTS[test.product].word}`;
  return [
    {
      isDone: workspace.connectionNames.length > 0,
      title: 'Connect Tally to the billing service',
      detail: 'You need its address and a read-only access token.',
      buttons: () => [button('connect', 'Connect…', { style: 'primary' })],
    },
    {
      isDone: workspace.aliases.size > 0,
      title: 'Give a project a name',
      detail: `Then everyone can type \`${commandText('/balance')} prod\`, and its balance is shown here.`,
      buttons: () =>
        commandButton(
          'name',
          test === undefined ? 'Name a project…' : `Name project ${test.project}…`,
          toCommand('/billing projects', adding),
          { style: 'primary' },
        ),
    },
    {
      isDone: workspace.schedules.length > 0,
      title: 'Post spend in a channel every morning',
      detail: 'Ask for a first answer, or choose the channel and the time.',
      buttons: () => [
        ...commandButton(
          'schedule',
          'Post it every morning…',
          toCommand('/billing schedule', project && `${project} daily 09:00`),
          { style: 'primary' },
        ),
        ...(project === undefined ? [] : projectButtons(project)),
      ],
    },
  ];
}

function setUpBlocks(steps: readonly Step[]): readonly Block[] {
  const next = steps.find(({ isDone }) => !isDone);
  if (next === undefined) return [];
  const left = steps.filter(({ isDone }) => !isDone).length;
  const lines = steps.map((step, at) => {
    if (step.isDone) return `✓ ${step.title}`;
    return step === next ? `*${at + 1}. ${step.title}*\n${step.detail}` : `${at + 1}. ${step.title}`;
  });
  return compact([
    header(`Set up Tally: ${pluralize(left, 'step')} left`),
    markup(lines.slice(0, steps.indexOf(next) + 1).join('\n')),
    actions(...next.buttons()),
    left > 1 && markup(lines.slice(steps.indexOf(next) + 1).join('\n')),
  ]);
}

/** Examples in plain words, and a button that runs one; nothing where this person may ask about no known project. */
function askBlocks(request: Request): readonly Block[] {
  const project = askableProject(request);
  if (project === undefined) return [];
  const asking = { command: '/spend', text: `${project} last-week` } as const;
  return [
    header('Ask a question'),
    markup(`Ask in your own words under Messages. ${exampleMarkup(exampleQuestions(request))}`),
    actions(...commandButton('ask', `What did ${project} cost last week?`, asking)),
  ];
}
