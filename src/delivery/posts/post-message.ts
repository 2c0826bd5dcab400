/** Renders a post: the report, how late it is, and dates without a post. Also tells which question a post answers. */
import type { Button } from '@slack/types';
import { parseAmount } from '../../domain/money/amount.ts';
import { REPORTS, type ReportName } from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { formatTiming, type Timing } from '../../domain/time/cadence.ts';
import { type Day, dayAt, daysInRange, formatDays, type Millis } from '../../domain/time/calendar.ts';
import { sameDaysLastWeek } from '../../domain/time/period.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  type Block,
  buttonRow,
  compact,
  context,
  escapeMarkup,
  fitsOption,
  instantMarkup,
  joinTexts,
  type Message,
  mention,
  option,
  overflow,
  section,
} from '../../slack/block-kit/blocks.ts';
import { followUpQuestion } from '../../slack/commands/asked-projects.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { formatSums } from '../../slack/reply/render-answer.ts';
import {
  type ChosenProject,
  currencyOf,
  describeProjects,
  projectKey,
} from '../../workspace/projects/chosen-project.ts';
import type { ProjectScope } from '../../workspace/projects/project-scope.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { AskedQuestion } from '../../workspace/thread-store.ts';
import type { ReportResult } from '../reports/make-report.ts';
import { SUM_VERBS } from '../reports/render-report.ts';
import type { PostContent } from './post-record.ts';

type Figures = ReportResult['figures'];

export interface PostDetails extends Pick<PostContent, 'isLate' | 'earlier' | 'without' | 'changed'> {
  readonly at: Millis;
  readonly timing: Timing;
  readonly owner: SlackId;
  readonly date: Day;
  readonly report: ReportName;
  readonly projects: readonly ChosenProject[];
  readonly workspace: Workspace;
}

/**
 * Adds a note above the report if it is late, and names the schedule and its owner below. Slack notifies the mentioned
 * owner when the post is sent, not when it is edited.
 */
export function renderPost(result: ReportResult, details: PostDetails): Message {
  const { message, covers } = result;
  const { timing, owner, date, at, isLate, changed, without } = details;
  const posted = dayAt(at, timing.zone);
  const late = `Late: was due ${date === posted ? timing.time : formatDays(date, date, posted.slice(0, 4))}`;
  const print = joinTexts(' · ', [
    message.print,
    changed && changedText(changed, details),
    without !== undefined && 'Tally adds the missing day later',
    covers.zone !== timing.zone && `days in ${escapeMarkup(covers.zone)}`,
    escapeMarkup(formatTiming(timing)),
    `set up by ${mention(owner)}`,
  ]);
  const missed = missedText(details);
  const blocks = compact([
    isLate && context(late),
    ...message.blocks,
    missed !== '' && section(missed),
    context(print),
  ]);
  const manage = commandButton('manage', 'Manage', { command: '/billing', text: 'schedules' });
  return {
    text: isLate ? `${late}. ${message.text}` : message.text,
    blocks: withMenu(blocks, [...detailsButton({ ...details, ...result }, details.workspace), ...manage]),
  };
}

/** `*corrected:* Today 15:02 (was 1,234.00 EUR)`, in the reader's time zone */
function changedText({ at, was }: NonNullable<PostContent['changed']>, details: PostDetails): string {
  if (was === undefined) return `*added:* ${instantMarkup(at)}`;
  return `*corrected:* ${instantMarkup(at)} (was ${escapeMarkup(totalText(was, details))})`;
}

/** A menu beside the first lines makes the post shorter than a row of buttons would. */
function withMenu(blocks: readonly Block[], buttons: readonly Button[]): Block[] {
  const options = buttons.map(({ text, value = '' }) => option(text.text, value));
  const lines = blocks.find(({ type }) => type === 'section');
  if (lines === undefined || !options.every(fitsOption)) return [...blocks, ...buttonRow(buttons)];
  return blocks.map((block) =>
    block === lines ? { ...lines, accessory: overflow('rerun:more', options) } : block,
  );
}

/** `Missed posts: Wed 18 Nov (1,234.00 EUR), due Fri 20 Nov (no figures)`; '' if none was missed */
function missedText(details: PostDetails): string {
  const { counted, named } = details.earlier;
  if (named.length === 0) return counted === 0 ? '' : `Missed posts: ${counted}`;
  const year = details.date.slice(0, 4);
  const texts = named.map(({ date, covers, figures }) => {
    const days = covers ? formatDays(covers.first, covers.last, year) : `due ${formatDays(date, date, year)}`;
    return `${days} (${totalText(figures, details)})`;
  });
  return `Missed posts: ${joinTexts(', ', [counted > 0 && pluralize(counted, 'older post'), ...texts])}`;
}

/** `1,234.00 EUR and 12.00 USD`: the sum of all projects in each currency */
function totalText(figures: Figures, { projects, workspace, report }: PostDetails): string {
  const amounts = projects.flatMap((project) => {
    const value = parseFigure(figures[projectKey(project)]);
    return value === undefined ? [] : [{ value, label: currencyOf(project, workspace) }];
  });
  if (amounts.length === 0) return 'no figures';
  const verbs = SUM_VERBS[REPORTS[report].coversDays ? 'spent' : 'left'];
  const sums = formatSums(amounts, workspace.settings.locale, verbs);
  const isWhole = amounts.length === projects.length;
  return `${sums}${isWhole ? '' : `, ${amounts.length} of ${pluralize(projects.length, 'project')}`}`;
}

/** `“Yesterday’s spend” for prod, web-shop`. @param scope hides projects that readers may not see */
export const describeReport = (
  schedule: Pick<Schedule, 'report' | 'projects'>,
  workspace: Workspace,
  scope?: ProjectScope,
): string => `“${REPORTS[schedule.report].title}” for ${describeProjects(schedule, workspace, scope)}`;

export const shownProjects = (
  { projects }: Pick<Schedule, 'projects'>,
  { unanswered, figures }: Pick<ReportResult, 'unanswered' | 'figures'>,
): Schedule['projects'] =>
  projects.filter((project) => !(projectKey(project) in unanswered) || projectKey(project) in figures);

type PostedReport = Pick<Schedule, 'report' | 'projects'> &
  Pick<ReportResult, 'covers' | 'figures' | 'unanswered'>;

/** The question that a post answers, for follow-ups. “This month” becomes the month's name, which stays true. */
export function questionOfPost(posted: PostedReport, workspace: Workspace): AskedQuestion | undefined {
  const { report, covers } = posted;
  if (report === 'month-to-date') return questionAbout(posted, covers.first.slice(0, 7), workspace);
  const { first, last, zone } = covers;
  // A post about Friday to Sunday compares with the same weekdays, so its follow-ups do too.
  const days = report === 'yesterday' && first !== last ? daysInRange(first, last, zone) : [];
  const before = sameDaysLastWeek(days, zone);
  const compared = before.length === 0 ? '' : ` vs ${daysText(before[0], before.at(-1))}`;
  return questionAbout(posted, daysText(first, last) + compared, workspace);
}

export function detailsButton(posted: PostedReport, workspace: Workspace): Button[] {
  const { first, last } = posted.covers;
  const question = questionAbout(posted, daysText(first, last), workspace);
  if (question === undefined) return [];
  const { command, text } = question;
  return commandButton('details', 'Details', { command, text: `${text} details` });
}

const daysText = (first: Day | undefined, last: Day | undefined): string =>
  first === last ? `${first}` : `${first}..${last}`;

function questionAbout(posted: PostedReport, days: string, workspace: Workspace): AskedQuestion | undefined {
  const projects = shownProjects(posted, posted);
  return REPORTS[posted.report].coversDays
    ? followUpQuestion('/spend', projects, days, workspace)
    : followUpQuestion('/balance', projects, '', workspace);
}

export function parseFigure(digits: string | undefined) {
  const amount = parseAmount(digits === undefined ? { missing: true } : { text: digits });
  return 'value' in amount ? amount.value : undefined;
}
