import type { InputBlock, PlainTextOption } from '@slack/types';
import { plainText } from './blocks.ts';

/** Every input has the same action ID, so that a submission is parsed by block ID. */
const VALUE = 'value';

interface Input {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  /** Whether it may be left empty. */
  readonly optional?: boolean;
}

/** @param element without an action ID for the usual one */
export const input = (
  { block, label, hint, optional = false }: Input,
  element: InputBlock['element'],
): InputBlock => ({
  type: 'input',
  block_id: block,
  ...(optional && { optional }),
  label: plainText(label, 2000),
  ...(hint !== undefined && { hint: plainText(hint, 2000) }),
  element: { action_id: VALUE, ...element },
});

interface TextInput extends Input {
  readonly placeholder?: string;
  readonly initial?: string | undefined;
  readonly max: number;
}

export const textInput = ({ placeholder, initial, max, ...field }: TextInput): InputBlock =>
  input(field, {
    type: 'plain_text_input',
    max_length: max,
    ...(placeholder !== undefined && { placeholder: plainText(placeholder, 150) }),
    ...(initial !== undefined && initial !== '' && { initial_value: initial }),
  });

interface ChoiceInput extends Input {
  readonly options: readonly PlainTextOption[];
  readonly initial?: string | undefined;
}

export const choiceInput = ({ options, initial, ...field }: ChoiceInput): InputBlock => {
  const selected = options.find(({ value }) => value === initial);
  return input(field, {
    type: 'static_select',
    options: [...options],
    ...(selected !== undefined && { initial_option: selected }),
  });
};

interface PeopleInput extends Input {
  /** User IDs. */
  readonly initial: readonly string[];
  readonly max: number;
}

/** Several people; may be left empty unless it says otherwise, as the fields below. */
export const peopleInput = ({ initial, max, ...field }: PeopleInput): InputBlock =>
  input(
    { optional: true, ...field },
    {
      type: 'multi_users_select',
      max_selected_items: max,
      ...(initial.length > 0 && { initial_users: [...initial] }),
    },
  );

export interface SearchInput extends Input {
  /** The action ID whose options listener finds what is typed. */
  readonly action: string;
  readonly placeholder: string;
  readonly initial: readonly PlainTextOption[];
  readonly max: number;
}

export const searchInput = ({ action, placeholder, initial, max, ...field }: SearchInput): InputBlock =>
  input(
    { optional: true, ...field },
    {
      type: 'multi_external_select',
      action_id: action,
      min_query_length: 0,
      max_selected_items: max,
      placeholder: plainText(placeholder, 150),
      ...(initial.length > 0 && { initial_options: [...initial] }),
    },
  );

/** @param day YYYY-MM-DD, if one is filled in */
export const dateInput = (field: Input, day?: string): InputBlock =>
  input(
    { optional: true, ...field },
    { type: 'datepicker', ...(day !== undefined && { initial_date: day }) },
  );

/** @param checked the values of the options that are checked */
export function checksInput(
  field: Input,
  options: readonly PlainTextOption[],
  checked: readonly string[],
): InputBlock {
  const initial = options.filter(({ value = '' }) => checked.includes(value));
  return input(
    { optional: true, ...field },
    { type: 'checkboxes', options: [...options], ...(initial.length > 0 && { initial_options: initial }) },
  );
}
