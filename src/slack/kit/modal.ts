import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { type Block, plain } from './atoms.ts';
import { LIMITS } from './limits.ts';

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
  title: plain(title, LIMITS.modalTitle),
  close: plain(close, LIMITS.modalTitle),
  ...(callback !== undefined && { callback_id: callback }),
  ...(metadata !== undefined && { private_metadata: metadata }),
  ...(submit !== undefined && { submit: plain(submit, LIMITS.modalTitle) }),
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
}

export const textInput = ({ block, label, hint, placeholder, initial, max }: TextInput): InputBlock => ({
  type: 'input',
  block_id: block,
  label: plain(label, 2000),
  ...(hint !== undefined && { hint: plain(hint, 2000) }),
  element: {
    type: 'plain_text_input',
    action_id: VALUE,
    max_length: max,
    ...(placeholder !== undefined && { placeholder: plain(placeholder, 150) }),
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
    label: plain(label, 2000),
    ...(hint !== undefined && { hint: plain(hint, 2000) }),
    element: {
      type: 'static_select',
      action_id: VALUE,
      options: [...options],
      ...(selected !== undefined && { initial_option: selected }),
    },
  };
};

/** block id → what was typed or chosen, trimmed; '' where nothing was. Several choices stand with commas between. */
export type Fields = Readonly<Record<string, string>>;

interface StateValue {
  readonly value?: string | null;
  readonly selected_option?: { readonly value?: string } | null;
  readonly selected_options?: readonly { readonly value?: string }[];
  readonly selected_users?: readonly string[];
  readonly selected_conversations?: readonly string[];
}

/** Reads a view's `state.values`; where a block id was made unique with `:…`, its first part counts. */
export function readFields(
  values: Readonly<Record<string, Readonly<Record<string, StateValue>>>> = {},
): Fields {
  return Object.fromEntries(
    Object.entries(values).map(([block, byAction]) => {
      return [block.split(':')[0], chosen(Object.values(byAction)[0] ?? {})];
    }),
  );
}

function chosen(state: StateValue): string {
  const several =
    state.selected_options?.map(({ value = '' }) => value) ??
    state.selected_users ??
    state.selected_conversations;
  return several?.join(',') ?? (state.value ?? state.selected_option?.value ?? '').trim();
}
