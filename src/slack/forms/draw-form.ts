/** How a form is drawn, and its state between two payloads: in its fields and its `private_metadata`. */
import type { InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import type { ActionName } from '../../domain/command-names.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { actions, type Block, button, compact, header, modal } from '../block-kit/blocks.ts';
import type { FormFields } from '../request/form-fields.ts';
import { type Field, FieldRefusal, type FormMoment, isUnderMore, readField } from './fields.ts';

const stateSchema = z.object({
  /** Of the record that the form is about. */
  id: z.string().default(''),
  /** The record's revision as the form showed it; no record has the default. */
  seen: z.string().default('?'),
  /** Tells it from other forms. */
  nonce: z.string().default(''),
  /** The channel that it was last drawn for, or where it was opened; '' for neither. */
  place: z.string().default(''),
  /** Whether the fields under More are shown. */
  isOpen: z.boolean().default(false),
  /** What the form doesn't show, as Slack sends only what it shows. */
  hidden: z.record(z.string(), z.string()).default({}),
});
type FormState = Readonly<z.infer<typeof stateSchema>>;

/** @returns a new form's state if the metadata is invalid */
export const decodeState = (metadata: string): FormState =>
  tryParseRecord(stateSchema, metadata) ?? stateSchema.parse({});

/** What a form shows. */
export interface FormLayout {
  /** Block ID → field, in their order. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly title: (at: FormMoment) => string;
  /** The button that sends it; **Save** if absent. */
  readonly submit?: string;
  /** Its other buttons, by their names. */
  readonly buttons?: Readonly<Record<string, string>>;
  /** More that it keeps for when it is sent. */
  readonly hidden?: (at: FormMoment) => FormFields;
  /** The channel that its suggestions are for. */
  readonly placeOf?: (values: FormFields) => string;
}

export interface NamedForm extends FormLayout {
  readonly name: string;
  /** Of its fields and buttons. */
  readonly action: ActionName;
}
export type Moment = FormMoment & { readonly state: FormState };

export const isPartOf = ({ applies: test }: Field, values: FormFields): boolean => test?.(values) ?? true;

const isDue = (field: Field, at: FormMoment): boolean =>
  field.load !== undefined && isPartOf(field, at.values) && (field.load.isNeeded?.(at) ?? true);

/** The same moment with what its fields need: all of them, or those that are slow. @returns `at` if they need nothing */
export async function loadFields({ fields }: FormLayout, at: Moment, isSlow: boolean): Promise<Moment> {
  const found = await Promise.all(
    Object.entries(fields).flatMap(([name, field]) => {
      const { load } = field;
      if (load === undefined || (load.isSlow ?? false) !== isSlow || !isDue(field, at)) return [];
      return [load.run(at).then((data) => [name, data ?? null] as const)];
    }),
  );
  return found.length === 0 ? at : { ...at, data: { ...at.data, ...Object.fromEntries(found) } };
}

/** @param notice shown at its top @param result shown below its buttons */
export function drawForm(
  form: NamedForm,
  at: Moment,
  notice: readonly Block[] = [],
  result: readonly Block[] = [],
): ModalView {
  const { isOpen } = at.state;
  const all = Object.entries(form.fields);
  const [first, more] = [false, true].map((isMore) =>
    all.filter(([, field]) => isUnderMore(field, at.values) === isMore),
  ) as [typeof all, typeof all];
  const draw = (some: typeof all) => some.flatMap(([name, field]) => drawField(form, name, field, at));
  const row = compact([
    ...Object.entries(form.buttons ?? {}).map(([id, label]) => button(`${form.action}:${id}`, label)),
    more.length > 0 && !isOpen && button(`${form.action}:more`, 'More…'),
  ]);
  const moreBlocks = isOpen && more.length > 0 ? [header('More'), ...draw(more)] : [];
  const shown = row.length === 0 ? result : [actions(...row), ...result];
  const blocks = [...notice, ...draw(first), ...shown, ...moreBlocks];
  return modal({
    callback: form.name,
    metadata: encodeState(form, at, blocks),
    title: form.title(at),
    submit: form.submit ?? 'Save',
    blocks,
  });
}

function drawField({ action }: NamedForm, name: string, field: Field, at: Moment): (Block | InputBlock)[] {
  const { values, data } = at;
  if (!isPartOf(field, values)) return [];
  const { load, isLive = false, find } = field;
  const isAsking = load?.isSlow === true && data[name] === undefined && isDue(field, at);
  const action_id = isLive || find !== undefined ? `${action}:${name}` : 'value';
  return field
    .draw({ ...at, name, value: values[name] ?? '', found: data[name] ?? undefined, isAsking })
    .map((block) =>
      block.type === 'input'
        ? { ...block, ...(isLive && { dispatch_action: true }), element: { ...block.element, action_id } }
        : block,
    );
}

function encodeState(form: NamedForm, at: Moment, blocks: readonly (Block | InputBlock)[]): string {
  const { state, values } = at;
  const drawn = new Set(blocks.flatMap((block) => (block.type === 'input' ? (block.block_id ?? []) : [])));
  const hidden = Object.entries(form.fields).flatMap(([name, field]) => {
    const value = values[name];
    if (value === undefined || drawn.has(name) || field.isSecret) return [];
    // What isn't understood may be a secret.
    return readField(field, value, values) instanceof FieldRefusal ? [] : [[name, value]];
  });
  const place = form.placeOf?.(values) || at.place;
  return JSON.stringify({
    ...state,
    place,
    hidden: { ...Object.fromEntries(hidden), ...form.hidden?.(at) },
  } satisfies FormState);
}
