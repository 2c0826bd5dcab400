import type { InputBlock } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { pluralize } from '../../domain/language/text.ts';
import { REPORT_NAMES, REPORTS } from '../../domain/report.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { zoneInput } from '../../slack/commands/zone-picker.ts';
import {
  actions,
  type Block,
  button,
  escapeMarkup,
  markup,
  option,
  plainText,
} from '../../slack/kit/blocks.ts';
import { checksInput, choiceInput, input } from '../../slack/kit/modal.ts';
import type { DrawnParts } from '../../slack/owned/form-state.ts';
import type { ScheduleDraft, ScheduleFields, ScheduleFormTypes } from './form-state.ts';
import type { SchedulePreview, StaleWarning } from './preview.ts';

export const SCHEDULE_TEST = { me: 'schedule-test-me', channel: 'schedule-test' } as const;

/** The fields of the form and its preview, which is undefined when the store cannot say what was posted. */
export function scheduleBlocks(
  draft: ScheduleDraft,
  {
    projects,
    target,
    duplicate,
    figures: preview,
    result = [],
    live,
    request,
  }: DrawnParts<ScheduleFormTypes>,
): readonly (Block | InputBlock)[] {
  const { isRefilled, isExpanded, report, timing } = draft;
  return [
    projects,
    ...target,
    live(reportInput(report), isRefilled),
    ...cadenceInputs(draft).map((field) => live(field)),
    live(timeInput(timing.time), isRefilled),
    ...(preview === undefined
      ? []
      : [markup(previewText(preview, ` (${timing.zone})`)), ...staleBlocks(preview)]),
    ...duplicate,
    actions(
      button(SCHEDULE_TEST.me, 'Send a test to me'),
      button(SCHEDULE_TEST.channel, 'Send a test to the channel'),
      button('schedule-more', isExpanded ? 'Less' : 'More…'),
    ),
    ...result,
    ...(isExpanded ? [live(zoneInput('Time zone', ZONE_HINT, timing.zone, request.at), isRefilled)] : []),
    ...(isExpanded && REPORTS[report].coversDays ? dayInputs(draft) : []),
  ];
}

const previewText = ({ title, lines }: SchedulePreview, more = ''): string =>
  [`*${title}*${escapeMarkup(more)}`, ...lines.map(escapeMarkup)].join('\n');

const staleText = ({ title, text }: StaleWarning): string =>
  `:warning: *${escapeMarkup(title)}* ${escapeMarkup(text)}`;

/** The warning about posts that go out too early, with buttons that fill in a time or zone that works. */
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

/** What the form shows below “Saved”. */
export const savedPreviewBlocks = (preview: SchedulePreview): Block[] => [
  markup(previewText(preview)),
  ...(preview.stale === undefined ? [] : [markup(staleText(preview.stale))]),
];

const reportInput = (report: ScheduleFields['report']): InputBlock =>
  choiceInput({
    block: 'report',
    label: 'Report',
    options: REPORT_NAMES.map((name) => option(REPORTS[name].title, name)),
    initial: report,
  });

function cadenceInputs({ timing: { cadence } }: ScheduleFields): readonly InputBlock[] {
  const { kind } = cadence;
  const first = choiceInput({ block: 'cadence', label: 'How often', options: CADENCES, initial: kind });
  if (kind === 'weekly') {
    const options = WEEKDAY_NAMES.map((day, at) => option(day, String(at + 1)));
    return [first, choiceInput({ block: 'weekday', label: 'On', options, initial: String(cadence.weekday) })];
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
  return [first, day];
}

const CADENCES = [
  option('Every day', 'daily'),
  option('Monday to Friday', 'weekdays'),
  option('Every week', 'weekly'),
  option('Every month', 'monthly'),
];

const timeInput = (time: string): InputBlock =>
  input(
    { block: 'time', label: 'At' },
    { type: 'timepicker', initial_time: time, placeholder: plainText('09:00') },
  );

const ZONE_HINT = `For the time above. The days of a report follow the reporting time zone in ${commandText('/billing settings')}.`;

const CORRECTIONS = [1, 2, 5, 10, 25, 50];

const WAITS = [0, 1, 2, 3, 6, 12];

/** The fields under More about the days of a report. A balance has no days. */
function dayInputs({ skipsEmpty, correctsFrom, waitHours }: ScheduleFields): InputBlock[] {
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
