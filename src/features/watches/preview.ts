import type { WatchPreview } from '../../delivery/watches/watch-service.ts';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  markup,
} from '../../slack/kit/blocks.ts';
import type { WriteMoney } from '../../workspace/projects/chosen-project.ts';
import { crossedText, currentValueLabel, measurementText } from './watch-wording.ts';

/** What billing was asked for a form; a failure if it gave no answer. */
export interface PreviewOutcome {
  readonly rule: WatchRule;
  readonly result: WatchPreview | Failure;
}

export const PREVIEWING = 'Asking the billing service when this would have alerted…';

/** Days of the simulation. */
const DAYS = 90;
const MOST_DATES = 8;

/** When the watch would have alerted, and whether it would now. Plain text, one sentence per line. */
function previewLines({ rule, result }: PreviewOutcome, money: WriteMoney): string[] {
  if (isFailure(result)) return [result.message];
  const { dates, isCrossed, isKnown, measurement, reported } = result;
  if (reported === 0 && !isKnown)
    return [
      `No data in the last ${DAYS} days, so nothing can be previewed. Check the project and its product.`,
    ];
  return compact([
    // What was crossed before these days, and still is, did not begin on one of them.
    (!isCrossed || dates.length > 0) && countText(dates.map(dateText)),
    ...(isCrossed
      ? [`It would alert at once: ${crossedText(rule, measurement, money)}.`]
      : nowLines(rule, result, money)),
  ]);
}

function nowLines(rule: WatchRule, { measurement, isKnown }: WatchPreview, money: WriteMoney): string[] {
  const now = measurementText(rule, measurement, money);
  return compact([
    now !== undefined && `${currentValueLabel(rule)}: ${now}.`,
    !isKnown && 'Too few days are reported to judge it now.',
  ]);
}

function countText(dates: readonly string[]): string {
  if (dates.length === 0) return `It wouldn’t have alerted in the last ${DAYS} days.`;
  const shown = dates.slice(-MOST_DATES);
  const more = dates.length - shown.length;
  const times = dates.length === 1 ? 'once' : `${dates.length} times`;
  return `It would have alerted ${times} in the last ${DAYS} days: ${more > 0 ? `${more} earlier, ` : ''}${shown.join(', ')}.`;
}

/** `2 Oct`: the day of the week says nothing about a threshold. */
const dateText = (day: Day): string => formatDays(day, day, day.slice(0, 4)).slice(4);

const NO_TOP_UPS = 'Earlier balances are estimated from the spend, as if no money had been added.';

export function watchPreviewBlocks(previewed: PreviewOutcome | undefined, money: WriteMoney): Block[] {
  const refresh = button('watch-form:preview', previewed === undefined ? 'Preview' : 'Preview again');
  if (previewed === undefined) return [actions(refresh)];
  const [first = '', ...more] = previewLines(previewed, money);
  const isEstimated = ['balance', 'runway'].includes(previewed.rule.kind) && !isFailure(previewed.result);
  return compact([
    markup([`*${escapeMarkup(first)}*`, ...more.map(escapeMarkup)].join('\n')),
    isEstimated && context(NO_TOP_UPS),
    actions(refresh),
  ]);
}
