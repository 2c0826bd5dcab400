import type { InputBlock, ModalView } from '@slack/types';
import type { WriteMoney } from '../../delivery/watches/alert-wording.ts';
import { commandText } from '../../domain/commands.ts';
import { BUDGET_STEPS, type WatchKind } from '../../domain/money/watch-rule.ts';
import { projectOption } from '../../slack/commands/project-picker.ts';
import { type Block, context, option, plainText, section } from '../../slack/kit/atoms.ts';
import { choiceInput, input, modal, peopleInput, textInput } from '../../slack/kit/modal.ts';
import { channelCheckBlocks, channelInput, liveInput } from '../../slack/owned/form.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import { MAX_WATCH_PEOPLE } from '../../workspace/owned/watches.ts';
import { encodeWatchMetadata, type WatchDraft } from './form-state.ts';
import { type Previewed, previewBlocks } from './preview.ts';
import { WATCH_KINDS } from './words.ts';

export interface WatchFormState {
  readonly draft: WatchDraft;
  /** Where the form was opened; '' in Home. */
  readonly place: string;
  /** As people call the project; '' for none. */
  readonly projectName: string;
  /** The currency label of the project; '' for none. */
  readonly label: string;
  readonly money: WriteMoney;
  /** Undefined before the channel was checked, and for people. */
  readonly channelCheck: ChannelCheck | undefined;
  /** Undefined before billing was asked. */
  readonly previewed: Previewed | undefined;
  /** Billing is being asked. */
  readonly isPreviewing: boolean;
  /** What is wrong with a threshold, in a sentence. */
  readonly problem: string | undefined;
  /** Another watch is the same. */
  readonly isDuplicate: boolean;
  /** The result of saving, at the top. */
  readonly notice?: readonly Block[];
}

export function watchForm(state: WatchFormState): ModalView {
  const { draft, place, label, notice = [], projectName } = state;
  return modal({
    callback: 'watch',
    metadata: encodeWatchMetadata({ ...draft, place, label }),
    title: draft.before === '' ? 'Set up a watch' : 'Edit watch',
    submit: 'Save',
    blocks: [
      ...notice,
      projectInput(draft.project, projectName),
      kindInput(draft),
      ...thresholdInputs(draft),
      ...(state.problem === undefined ? [] : [section(state.problem)]),
      ...currencyHint(state),
      ...(state.isPreviewing ? [section(PREVIEWING)] : previewBlocks(state.previewed, state.money)),
      toInput(draft),
      targetInput(draft),
      ...(draft.to === 'people' ? [] : channelCheckBlocks(state.channelCheck, draft.joins)),
      ...(state.isDuplicate ? [section(DUPLICATE)] : []),
    ],
  });
}

const PREVIEWING = 'Asking the billing service what this would have alerted about…';
const DUPLICATE = 'A watch like this already exists. If you save this one too, each alert arrives twice.';
const NO_CURRENCY = `Amounts have no currency here: the billing service names none. A Tally manager can set a label in \`${commandText('/billing settings')}\`.`;

/** A budget is agreed in a currency. */
const currencyHint = ({ draft, label }: WatchFormState): Block[] =>
  draft.kind === 'budget' && label === '' ? [context(NO_CURRENCY)] : [];

export const savingWatchModal: ModalView = modal({
  title: 'Set up a watch',
  blocks: [section('Checking who gets the alerts…')],
});

export const suggestingModal: ModalView = modal({
  title: 'Change threshold',
  blocks: [section(PREVIEWING)],
});

/** The action ID of a field whose change redraws the form. */
export const WATCH_FIELD = 'watch-form';

const live = (field: InputBlock, isRefilled = false): InputBlock => liveInput(WATCH_FIELD, field, isRefilled);

const projectInput = (project: WatchDraft['project'], name: string): InputBlock =>
  live(
    input(
      { block: 'project', label: 'Project' },
      {
        type: 'external_select',
        min_query_length: 0,
        placeholder: plainText('prod, or 123'),
        ...(project !== undefined && { initial_option: projectOption(project, name) }),
      },
    ),
  );

const KIND_LABELS: Readonly<Record<WatchKind, string>> = {
  balance: 'The balance is below an amount',
  runway: 'The money lasts fewer than some days',
  budget: 'The month reaches its budget',
  spike: 'A day costs much more than usual',
};

const kindInput = ({ kind }: WatchDraft): InputBlock =>
  live(
    choiceInput({
      block: 'kind',
      label: 'Alert when',
      options: WATCH_KINDS.map((each) => option(KIND_LABELS[each], each)),
      initial: kind,
    }),
  );

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
    live(
      textInput({ block, ...text, max: MAX_TYPED, initial: draft[block], optional: block === 'floor' }),
      draft.isRefilled,
    ),
  );

const toInput = ({ to }: WatchDraft): InputBlock =>
  live(
    choiceInput({
      block: 'to',
      label: 'Send alerts to',
      options: [option('A channel', 'channel'), option('People, by direct message', 'people')],
      initial: to,
    }),
  );

const targetInput = (draft: WatchDraft): InputBlock =>
  draft.to === 'people'
    ? whomInput(draft)
    : channelInput(WATCH_FIELD, draft.channel, 'Everyone there sees the alerts, and who set them up.');

const whomInput = ({ people }: WatchDraft): InputBlock => ({
  ...peopleInput({
    block: 'people',
    label: 'People',
    hint: 'Full members of this workspace.',
    initial: people,
    max: MAX_WATCH_PEOPLE,
  }),
  optional: false,
});
