import type { InputBlock, ModalView } from '@slack/types';
import { MAX_CURRENCY_LENGTH } from '../../domain/money/amount.ts';
import { context, type Message, option, plainText, section } from '../../slack/kit/atoms.ts';
import { checksInput, choiceInput, modal, peopleInput, textInput } from '../../slack/kit/modal.ts';
import { formatLocalTime, type ZoneName, zoneOption } from '../../slack/time-zones.ts';
import { type GroupChoices, groupsInput } from '../../slack/user-groups.ts';
import { MAX_MANAGER_GROUPS, MAX_MANAGERS, type Settings } from '../../workspace/settings.ts';
import type { SettingsChange } from './changes.ts';
import { numberOptions } from './numbers.ts';

export interface SettingsFormState {
  /** What is chosen now. */
  readonly settings: Settings;
  /** What was stored could not be read, so these are the defaults. */
  readonly damaged: boolean;
  readonly groups: GroupChoices;
  /** ms */
  readonly at: number;
}

export function settingsForm({ settings, damaged, groups, at }: SettingsFormState): ModalView {
  return modal({
    callback: 'settings',
    title: 'Settings',
    submit: 'Save',
    close: 'Cancel',
    blocks: [
      ...(damaged ? [section(DAMAGED)] : []),
      zoneInput(settings.zone, at),
      section(`Today there: ${formatLocalTime(settings.zone, at)}`),
      context(CUT),
      visibilityInput(settings),
      textInput({
        block: 'currency',
        label: 'Currency label',
        hint: 'Stands beside amounts, such as EUR or €. The billing service names no currency, so without a label none is shown.',
        initial: settings.currency,
        max: MAX_CURRENCY_LENGTH,
        optional: true,
      }),
      choiceInput({
        block: 'locale',
        label: 'Numbers in public answers and posts',
        hint: 'Answers for one person alone follow the language of that person’s Slack.',
        options: numberOptions(settings.locale),
        initial: settings.locale,
      }),
      peopleInput({
        block: 'managers',
        label: 'People who manage Tally',
        hint: 'Beside owners and admins, who always do. Full members only: naming a guest has no effect.',
        initial: settings.managers,
        max: MAX_MANAGERS,
      }),
      ...groupsInput(
        {
          block: 'managerGroups',
          action: 'managerGroups',
          label: 'User groups that manage Tally',
          hint: 'Every full member of the group, as it is at the time.',
          max: MAX_MANAGER_GROUPS,
        },
        settings.managerGroups,
        groups,
      ),
      othersInput(settings),
    ],
  });
}

/** Said here once, and not again in every post. */
const CUT =
  'If billing cuts its days in another time zone, scheduled posts leave out what it reports for the day before and the day after theirs.';
const DAMAGED =
  'The stored settings are damaged and cannot be read. The form shows the defaults; saving replaces what was stored.';

function zoneInput(chosen: ZoneName, at: number): InputBlock {
  return {
    type: 'input',
    block_id: 'zone',
    dispatch_action: true,
    label: plainText('Reporting time zone'),
    hint: plainText(
      'Days begin and end at midnight there, for everybody in this workspace. Type a city, an area or UTC.',
    ),
    element: {
      type: 'external_select',
      action_id: 'zone',
      min_query_length: 0,
      placeholder: plainText('Berlin, Kolkata, New York, UTC…'),
      initial_option: zoneOption(chosen, at),
    },
  };
}

const visibilityInput = ({ visibility }: Settings): InputBlock =>
  choiceInput({
    block: 'visibility',
    label: 'Who sees answers',
    hint: 'Help, refusals and errors stay with the person who asks.',
    options: [
      option('The person who asks, until they share them', 'asker'),
      option('Everyone in the channel', 'channel'),
    ],
    initial: visibility,
  });

const othersInput = ({ guests, strangers }: Settings): InputBlock =>
  checksInput({
    block: 'others',
    label: 'Who else may ask',
    hint: 'Full members always may. Guests and members of other organisations never manage.',
    options: [
      option('Guests of this workspace', 'guests'),
      option('Members of other organisations, in shared channels', 'strangers'),
    ],
    initial: [...(guests ? ['guests'] : []), ...(strangers ? ['strangers'] : [])],
  });

export const savingSettingsModal: ModalView = modal({ title: 'Settings', blocks: [section('Saving…')] });

export function settingsSavedMessage(changes: readonly SettingsChange[], damaged: boolean): Message {
  const sentences = [
    ...(damaged ? ['The damaged settings are replaced.'] : []),
    ...changes.map(({ sentence }) => sentence),
  ];
  const text = sentences.length === 0 ? 'Nothing was different, so nothing was changed.' : 'Saved.';
  return { text: [text, ...sentences].join(' '), blocks: [text, ...sentences].map(section) };
}

export const settingsSavedModal = ({ blocks }: Message): ModalView => modal({ title: 'Settings', blocks });
