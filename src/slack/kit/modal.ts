import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { type Block, plainText } from './atoms.ts';
import { SLACK_LIMITS } from './limits.ts';

export interface ModalOptions {
  readonly callback?: string;
  /** At most 3,000 characters, readable by the person: ids, never secrets; checked again when it comes back. */
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string;
  readonly close?: string;
  readonly blocks: readonly (Block | InputBlock)[];
}

export const modal = ({
  callback,
  metadata,
  title,
  submit,
  close = 'Close',
  blocks,
}: ModalOptions): ModalView => ({
  type: 'modal',
  title: plainText(title, SLACK_LIMITS.modalTitle),
  close: plainText(close, SLACK_LIMITS.modalTitle),
  ...(callback !== undefined && { callback_id: callback }),
  ...(metadata !== undefined && { private_metadata: metadata }),
  ...(submit !== undefined && { submit: plainText(submit, SLACK_LIMITS.modalTitle) }),
  // Slack's own types do not know the chart, which no view of Tally's carries.
  blocks: [...blocks] as ModalView['blocks'],
});

/** Every input has the same action id, so that a submission is read by block id alone. */
const VALUE = 'value';

export interface TextInput {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly initial?: string | undefined;
  readonly max: number;
  readonly optional?: boolean;
}

export const textInput = ({
  block,
  label,
  hint,
  placeholder,
  initial,
  max,
  optional,
}: TextInput): InputBlock => ({
  type: 'input',
  block_id: block,
  ...(optional === true && { optional }),
  label: plainText(label, 2000),
  ...(hint !== undefined && { hint: plainText(hint, 2000) }),
  element: {
    type: 'plain_text_input',
    action_id: VALUE,
    max_length: max,
    ...(placeholder !== undefined && { placeholder: plainText(placeholder, 150) }),
    ...(initial !== undefined && initial !== '' && { initial_value: initial }),
  },
});

export interface ChoiceInput {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly PlainTextOption[];
  readonly initial?: string | undefined;
}

export const choiceInput = ({ block, label, hint, options, initial }: ChoiceInput): InputBlock => {
  const selected = options.find(({ value }) => value === initial);
  return {
    type: 'input',
    block_id: block,
    label: plainText(label, 2000),
    ...(hint !== undefined && { hint: plainText(hint, 2000) }),
    element: {
      type: 'static_select',
      action_id: VALUE,
      options: [...options],
      ...(selected !== undefined && { initial_option: selected }),
    },
  };
};

interface ManyInput {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
}

/** Several or none: an empty choice is one too. */
const many = ({ block, label, hint }: ManyInput, element: InputBlock['element']): InputBlock => ({
  type: 'input',
  block_id: block,
  optional: true,
  label: plainText(label, 2000),
  ...(hint !== undefined && { hint: plainText(hint, 2000) }),
  element,
});

export interface PeopleInput extends ManyInput {
  /** Ids of people. */
  readonly initial: readonly string[];
  readonly max: number;
}

export const peopleInput = ({ initial, max, ...rest }: PeopleInput): InputBlock =>
  many(rest, {
    type: 'multi_users_select',
    action_id: VALUE,
    max_selected_items: max,
    ...(initial.length > 0 && { initial_users: [...initial] }),
  });

export interface SearchInput extends ManyInput {
  /** Whose options listener finds what is typed. */
  readonly action: string;
  readonly placeholder: string;
  readonly initial: readonly PlainTextOption[];
  readonly max: number;
}

export const searchInput = ({ action, placeholder, initial, max, ...rest }: SearchInput): InputBlock =>
  many(rest, {
    type: 'multi_external_select',
    action_id: action,
    min_query_length: 0,
    max_selected_items: max,
    placeholder: plainText(placeholder, 150),
    ...(initial.length > 0 && { initial_options: [...initial] }),
  });

export interface ChecksInput extends ManyInput {
  readonly options: readonly PlainTextOption[];
  readonly initial: readonly string[];
}

export const checksInput = ({ options, initial, ...rest }: ChecksInput): InputBlock => {
  const checked = options.filter(({ value }) => initial.includes(value ?? ''));
  return many(rest, {
    type: 'checkboxes',
    action_id: VALUE,
    options: [...options],
    ...(checked.length > 0 && { initial_options: checked }),
  });
};

/** block id → what was typed or chosen, trimmed; '' where nothing was. Several choices stand with commas between. */
export type FormFields = Readonly<Record<string, string>>;

/**
 * Slack shows an error at its field only, which may be out of sight.
 *
 * @param errors block id → sentence
 * @param visible the block ids in sight when the form opens, from the top
 * @param below the heading of the fields that are out of sight
 * @returns the errors, with a pointer at the first field where all of them are out of sight
 */
export function withErrorAtTop(
  errors: Readonly<Record<string, string>>,
  visible: readonly [string, ...string[]],
  below: string,
): Record<string, string> {
  if (visible.some((block) => block in errors)) return { ...errors };
  return { [visible[0]]: `Something under “${below}” needs a change. Scroll down to see it.`, ...errors };
}

/** What was chosen where several can be. */
export const selectedValues = (field = ''): readonly string[] => field.split(',').filter(Boolean);

interface StateValue {
  readonly value?: string | null;
  readonly selected_option?: { readonly value?: string } | null;
  readonly selected_options?: readonly { readonly value?: string }[];
  readonly selected_user?: string | null;
  readonly selected_users?: readonly string[];
  readonly selected_conversation?: string | null;
  readonly selected_conversations?: readonly string[];
  readonly selected_time?: string | null;
}

/** Reads a view's `state.values`; where a block id was made unique with `:…`, its first part counts. */
export function readFields(
  values?: Readonly<Record<string, Readonly<Record<string, StateValue>>>> | null,
): FormFields {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([block, byAction]) => {
      return [block.split(':')[0], chosen(Object.values(byAction)[0] ?? {})];
    }),
  );
}

function chosen(state: StateValue): string {
  const several =
    state.selected_options?.map(({ value = '' }) => value) ??
    state.selected_users ??
    state.selected_conversations;
  const single =
    state.value ??
    state.selected_option?.value ??
    state.selected_user ??
    state.selected_conversation ??
    state.selected_time;
  return several?.join(',') ?? (single ?? '').trim();
}
