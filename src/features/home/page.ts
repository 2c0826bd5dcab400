import type { Button } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { formatMoney, type Money, parseAmount, sumMoney } from '../../domain/money/amount.ts';
import { bySoonestEnd, type Outlook, WARNING_DAYS } from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayAt, daysBetween } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { isFullMember } from '../../slack/automations/automation.ts';
import {
  actions,
  type Block,
  button,
  clipText,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
  overflow,
  preformatted,
  section,
  select,
} from '../../slack/block-kit/blocks.ts';
import { commandButton, commandOption, toCommand } from '../../slack/commands/command-buttons.ts';
import { ALL_COMMANDS, exampleButtons, testedProject } from '../../slack/commands/help.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import { alignColumns } from '../../slack/reply/message-calls.ts';
import type { Request } from '../../slack/request/request.ts';
import { isNamedIssuer } from '../../workspace/credentials/credential-records.ts';
import { projectKey } from '../../workspace/projects/chosen-project.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { visibleProjects } from '../../workspace/projects/resolve-project.ts';
import type { LastBalance } from '../../workspace/record/stored-outcomes.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { HealthSection } from '../feature.ts';
import { isNeedy, isProblem } from './health.ts';

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

/** How many projects Home lists and refreshes. */
export const MOST_PROJECTS = 30;

/** The projects that a person can ask about from Home, where no channel limits are met; what runs out first comes first. */
export const homeProjects = (request: Request): readonly Project[] =>
  rowsOf(request).map(({ project }) => project);

/** A project as Home last heard of it. */
interface Row {
  readonly project: Project;
  readonly last: LastBalance | undefined;
  readonly outlook: Outlook;
  readonly label: string;
}

function rowsOf(request: Request): readonly Row[] {
  const { workspace, user } = request;
  return visibleProjects(workspace, { channel: undefined, isUnlimited: user.canManage })
    .map((project): Row => {
      const last = workspace.lastBalance(project.id, project.product);
      const [left, bonuses] = [last?.balance, last?.bonuses].map(amountOf);
      const funds = left && bonuses ? left.plus(bonuses) : left;
      const overdrawn = [left, funds].some((amount) => amount?.lt(0));
      const outlook = { overdrawn, left, days: last && daysLeft(last, request) };
      return { project, last, outlook, label: project.currency ?? workspace.settings.currency };
    })
    .sort((a, b) => bySoonestEnd(a.outlook, b.outlook));
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

const COLUMNS = ['Project', 'Left', 'Lasts', 'This month'] as const;
/** So that a row fits on a phone. */
const LONGEST_NAME = 16;

/**
 * What all projects have together, then each: what is left, how long that lasts and what this month is expected to cost. In
 * monospaced text, as Slack takes tables in messages alone.
 */
function projectTable(request: Request): readonly Block[] {
  const { locale } = request.user;
  const rows = rowsOf(request);
  // Where all have the same label, the header has it.
  const labels = new Set(rows.map(({ label }) => label));
  const money = (value: Money, label: string) => formatMoney(value, locale, labels.size === 1 ? '' : label);
  const cells = rows.slice(0, MOST_PROJECTS).map((row) => {
    const { project, outlook, label } = row;
    const forecast = forecastOf(row, request);
    return [
      clipText(project.alias, LONGEST_NAME),
      leftText(row, request, money),
      outlook.days === undefined ? '' : lastsText(outlook.days),
      forecast === undefined ? '' : money(forecast, label),
    ];
  });
  const soon = rows.filter(
    ({ outlook: { overdrawn, days } }) => overdrawn || (days ?? WARNING_DAYS) < WARNING_DAYS,
  );
  return compact([
    header(titleOf(rows, locale)),
    soon.length > 0 &&
      markup(
        `:warning: *Under ${WARNING_DAYS} days or overdrawn: ${escapeMarkup(listNames(soon.map(({ project }) => project.alias)))}*`,
      ),
    preformatted(alignColumns([COLUMNS, ...cells])),
  ]);
}

/** `6 projects · 2,345,678.90 EUR left`: amounts of different labels have no sum. */
function titleOf(rows: readonly Row[], locale: string): string {
  const known = rows.flatMap(({ outlook: { left }, label }) => (left === undefined ? [] : [{ left, label }]));
  const all = pluralize(rows.length, 'project');
  if (known.length === 0) return rows.length === 1 ? 'Project' : all;
  const totals = [...new Set(known.map(({ label }) => label))].map((label) => {
    const total = sumMoney(known.filter((one) => one.label === label).map(({ left }) => left));
    return `${formatMoney(total.abs(), locale, label)} ${total.lt(0) ? 'overdrawn' : 'left'}`;
  });
  return `${known.length < rows.length ? `${known.length} of ` : ''}${all} · ${listNames(totals)}`;
}

function leftText(
  { project, last, outlook: { left }, label }: Row,
  { workspace }: Request,
  money: (value: Money, label: string) => string,
): string {
  if (left !== undefined) return money(left, label);
  if (last !== undefined) return 'unreadable';
  return !workspace.failures.has(projectKey(project)) ? '–' : 'no answer';
}

function lastsText(days: number): string {
  if (days < 0) return 'run out?';
  return days === 0 ? '< 1 day' : pluralize(days, 'day');
}

/** Undefined once the month it was made for is over. */
function forecastOf({ last }: Row, { workspace, at }: Request): Money | undefined {
  const month = dayAt(at, requireSettings(workspace).zone).slice(0, 7);
  return last?.forecast?.month === month ? amountOf(last.forecast.total) : undefined;
}

/** How old the oldest balance is, and what is an estimate; '' without figures. */
function tableNote(request: Request): string {
  const rows = rowsOf(request);
  const ages = rows.flatMap(({ last }) => last?.at ?? []);
  return joinTexts(' · ', [
    ages.length > 0 && `Balances of ${formatInstant(Math.min(...ages))}`,
    rows.some((row) => forecastOf(row, request) !== undefined) && '“This month” is an estimate',
  ]);
}
