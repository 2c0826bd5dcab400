import type { MultiSelect, Option, PlainTextOption, Select } from '@slack/types';
import type { Channel, StateValue } from '../../protocol.ts';
import type { PageWorkspace } from '../workspace.ts';

export type SelectElement = Select | MultiSelect;

/** One option of a select menu. */
export interface Item {
  value: string;
  text: string;
  description?: string;
  group?: string;
  /** The option as the bot sent it. */
  option?: Option;
}

export interface OptionLists {
  options?: Option[];
  option_groups?: { label: { text: string }; options: Option[] }[];
}

const itemOf = (option: Option, group?: string): Item => ({
  value: option.value ?? '',
  text: option.text.text,
  ...(option.description && { description: option.description.text }),
  ...(group !== undefined && { group }),
  option,
});

/** Returns options and groups as one list, in order. */
export const itemsOf = ({ options, option_groups }: OptionLists): Item[] => [
  ...(options ?? []).map((option) => itemOf(option)),
  ...(option_groups ?? []).flatMap(({ label, options }) =>
    options.map((option) => itemOf(option, label.text)),
  ),
];

export const isMany = (element: SelectElement): element is MultiSelect => element.type.startsWith('multi_');

const channelText = ({ kind, name }: Channel) => (kind === 'im' ? name : `#${name}`);

/** The options that are known without asking the bot; none for an external select. */
export function ownOptions(element: SelectElement, { snapshot }: PageWorkspace): Item[] {
  const { people, channels } = snapshot;
  switch (element.type) {
    case 'users_select':
    case 'multi_users_select':
      return people.map(({ id, realName, name }) => ({ value: id, text: realName, description: `@${name}` }));
    case 'channels_select':
    case 'multi_channels_select':
      return channels
        .filter(({ kind }) => kind === 'public')
        .map((channel) => ({ value: channel.id, text: channelText(channel) }));
    case 'conversations_select':
    case 'multi_conversations_select':
      return channels
        .filter(({ kind }) => element.filter?.include?.includes(kind) ?? true)
        .map((channel) => ({ value: channel.id, text: channelText(channel) }));
    case 'static_select':
    case 'multi_static_select':
      return itemsOf(element);
    default:
      return [];
  }
}

/** The chosen options. */
export function chosenItems(value: StateValue | undefined, offered: Item[]): Item[] {
  const options = value?.selected_options ?? (value?.selected_option ? [value.selected_option] : []);
  const single = value?.selected_user ?? value?.selected_conversation ?? value?.selected_channel;
  const many = value?.selected_users ?? value?.selected_conversations ?? value?.selected_channels;
  const ids = many ?? (single ? [single] : []);
  return [
    ...options.map((option) => itemOf(option as PlainTextOption)),
    ...ids.map((id) => offered.find(({ value }) => value === id) ?? { value: id, text: id }),
  ];
}

type Chosen = Omit<StateValue, 'type'>;
const optionOf = (item: Item | undefined) => (item?.option as StateValue['selected_option']) ?? null;

/** Returns the state value that Slack sends for these choices. */
export function stateOf(element: SelectElement, items: Item[]): Chosen {
  const [first] = items;
  const ids = items.map(({ value }) => value);
  switch (element.type) {
    case 'users_select':
      return { selected_user: first?.value ?? null };
    case 'conversations_select':
      return { selected_conversation: first?.value ?? null };
    case 'channels_select':
      return { selected_channel: first?.value ?? null };
    case 'multi_users_select':
      return { selected_users: ids };
    case 'multi_conversations_select':
      return { selected_conversations: ids };
    case 'multi_channels_select':
      return { selected_channels: ids };
    case 'multi_static_select':
    case 'multi_external_select':
      return { selected_options: items.map(optionOf).filter((option) => option != null) };
    default:
      return { selected_option: optionOf(first) };
  }
}
