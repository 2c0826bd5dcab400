/** The blocks of Tally's Home tab. */
import type { Button } from '@slack/types';
import { PRODUCTS } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { formatEstimate, type Money, moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import {
  bySoonestEnd,
  formatDaysLeft,
  type Outlook,
  WARNING_DAYS,
} from '../../domain/money/balance-and-runway.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { dayAt, daysBetween, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { countKnown } from '../../domain/wording.ts';
import {
  actions,
  type Block,
  button,
  clipText,
  compact,
  context,
  header,
  instantMarkup,
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
import { runningOutLine } from '../../slack/reply/project-answers.ts';
import { BALANCE_VERBS, formatSums } from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { isNamedIssuer } from '../../workspace/credentials/credential-records.ts';
import { projectKey } from '../../workspace/projects/chosen-project.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { firstNames, visibleProjects } from '../../workspace/projects/project-scope.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import type { LastBalance } from '../../workspace/record/service-outcomes.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { meetsRight } from '../../workspace/roles-and-rights.ts';
import type { HealthSection } from '../feature.ts';
import { isProblem, needsAttention } from './workspace-health.ts';

export const REFRESH = 'home-refresh';

const MAX_ATTENTION_LINES = 5;

/** What needs attention, then the next step for a new workspace, then the projects. */
export function homeBlocks(request: Request, sections: readonly HealthSection[]): readonly Block[] {
  const { workspace } = request;
  const isConnected = workspace.connectionNames.length > 0;
  const shown = isConnected ? sections : sections.filter(({ title }) => title !== 'Connections');
  const draw = () => {
    const rows = homeRows(request);
    const hasProjects = isConnected || workspace.aliases.size > 0;
    return [
      ...nextStep(request, rows),
      ...(hasProjects ? projectBlocks(request, rows) : [actions(...ALL_COMMANDS)]),
    ];
  };
  return [...attentionBlocks(shown), ...(tryParse(draw, Failure) ?? [])];
}

function attentionBlocks(sections: readonly HealthSection[]): readonly Block[] {
  const lines = sections.flatMap((one) => one.lines).filter(needsAttention);
  const more = lines.length - MAX_ATTENTION_LINES;
  return compact([
    ...lines.slice(0, MAX_ATTENTION_LINES).map(({ text, fix, ...line }) => ({
      ...markup(`${isProblem(line) ? ':warning: ' : ''}${joinTexts(' · ', text.slice(0, 2))}`),
      ...(fix !== undefined && { accessory: fix }),
    })),
    more > 0 && {
      ...markup(`*${more} more* ${more === 1 ? 'needs' : 'need'} attention.`),
      accessory: commandButton('status', 'Status', toCommand('/billing status'))[0] as Button,
    },
  ]);
}

function projectBlocks(request: Request, rows: readonly Row[]): readonly Block[] {
  const { workspace, user } = request;
  const isMember = meetsRight('member', user);
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
  const choices = rows.map(({ project: { alias } }) =>
    commandOption(alias, { command: '/balance', text: alias }),
  );
  const ages = rows.flatMap(({ last }) => last?.at ?? []);
  const smallPrint = joinTexts(' · ', [
    rows.length > MAX_HOME_PROJECTS &&
      `The ${MAX_HOME_PROJECTS} projects that run out first, of ${rows.length}`,
    ages.length > 0 && `As of ${instantMarkup(Math.min(...ages))}`,
    rows.some(({ forecast }) => forecast) && `“${forecastTitle(request)}” is an estimate`,
  ]);
  return compact([
    ...(rows.length > 0 ? projectTable(request, rows) : []),
    rows.length === 0 &&
      workspace.aliases.size > 0 &&
      section('The named projects are limited to certain channels. Ask about them there.'),
    actions(
      choices.length > 0 && select('run:project', 'Ask about a project', choices),
      ...(isMember ? commandButton('schedule', 'Schedule a post…', toCommand('/billing schedule')) : []),
      ...(canGetTokens ? commandButton('token', 'OS_TOKEN…', { command: '/os-token', text: '' }) : []),
      button(REFRESH, 'Refresh'),
      isMember && more,
    ),
    smallPrint !== '' && context(smallPrint),
  ]);
}

function nextStep(request: Request, rows: readonly Row[]): readonly Block[] {
  const { workspace, user } = request;
  const style = 'primary';
  if (workspace.connectionNames.length === 0)
    return failureMessage(new Failure('not-connected'), request).blocks;
  if (user.canManage && workspace.aliases.size === 0) {
    const test = testedProject(workspace);
    const add = toCommand(
      '/billing projects',
      test ? `add ${test.project} ${PRODUCTS[test.product].word}` : 'add',
    );
    const label = test ? `Name project ${test.project}…` : 'Name a project…';
    return [
      markup(
        `*Give a project a name*\nThen everyone can type \`${commandText('/balance')} prod\`, and its balance is shown here.`,
      ),
      actions(...commandButton('name', label, add, { style })),
    ];
  }
  if (user.canManage && workspace.schedules.length === 0) {
    const [first] = rows;
    const post = toCommand('/billing schedule', first && `${first.project.alias} daily 09:00`);
    return [
      markup('*Post spend in a channel every morning*\nYou choose the channel and the time.'),
      actions(...commandButton('schedule', 'Post it every morning…', post, { style })),
    ];
  }
  const questions = rows.length > 0 ? [] : exampleButtons(request);
  return questions.length === 0
    ? []
    : [markup('*Ask a question*\nUnder Messages, in your own words. For example:'), actions(...questions)];
}

export const MAX_HOME_PROJECTS = 30;

interface Row {
  readonly project: Project;
  readonly last: LastBalance | undefined;
  readonly outlook: Outlook;
  readonly forecast: Money | undefined;
  readonly currency: string;
}

/** The projects that a person can ask about outside of channels, in the order in which they run out. */
export function homeRows({ workspace, user, at }: Request): readonly Row[] {
  const visible = visibleProjects(workspace, { channel: undefined, isUnlimited: user.canManage });
  return firstNames(visible)
    .map((project): Row => {
      const last = workspace.lastBalance(project.id, project.product);
      const [left, bonuses, total] = [last?.balance, last?.bonuses, last?.forecast?.total].map(amountOf);
      const overdrawn = [left, left && bonuses && left.plus(bonuses)].some((amount) => amount?.lt(0));
      const dayOf = (instant: Millis) => dayAt(instant, requireSettings(workspace).zone);
      return {
        project,
        last,
        currency: project.currency ?? workspace.settings.currency,
        outlook: {
          overdrawn,
          left,
          // Counted from today, negative if the money was expected to run out by now.
          days: last?.days === undefined ? undefined : last.days - daysBetween(dayOf(last.at), dayOf(at)),
        },
        forecast: last?.forecast && last.forecast.month === dayOf(at).slice(0, 7) ? total : undefined,
      };
    })
    .sort((a, b) => bySoonestEnd(a.outlook, b.outlook));
}

function amountOf(text: string | undefined): Money | undefined {
  const amount = text === undefined ? undefined : parseAmount({ text });
  return amount !== undefined && 'value' in amount ? amount.value : undefined;
}

/** Longer names don't fit on a phone. */
const MAX_NAME_LENGTH = 16;
const UNKNOWN = '–';

/** Totals, then a table in monospaced text, because Slack allows tables only in messages. */
function projectTable(request: Request, rows: readonly Row[]): readonly Block[] {
  const { user, workspace } = request;
  const { locale } = user;
  const isMixed = new Set(rows.map(({ currency }) => currency)).size > 1;
  const moneyIn = (currency: string) => moneyFormatter(locale, isMixed ? currency : '');
  const leftText = ({ project, last, outlook: { left }, currency }: Row): string => {
    if (left !== undefined) return moneyIn(currency)(left);
    if (last !== undefined) return 'unreadable';
    if (isConnectionMissing(project, workspace)) return 'no connection';
    return workspace.failures.has(projectKey(project)) ? 'no answer' : UNKNOWN;
  };
  const cells = rows
    .slice(0, MAX_HOME_PROJECTS)
    .map((row) => [
      clipText(row.project.alias, MAX_NAME_LENGTH),
      leftText(row),
      lastsText(row),
      row.forecast ? formatEstimate(row.forecast, moneyIn(row.currency)) : UNKNOWN,
    ]);
  const amounts = rows.flatMap(({ outlook: { left: value }, currency: label }) =>
    value ? [{ value, label }] : [],
  );
  const count = countKnown(amounts.length, rows.length, 'project');
  const isSoon = ({ outlook: { overdrawn, days } }: Row) =>
    overdrawn || (days !== undefined && days < WARNING_DAYS);
  const soon = runningOutLine(rows.filter(isSoon).map(({ project }) => project.alias));
  return compact([
    header(joinTexts(' · ', [count, formatSums(amounts, locale, BALANCE_VERBS)])),
    soon !== '' && markup(soon),
    preformatted(alignColumns([['Project', 'Left', 'Lasts', forecastTitle(request)], ...cells])),
  ]);
}

const forecastTitle = ({ workspace, at }: Request): string =>
  `By ${forecastDay(dayAt(at, workspace.settings.zone))}`;

function lastsText({ last, outlook: { overdrawn, days } }: Row): string {
  if (overdrawn) return 'overdrawn';
  if (last?.isIdle) return 'no spending';
  if (days === undefined) return UNKNOWN;
  if (days < 0) return 'run out?';
  return formatDaysLeft(days);
}
