/** Makes a form from its fields, first values and `save` function. A form submitted twice is saved only once. */
import { randomUUID } from 'node:crypto';
import type { InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import type { ActionName } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { stampOf } from '../../workspace/record/audited-change.ts';
import { tryParseRecord } from '../../workspace/record/record-schemas.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Right } from '../../workspace/roles-and-rights.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  header,
  type Message,
  markup,
  markupMessage,
  modal,
  waitingModal,
} from '../block-kit/blocks.ts';
import { failureMessage, notSavedMessage } from '../reply/error-reply.ts';
import type { FormValues } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { Handlers, OptionsHandler, ParsedForm } from '../server/handlers.ts';
import { type Field, FieldRefusal, type FormMoment, readField } from './fields.ts';

export type Fields = Readonly<Record<string, Field>>;

/** A value is undefined if its field isn't shown. */
export type FormInput<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** The form `project` has the action `project-form`. */
type FormName = ActionName extends infer A ? (A extends `${infer Name}-form` ? Name : never) : never;

export interface SentForm<F extends Fields> extends FormMoment {
  readonly input: FormInput<F>;
}

/** @template A what `start` needs, such as the project to edit */
export interface FormDescription<F extends Fields, A> {
  readonly right: Right;
  /** The form's first values. @throws Failure if it can't be opened */
  readonly start: (about: A, request: Request) => Pick<FormMoment, 'id' | 'values'>;
  /** Fields by block ID, in the order in which the form shows them. */
  readonly fields: F;
  readonly title?: (at: FormMoment) => string;
  readonly submit?: string;
  readonly button?: {
    readonly label: string;
    readonly press: (at: FormMoment, show: (result: readonly Block[]) => Promise<void>) => Promise<void>;
  };
  /** The channel for which the form suggests projects. The default is the channel where the form was opened. */
  readonly channelOf?: (values: FormValues) => string;
  readonly heading: string;
  /** The text shown while the form is being saved, if that can take a while. */
  readonly waiting?: string;
  /** The fields of the workspace's record that the form is about. Saving asks first if they changed since it opened. */
  readonly records?: (id: string, workspace: Workspace) => readonly string[];
  readonly before?: (id: string, request: Request) => FormValues;
  /** A sentence about what saving would stop. The form shows it once, and the next submit saves. */
  readonly warning?: (sent: SentForm<F>) => string | undefined;
  readonly save: (sent: SentForm<F>) => Promise<Message | FieldRefusal>;
  /** The word that completes “Not …” if saving fails. The default is `saved`. */
  readonly done?: string;
  /** A sentence about what stays as it was if nothing was saved. */
  readonly unchanged?: (sent: SentForm<F>) => string;
}

// biome-ignore lint/suspicious/noExplicitAny: only the form itself knows its field types
type AnyForm = Omit<FormDescription<any, any>, 'fields'> & {
  readonly fields: Fields;
  readonly title: (at: FormMoment) => string;
  readonly name: string;
  readonly action: ActionName;
};
const NOTHING_SAVED = 'Nothing was saved.';
const SAVE_ANYWAY = 'Save again to save it anyway.';
const CAN_CLOSE = context('You can close this window. Tally will send you the result in a direct message.');

export function createForm<F extends Fields, A>(name: FormName, description: FormDescription<F, A>) {
  const form: AnyForm = {
    ...description,
    title: description.title ?? (() => description.heading),
    name,
    action: `${name}-form`,
  };
  const { right, fields, heading, waiting } = form;
  const suggest = (find: NonNullable<Field['find']>): OptionsHandler => ({
    right,
    find: (query, request, metadata) => find(query, request, decodeState(metadata).place),
  });
  const handlers: Required<Pick<Handlers, 'actions' | 'options' | 'views'>> = {
    actions: {
      [form.action]: {
        right,
        run: ({ id, fields: shown, metadata }, request) =>
          click(form, id.split(':')[1] ?? '', momentOf(shown, metadata, request)),
      },
    },
    options: Object.fromEntries(
      Object.entries(fields).flatMap(([field, { find }]) =>
        find === undefined ? [] : [[`${form.action}:${field}`, suggest(find)]],
      ),
    ),
    views: {
      [name]: {
        right,
        waiting: waitingModal(heading, waiting, ...(waiting === undefined ? [] : [CAN_CLOSE])),
        parse: (shown, metadata) => parse(form, shown, metadata),
      },
    },
  };
  return {
    handlers,
    async open(about: A, request: Request): Promise<void> {
      const { id, values } = form.start(about, request);
      const place = request.channel ?? '';
      const seen = stampOfRecords(form, id, request);
      const state = { id, place, isOpen: false, seen, nonce: randomUUID(), warned: '', hidden: {} };
      await show(form, { state, id, place, request, values, data: {} }, 'open');
    },
  };
}

/** @param shown the visible fields only, because Slack sends no others */
function momentOf(shown: FormValues, metadata: string, request: Request): Moment {
  const state = decodeState(metadata);
  const { id, place, hidden } = state;
  return { state, id, place, request, data: {}, values: { ...hidden, ...shown } };
}

async function show(form: AnyForm, at: Moment, how: 'open' | 'redraw'): Promise<void> {
  const { modal: reply } = at.request.reply;
  const quick = await loadFields(form, at, false);
  await reply[how](drawForm(form, quick));
  const all = await loadFields(form, quick, true);
  if (all !== quick) await reply.redraw(drawForm(form, all));
}

async function click(form: AnyForm, what: string, at: Moment): Promise<void> {
  if (what === 'more') return show(form, { ...at, state: { ...at.state, isOpen: true } }, 'redraw');
  if (what !== 'button' || form.button === undefined) return show(form, at, 'redraw');
  const known = await loadFields(form, at, false);
  await form.button.press(known, async (result) => {
    await at.request.reply.modal.update(drawForm(form, known, [], result));
  });
}

function parse(form: AnyForm, shown: FormValues, metadata: string): ParsedForm {
  const values = { ...decodeState(metadata).hidden, ...shown };
  const read = Object.entries(form.fields)
    .filter(([, field]) => field.parse !== undefined && isPartOf(field, values))
    .map(([field, described]) => [field, readField(described, values[field] ?? '', values)] as const);
  const refused = read.flatMap(([field, value]) =>
    value instanceof FieldRefusal ? [[field, value.sentence] as const] : [],
  );
  // Slack accepts errors only for visible fields.
  const [first = ''] = Object.keys(form.fields).filter((field) => field in shown);
  const errors = refused.map(([field, sentence]) => [field in shown ? field : first, sentence] as const);
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  const input = Object.fromEntries(read);
  return { submit: (request, isLast) => submit(form, momentOf(shown, metadata, request), input, isLast) };
}

async function findProblem(
  form: AnyForm,
  at: Moment,
): Promise<readonly [field: string, why: string] | undefined> {
  const before = form.before?.(at.id, at.request) ?? {};
  for (const [name, field] of Object.entries(form.fields)) {
    if (!isPartOf(field, at.values)) continue;
    const isLeak = field.isText && holdsRegisteredSecret(at.values[name] ?? '', at.request.workspace);
    const problem = isLeak ? `${field.label}: ${LEAKED}` : await field.check?.(at, before, name);
    if (problem !== undefined) return [name, problem];
  }
  return undefined;
}

const LEAKED = 'that looks like a token, and everyone can see this field. Choose something else.';

async function showAgain(
  form: AnyForm,
  at: Moment,
  message: Message,
  notice = message.blocks,
  field = '',
): Promise<void> {
  const isOpen = at.state.isOpen || form.fields[field]?.isMore === true;
  const state = { ...at.state, isOpen, nonce: randomUUID() };
  const again = await loadFields(form, { ...at, state }, false);
  // Leaves out slow previews, and the warning next to the field that the error is about.
  const previews = Object.entries(form.fields).filter(([, { load }]) => load?.isSlow);
  const unsaid = Object.fromEntries([...previews.map(([name]) => name), field].map((name) => [name, null]));
  const known = { ...again, data: { ...again.data, ...unsaid } };
  await at.request.reply.modal.update(drawForm(form, known, notice), message);
}

/** A user who has closed the form gets a message without `todo`. */
const showProblem = (form: AnyForm, at: Moment, what: string, todo = '', field?: string): Promise<void> =>
  showAgain(form, at, markupMessage(`${what} ${NOTHING_SAVED}`), [markup(`${what} ${todo}`.trim())], field);

/** @throws edit-conflict unless `isLast` */
async function submit(form: AnyForm, at: Moment, input: FormInput<Fields>, isLast: boolean): Promise<void> {
  const { request, state, id } = at;
  const sent = { ...at, input };
  try {
    const seen = stampOfRecords(form, id, request);
    if (seen !== state.seen) {
      const now = { ...at, state: { ...state, seen } };
      const [did, todo] =
        seen === '' ? ['removed or renamed', 'create it anew'] : ['changed', 'do it anyway'];
      const again = `Press ${form.submit ?? 'Save'} again to ${todo}.`;
      return await showProblem(form, now, `Someone else just ${did} this.`, again);
    }
    const [field = '', problem] = (await findProblem(form, at)) ?? [];
    // Free text that `check` refuses contains a secret, which must not be shown again.
    const values = form.fields[field]?.isText ? { ...at.values, [field]: '' } : at.values;
    if (problem !== undefined) return await showProblem(form, { ...at, values }, problem, '', field);
    const warned = form.warning?.(sent);
    if (warned !== undefined && warned !== state.warned)
      return await showProblem(form, { ...at, state: { ...state, warned } }, warned, SAVE_ANYWAY);
    const saved = await form.save(sent);
    if (saved instanceof FieldRefusal) await showProblem(form, at, saved.sentence);
    else await request.reply.modal.show(form.heading, saved);
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    if (error.kind === 'edit-conflict' && !isLast) throw error;
    request.recordError(error);
    const { done = 'saved', unchanged = () => NOTHING_SAVED } = form;
    const message = notSavedMessage(error, failureMessage(error, request), done, unchanged(sent));
    await showAgain(form, at, message);
  }
}

const stampOfRecords = ({ records }: AnyForm, id: string, { workspace }: Request): string =>
  (records?.(id, workspace) ?? []).map((field) => stampOf(workspace, field)).join(' ');

const stateSchema = z.object({
  id: z.string().default(''),
  /** A hash of what the form edits, as the user last saw it, or `?` if it is unknown. */
  seen: z.string().default('?'),
  /** A random value by which Tally recognizes that a form was submitted twice. */
  nonce: z.string().default(''),
  place: z.string().default(''),
  isOpen: z.boolean().default(false),
  /** The warning that the form has shown. The next submit then saves. */
  warned: z.string().default(''),
  /** Values of hidden fields, because Slack sends back only the values of visible ones. */
  hidden: z.record(z.string(), z.string()).default({}),
});
type FormState = Readonly<z.infer<typeof stateSchema>>;

const decodeState = (metadata: string): FormState =>
  tryParseRecord(stateSchema, metadata) ?? stateSchema.parse({});

type Moment = FormMoment & { readonly state: FormState };

const isPartOf = ({ applies: test }: Field, values: FormValues): boolean => test?.(values) ?? true;

const isDue = (field: Field, at: FormMoment): boolean =>
  field.load !== undefined && isPartOf(field, at.values) && (field.load.isNeeded?.(at) ?? true);

/** @param isSlow whether to load the slow data or the quick data @returns `at` itself if nothing was loaded */
async function loadFields({ fields }: AnyForm, at: Moment, isSlow: boolean): Promise<Moment> {
  const found = await Promise.all(
    Object.entries(fields).flatMap(([name, field]) => {
      const { load } = field;
      if (load === undefined || (load.isSlow ?? false) !== isSlow || !isDue(field, at)) return [];
      return [load.run(at).then((data) => [name, data ?? null] as const)];
    }),
  );
  return found.length === 0 ? at : { ...at, data: { ...at.data, ...Object.fromEntries(found) } };
}

function drawForm(
  form: AnyForm,
  at: Moment,
  notice: readonly Block[] = [],
  result: readonly Block[] = [],
): ModalView {
  const { isOpen } = at.state;
  const all = Object.entries(form.fields);
  const first = all.filter(([, field]) => !field.isMore);
  const more = all.filter(([, field]) => field.isMore);
  const draw = (some: typeof all) => some.flatMap(([name, field]) => drawField(form, name, field, at));
  const row = compact([
    form.button && button(`${form.action}:button`, form.button.label),
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

function drawField({ action }: AnyForm, name: string, field: Field, at: Moment): (Block | InputBlock)[] {
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

function encodeState(form: AnyForm, at: Moment, blocks: readonly (Block | InputBlock)[]): string {
  const { state, values } = at;
  const drawn = new Set(blocks.flatMap((block) => (block.type === 'input' ? (block.block_id ?? []) : [])));
  const hidden = Object.entries(form.fields).flatMap(([name, field]) => {
    const value = values[name];
    if (value === undefined || drawn.has(name) || field.isSecret) return [];
    // A value that doesn't parse could be a misplaced secret, so the metadata doesn't keep it.
    return readField(field, value, values) instanceof FieldRefusal ? [] : [[name, value]];
  });
  const place = form.channelOf?.(values) || at.place;
  return JSON.stringify({
    ...state,
    place,
    hidden: Object.fromEntries(hidden),
  } satisfies FormState);
}
