import type { InputBlock, ModalView } from '@slack/types';
import { currencyOf, moneyWriter, type WriteMoney } from '../../delivery/watches/alert-wording.ts';
import type { WatchPreview } from '../../delivery/watches/watch-service.ts';
import { commandText } from '../../domain/commands.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { formatFactor } from '../../domain/money/amount.ts';
import { BUDGET_STEPS, type WatchKind, type WatchRule } from '../../domain/money/watch-rule.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  markup,
  option,
  section,
} from '../../slack/kit/blocks.ts';
import { choiceInput, textInput, waitingModal } from '../../slack/kit/modal.ts';
import type { DrawnParts } from '../../slack/owned/form-state.ts';
import type { ChosenProject } from '../../workspace/projects/project-key.ts';
import { crossedText, currentValueLabel, measurementText } from './blocks.ts';
import {
  encodeThresholds,
  hasThreshold,
  knownProject,
  type PreviewOutcome,
  ruleOfDraft,
  type WatchDraft,
  type WatchFormTypes,
} from './form-state.ts';
import { WATCH_KINDS } from './parse.ts';

/** The fields of the form and its preview. */
export function watchBlocks(
  draft: WatchDraft,
  parts: DrawnParts<WatchFormTypes>,
): readonly (Block | InputBlock)[] {
  const { projects, target, duplicate, figures, isAsking = false, live, unnamed, request } = parts;
  const known = knownProject(draft, unnamed) ?? NO_PROJECT;
  const label = currencyOf(known, request.workspace);
  const parsed = ruleOfDraft(draft, label);
  const [problem] = 'errors' in parsed && hasThreshold(draft) ? Object.values(parsed.errors) : [];
  return compact([
    projects,
    live(kindInput(draft)),
    ...thresholdInputs(draft).map((field) => live(field, draft.isRefilled)),
    problem !== undefined && section(problem),
    // A budget is agreed in a currency.
    draft.kind === 'budget' && label === '' && context(NO_CURRENCY),
    ...(isAsking
      ? [section(PREVIEWING)]
      : previewBlocks(figures, moneyWriter(known, request.workspace, request.locale))),
    ...target,
    ...duplicate,
  ]);
}

const NO_PROJECT: ChosenProject = { id: '', product: 1 };

const PREVIEWING = 'Asking the billing service when this would have alerted…';
const NO_CURRENCY = `Amounts have no currency here: the billing service names none. A Tally manager can set a label in \`${commandText('/billing settings')}\`.`;

export const suggestingModal: ModalView = waitingModal('Change threshold', PREVIEWING);

const KIND_LABELS: Readonly<Record<WatchKind, string>> = {
  balance: 'The balance is below an amount',
  runway: 'The money lasts fewer than some days',
  budget: 'The month reaches its budget',
  spike: 'A day costs much more than usual',
};

const kindInput = ({ kind }: WatchDraft): InputBlock =>
  choiceInput({
    block: 'kind',
    label: 'Alert when',
    options: WATCH_KINDS.map((each) => option(KIND_LABELS[each], each)),
    initial: kind,
  });

/** More than the digits that are read, so that a longer amount is refused with a sentence and not cut. */
const MAX_TYPED = 60;

interface Threshold {
  readonly block: 'below' | 'days' | 'amount' | 'factor' | 'floor';
  readonly label: string;
  readonly hint?: string;
  readonly placeholder: string;
}

const THRESHOLDS: Readonly<Record<WatchKind, readonly Threshold[]>> = {
  balance: [
    {
      block: 'below',
      label: 'Below',
      hint: 'Without bonuses. Zero alerts when the project is overdrawn.',
      placeholder: '50,000',
    },
  ],
  runway: [
    {
      block: 'days',
      label: 'Fewer than',
      hint: 'Days. Balance and bonuses, at the average of the last 7 days.',
      placeholder: '14',
    },
  ],
  budget: [
    {
      block: 'amount',
      label: 'Budget for each month',
      hint: `Alerts at ${BUDGET_STEPS.slice(0, -1).join(', ')} and ${BUDGET_STEPS.at(-1)} %, and when the forecast is above it.`,
      placeholder: '500,000',
    },
  ],
  spike: [
    {
      block: 'factor',
      label: 'Times the usual amount',
      hint: 'Usual is the median of the last four same weekdays.',
      placeholder: '2',
    },
    {
      block: 'floor',
      label: 'Only days of at least',
      hint: 'Empty for no minimum.',
      placeholder: '1,000',
    },
  ],
};

const thresholdInputs = (draft: WatchDraft): InputBlock[] =>
  THRESHOLDS[draft.kind].map(({ block, ...text }) =>
    textInput({ block, ...text, max: MAX_TYPED, initial: draft[block], optional: block === 'floor' }),
  );

/** Days of the simulation; at more alerts than weeks in it, people stop reading them. */
const DAYS = 90;
const MOST_ALERTS = Math.floor(DAYS / 7);
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

/** The same of a watch that was saved. @param isArmed it alerts at once if it is crossed */
export function savedLines({ rule, result }: PreviewOutcome, money: WriteMoney, isArmed: boolean): string[] {
  if (isFailure(result)) return [result.message];
  if (!result.isCrossed) return nowLines(rule, result, money);
  const crossed = `Already crossed: ${crossedText(rule, result.measurement, money)}.`;
  return [isArmed ? `${crossed} The first alert is on its way.` : crossed];
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

/** `42,000.00` */
function thresholdText(rule: WatchRule, money: WriteMoney): string {
  switch (rule.kind) {
    case 'balance':
      return money(rule.below);
    case 'runway':
      return pluralize(rule.days, 'day');
    case 'budget':
      return money(rule.amount);
    case 'spike':
      return `${formatFactor(rule.factor, money.locale)}×`;
  }
}

const NO_TOP_UPS = 'Earlier balances are estimated from the spend, as if no money had been added.';

function previewBlocks(previewed: PreviewOutcome | undefined, money: WriteMoney): Block[] {
  const refresh = button('watch-preview', previewed === undefined ? 'Preview' : 'Preview again');
  if (previewed === undefined) return [actions(refresh)];
  const [first = '', ...more] = previewLines(previewed, money);
  const { result } = previewed;
  const { suggestion, dates = [] } = isFailure(result) ? {} : result;
  const isNoisy = dates.length > MOST_ALERTS;
  const lines = compact([
    `*${escapeMarkup(first)}*`,
    ...more.map(escapeMarkup),
    isNoisy && ':warning: That’s more than one alert a week.',
    suggestion &&
      escapeMarkup(`${thresholdText(suggestion, money)} would have alerted at most once a month.`),
  ]);
  return compact([
    markup(lines.join('\n')),
    !isFailure(result) && result.assumesNoTopUps && context(NO_TOP_UPS),
    actions(
      refresh,
      suggestion &&
        button('watch-suggest', `Use ${thresholdText(suggestion, money)}`, {
          value: encodeThresholds(suggestion),
          ...(isNoisy && { style: 'primary' as const }),
        }),
    ),
  ]);
}
