/** The fields that the forms of schedules and of watches have in common. */

import type { InputBlock } from '@slack/types';
import type { ActionName } from '../../domain/commands.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { projectOption } from '../commands/project-picker.ts';
import { type Block, markup, option, plainText, section } from '../kit/atoms.ts';
import { checksInput, choiceInput, input, peopleInput, searchInput } from '../kit/modal.ts';
import type { ChannelCheck } from '../request/channels.ts';
import type { FormLimits, OwnedDraft } from './form-state.ts';

/** Added to the action ID of a field that Tally fills in: Slack keeps a field's value for as long as its IDs stay. */
export const REFILLED = ':refilled';

/** A field that redraws the form: Slack sends its choice as an action at once, a text when Enter is pressed. */
export const liveInput = (action: ActionName, field: InputBlock, isRefilled = false): InputBlock => ({
  ...field,
  dispatch_action: true,
  element: { ...field.element, action_id: `${action}:${field.block_id}${isRefilled ? REFILLED : ''}` },
});

/** @param hint where several projects can be chosen */
export function projectsInput(
  action: ActionName,
  projects: readonly ChosenProject[],
  nameOf: (project: ChosenProject) => string,
  { projects: max }: FormLimits,
  hint?: string,
): InputBlock {
  const chosen = projects.map((project) => projectOption(project, nameOf(project)));
  const placeholder = 'prod, or 123';
  const [initial] = chosen;
  const field =
    max === 1
      ? input(
          { block: 'projects', label: 'Project' },
          {
            type: 'external_select',
            min_query_length: 0,
            placeholder: plainText(placeholder),
            ...(initial !== undefined && { initial_option: initial }),
          },
        )
      : searchInput({
          block: 'projects',
          action: '',
          label: 'Projects',
          ...(hint !== undefined && { hint }),
          ...{ placeholder, initial: chosen, max },
        });
  return { ...liveInput(action, field), optional: false };
}

/**
 * Where posts or alerts go, what is wrong with that or worth knowing, and whether Tally may join the channel.
 * @param sends what goes there: `alerts`
 */
export function targetInputs(
  action: ActionName,
  { to, channel, people, joins }: OwnedDraft,
  check: ChannelCheck | undefined,
  { people: max }: FormLimits,
  sends: string,
): readonly (Block | InputBlock)[] {
  const { problem, warnings = [], canJoin = false } = check ?? {};
  return [
    ...(max === 0 ? [] : [liveInput(action, toInput(to, sends))]),
    to === 'people'
      ? whomInput(people, max)
      : liveInput(action, channelInput(channel, `Everyone there sees the ${sends}, and who set them up.`)),
    ...(problem !== undefined ? [markup(problem)] : warnings.length > 0 ? [section(warnings.join(' '))] : []),
    ...(problem === undefined && canJoin ? [joinInput(joins)] : []),
  ];
}

const toInput = (to: OwnedDraft['to'], sends: string): InputBlock =>
  choiceInput({
    block: 'to',
    label: `Send ${sends} to`,
    options: [option('A channel', 'channel'), option('People, by direct message', 'people')],
    initial: to,
  });

const channelInput = (channel: OwnedDraft['channel'], hint: string): InputBlock =>
  input(
    { block: 'channel', label: 'Channel', hint },
    {
      type: 'conversations_select',
      placeholder: plainText('Choose a channel'),
      filter: { include: ['public', 'private'] },
      ...(channel !== '' && { initial_conversation: channel }),
    },
  );

const whomInput = (people: OwnedDraft['people'], max: number): InputBlock => ({
  ...peopleInput({
    block: 'people',
    label: 'People',
    hint: 'Full members of this workspace.',
    initial: people,
    max,
  }),
  optional: false,
});

const joinInput = (joins: boolean): InputBlock =>
  checksInput({
    block: 'join',
    label: 'Tally isn’t in that channel yet',
    options: [option('Let Tally join it', 'yes')],
    initial: joins ? ['yes'] : [],
  });
