import { changeInPercent, formatMoney, formatPercent, parseAmount } from '../domain/money/amount.ts';
import type { ProductId } from '../domain/product.ts';
import { formatTiming, type Timing } from '../domain/time/cadence.ts';
import { type Day, formatDays } from '../domain/time/calendar.ts';
import type { ReportResult } from '../features/feature.ts';
import { formatWallTime } from '../features/schedules/upcoming-sends.ts';
import { type Block, context, type Message, markup, section } from '../slack/kit/atoms.ts';
import { escapeMarkup, mention } from '../slack/kit/escape.ts';
import { requireSettings } from '../workspace/workspace.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { PostedMessage } from './delivery-log.ts';

type Figures = ReportResult['figures'];

/** What stands around a report's own words. */
export interface PostDetails extends Pick<PostedMessage, 'isLate' | 'isAgain' | 'earlier'> {
  readonly timing: Timing;
  readonly date: Day;
  /** When its figures were put right, in ms. */
  readonly corrected?: number;
}

export function renderPost({ message }: ReportResult, around: PostDetails): Message {
  const { timing, date, isLate, isAgain, earlier, corrected } = around;
  const { time, zone } = timing;
  const late = `Late: was due ${formatDays(date, date)}, ${time} (${zone})`;
  const above = [
    ...(isLate ? [late] : []),
    ...(isAgain
      ? [
          'This may be here twice: Tally was interrupted while posting it, and may not look whether it arrived.',
        ]
      : []),
    ...(corrected === undefined ? [] : [`Corrected ${formatMoment(corrected, zone)}`]),
  ];
  return {
    text: isLate ? `${late}. ${message.text}` : message.text,
    blocks: [
      ...above.map((text) => context(escapeMarkup(text))),
      ...message.blocks,
      ...(earlier.length === 0 ? [] : [section(['Earlier, and not posted then:', ...earlier].join('\n'))]),
      // Whose it is stands there: a mention here would notify them of every post.
      context(`${escapeMarkup(formatTiming(timing))} · \`/billing schedules\` shows who answers for it`),
    ],
  };
}

/** What somebody wanted beside the calendar. */
export function manualPostMessage({ message }: ReportResult, why: 'test' | 'now', by: string): Message {
  const who = mention(by);
  const words =
    why === 'test' ? `Test of a scheduled post, by ${who}` : `Posted now because ${who} asked for it`;
  return { text: message.text, blocks: [context(words), ...message.blocks] };
}

/** `Wed 18 Nov 2026 UTC: prod 1,234.00 · test 12.00 (due Thu 19 Nov)` */
export const missedDateLine = (date: Day, { figures, covers }: ReportResult, record: Workspace): string =>
  `${covers}: ${figuresWords(figures, record)} (${dueWords(date)})`;

export const missedDateFailed = (date: Day, cause: string): string =>
  `No figures (${dueWords(date)}). ${cause}`;

const dueWords = (date: Day): string => `due ${formatDays(date, date, date.slice(0, 4))}`;

export const missedDatesSummary = (count: number): string =>
  `${count} earlier ${count === 1 ? 'date' : 'dates'}`;

function figuresWords(figures: Figures, record: Workspace): string {
  const words = Object.keys(figures).map((key) => `${labelOf(key, record)} ${amount(figures, key, record)}`);
  return words.length === 0 ? 'no figures' : words.join(' · ');
}

/** What changed, for the thread of the post; undefined where nothing did by more than `percent`. */
export function correctionMessage(
  before: Figures,
  after: Figures,
  percent: number,
  record: Workspace,
): Message | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => differs(before[key], after[key], percent));
  if (changed.length === 0) return undefined;
  const lines = changed.map((key) => {
    const [was, is] = [amount(before, key, record), amount(after, key, record)];
    return `${labelOf(key, record)}: ${was} → ${is}${share(before[key], after[key], record)}`;
  });
  const text = 'Figures changed since this was posted:';
  return { text: `${text} ${lines[0]}`, blocks: [section([text, ...lines].join('\n'))] };
}

/** Exact; a figure that came or went is a change, whatever the share. */
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

function amount(figures: Figures, key: string, record: Workspace): string {
  const value = read(figures[key]);
  const currency = projectOf(key, record)?.currency ?? requireSettings(record).currency;
  return value === undefined ? 'no figure' : formatMoney(value, requireSettings(record).locale, currency);
}

const labelOf = (key: string, record: Workspace): string =>
  projectOf(key, record)?.alias ?? `Project ${key.split(':')[0]}`;

function projectOf(key: string, { projects }: Workspace) {
  const [id, product] = key.split(':');
  return projects.find((one) => one.id === id && one.product === (Number(product) as ProductId));
}

/** `Sat 21 Nov 2026, 15:00 (Europe/Rome)` */
export const formatMoment = (at: number, zone: string): string => `${formatWallTime(at, zone)} (${zone})`;

export const joinLines = (...texts: readonly string[]): Block => markup(texts.join('\n'));
