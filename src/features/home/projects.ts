import type { Button } from '@slack/types';
import { formatMoney, parseAmount } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { commandButton } from '../../slack/command-buttons.ts';
import {
  actions,
  type Block,
  context,
  formatInstant,
  header,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import type { Request } from '../../slack/request.ts';
import { accessSummary } from '../../workspace/access-line.ts';
import { isNamedIssuer } from '../../workspace/accesses.ts';
import { readable } from '../../workspace/parse-record.ts';
import type { Project } from '../../workspace/projects.ts';
import { isConnectionMissing, visibleProjects } from '../../workspace/resolve-project.ts';

/** Two blocks each: well within the hundred that a Home may have, the rest of it included. */
const MOST = 30;

const DAMAGED =
  'A project’s record is damaged, so questions by ID are refused. Remove it in /billing projects.';
const ELSEWHERE = 'Ask about projects in their own channels.';

/** The projects that this person may ask about from here, each with what it had when it was last asked about. */
export function projectBlocks(request: Request): Block[] {
  const { workspace, user } = request;
  if (workspace.aliases.size === 0) return [];
  const mine = visibleProjects(workspace, { channel: undefined, manager: user.canManage });
  const damaged = user.canManage && workspace.damagedProjects.length > 0 ? [section(DAMAGED)] : [];
  if (mine.length === 0)
    return [header('Projects'), ...(damaged.length > 0 ? damaged : [section(ELSEWHERE)])];
  const shown = mine.slice(0, MOST).flatMap((project) => rows(project, request));
  const note = `The first ${MOST} of ${mine.length} projects. See all with \`/billing projects\`.`;
  return [header('Projects'), ...damaged, ...shown, ...(mine.length > MOST ? [context(note)] : [])];
}

function rows(project: Project, request: Request): Block[] {
  const { alias, id, product, connection = '' } = project;
  const todo = request.user.canManage
    ? `Choose another with \`/billing projects edit ${alias}\`.`
    : 'A Tally manager can choose another.';
  const access = accessSummary(id, request);
  const lines = [
    headline(project, request),
    `project ${id} · ${PRODUCTS[product].name} (${product})`,
    ...(isConnectionMissing(project, request.workspace)
      ? [`*Its connection ${escapeMarkup(connection)} no longer exists.* ${todo}`]
      : []),
    ...(access === undefined ? [] : [`OS_TOKEN: ${escapeMarkup(access)}`]),
  ];
  const token = commandButton('os-token', 'OS_TOKEN…', { command: '/os-token', text: alias });
  return [
    markup(lines.join('\n')),
    actions(...projectCommands(alias), ...(isIssuer(project, request) ? token : [])),
  ];
}

const isIssuer = ({ id }: Project, { workspace, user }: Request): boolean => {
  const access = readable(() => workspace.access(id));
  return access !== undefined && isNamedIssuer(access, user.id);
};

/** What can be asked from here with these words. */
export const projectCommands = (words: string): Button[] => [
  ...commandButton('balance', 'Balance', { command: '/balance', text: words }),
  ...commandButton('spend', 'Spend, last 7 days', { command: '/spend', text: `${words} last-7-days` }),
];

/** What it had in bold, as in the headline of an answer, and how old that is. */
function headline({ alias, id, product, currency }: Project, { workspace, user }: Request): string {
  const name = escapeMarkup(alias);
  const last = workspace.lastBalance(id, product);
  if (last === undefined) return `*${name}* · no balance yet`;
  const amount = parseAmount({ text: last.balance });
  if ('unreadable' in amount) return `*${name}* · unreadable balance, ${formatInstant(last.at)}`;
  const label = currency ?? workspace.settings.currency;
  const money = escapeMarkup(formatMoney(amount.value.abs(), user.locale, label));
  return `*${name} · ${money} ${amount.value.lt(0) ? 'overdrawn' : 'left'}*, ${formatInstant(last.at)}`;
}
