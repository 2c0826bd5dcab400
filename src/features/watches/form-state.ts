import type { InputBlock } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { BUDGET_STEPS, type WatchKind } from '../../domain/money/watch-rule.ts';
import { type Block, compact, context, option, section } from '../../slack/kit/blocks.ts';
import { choiceInput, textInput } from '../../slack/kit/inputs.ts';
import type { DrawnParts, FormDraft } from '../../slack/owned/form-state.ts';
import type { FormFields } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { currencyOf, moneyWriter } from '../../workspace/projects/chosen-project.ts';
import { WATCH_KINDS, type WatchWords } from './parse.ts';
import { PREVIEWING, type PreviewOutcome, watchPreviewBlocks } from './preview.ts';
import { hasThreshold, pickThresholds, ruleOfDraft, type ThresholdFields } from './thresholds.ts';

interface WatchFields extends ThresholdFields {
  readonly kind: WatchKind;
  /** The currency label of the project when the form was drawn. */
  readonly label: string;
}
export interface WatchFormTypes {
  readonly item: Watch;
  readonly own: WatchFields;
  readonly figures: PreviewOutcome;
}
export type WatchDraft = FormDraft<WatchFormTypes>;

const DEFAULT_FACTOR = '2';

/** What a new form begins with. */
export const newWatchFields = (words: WatchWords): WatchFields => ({
  kind: words.kind ?? 'balance',
  label: '',
  factor: DEFAULT_FACTOR,
  ...pickThresholds(words),
});

export const watchFields = (fields: FormFields): WatchFields => ({
  kind: WATCH_KINDS.find((kind) => kind === fields.kind) ?? 'balance',
  label: fields.label ?? '',
  ...pickThresholds(fields),
});

/** The amounts that were typed for other kinds of watches. */
export const typedAmounts = (draft: WatchDraft): FormFields =>
  Object.fromEntries(Object.entries(pickThresholds(draft)).filter(([, typed]) => AMOUNT.test(typed)));
const AMOUNT = /^[\d., ]+[kx×]?$/;

/** The project of the draft, unless the user may not know it. */
export const knownProject = (
  { projects }: WatchDraft,
  unnamed: readonly ChosenProject[],
): ChosenProject | undefined => projects.find((project) => !unnamed.includes(project));

/** A label beside an amount is checked against the record when the watch is saved. */
export function thresholdErrors(draft: WatchDraft): Readonly<Record<string, string>> {
  const rule = ruleOfDraft(draft, draft.label);
  return 'errors' in rule ? rule.errors : {};
}

/** The fields of the form and its preview. */
export function watchBlocks(
  draft: WatchDraft,
  parts: DrawnParts<WatchFormTypes>,
): readonly (Block | InputBlock)[] {
  const { projects, target, figures, isAsking = false, live, unnamed, request } = parts;
  const known = knownProject(draft, unnamed) ?? NO_PROJECT;
  const label = currencyOf(known, request.workspace);
  const parsed = ruleOfDraft(draft, label);
  const [problem] = 'errors' in parsed && hasThreshold(draft) ? Object.values(parsed.errors) : [];
  return compact([
    projects,
    live(kindInput(draft)),
    ...thresholdInputs(draft).map((field) => live(field)),
    problem !== undefined && section(problem),
    // A budget is agreed in a currency.
    draft.kind === 'budget' && label === '' && context(noCurrency(request)),
    ...(isAsking
      ? [section(PREVIEWING)]
      : watchPreviewBlocks(figures, moneyWriter(known, request.workspace, request.locale))),
    ...target,
  ]);
}

const NO_PROJECT: ChosenProject = { id: '', product: 1 };
const noCurrency = ({ user }: Request): string =>
  `Amounts have no currency here: the billing service names none. ${user.canManage ? 'Set' : 'A Tally manager can set'} a label in \`${commandText('/billing settings')}\`.`;

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
