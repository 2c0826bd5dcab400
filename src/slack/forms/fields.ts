/** The fields that forms are described with: how each is drawn, and how what it holds is read. */
import type { InputBlock, PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import { type Block, mention, option, plainText } from '../block-kit/blocks.ts';
import { type FormFields, selectedValues } from '../request/payload.ts';
import type { Request } from '../request/request.ts';

/** Why what a field holds isn't taken, in a sentence. */
export class FieldRefusal {
  constructor(readonly sentence: string) {}
}

export const refuseField = (sentence: string): FieldRefusal => new FieldRefusal(sentence);

/** A form at one moment. What its fields hold may be empty or wrong, and nothing is checked against the record. */
export interface FormMoment {
  /** Of the record that it is about. Outside text. */
  readonly id: string;
  readonly values: FormFields;
  readonly request: Request;
  /** Field → what its `load` found; null while it is asked, or for nothing. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The channel that it was last drawn for, or where it was opened; '' for neither. */
  readonly place: string;
}

interface FieldMoment<D = unknown> extends FormMoment {
  readonly name: string;
  readonly value: string;
  readonly found: D | undefined;
  /** Whether a slow `load` is still asking. */
  readonly isAsking: boolean;
}

/** What a field needs before it is drawn. */
interface Load<D> {
  /** Asked once the form is open, with what the others found. */
  readonly isSlow?: true;
  readonly isNeeded?: (at: FormMoment) => boolean;
  readonly run: (at: FormMoment) => Promise<D>;
}

type Suggestions = readonly PlainTextOption[] | Promise<readonly PlainTextOption[]>;

/** @template T what its text means */
export interface Field<T = unknown> {
  readonly label?: string;
  readonly draw: (at: FieldMoment) => readonly (Block | InputBlock)[];
  /** Pure. A failure that it throws refuses with its message. Without it, the field is drawn only. */
  readonly parse?: (text: string, values: FormFields) => T | FieldRefusal;
  readonly load?: Load<unknown>;
  /** Before it is saved. @returns what is wrong, as a mrkdwn sentence @throws Failure */
  readonly check?: (at: FormMoment, before: FormFields, name: string) => Promise<string | undefined>;
  /** Suggestions for what is typed. @param place the channel that the form was drawn for; outside text */
  readonly find?: (query: string, request: Request, place: string) => Suggestions;
  /** Whether it belongs to the form as it is filled in. */
  readonly applies?: (values: FormFields) => boolean;
  /** Whether it is shown after **More…** only. */
  readonly isMore?: (values: FormFields) => boolean;
  /** Whether a change of it redraws the form: Slack sends a choice at once, a text when Enter is pressed. */
  readonly isLive?: boolean;
  /** Never filled in, kept or shown again. */
  readonly isSecret?: boolean;
  /** Whether it holds what somebody typed, for everybody to read. */
  readonly isText?: boolean;
}

/** @returns what the field's text means, or why it isn't taken */
export function readField({ parse }: Field, typed: string, values: FormFields): unknown {
  try {
    return parse?.(typed, values);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return refuseField(error.message);
  }
}

/** Shown after **More…** only; or only where the form is filled in that way. */
export const more = <T>(field: Field<T>, isMore = (_: FormFields) => true): Field<T> => ({
  ...field,
  isMore,
});

export const isUnderMore = ({ isMore }: Pick<Field, 'isMore'> = {}, values: FormFields): boolean =>
  isMore?.(values) ?? false;

export const live = <T>(field: Field<T>): Field<T> => ({ ...field, isLive: true });

/** Shown and read only where the form is filled in that way. */
export const when = <T>(applies: (values: FormFields) => boolean, field: Field<T>): Field<T | undefined> => ({
  ...field,
  applies,
});

/** Blocks between the fields, such as a live preview. */
export const note = <D>(
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

/** A field as its one block. @param element gets its action ID when the form is drawn */
const drawAs =
  (
    label: string,
    { hint, optional = false }: { readonly hint?: string; readonly optional?: boolean },
    element: (at: FieldMoment) => WithUndefined<Element>,
  ): Field['draw'] =>
  (at) => [
    {
      ...{ type: 'input', block_id: at.name, label: plainText(label, 2000) },
      element: withoutUndefined(element(at)) as Element,
      ...(optional && { optional }),
      ...(hint !== undefined && { hint: plainText(hint, 2000) }),
    },
  ];

/** Slack refuses empty lists. */
const unlessEmpty = <T>(all: readonly T[]): T[] | undefined => (all.length === 0 ? undefined : [...all]);

interface Options<T> {
  readonly hint?: string;
  readonly optional?: boolean;
  readonly parse?: (text: string, values: FormFields) => T | FieldRefusal;
}

/** Marks that change how a text reads and can't be seen, as from a PDF or a chat in Arabic or Hebrew. */
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

/** One of several; options that depend on the record can't be checked here. It isn't drawn while there is nothing to choose. */
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

/** @param known value → label */
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

/** Whether the people who were added are full members of today: not gone, no guests, apps or external people. */
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

/** People by their IDs. */
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
    return isWhole ? all : refuseField(`Choose ${form.optional === false ? '1' : '0'} to ${max} people.`);
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

/** Channels, not direct messages, by their IDs. @param max 1 for a field of one channel, which has to be chosen */
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

/** `09:00` */
export const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What is found by typing. @param max 1 for a field of one choice @param options those that are chosen */
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
