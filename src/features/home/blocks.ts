import { isFailure } from '../../domain/failure/index.ts';
import { commandButton, commandOption, toCommand } from '../../slack/commands/command-buttons.ts';
import { actions, type Block, button, context, formatInstant, overflow } from '../../slack/kit/atoms.ts';
import { isFullMember } from '../../slack/owned/ownership.ts';
import { DAMAGED_DATA } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Section } from '../feature.ts';
import { attentionBlocks, connectionBlocks } from './connections.ts';
import { projectBlocks } from './projects.ts';
import { furtherQuestions, startBlocks } from './start.ts';

/** Slack refuses a view with more, and the person would keep an old page. */
const MOST_BLOCKS = 100;

/** @param urgent what needs attention @param more what else other features show */
export async function homeBlocks(
  request: Request,
  urgent: readonly Section[],
  more: readonly Section[],
): Promise<readonly Block[]> {
  const isConnected = request.workspace.connectionNames.length > 0;
  const sections: readonly Section[] = [
    ...(isConnected ? [attentionBlocks, ...urgent] : []),
    startBlocks,
    ...(isConnected ? [mainButtons] : []),
    projectBlocks,
    ...more,
    ...(isConnected ? [connectionBlocks] : []),
  ];
  const main = (await Promise.all(sections.map((section) => guarded(section, request)))).flat();
  const end = [...(await guarded(furtherQuestions, request)), ...help(request)];
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

/** Redraws Home with balances asked for now. */
export const REFRESH = 'home-refresh';

/** What people do most, and a menu of the rest. */
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
  actions(...commandButton('help', 'All commands', toCommand('/billing help', 'more'))),
  context(`Answers arrive under Messages. Only you see them. Updated: ${formatInstant(request.at)}`),
];
