import { changeInPercent, formatMoney, formatPercent, parseAmount } from '../domain/money/amount.ts';
import type { ProductId } from '../domain/product.ts';
import { formatTiming, type Timing } from '../domain/time/cadence.ts';
import { type Day, formatDays } from '../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  context,
  escapeMarkup,
  type Message,
  mention,
  section,
} from '../slack/kit/atoms.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { PostedMessage } from './delivery-log-entry.ts';
import type { ReportResult } from './report.ts';
import { formatMoment } from './schedule-wording.ts';

type Figures = ReportResult['figures'];

/** What a post says around its report. */
export interface PostDetails extends Pick<PostedMessage, 'isLate' | 'isAgain' | 'earlier' | 'without'> {
  readonly timing: Timing;
  readonly date: Day;
  /** Percent by which a total must change before the post is corrected; 0 for never. */
  readonly correctsFrom: number;
  /** When its figures were corrected, in ms. */
  readonly corrected?: number;
}

const DUPLICATE =
  'This may be a duplicate: Tally was interrupted while posting, and can’t see whether the post arrived.';

export function renderPost({ message, buttons = [] }: ReportResult, details: PostDetails): Message {
  const { timing, date, isLate, isAgain, earlier, corrected, without, correctsFrom } = details;
  const { time, zone } = timing;
  const late = `Late: was due ${formatDays(date, date)}, ${time} (${zone})`;
  const above = [
    ...(isLate ? [late] : []),
    ...(isAgain ? [DUPLICATE] : []),
    ...(without === undefined ? [] : [withoutText(without, correctsFrom)]),
    ...(corrected === undefined ? [] : [`Corrected ${formatMoment(corrected, zone)}`]),
  ];
  return {
    text: isLate ? `${late}. ${message.text}` : message.text,
    blocks: [
      ...above.map((text) => context(escapeMarkup(text))),
      ...withSmallPrint(message.blocks, escapeMarkup(formatTiming(timing))),
      ...(earlier.length === 0 ? [] : [section(['Missed earlier:', ...earlier].join('\n'))]),
      // The button's list names the owner. A mention here would notify them of each post.
      actions(...buttons, button('schedule-list', 'Manage')),
    ],
  };
}

/** Adds the cadence to the report's notes, which are its last block. */
function withSmallPrint(blocks: readonly Block[], text: string): Block[] {
  const last = blocks.at(-1);
  const print = context(text);
  return last?.type === 'context'
    ? [...blocks.slice(0, -1), { ...last, elements: [...last.elements, ...print.elements] }]
    : [...blocks, print];
}

/** The day is missing from the figures; a correction fills it in. */
const withoutText = (day: string, correctsFrom: number): string =>
  `The billing service hadn’t reported ${day} when this was posted.${
    correctsFrom === 0 ? '' : ' Tally fills it in when it arrives.'
  }`;

/** Why a post is sent by hand; a `test-to-me` goes to the one who asked. */
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

/** `Wed 18 Nov 2026 UTC: prod 1,234.00 · test 12.00 (due Thu 19 Nov)` */
export const missedDateLine = (date: Day, { figures, covers }: ReportResult, workspace: Workspace): string =>
  `${covers}: ${figuresText(figures, workspace)} (${dueText(date)})`;

export const missedDateFailed = (date: Day, cause: string): string =>
  `No figures (${dueText(date)}). ${cause}`;

const dueText = (date: Day): string => `due ${formatDays(date, date, date.slice(0, 4))}`;

export const missedDatesSummary = (count: number): string =>
  `${count} earlier ${count === 1 ? 'date' : 'dates'}`;

function figuresText(figures: Figures, workspace: Workspace): string {
  const parts = Object.keys(figures).map(
    (key) => `${labelOf(key, workspace)} ${amount(figures, key, workspace)}`,
  );
  return parts.length === 0 ? 'no figures' : parts.join(' · ');
}

/** What changed, for the thread of the post; undefined when no figure changed by more than `percent`. */
export function correctionMessage(
  before: Figures,
  after: Figures,
  percent: number,
  workspace: Workspace,
): Message | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => differs(before[key], after[key], percent));
  if (changed.length === 0) return undefined;
  const lines = changed.map((key) => {
    const [was, is] = [amount(before, key, workspace), amount(after, key, workspace)];
    return `${labelOf(key, workspace)}: ${was} → ${is}${share(before[key], after[key], workspace)}`;
  });
  const text = 'Figures changed since this was posted:';
  return { text: `${text} ${lines[0]}`, blocks: [section([text, ...lines].join('\n'))] };
}

/** Exact; a figure that appeared or disappeared always counts as a change. */
function differs(before: string | undefined, after: string | undefined, percent: number): boolean {
  const [was, is] = [read(before), read(after)];
  if (was === undefined || is === undefined) return was !== is;
  return is.minus(was).abs().times(100).gt(was.abs().times(percent));
}

function share(before: string | undefined, after: string | undefined, { settings }: Workspace): string {
  const [was, is] = [read(before), read(after)];
  const change = was === undefined || is === undefined ? undefined : changeInPercent(is, was);
  return change === undefined ? '' : ` (${formatPercent(change, settings.locale)})`;
}

function read(digits: string | undefined) {
  const amount = parseAmount(digits === undefined ? { missing: true } : { text: digits });
  return 'value' in amount ? amount.value : undefined;
}

function amount(figures: Figures, key: string, workspace: Workspace): string {
  const value = read(figures[key]);
  const currency = projectOf(key, workspace)?.currency ?? workspace.settings.currency;
  return value === undefined ? 'no figure' : formatMoney(value, workspace.settings.locale, currency);
}

const labelOf = (key: string, workspace: Workspace): string =>
  projectOf(key, workspace)?.alias ?? `Project ${key.split(':')[0]}`;

function projectOf(key: string, { projects }: Workspace) {
  const [id, product] = key.split(':');
  return projects.find((one) => one.id === id && one.product === (Number(product) as ProductId));
}
