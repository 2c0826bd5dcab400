/** What people typed and chose in a form. */
import * as z from 'zod';
import { SLACK_LIMITS } from '../block-kit/blocks.ts';

/** Block ID → what was typed or chosen, trimmed; '' for nothing. Several choices are joined by commas. */
export type FormFields = Readonly<Record<string, string>>;

/** The choices of a field that takes several. */
export const selectedValues = (field = ''): readonly string[] => field.split(',').filter(Boolean);

const text = z.string().nullish();
const choice = z.looseObject({ value: text });
const stateValue = z.looseObject({
  value: text,
  selected_user: text,
  selected_conversation: text,
  selected_time: text,
  selected_date: text,
  selected_option: choice.nullish(),
  selected_options: z.array(choice).nullish(),
  selected_users: z.array(z.string()).nullish(),
  selected_conversations: z.array(z.string()).nullish(),
});

/** A view's or a message's `state.values`, by block ID and action ID. */
export const stateValues = z.record(z.string(), z.record(z.string(), stateValue));

/** Reads a view's `state.values`; a block ID that was made unique with `:…` counts by its first part. */
export function parseFieldValues(values?: z.infer<typeof stateValues> | null): FormFields {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([block, byAction]) => {
      return [block.split(':')[0], enteredIn(Object.values(byAction)[0] ?? {})];
    }),
  );
}

function enteredIn(state: z.infer<typeof stateValue>): string {
  const several =
    state.selected_options?.map(({ value }) => value ?? '') ??
    state.selected_users ??
    state.selected_conversations;
  const single =
    state.value ??
    state.selected_option?.value ??
    state.selected_user ??
    state.selected_conversation ??
    state.selected_time ??
    state.selected_date;
  return several?.join(',') ?? (single ?? '').slice(0, SLACK_LIMITS.input).trim();
}
