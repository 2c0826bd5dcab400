import type { ModalView } from '@slack/types';
import { REPORTS } from '../../domain/report.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { actions, type Block, button, escapeMarkup, markup, section } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import { channelCheckBlocks, channelInput } from '../../slack/owned/form.ts';
import type { ChannelCheck } from '../../slack/request/channel-check.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { encodeScheduleMetadata, type ScheduleDraft } from './form-state.ts';
import {
  cadenceInputs,
  dayInputs,
  FIELD,
  projectsInput,
  reportInput,
  timeInput,
  zoneInput,
} from './inputs.ts';
import type { SchedulePreview, StaleWarning } from './preview.ts';

export interface ScheduleFormState {
  readonly draft: ScheduleDraft;
  /** Undefined before the channel was checked. */
  readonly channelCheck: ChannelCheck | undefined;
  /** Chosen projects that the channel may not see. */
  readonly restricted: readonly ChosenProject[];
  /** Undefined when the store cannot say what was posted. */
  readonly preview: SchedulePreview | undefined;
  readonly nameOf: (project: ChosenProject) => string;
  /** Another schedule posts the same there. */
  readonly isDuplicate: boolean;
  /** The result of saving, at the top; the result of a test, below its button. */
  readonly notice?: readonly Block[];
  readonly testResult?: readonly Block[];
  readonly at: Millis;
}

/** The action ids of the two tests. */
export const SCHEDULE_TEST = { me: 'schedule-test-me', channel: 'schedule-test' } as const;

export function scheduleForm(state: ScheduleFormState): ModalView {
  const { draft, notice = [], testResult = [] } = state;
  const { report } = draft;
  return modal({
    callback: 'schedule',
    metadata: encodeScheduleMetadata(draft),
    title: draft.before === '' ? 'Schedule a post' : 'Edit schedule',
    submit: 'Save',
    close: 'Cancel',
    blocks: [
      ...notice,
      projectsInput(draft, state.nameOf),
      channelInput(FIELD, draft.channel, 'Everyone there sees the posts, and who set them up.'),
      ...channelCheckBlocks(state.channelCheck, draft.joins),
      ...restrictedBlocks(state),
      reportInput(draft),
      ...cadenceInputs(draft),
      timeInput(draft),
      ...previewBlocks(state),
      ...(state.isDuplicate ? [section(DUPLICATE)] : []),
      actions(
        button(SCHEDULE_TEST.me, 'Send a test to me'),
        button(SCHEDULE_TEST.channel, 'Send a test to the channel'),
        button('schedule-more', draft.isUnfolded ? 'Less' : 'More…'),
      ),
      ...testResult,
      ...(draft.isUnfolded
        ? [zoneInput(draft, state.at), ...(REPORTS[report].coversDays ? dayInputs(draft) : [])]
        : []),
    ],
  });
}

const DUPLICATE = 'This channel already gets the same post at that time. If you save this, it comes twice.';

function restrictedBlocks({ restricted, nameOf }: ScheduleFormState): Block[] {
  if (restricted.length === 0) return [];
  const names = restricted.map(nameOf).join(', ');
  return [section(`That channel can’t see ${names}, so Tally can’t post it there.`)];
}

const previewText = ({ title, lines }: SchedulePreview, more = ''): string =>
  [`*${title}*${escapeMarkup(more)}`, ...lines.map(escapeMarkup)].join('\n');

const staleText = ({ title, text }: StaleWarning): string =>
  `:warning: *${escapeMarkup(title)}* ${escapeMarkup(text)}`;

const previewBlocks = ({ preview, draft: { timing } }: ScheduleFormState): Block[] =>
  preview === undefined ? [] : [markup(previewText(preview, ` (${timing.zone})`)), ...staleBlocks(preview)];

/** With buttons that fill in a time or zone that works. */
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

export const savingScheduleModal: ModalView = modal({
  title: 'Schedule a post',
  blocks: [section('Checking the channel…')],
});

/** What follows the sentence that it was saved. */
export const savedPreviewBlocks = (preview: SchedulePreview): Block[] => [
  markup(previewText(preview)),
  ...(preview.stale === undefined ? [] : [markup(staleText(preview.stale))]),
];
