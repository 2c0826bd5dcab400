import type { InputBlock, ModalView } from '@slack/types';
import { WEEKDAYS } from '../../domain/cadence.ts';
import { PRODUCTS } from '../../domain/product.ts';
import {
  actions,
  type Block,
  button,
  context,
  markup,
  option,
  plain,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { checksInput, choiceInput, modal, searchInput } from '../../slack/kit/modal.ts';
import { localTime } from '../../slack/zones.ts';
import { MOST_IN_DIGEST, REPORTS, type ReportName } from '../../workspace/schedules.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { type ChosenProject, type Draft, metadataOf, projectValue } from './draft.ts';
import { nextSends } from './sends.ts';
import { nameOf, type Site } from './site.ts';

export const REPORT_NAMES: Readonly<Record<ReportName, string>> = {
  yesterday: 'Spend of yesterday',
  'last-week': 'Spend of last week',
  'month-to-date': 'Spend of this month so far',
  balance: 'Balance',
};

export interface FormState {
  readonly draft: Draft;
  /** Undefined while nothing is known of the channel yet. */
  readonly site: Site | undefined;
  /** Chosen projects that the channel may not be told about. */
  readonly kept: readonly ChosenProject[];
  /** Somebody has the same posted there already. */
  readonly doubled: boolean;
  /** What happened to what was sent: above all; and to the test: below its button, where the eyes are. */
  readonly said?: readonly Block[];
  readonly tested?: readonly Block[];
  /** ms */
  readonly at: number;
}

/** The action id of a field whose change draws the form anew. */
export const FIELD = 'schedule-form';

/** Slack tells at once when such a field changes. */
const live = (input: InputBlock): InputBlock => ({
  ...input,
  dispatch_action: true,
  element: { ...input.element, action_id: `${FIELD}:${input.block_id}` },
});

export function scheduleForm(state: FormState, record: WorkspaceRecord): ModalView {
  const { draft, said = [], tested = [] } = state;
  const { report, timing } = draft;
  return modal({
    callback: 'schedule',
    metadata: metadataOf(draft),
    title: draft.before === '' ? 'Schedule a post' : 'Edit a schedule',
    submit: 'Save',
    close: 'Cancel',
    blocks: [
      ...said,
      projectsInput(draft, record),
      ...keptRemark(state, record),
      live(
        choice(
          'report',
          'Report',
          report,
          REPORTS.map((name) => option(REPORT_NAMES[name], name)),
        ),
      ),
      ...cadenceInputs(draft),
      timeInput(timing.time),
      zoneInput(timing.zone, state.at),
      markup(sendsText(state)),
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

const choice = (
  block: string,
  label: string,
  initial: string,
  options: readonly ReturnType<typeof option>[],
): InputBlock => choiceInput({ block, label, options, initial });

const projectsInput = ({ projects }: Draft, record: WorkspaceRecord): InputBlock => ({
  ...live(
    searchInput({
      block: 'projects',
      action: `${FIELD}:projects`,
      label: 'Projects',
      hint: 'By name, or type an ID. Several make one post with a total.',
      placeholder: 'prod, or 123',
      initial: projects.map((project) => projectOption(project, record)),
      max: MOST_IN_DIGEST,
    }),
  ),
  optional: false,
});

export function projectOption(project: ChosenProject, record: WorkspaceRecord) {
  const name = nameOf(project, record);
  const product = PRODUCTS[project.product].name;
  // Without a name the ID is said already.
  const about = name.startsWith(`Project ${project.id}`) ? product : `project ${project.id} · ${product}`;
  return option(name, projectValue(project), about);
}

function keptRemark({ kept }: FormState, record: WorkspaceRecord): Block[] {
  if (kept.length === 0) return [];
  const names = kept.map((project) => nameOf(project, record)).join(', ');
  return [section(`${names} may not be asked about in that channel, so it cannot be posted there.`)];
}

function cadenceInputs({ timing: { cadence } }: Draft): InputBlock[] {
  const kinds = [
    option('Every day', 'daily'),
    option('Monday to Friday', 'weekdays'),
    option('Every week', 'weekly'),
    option('Every month', 'monthly'),
  ];
  const first = live(choice('cadence', 'How often', cadence.kind, kinds));
  if (cadence.kind === 'weekly') {
    const days = WEEKDAYS.map((day, at) => option(day, String(at + 1)));
    return [first, live(choice('weekday', 'On', String(cadence.weekday), days))];
  }
  if (cadence.kind !== 'monthly') return [first];
  const days = Array.from({ length: 31 }, (_, at) => option(`Day ${at + 1}`, String(at + 1)));
  const input = choice('day', 'On', String(cadence.day), [option('The last day', 'last'), ...days]);
  const hint = plain('In shorter months day 29, 30 or 31 is the last one.');
  return [first, { ...live(input), hint }];
}

const timeInput = (time: string): InputBlock =>
  live({
    type: 'input',
    block_id: 'time',
    label: plain('At'),
    element: { type: 'timepicker', initial_time: time, placeholder: plain('09:00') },
  });

const zoneInput = (zone: string, at: number): InputBlock =>
  live({
    type: 'input',
    block_id: 'zone',
    label: plain('Time zone'),
    hint: plain('Of the time above. Which days a report covers is the workspace’s own setting.'),
    element: {
      type: 'external_select',
      min_query_length: 0,
      placeholder: plain('Berlin, Kolkata, New York, UTC…'),
      initial_option: zoneOption(zone, at),
    },
  });

export const zoneOption = (zone: string, at: number) => option(zone, zone, localTime(zone, at));

const sendsText = ({ draft: { timing }, at }: FormState): string =>
  [
    `*The next three posts* (${escapeMarkup(timing.zone)} · UTC)`,
    ...nextSends(timing, at).map(escapeMarkup),
  ].join('\n');

const channelInput = (channel: string): InputBlock =>
  live({
    type: 'input',
    block_id: 'channel',
    label: plain('Channel'),
    hint: plain('Everybody there reads the posts. Tally says there who set them up.'),
    element: {
      type: 'conversations_select',
      placeholder: plain('Choose a channel'),
      filter: { include: ['public', 'private'] },
      ...(channel !== '' && { initial_conversation: channel }),
    },
  });

function siteBlocks({ draft, site }: FormState): (Block | InputBlock)[] {
  if (site === undefined) return [];
  const { problem, remarks, canJoin } = site;
  if (problem !== undefined) return [section(problem)];
  if (!canJoin) return remarks.length > 0 ? [section(remarks.join(' '))] : [];
  const join = checksInput({
    block: 'join',
    label: 'Tally is not in that channel yet',
    options: [option('Let Tally join it', 'yes')],
    initial: draft.joins ? ['yes'] : [],
  });
  return [...(remarks.length > 0 ? [section(remarks.join(' '))] : []), join];
}

const CORRECTIONS = [1, 2, 5, 10, 25, 50];

function moreInputs({ skipsEmpty, correctsFrom }: Draft): InputBlock[] {
  const shares = [...new Set([...CORRECTIONS, correctsFrom])].filter((one) => one > 0).sort((a, b) => a - b);
  return [
    checksInput({
      block: 'options',
      label: 'When nothing was spent',
      options: [option('Post nothing', 'skip')],
      initial: skipsEmpty ? ['skip'] : [],
    }),
    {
      ...choice('corrects', 'Correct a post', String(correctsFrom), [
        ...shares.map((share) => option(`When its total changes by more than ${share} %`, String(share))),
        option('Never', '0'),
      ]),
      hint: plain('Figures of past days can change. Then the post is edited, and a reply says what changed.'),
    },
  ];
}

export const waitingModal: ModalView = modal({
  title: 'Schedule a post',
  blocks: [section('Looking at the channel…')],
});

/** @param said our own words and escaped ones */
export const savedModal = (said: string, sends: readonly string[]): ModalView =>
  modal({
    title: 'Scheduled posts',
    blocks: [
      markup(said),
      markup(['*The next three posts*', ...sends.map(escapeMarkup)].join('\n')),
      context('`/billing schedules` shows it, and changes, pauses or deletes it.'),
    ],
  });
