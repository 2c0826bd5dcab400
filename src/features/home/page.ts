import type { Button } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { pluralize } from '../../domain/wording.ts';
import { isFullMember } from '../../slack/automations/automation.ts';
import { commandButton, commandOption, toCommand } from '../../slack/commands/command-buttons.ts';
import { ALL_COMMANDS, exampleButtons, testedProject } from '../../slack/commands/help.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  header,
  joinTexts,
  markup,
  overflow,
  section,
  select,
} from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { isNamedIssuer } from '../../workspace/credentials/access-record.ts';
import type { HealthSection } from '../feature.ts';
import { isNeedy, isProblem } from './health.ts';
import { homeProjects, MOST_PROJECTS, projectTable, tableNote } from './project-table.ts';

/** The button that redraws Home with new balances. */
export const REFRESH = 'home-refresh';

/** Lines about what needs somebody; the others are in `/billing status`. */
const MOST_LINES = 5;

/** What needs attention, the next step of a new workspace, then the projects. */
export function homeBlocks(request: Request, sections: readonly HealthSection[]): readonly Block[] {
  const isConnected = request.workspace.connectionNames.length > 0;
  return [
    ...attentionBlocks(isConnected ? sections : sections.filter(({ title }) => title !== 'Connections')),
    ...unlessDamaged(startBlocks, request),
    ...(isConnected || request.workspace.aliases.size > 0
      ? unlessDamaged(projectBlocks, request)
      : [actions(...ALL_COMMANDS)]),
  ];
}

/** What is damaged is said above. */
const unlessDamaged = (draw: (request: Request) => readonly Block[], request: Request): readonly Block[] =>
  tryParse(() => draw(request), Failure) ?? [];

function attentionBlocks(sections: readonly HealthSection[]): readonly Block[] {
  const lines = sections.flatMap((one) => one.lines).filter(isNeedy);
  const more = lines.length - MOST_LINES;
  return compact([
    ...lines.slice(0, MOST_LINES).map(({ text, fix, ...line }) => ({
      ...markup(`${isProblem(line) ? ':warning: ' : ''}${joinTexts(' · ', text.slice(0, 2))}`),
      ...(fix !== undefined && { accessory: fix }),
    })),
    more > 0 && {
      ...markup(`*${more} more* ${more === 1 ? 'needs' : 'need'} attention.`),
      accessory: commandButton('status', 'Status', toCommand('/billing status'))[0] as Button,
    },
  ]);
}

const ELSEWHERE = 'Ask about projects in their own channels.';

function projectBlocks(request: Request): readonly Block[] {
  const { workspace, user } = request;
  const projects = homeProjects(request);
  const canGetTokens = [...workspace.accesses.values()].some((access) => isNamedIssuer(access, user.id));
  const more = overflow(
    'run:more',
    compact([
      commandOption('Watch…', toCommand('/billing watch')),
      user.canManage && commandOption('Add a project…', toCommand('/billing projects', 'add')),
      user.canManage && commandOption('Connect…', toCommand('/billing connect')),
      user.canManage && commandOption('Settings…', toCommand('/billing settings')),
      commandOption('Status', toCommand('/billing status')),
    ]),
  );
  const choices = projects.map(({ alias }) => commandOption(alias, { command: '/balance', text: alias }));
  const cut = projects.length > MOST_PROJECTS;
  return compact([
    ...(projects.length > 0 ? projectTable(request) : []),
    projects.length === 0 && workspace.aliases.size > 0 && section(ELSEWHERE),
    actions(
      choices.length > 0 && select('run:project', 'Ask about a project', choices),
      ...(isFullMember(request)
        ? commandButton('schedule', 'Schedule a post…', toCommand('/billing schedule'))
        : []),
      ...(canGetTokens ? commandButton('token', 'OS_TOKEN…', { command: '/os-token', text: '' }) : []),
      button(REFRESH, 'Refresh'),
      ...ALL_COMMANDS,
      isFullMember(request) && more,
    ),
    context(
      joinTexts(' · ', [
        cut && `The first ${MOST_PROJECTS} of ${projects.length} projects to run out`,
        tableNote(request),
        'Answers arrive under Messages. Only you see them.',
      ]),
    ),
  ]);
}

function startBlocks(request: Request): readonly Block[] {
  if (request.user.canManage) return setUpBlocks(request);
  if (request.workspace.connectionNames.length === 0)
    return failureMessage(new Failure('not-connected'), request).blocks;
  const hasAnswers = homeProjects(request).some(
    ({ id, product }) => request.workspace.lastBalance(id, product) !== undefined,
  );
  const questions = hasAnswers ? [] : exampleButtons(request);
  return questions.length === 0
    ? []
    : [
        header('Ask a question'),
        section('Ask in your own words under Messages. For example:'),
        actions(...questions),
      ];
}

/** The next step of a new workspace, with its button. */
function setUpBlocks(request: Request): readonly Block[] {
  const { workspace } = request;
  const project = homeProjects(request)[0]?.alias;
  const test = testedProject(workspace);
  const adding = test === undefined ? 'add' : `add ${test.project} ${PRODUCTS[test.product].word}`;
  const naming = test === undefined ? 'Name a project…' : `Name project ${test.project}…`;
  const posting = toCommand('/billing schedule', project && `${project} daily 09:00`);
  const style = 'primary';
  const steps = compact([
    workspace.connectionNames.length === 0 && {
      text: '*Connect Tally to the billing service*\nYou need a read-only access token.',
      button: [button('connect', 'Connect…', { style })],
    },
    workspace.aliases.size === 0 && {
      text: `*Give a project a name*\nThen everyone can type \`${commandText('/balance')} prod\`, and its balance is shown here.`,
      button: commandButton('name', naming, toCommand('/billing projects', adding), { style }),
    },
    workspace.schedules.length === 0 && {
      text: '*Post spend in a channel every morning*\nYou choose the channel and the time.',
      button: commandButton('schedule', 'Post it every morning…', posting, { style }),
    },
  ]);
  const [next] = steps;
  if (next === undefined) return [];
  const left = pluralize(steps.length, 'step');
  return [header(`Set up Tally: ${left} left`), markup(next.text), actions(...next.button)];
}
