import { wordFailure } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { changeInPercent, formatMoney, formatPercent, parseAmount } from '../../domain/money/amount.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { formatTiming, type Timing } from '../../domain/time/cadence.ts';
import { type Day, dayAt, formatDays, formatMoment, type Millis } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  type Message,
  mention,
  section,
} from '../../slack/kit/blocks.ts';
import {
  type ChosenProject,
  chosenByKey,
  findNamed,
  projectLabel,
} from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { CoveredDays, PostContent } from '../log/delivery-log-entry.ts';
import type { ReportResult } from './run-report.ts';

type Figures = ReportResult['figures'];

/** What a post says around its report. */
export interface PostDetails extends Pick<PostContent, 'isLate' | 'earlier' | 'without'> {
  /** When it went out, in ms. */
  readonly at: Millis;
  readonly timing: Timing;
  readonly owner: SlackId;
  readonly date: Day;
  readonly projects: readonly ChosenProject[];
  readonly workspace: Workspace;
  /** Percent by which a total must change before the post is corrected; 0 for never. */
  readonly correctsFrom: number;
  /** When its figures were corrected, in ms. */
  readonly corrected?: number;
}

export function renderPost({ message, buttons = [] }: ReportResult, details: PostDetails): Message {
  const { timing, owner, date, isLate, corrected, without, correctsFrom } = details;
  const { time, zone } = timing;
  const late = `Late: was due ${formatDays(date, date)}, ${time} (${zone})`;
  const missed = missedLines(details);
  const above = compact([
    isLate && late,
    without && withoutText(without, date, correctsFrom),
    corrected !== undefined && `Corrected ${formatMoment(corrected, zone)}`,
  ]);
  return {
    text: isLate ? `${late}. ${message.text}` : message.text,
    blocks: compact([
      ...above.map((text) => context(escapeMarkup(text))),
      ...withSmallPrint(
        message.blocks,
        `${escapeMarkup(formatTiming(timing))} · set up by ${mention(owner)}`,
      ),
      missed.length > 0 && section(missed.join('\n')),
      actions(...buttons, button('schedule-list', 'Manage')),
    ]),
  };
}

/** Adds the cadence and the owner to the report's notes, which are its last block. */
function withSmallPrint(blocks: readonly Block[], text: string): Block[] {
  const last = blocks.at(-1);
  const print = context(text);
  return last?.type === 'context'
    ? [...blocks.slice(0, -1), { ...last, elements: [...last.elements, ...print.elements] }]
    : [...blocks, print];
}

/** The day is missing from the figures; a correction fills it in. */
const withoutText = (day: Day, today: Day, correctsFrom: number): string =>
  `The billing service hadn’t reported ${formatDays(day, day, today.slice(0, 4))} when this was posted.${
    correctsFrom === 0 ? '' : ' Tally fills it in when it arrives.'
  }`;

/** Why a post is sent by hand; a `test-to-me` goes to the person who asked. */
export type ManualReason = 'test' | 'test-to-me' | 'now';

/** A post that a person sent by hand. */
export function manualPostMessage(
  { message, buttons = [] }: ReportResult,
  why: ManualReason,
  by: string,
): Message {
  const who = mention(by);
  const heading = why !== 'now' ? `Test of a scheduled post, sent by ${who}` : `Sent by ${who} with Send now`;
  const below = buttons.length === 0 ? [] : [actions(...buttons)];
  return { text: message.text, blocks: [context(heading), ...message.blocks, ...below] };
}

const UNCLEAR = 'Slack didn’t confirm this post; it may be in the channel.';

/** `Wed 18 Nov 2026 UTC: prod 1,234.00 · test 12.00 (due Thu 19 Nov)`, for each date; none if nothing was missed. */
function missedLines({ earlier, at, timing, projects, workspace }: PostDetails): string[] {
  const { counted, named } = earlier;
  const lines = named.map((missed) => {
    const { date } = missed;
    const due = `(due ${formatDays(date, date, date.slice(0, 4))})`;
    const line =
      'cause' in missed
        ? `No figures ${due}. ${wordFailure(missed.cause, dayAt(at, timing.zone))}`
        : `${coveredText(missed.covers)}: ${figuresText(missed.figures, projects, workspace)} ${due}`;
    return missed.isUnclear ? `${line} ${UNCLEAR}` : line;
  });
  return compact([
    lines.length + counted > 0 && 'Missed earlier:',
    counted > 0 && pluralize(counted, 'earlier date'),
    ...lines,
  ]);
}

/** `Wed 18 Nov 2026 UTC` */
export const coveredText = ({ first, last, zone }: CoveredDays): string =>
  `${formatDays(first, last)} ${zone}`;

function figuresText(figures: Figures, projects: readonly ChosenProject[], workspace: Workspace): string {
  const parts = Object.keys(figures).map((key) => {
    const project = chosenByKey(key, projects);
    return `${projectLabel(project, workspace)} ${formatFigure(figures[key], project, workspace)}`;
  });
  return parts.length === 0 ? 'no figures' : parts.join(' · ');
}

/** The figures that changed by more than `percent`, as they were; '' for one that was not there. */
export function changedFigures(before: Figures, after: Figures, percent: number): Figures {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => hasChanged(before[key], after[key], percent));
  return Object.fromEntries(changed.map((key) => [key, before[key] ?? '']));
}

/** A line for each figure that differs from that in `before`: `prod: 100.00 → 110.50 (▲ 10.5 %)`. */
export const correctionLines = (
  before: Figures,
  after: Figures,
  projects: readonly ChosenProject[],
  workspace: Workspace,
): string[] =>
  Object.entries(before)
    .filter(([key, was]) => hasChanged(was, after[key], 0))
    .map(([key, was]) => {
      const project = chosenByKey(key, projects);
      const change = `${formatFigure(was, project, workspace)} → ${formatFigure(after[key], project, workspace)}`;
      return `${projectLabel(project, workspace)}: ${change}${changeText(was, after[key], workspace)}`;
    });

const MAX_LINES = 30;

/** What changed, for a thread. @param posts how many posts are corrected */
export function correctionMessage(lines: readonly string[], posts: number): Message {
  const text =
    posts === 1 ? 'Figures changed since this was posted:' : `Figures of ${posts} posts here changed:`;
  const more = lines.length - MAX_LINES;
  const shown = [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more, each in its post`] : [])];
  return { text: `${text} ${lines[0]}`, blocks: [section([text, ...shown].join('\n'))] };
}

/** Exact; a figure that appeared or disappeared always counts as a change. */
function hasChanged(before: string | undefined, after: string | undefined, percent: number): boolean {
  const [was, is] = [parseFigure(before), parseFigure(after)];
  if (was === undefined || is === undefined) return was !== is;
  return is.minus(was).abs().times(100).gt(was.abs().times(percent));
}

function changeText(before: string | undefined, after: string | undefined, { settings }: Workspace): string {
  const [was, is] = [parseFigure(before), parseFigure(after)];
  const change = was === undefined || is === undefined ? undefined : changeInPercent(is, was);
  return change === undefined ? '' : ` (${formatPercent(change, settings.locale)})`;
}

function parseFigure(digits: string | undefined) {
  const amount = parseAmount(digits === undefined ? { missing: true } : { text: digits });
  return 'value' in amount ? amount.value : undefined;
}

function formatFigure(digits: string | undefined, project: ChosenProject, workspace: Workspace): string {
  const value = parseFigure(digits);
  const { locale, currency } = workspace.settings;
  const label = findNamed(project, workspace)?.currency ?? currency;
  return value === undefined ? 'no figure' : formatMoney(value, locale, label);
}
