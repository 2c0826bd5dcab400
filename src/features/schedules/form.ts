import type { InputBlock, ModalView } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { pluralize } from '../../domain/language/text.ts';
import { REPORT_NAMES, REPORTS } from '../../domain/report.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { projectOption } from '../../slack/commands/project-picker.ts';
import {
  actions,
  type Block,
  button,
  escapeMarkup,
  markup,
  option,
  plainText,
  section,
} from '../../slack/kit/atoms.ts';
import { checksInput, choiceInput, input, modal, searchInput } from '../../slack/kit/modal.ts';
import { channelCheckBlocks, channelInput, liveInput } from '../../slack/owned/form.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import { zoneInput } from '../../slack/request/time-zones.ts';
import { MAX_DIGEST_PROJECTS } from '../../workspace/owned/schedules.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { encodeScheduleMetadata, type ScheduleDraft } from './form-state.ts';
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

export const SCHEDULE_TEST = { me: 'schedule-test-me', channel: 'schedule-test' } as const;

export function scheduleForm(state: ScheduleFormState): ModalView {
  const { draft, notice = [], testResult = [] } = state;
  const { report } = draft;
  return modal({
    callback: 'schedule',
    metadata: encodeScheduleMetadata(draft),
    title: draft.before === '' ? 'Schedule a post' : 'Edit schedule',
    submit: 'Save',
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
        ? [
            live(zoneInput('Time zone', ZONE_HINT, draft.timing.zone, state.at), draft),
            ...(REPORTS[report].coversDays ? dayInputs(draft) : []),
          ]
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

/** The action id of a field whose change redraws the form. */
export const FIELD = 'schedule-form';

const live = (field: InputBlock, { isRefilled = false }: Partial<ScheduleDraft> = {}): InputBlock =>
  liveInput(FIELD, field, isRefilled);

const projectsInput = (
  { projects }: ScheduleDraft,
  nameOf: (project: ChosenProject) => string,
): InputBlock => ({
  ...live(
    searchInput({
      block: 'projects',
      action: `${FIELD}:projects`,
      label: 'Projects',
      hint: 'Type a name or an ID. Several projects make one post with a total.',
      placeholder: 'prod, or 123',
      initial: projects.map((project) => projectOption(project, nameOf(project))),
      max: MAX_DIGEST_PROJECTS,
    }),
  ),
  optional: false,
});

const reportInput = (draft: ScheduleDraft): InputBlock =>
  live(
    choiceInput({
      block: 'report',
      label: 'Report',
      options: REPORT_NAMES.map((name) => option(REPORTS[name].title, name)),
      initial: draft.report,
    }),
    draft,
  );

function cadenceInputs({ timing: { cadence } }: ScheduleDraft): InputBlock[] {
  const { kind } = cadence;
  const first = live(choiceInput({ block: 'cadence', label: 'How often', options: CADENCES, initial: kind }));
  if (kind === 'weekly') {
    const options = WEEKDAY_NAMES.map((day, at) => option(day, String(at + 1)));
    const initial = String(cadence.weekday);
    return [first, live(choiceInput({ block: 'weekday', label: 'On', options, initial }))];
  }
  if (kind !== 'monthly') return [first];
  const days = Array.from({ length: 31 }, (_, at) => option(`Day ${at + 1}`, String(at + 1)));
  const day = choiceInput({
    block: 'day',
    label: 'On',
    hint: 'In shorter months, day 29, 30 or 31 means the last day.',
    options: [option('The last day', 'last'), ...days],
    initial: String(cadence.day),
  });
  return [first, live(day)];
}

const CADENCES = [
  option('Every day', 'daily'),
  option('Monday to Friday', 'weekdays'),
  option('Every week', 'weekly'),
  option('Every month', 'monthly'),
];

const timeInput = (draft: ScheduleDraft): InputBlock =>
  live(
    input(
      { block: 'time', label: 'At' },
      { type: 'timepicker', initial_time: draft.timing.time, placeholder: plainText('09:00') },
    ),
    draft,
  );

const ZONE_HINT = `For the time above. The days of a report follow the reporting time zone in ${commandText('/billing settings')}.`;

const CORRECTIONS = [1, 2, 5, 10, 25, 50];

const WAITS = [0, 1, 2, 3, 6, 12];

/** The fields under More about the days of a report. A balance has no days. */
function dayInputs({ skipsEmpty, correctsFrom, waitHours }: ScheduleDraft): InputBlock[] {
  const waits = [...new Set([...WAITS, waitHours])].sort((a, b) => a - b);
  const shares = [...new Set([...CORRECTIONS, correctsFrom])]
    .filter((share) => share > 0)
    .sort((a, b) => a - b);
  return [
    choiceInput({
      block: 'waits',
      label: 'When billing hasn’t reported the day yet',
      hint: 'Tally looks every 30 minutes, then posts without that day and says so.',
      options: waits.map((hours) =>
        option(hours === 0 ? 'Don’t wait' : `Wait up to ${pluralize(hours, 'hour')}`, String(hours)),
      ),
      initial: String(waitHours),
    }),
    checksInput({
      block: 'options',
      label: 'When nothing was spent',
      options: [option('Post nothing', 'skip')],
      initial: skipsEmpty ? ['skip'] : [],
    }),
    choiceInput({
      block: 'corrects',
      label: 'Correct a post',
      hint: 'Figures of past days can change. Tally then edits the post and replies with what changed.',
      options: [
        ...shares.map((share) => option(`When its total changes by more than ${share} %`, String(share))),
        option('Never', '0'),
      ],
      initial: String(correctsFrom),
    }),
  ];
}
