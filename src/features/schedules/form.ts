import type { InputBlock, ModalView } from '@slack/types';
import { actions, type Block, button, context, markup, section } from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { ChannelCheck } from './channel-check.ts';
import { type ChosenProject, encodeScheduleMetadata, type ScheduleDraft } from './form-state.ts';
import {
  cadenceInputs,
  channelInput,
  joinInput,
  moreInputs,
  projectsInput,
  reportInput,
  timeInput,
  zoneInput,
} from './inputs.ts';
import type { SchedulePreview, StaleWarning } from './preview.ts';

export interface ScheduleFormState {
  readonly draft: ScheduleDraft;
  /** Undefined while nothing is known of the channel yet. */
  readonly site: ChannelCheck | undefined;
  /** Chosen projects that the channel may not be told about. */
  readonly kept: readonly ChosenProject[];
  /** Undefined where the store does not say what was posted. */
  readonly preview: SchedulePreview | undefined;
  readonly nameOf: (project: ChosenProject) => string;
  /** Somebody has the same posted there already. */
  readonly doubled: boolean;
  /** What happened to what was sent: above all; and to the test: below its button, where the eyes are. */
  readonly said?: readonly Block[];
  readonly tested?: readonly Block[];
  /** ms */
  readonly at: number;
}

export function scheduleForm(state: ScheduleFormState): ModalView {
  const { draft, said = [], tested = [] } = state;
  const { report } = draft;
  return modal({
    callback: 'schedule',
    metadata: encodeScheduleMetadata(draft),
    title: draft.before === '' ? 'Schedule a post' : 'Edit a schedule',
    submit: 'Save',
    close: 'Cancel',
    blocks: [
      ...said,
      projectsInput(draft, state.nameOf),
      ...keptRemark(state),
      reportInput(draft),
      ...cadenceInputs(draft),
      timeInput(draft),
      zoneInput(draft, state.at),
      ...previewBlocks(state),
      channelInput(draft.channel),
      ...siteBlocks(state),
      ...(report === 'balance' ? [] : moreInputs(draft)),
      ...(state.doubled ? [section(DOUBLED)] : []),
      actions(button('schedule-test', 'Send a test now')),
      ...tested,
    ],
  });
}

const DOUBLED = 'The same is posted in that channel at that time already. Saving this makes it come twice.';

function keptRemark({ kept, nameOf }: ScheduleFormState): Block[] {
  if (kept.length === 0) return [];
  const names = kept.map(nameOf).join(', ');
  return [section(`${names} may not be asked about in that channel, so it cannot be posted there.`)];
}

const previewText = ({ title, lines }: SchedulePreview, more = ''): string =>
  [`*${title}*${escapeMarkup(more)}`, ...lines.map(escapeMarkup)].join('\n');

const staleText = ({ title, text }: StaleWarning): string =>
  `:warning: *${escapeMarkup(title)}* ${escapeMarkup(text)}`;

const previewBlocks = ({ preview, draft: { timing } }: ScheduleFormState): Block[] =>
  preview === undefined
    ? []
    : [markup(previewText(preview, ` (${timing.zone} · UTC)`)), ...staleBlocks(preview)];

/** With what to do about it; a click draws the form anew with that. */
function staleBlocks({ stale }: SchedulePreview): Block[] {
  if (stale === undefined) return [];
  const { time, zone } = stale;
  return [
    markup(staleText(stale)),
    actions(
      ...(time === undefined ? [] : [button('schedule-time', `Post at ${time}`, { value: time })]),
      button('schedule-zone', `Use ${zone} time`, { value: zone }),
    ),
  ];
}

function siteBlocks({ draft, site }: ScheduleFormState): (Block | InputBlock)[] {
  if (site === undefined) return [];
  const { problem, remarks, canJoin } = site;
  if (problem !== undefined) return [section(problem)];
  if (!canJoin) return remarks.length > 0 ? [section(remarks.join(' '))] : [];
  return [...(remarks.length > 0 ? [section(remarks.join(' '))] : []), joinInput(draft)];
}

export const savingScheduleModal: ModalView = modal({
  title: 'Schedule a post',
  blocks: [section('Looking at the channel…')],
});

/** @param said our own words and escaped ones */
export const scheduleSavedModal = (said: string, preview: SchedulePreview): ModalView =>
  modal({
    title: 'Scheduled posts',
    blocks: [
      markup(said),
      markup(previewText(preview)),
      ...(preview.stale === undefined ? [] : [markup(staleText(preview.stale))]),
      context('`/billing schedules` shows it, and changes, pauses or deletes it.'),
    ],
  });
