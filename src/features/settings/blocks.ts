import type { InputBlock, ModalView } from '@slack/types';
import { MAX_CURRENCY_LENGTH } from '../../domain/money/amount.ts';
import { type Block, context, type Message, option, section } from '../../slack/kit/atoms.ts';
import { checksInput, choiceInput, modal, peopleInput, textInput } from '../../slack/kit/modal.ts';
import { type Stops, warningBlocks } from '../../slack/owned/stopped-items.ts';
import type { Request } from '../../slack/request/request.ts';
import { formatLocalTime, zoneInput } from '../../slack/request/time-zones.ts';
import { type GroupChoices, groupsInput } from '../../slack/request/user-groups.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import { MAX_MANAGER_GROUPS, MAX_MANAGERS, type Settings } from '../../workspace/settings.ts';
import { numberOptions, type SettingsChange } from './changes.ts';

export const SETTINGS_TITLE = 'Settings';

/** @param warning what saving it stops, if that isn't confirmed yet @param settings what is chosen now; damaged ones count as the defaults, so that the form can replace them */
export function settingsForm(
  settings: Settings,
  groups: GroupChoices,
  { workspace, at }: Request,
  warning?: Stops,
): ModalView {
  return modal({
    callback: 'settings',
    title: SETTINGS_TITLE,
    submit: 'Save',
    metadata: warning?.digest ?? '',
    blocks: [
      ...(warning === undefined ? [] : warningBlocks(warning)),
      ...(isDamaged(workspace, 'settings') ? [section(DAMAGED)] : []),
      {
        ...zoneInput('Reporting time zone', ZONE_HINT, settings.zone, at, 'settings-zone'),
        dispatch_action: true,
      },
      section(`Today there: ${formatLocalTime(settings.zone, at)}`),
      context(CUT),
      visibilityInput(settings),
      textInput({
        block: 'currency',
        label: 'Currency label',
        hint: 'Shown next to amounts, for example EUR or €. The billing service doesn’t send a currency.',
        initial: settings.currency,
        max: MAX_CURRENCY_LENGTH,
        optional: true,
      }),
      choiceInput({
        block: 'locale',
        label: 'Numbers in public answers and posts',
        hint: 'Private answers follow each person’s Slack language.',
        options: numberOptions(settings.locale),
        initial: settings.locale,
      }),
      peopleInput({
        block: 'managers',
        label: 'People who manage Tally',
        hint: 'Owners and admins always manage Tally. Only full members can be added.',
        initial: settings.managers,
        max: MAX_MANAGERS,
      }),
      ...groupsInput(
        {
          block: 'managerGroups',
          action: 'managerGroups',
          label: 'User groups that manage Tally',
          hint: 'Every full member of these groups manages Tally.',
          max: MAX_MANAGER_GROUPS,
        },
        settings.managerGroups,
        groups,
      ),
      othersInput(settings),
    ],
  });
}

const CUT =
  'Choose the zone in which the billing service counts its days, so that no charge falls outside a scheduled post’s days.';
const DAMAGED =
  'The saved settings are damaged. This form shows the defaults. Save it to replace the damaged settings.';

const ZONE_HINT =
  'Days begin at midnight in this zone, for the whole workspace. Type a city, an area or UTC.';

const visibilityInput = ({ visibility }: Settings): InputBlock =>
  choiceInput({
    block: 'visibility',
    label: 'Who sees answers',
    hint: 'Help and errors are always private.',
    options: [
      option('Only the person who asks, until they share', 'asker'),
      option('Everyone in the channel', 'channel'),
    ],
    initial: visibility,
  });

const othersInput = ({ guests, externals }: Settings): InputBlock =>
  checksInput({
    block: 'others',
    label: 'Who else can ask',
    hint: 'Full members can always ask. Guests and external people can’t manage Tally.',
    options: [
      option('Guests of this workspace', 'guests'),
      option('External people, in shared channels', 'externals'),
    ],
    initial: [...(guests ? ['guests'] : []), ...(externals ? ['externals'] : [])],
  });

export function settingsSavedMessage(
  changes: readonly SettingsChange[],
  damaged: boolean,
  stopped: readonly Block[],
): Message {
  const sentences = [
    ...(damaged ? ['Replaced the damaged settings.'] : []),
    ...changes.map(({ sentence }) => sentence),
  ];
  const text = sentences.length === 0 ? 'No changes to save.' : 'Saved.';
  return { text: [text, ...sentences].join(' '), blocks: [...[text, ...sentences].map(section), ...stopped] };
}
