import type { ModalView } from '@slack/types';
import type { WriteMoney } from '../../delivery/watches/alert-wording.ts';
import { commandText } from '../../domain/commands.ts';
import { type Block, context, section } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import { channelCheckBlocks } from '../../slack/owned/form.ts';
import type { ChannelCheck } from '../../slack/request/channel-check.ts';
import { encodeWatchMetadata, type WatchDraft } from './form-state.ts';
import { kindInput, projectInput, targetInput, thresholdInputs, toInput } from './inputs.ts';
import { type Previewed, previewBlocks } from './preview.ts';

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
    close: 'Cancel',
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
const DUPLICATE = 'There is a watch like this already. If you save this one, its alerts come twice.';
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
