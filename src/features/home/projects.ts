import type { SectionBlock } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { formatMoney, type Money, parseAmount } from '../../domain/money/amount.ts';
import { bySoonestEnd, type Outlook, WARNING_DAYS } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayAt, daysBetween, formatDays } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandOption, projectOptions } from '../../slack/commands/command-buttons.ts';
import { lastFailureText, lastFailureTodo } from '../../slack/error-messages/index.ts';
import {
  type Block,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
  overflow,
  section,
} from '../../slack/kit/blocks.ts';
import { isFullMember } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import { accessSummary, isNamedIssuer } from '../../workspace/credentials/access-record.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { visibleProjects } from '../../workspace/projects/project-visibility.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { findFailure, type LastBalance } from '../../workspace/record/stored-outcomes.ts';
import { damagedIds, requireSettings } from '../../workspace/record/workspace.ts';

/** How many projects Home lists: most of Slack's hundred blocks are for the rest of the page. */
export const MOST_PROJECTS = 30;

const DAMAGED = `A project’s record is damaged, so questions by ID are refused. Remove it in ${commandText('/billing projects')}.`;
const ELSEWHERE = 'Ask about projects in their own channels.';

/** The projects that a person can ask about from Home, where no channel limits are met; what runs out first comes first. */
export function homeProjects(request: Request): readonly Project[] {
  const { workspace, user } = request;
  return visibleProjects(workspace, { channel: undefined, isUnlimited: user.canManage })
    .map((project) => ({ project, outlook: outlookOf(project, request) }))
    .sort((a, b) => bySoonestEnd(a.outlook, b.outlook))
    .map(({ project }) => project);
}

/** The projects that this person may ask about from here, each with what it had when it was last asked about. */
export function projectBlocks(request: Request): Block[] {
  const { workspace, user } = request;
  if (workspace.aliases.size === 0) return [];
  const projects = homeProjects(request);
  const damaged = user.canManage && damagedIds(workspace, 'project').length > 0 ? [section(DAMAGED)] : [];
  if (projects.length === 0)
    return [header('Projects'), ...(damaged.length > 0 ? damaged : [section(ELSEWHERE)])];
  const shown = projects.slice(0, MOST_PROJECTS).map((project) => projectSection(project, request));
  const note = `The first ${MOST_PROJECTS} of ${projects.length} projects to run out. See all with \`${commandText('/billing projects')}\`.`;
  return compact([
    header('Projects'),
    ...damaged,
    ...shown,
    projects.length > MOST_PROJECTS && context(note),
  ]);
}

function projectSection(project: Project, request: Request): SectionBlock {
  const { alias, id, product, connection = '' } = project;
  const { canManage } = request.user;
  const { workspace, user, at } = request;
  const issued = workspace.accesses.get(id);
  const access = accessSummary(issued, user, at, workspace.settings.zone);
  const todo = canManage
    ? `Choose another with \`${commandText('/billing projects')} edit ${alias}\`.`
    : 'A Tally manager can choose another.';
  const text = joinTexts('\n', [
    headline(project, request),
    outlook(project, request),
    ...failureLines(project, request),
    joinTexts(' · ', [
      `project ${id}`,
      PRODUCTS[product].name,
      access !== undefined && `OS_TOKEN ${escapeMarkup(access)}`,
    ]),
    isConnectionMissing(project, request.workspace) &&
      `*Its connection ${escapeMarkup(connection)} no longer exists.* ${todo}`,
  ]);
  const options = compact([
    ...projectOptions(alias),
    issued !== undefined &&
      isNamedIssuer(issued, request.user.id) &&
      commandOption('OS_TOKEN…', { command: '/os-token', text: alias }),
    isFullMember(request) && commandOption('Schedule a post…', toCommand('/billing schedule', alias)),
    canManage && commandOption('Edit…', toCommand('/billing projects', `edit ${alias}`)),
  ]);
  return { ...markup(text), accessory: overflow('run:home', options) };
}

function failureLines(project: Project, { workspace, user, at }: Request): readonly string[] {
  const failure = findFailure(workspace.failures, project);
  if (failure === undefined) return [];
  const todo = user.canManage ? ` ${lastFailureTodo(failure, project)}` : '';
  return [`:warning: *No answer:* ${lastFailureText(failure, dayAt(at, workspace.settings.zone))}.${todo}`];
}

/** What a project has and how long it lasts, by the last known balance. */
function outlookOf(project: Project, request: Request): Outlook {
  const last = request.workspace.lastBalance(project.id, project.product);
  const [left, bonuses] = [last?.balance, last?.bonuses].map(amountOf);
  const funds = left && bonuses ? left.plus(bonuses) : left;
  return {
    overdrawn: [left, funds].some((amount) => amount?.lt(0)),
    left,
    days: last && daysLeft(last, request),
  };
}

function amountOf(text: string | undefined): Money | undefined {
  const amount = text === undefined ? undefined : parseAmount({ text });
  return amount !== undefined && 'value' in amount ? amount.value : undefined;
}

/** As of today; negative where the money was expected to have run out. */
function daysLeft({ days, at }: LastBalance, { workspace, at: now }: Request): number | undefined {
  const { zone } = requireSettings(workspace);
  return days === undefined ? undefined : days - daysBetween(dayAt(at, zone), dayAt(now, zone));
}

/** `About 41 days · forecast for Nov 2026: about 819,649.19`; a warning under 14 days. '' if nothing is known. */
function outlook({ id, product, currency }: Project, request: Request): string {
  const { workspace, user, at } = request;
  const last = workspace.lastBalance(id, product);
  const forecast = last?.forecast;
  const days = last && daysLeft(last, request);
  const { zone, currency: general } = requireSettings(workspace);
  const lasts = days === undefined ? '' : formatDaysLeft(days);
  const total = forecast && parseAmount({ text: forecast.total });
  const today = dayAt(at, zone);
  const isCurrent = forecast?.month === today.slice(0, 7);
  return joinTexts(' · ', [
    days !== undefined && days < WARNING_DAYS ? `:warning: *${lasts}*` : lasts,
    isCurrent &&
      total !== undefined &&
      'value' in total &&
      `forecast for ${formatDays(today, today).slice(-8)}: about ${escapeMarkup(formatMoney(total.value, user.locale, currency ?? general))}`,
  ]);
}

function formatDaysLeft(days: number): string {
  if (days < 0) return 'May have run out';
  return days === 0 ? 'Less than a day' : `About ${pluralize(days, 'day')}`;
}

function headline({ alias, id, product, currency }: Project, { workspace, user }: Request): string {
  const name = escapeMarkup(alias);
  const last = workspace.lastBalance(id, product);
  if (last === undefined) {
    const hasFailed = findFailure(workspace.failures, { id, product }) !== undefined;
    return hasFailed ? `*${name}* · no balance` : `*${name}*`;
  }
  const amount = parseAmount({ text: last.balance });
  if ('unreadable' in amount) return `*${name}* · unreadable balance · ${formatInstant(last.at)}`;
  const label = currency ?? requireSettings(workspace).currency;
  const money = escapeMarkup(formatMoney(amount.value.abs(), user.locale, label));
  return `*${name} · ${money} ${amount.value.lt(0) ? 'overdrawn' : 'left'}* · ${formatInstant(last.at)}`;
}
