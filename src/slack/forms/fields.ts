/** The fields of forms: how each field is drawn and parsed. */
import type { InputBlock, PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import { isPerson } from '../../domain/slack-id.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type Block, mention, option, plainText } from '../block-kit/blocks.ts';
import { type FormValues, selectedValues } from '../request/payload.ts';
import type { Request } from '../request/request.ts';

export class FieldRefusal {
  constructor(readonly sentence: string) {}
}

export const refuseField = (sentence: string): FieldRefusal => new FieldRefusal(sentence);

/** A form with its current values, which may be empty or invalid. */
export interface FormMoment {
  readonly id: string;
  readonly values: FormValues;
  readonly request: Request;
  readonly data: Readonly<Record<string, unknown>>;
  /** The channel that the form posts to, or else the one where the form was opened. Empty if there is neither. */
  readonly place: string;
}

interface FieldMoment<D = unknown> extends FormMoment {
  readonly name: string;
  readonly value: string;
  readonly found: D | undefined;
  readonly isAsking: boolean;
}

interface Load<D> {
  /** The form opens before this data is loaded. */
  readonly isSlow?: true;
  readonly isNeeded?: (at: FormMoment) => boolean;
  readonly run: (at: FormMoment) => Promise<D>;
}

type Suggestions = readonly PlainTextOption[] | Promise<readonly PlainTextOption[]>;

export interface Field<T = unknown> {
  readonly label?: string;
  readonly draw: (at: FieldMoment) => readonly (Block | InputBlock)[];
  /** Pure. A field without `parse` has no value. */
  readonly parse?: (text: string, values: FormValues) => T | FieldRefusal;
  readonly load?: Load<unknown>;
  /** Checks the value before the form is saved. @returns what is wrong, as mrkdwn */
  readonly check?: (at: FormMoment, before: FormValues, name: string) => Promise<string | undefined>;
  /** Finds suggestions while people type. @param place the form's channel, untrusted */
  readonly find?: (query: string, request: Request, place: string) => Suggestions;
  readonly applies?: (values: FormValues) => boolean;
  readonly isMore?: boolean;
  /** Whether a change draws the form again. Slack reports a choice at once, but text only when Enter is pressed. */
  readonly isLive?: boolean;
  /** A secret is never prefilled, stored, or shown again. */
  readonly isSecret?: boolean;
  /** Everyone can read this text, so Tally checks it for secrets. */
  readonly isText?: boolean;
}

export function readField({ parse }: Field, typed: string, values: FormValues): unknown {
  try {
    return parse?.(typed, values);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return refuseField(error.message);
  }
}

export const underMore = <T>(field: Field<T>): Field<T> => ({ ...field, isMore: true });

export const redrawing = <T>(field: Field<T>): Field<T> => ({ ...field, isLive: true });

/** A field is neither shown nor parsed unless `applies` returns true. */
export const shownWhen = <T>(
  applies: (values: FormValues) => boolean,
  field: Field<T>,
): Field<T | undefined> => ({
  ...field,
  applies,
});

export const noteField = <D>(
  draw: (at: FieldMoment<D>) => readonly Block[],
  load?: Load<D>,
  check?: Field['check'],
): Field<undefined> => ({
  draw: draw as Field['draw'],
  ...(load !== undefined && { load }),
  ...(check !== undefined && { check }),
});

type Element = InputBlock['element'];
type WithUndefined<E> = E extends unknown ? { readonly [K in keyof E]: E[K] | undefined } : never;

const drawAs =
  (
    label: string,
    { hint, optional = false }: { readonly hint?: string; readonly optional?: boolean },
    element: (at: FieldMoment) => WithUndefined<Element>,
  ): Field['draw'] =>
  (at) => [
    {
      type: 'input',
      block_id: at.name,
      label: plainText(label, 2000),
      element: withoutUndefined(element(at)) as Element,
      ...(optional && { optional }),
      ...(hint !== undefined && { hint: plainText(hint, 2000) }),
    },
  ];

/** Slack rejects empty lists. */
const unlessEmpty = <T>(all: readonly T[]): T[] | undefined => (all.length === 0 ? undefined : [...all]);

interface Options<T> {
  readonly hint?: string;
  readonly optional?: boolean;
  readonly parse?: (text: string, values: FormValues) => T | FieldRefusal;
}

/** Text that was copied from a PDF, or is Arabic or Hebrew, can contain these invisible characters. */
const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const UNSEEN_TEXT = 'There are invisible characters in this text. Type it, or paste it as plain text.';

export const text = <T = string>(
  label: string,
  {
    secret = false,
    parse = (typed) => typed as T,
    max,
    placeholder,
    ...form
  }: Options<T> & { readonly placeholder?: string; readonly max: number; readonly secret?: boolean },
): Field<T> => ({
  label,
  isSecret: secret,
  isText: !secret,
  draw: drawAs(label, form, ({ value }) => ({
    type: 'plain_text_input',
    max_length: max,
    placeholder: placeholder === undefined ? undefined : plainText(placeholder, 150),
    initial_value: secret ? undefined : value || undefined,
  })),
  parse: (typed, values) => (UNSEEN.test(typed) ? refuseField(UNSEEN_TEXT) : parse(typed, values)),
});

type Choices = readonly PlainTextOption[] | ((at: FormMoment) => readonly PlainTextOption[]);

/** Hidden without options. A function's options may change while the form is open, so the choice isn't checked. */
export const choice = <T = string>(
  label: string,
  { options, parse, ...form }: Options<T> & { readonly options: Choices },
): Field<T> => ({
  draw(at) {
    const known = typeof options === 'function' ? options(at) : options;
    const initial_option = known.find(({ value }) => value === at.value);
    const draw = drawAs(label, form, () => ({ type: 'static_select', options: [...known], initial_option }));
    return known.length === 0 ? [] : draw(at);
  },
  parse:
    parse ??
    ((chosen) => {
      const isKnown = typeof options === 'function' || options.some(({ value }) => value === chosen);
      return isKnown ? (chosen as T) : refuseField('Choose one from the list.');
    }),
});

export const choices = (known: Readonly<Record<string, string>>): readonly PlainTextOption[] =>
  Object.entries(known).map(([value, label]) => option(label, value));

export const checks = (
  label: string,
  { options, ...form }: { readonly hint?: string; readonly options: readonly PlainTextOption[] },
): Field<readonly string[]> => ({
  draw: drawAs(label, { optional: true, ...form }, (at) => ({
    type: 'checkboxes',
    options: [...options],
    initial_options: unlessEmpty(
      options.filter(({ value = '' }) => selectedValues(at.value).includes(value)),
    ),
  })),
  parse: selectedValues,
});

/** Deactivated people, guests, apps and external people can't be added. */
export const checkMembers =
  (label: string): NonNullable<Field['check']> =>
  async ({ values, request }, before, name) => {
    const known = selectedValues(before[name]);
    const added = selectedValues(values[name]).filter((person) => !known.includes(person));
    const roles = await Promise.all(added.map((person) => request.slack.roleOf(person)));
    const others = added.filter((_, at) => roles[at] !== 'admin' && roles[at] !== 'member');
    return others.length === 0
      ? undefined
      : `${label}: ${others.map(mention).join(', ')} ${others.length === 1 ? 'isn’t a full member' : 'aren’t full members'} of this workspace. Choose someone else.`;
  };

export const people = (
  label: string,
  { max, ...form }: Options<readonly string[]> & { readonly max: number },
): Field<readonly string[]> => ({
  draw: drawAs(label, { optional: true, ...form }, ({ value }) => ({
    type: 'multi_users_select',
    max_selected_items: max,
    initial_users: unlessEmpty(selectedValues(value).filter(isPerson)),
  })),
  parse(chosen) {
    const all = selectedValues(chosen);
    const isWhole = all.length <= max && all.every(isPerson) && (form.optional !== false || all.length > 0);
    return isWhole ? all : refuseField(`Choose ${form.optional === false ? '1 to' : 'up to'} ${max} people.`);
  },
});

export const personField = (label: string, hint: string): Field<string> => ({
  draw: drawAs(label, { hint }, ({ value }) => ({
    type: 'users_select',
    initial_user: isPerson(value) ? value : undefined,
  })),
  parse: (chosen) => (isPerson(chosen) ? chosen : refuseField('Choose a person.')),
  check: checkMembers(label),
});

/** A select of channels, without direct messages. With a `max` of 1, a choice is required. */
export const channels = <T = readonly string[]>(
  label: string,
  {
    max,
    placeholder,
    parse,
    ...form
  }: Required<Pick<Options<T>, 'parse' | 'hint'>> & {
    readonly max: number;
    readonly placeholder: string;
  },
): Field<T> => ({
  draw: drawAs(label, { ...form, optional: max > 1 }, ({ value }) => {
    const all = selectedValues(value);
    const common = {
      placeholder: plainText(placeholder),
      filter: { include: ['public' as const, 'private' as const] },
    };
    if (max === 1) return { type: 'conversations_select', ...common, initial_conversation: all[0] };
    const chosen = { max_selected_items: max, initial_conversations: unlessEmpty(all) };
    return { type: 'multi_conversations_select', ...common, ...chosen };
  }),
  parse,
});

export const date = <T>(label: string, hint: string, parse: NonNullable<Field<T>['parse']>): Field<T> => ({
  draw: drawAs(label, { hint, optional: true }, ({ value }) => ({
    type: 'datepicker',
    initial_date: value || undefined,
  })),
  parse,
});

export const time = (label: string, placeholder: string): Field<string> => ({
  draw: drawAs(label, {}, ({ value }) => ({
    type: 'timepicker',
    initial_time: value,
    placeholder: plainText(placeholder),
  })),
  parse: (chosen) => (TIME.test(chosen) ? chosen : refuseField('Choose a time.')),
});

export const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

export const search = <T>(
  label: string,
  {
    find,
    options,
    placeholder,
    max,
    parse,
    ...form
  }: Required<Pick<Field<T>, 'find' | 'parse'>> &
    Options<T> & {
      readonly options: (at: FieldMoment) => readonly PlainTextOption[];
      readonly placeholder: string;
      readonly max: number;
    },
): Field<T> => ({
  draw: drawAs(label, form, (at) => {
    const initial = options(at);
    const common = { min_query_length: 0, placeholder: plainText(placeholder, 150) };
    if (max === 1) return { type: 'external_select', ...common, initial_option: initial[0] };
    const chosen = { max_selected_items: max, initial_options: unlessEmpty(initial) };
    return { type: 'multi_external_select', ...common, ...chosen };
  }),
  find,
  parse,
});
