import { formatMoney, type Money, parseAmount, sumMoney } from '../../domain/money/amount.ts';
import { bySoonestEnd, type Outlook, WARNING_DAYS } from '../../domain/money/runway.ts';
import { dayAt, daysBetween } from '../../domain/time/calendar.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import {
  type Block,
  clipText,
  compact,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
  preformatted,
} from '../../slack/kit/blocks.ts';
import { alignColumns } from '../../slack/reply/message-calls.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { visibleProjects } from '../../workspace/projects/resolve-project.ts';
import { findFailure, type LastBalance } from '../../workspace/record/stored-outcomes.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

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
export function projectTable(request: Request): readonly Block[] {
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
  return findFailure(workspace.failures, project) === undefined ? '–' : 'no answer';
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
export function tableNote(request: Request): string {
  const rows = rowsOf(request);
  const ages = rows.flatMap(({ last }) => last?.at ?? []);
  return joinTexts(' · ', [
    ages.length > 0 && `Balances of ${formatInstant(Math.min(...ages))}`,
    rows.some((row) => forecastOf(row, request) !== undefined) && '“This month” is an estimate',
  ]);
}
