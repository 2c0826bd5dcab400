/**
 * A form is a description: its fields, whose record it is about and how that is saved. Opened, it is drawn again after each
 * change; sent, it is read and saved once, however often and to however many processes. All that comes back is outside text.
 */
import { randomUUID } from 'node:crypto';
import type { ActionName } from '../../domain/command-names.ts';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import type { Right } from '../../workspace/permissions.ts';
import { hasChanged } from '../../workspace/record/change.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import {
  type Block,
  type Message,
  markup,
  markupMessage,
  textMessage,
  waitingModal,
} from '../block-kit/blocks.ts';
import { failureMessage, markUnsure, notSavedMessage } from '../reply/error-reply.ts';
import type { FormFields, ParsedForm } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { Listeners, OptionsListener } from '../server/listeners.ts';
import { decodeState, drawForm, type FormLayout, type FormState, isPartOf, loadFields } from './draw-form.ts';
import { type Field, FieldRefusal, type FormMoment, isUnderMore, readField } from './fields.ts';

export type Fields = Readonly<Record<string, Field>>;

/** What the fields hold, once each is right; undefined for one that doesn't apply. */
export type FormInput<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** `project`, whose fields and buttons have the action `project-form`. */
type FormName = ActionName extends infer A ? (A extends `${infer Name}-form` ? Name : never) : never;

/** A form that was sent. */
export interface SentForm<F extends Fields> extends FormMoment {
  readonly input: FormInput<F>;
  /** `revision` when it was opened. */
  readonly seen: string;
  /** Tells this form, as it was last drawn to be sent, from all others. */
  readonly nonce: string;
}

/** What happened, and what to do about it in the form; a form that was closed is answered without the latter. */
export type FormProblem = readonly [what: string, todo?: string];

export interface FormDescription<F extends Fields> extends FormLayout {
  readonly right: Right;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly fields: F;
  /** Above what became of it. */
  readonly heading: string;
  /** Shown until its work is done. */
  readonly waiting?: readonly [text: string, ...more: Block[]];
  /** Named by the buttons' keys. @param show draws the form with these blocks below its buttons */
  readonly pressed?: Readonly<Record<string, (at: FormMoment, show: ShowResult) => Promise<void>>>;
  /** Differs if the record of this ID does. @param input once the form was sent */
  readonly revision: (id: string, request: Request, input?: FormInput<F>) => string;
  /** What the fields hold for the record as it is. */
  readonly before?: (id: string, request: Request) => FormFields;
  /** Of a form that was sent twice: what to say if the record of another revision holds the same already. @throws NotAllowed */
  readonly repeated: (sent: SentForm<F>) => Message | undefined | Promise<Message | undefined>;
  /** What a record of another revision is now, in a mrkdwn sentence, or another problem; undefined if nothing conflicts. */
  readonly conflict: (sent: SentForm<F>) => string | FormProblem | undefined;
  /** What the form is about after a conflict, if that isn't the record of the same ID as it is now. */
  readonly renewed?: (sent: SentForm<F>) => { readonly id?: string; readonly seen?: string };
  /**
   * @returns what was saved, or why nothing was, as a mrkdwn sentence; undefined where the same form is being saved already
   * @throws Failure, NotAllowed
   */
  readonly save: (sent: SentForm<F>) => Promise<Message | FieldRefusal | undefined>;
  /** Completes “Not …”; `saved` if absent. */
  readonly done?: string;
  readonly explain?: (failure: Failure, request: Request) => Message;
  /** What else came of it, although it failed. */
  readonly remains?: (failure: Failure, sent: SentForm<F>) => readonly Block[];
  /** What a failure says that the fields should hold. */
  readonly corrected?: (failure: Failure) => FormFields;
  /** What stays as it was if nothing was saved. */
  readonly kept?: (sent: SentForm<F>) => string;
}

type ShowResult = (result: readonly Block[]) => Promise<void>;

/** What a form opens with. */
export interface FormOpening {
  readonly id: string;
  readonly values: FormFields;
  readonly isOpen?: boolean;
}

type Moment = FormMoment & { readonly state: FormState };
// biome-ignore lint/suspicious/noExplicitAny: what its fields mean is known to the form alone
type AnyForm = FormDescription<any> & { readonly name: string; readonly action: ActionName };

const NOTHING_SAVED = 'Nothing was saved.';
const changedFirst = (now: string): FormProblem => [
  `Someone else changed this first. ${now}`.trim(),
  'Save again to replace that.',
];
/** What a form of an earlier version is about isn't known. */
const OUTDATED = textMessage(
  'Tally was updated after you opened this form. Nothing was saved. Open it again.',
);

export function createForm<F extends Fields>(name: FormName, description: FormDescription<F>) {
  const form: AnyForm = { ...description, name, action: `${name}-form` };
  const { right, fields, heading, waiting = ['Saving…'] as const } = form;
  const momentOf = (shown: FormFields, metadata: string, request: Request): Moment => {
    const state = decodeState(metadata);
    const { id, place, hidden } = state;
    return { state, id, place, request, data: {}, values: { ...hidden, ...shown } };
  };
  const suggest = (find: NonNullable<Field['find']>): OptionsListener => ({
    right,
    find: (query, request, metadata) => find(query, request, decodeState(metadata).place),
  });
  const listeners: Required<Pick<Listeners, 'actions' | 'options' | 'views'>> = {
    actions: {
      [form.action]: {
        right,
        run: ({ id, fields: shown, metadata }, request) =>
          click(form, id.split(':')[1] ?? '', momentOf(shown, metadata, request)),
      },
    },
    options: Object.fromEntries(
      Object.entries<Field>(fields).flatMap(([field, { find }]) =>
        find === undefined ? [] : [[`${form.action}:${field}`, suggest(find)]],
      ),
    ),
    views: {
      [name]: {
        right,
        waiting: waitingModal(heading, ...waiting),
        parse: (shown, metadata) => parse(form, shown, metadata),
        submit: ({ shown, metadata, input }: Parsed, request: Request) =>
          submit(form, momentOf(shown, metadata, request), input),
      },
    },
  };
  return {
    listeners,
    async open(request: Request, { id, values, isOpen = false }: FormOpening): Promise<void> {
      const { modal: reply } = request.reply;
      const place = request.channel ?? '';
      const seen = form.revision(id, request);
      const state = { id, place, isOpen, seen, nonce: randomUUID(), hidden: {} };
      const quick = await loadFields(form, { state, id, place, request, values, data: {} }, false);
      await reply.open(drawForm(form, quick));
      const all = await loadFields(form, quick, true);
      if (all !== quick) await reply.redraw(drawForm(form, all));
    },
  };
}

async function redraw(form: AnyForm, at: Moment): Promise<void> {
  const { modal: reply } = at.request.reply;
  const quick = await loadFields(form, at, false);
  await reply.redraw(drawForm(form, quick));
  const all = await loadFields(form, quick, true);
  if (all !== quick) await reply.redraw(drawForm(form, all));
}

/** After a choice, or a press of one of its buttons. */
async function click(form: AnyForm, what: string, at: Moment): Promise<void> {
  const { state, request } = at;
  if (what === 'more') return redraw(form, { ...at, state: { ...state, isOpen: true } });
  const run = form.pressed?.[what];
  if (run === undefined) return redraw(form, at);
  const known = await loadFields(form, at, false);
  await run(known, (result) => request.reply.modal.update(drawForm(form, known, [], result)));
}

interface Parsed {
  readonly shown: FormFields;
  readonly metadata: string;
  // biome-ignore lint/suspicious/noExplicitAny: see AnyForm
  readonly input: any;
}

function parse(form: AnyForm, shown: FormFields, metadata: string): ParsedForm<Parsed> {
  const values = { ...decodeState(metadata).hidden, ...shown };
  const read = Object.entries<Field>(form.fields)
    .filter(([, field]) => field.parse !== undefined && isPartOf(field, values))
    .map(([field, described]) => [field, readField(described, values[field] ?? '', values)] as const);
  const refused = read.flatMap(([field, value]) =>
    value instanceof FieldRefusal ? [[field, value.sentence] as const] : [],
  );
  return refused.length === 0
    ? { input: { shown, metadata, input: Object.fromEntries(read) } }
    : { errors: placeErrors(form, Object.fromEntries(refused), shown) };
}

/** Slack takes errors only for fields that the form shows. */
function placeErrors(
  { fields }: AnyForm,
  errors: Readonly<Record<string, string>>,
  shown: FormFields,
): Record<string, string> {
  const [first = ''] = Object.keys(fields).filter((field) => field in shown);
  const sent = Object.fromEntries(Object.entries(errors).filter(([field]) => field in shown));
  const hidden = Object.keys(errors).find((field) => !(field in shown));
  if (hidden === undefined || first in sent) return sent;
  return { ...sent, [first]: `Press “More…”. There: ${errors[hidden]}` };
}

/** @returns the first field whose check fails, and why */
async function findProblem(
  form: AnyForm,
  at: Moment,
): Promise<readonly [field: string, why: string] | undefined> {
  const before = form.before?.(at.id, at.request) ?? {};
  for (const [field, described] of Object.entries<Field>(form.fields)) {
    const problem = isPartOf(described, at.values) ? await described.check?.(at, before, field) : undefined;
    if (problem !== undefined) return [field, problem];
  }
  return undefined;
}

/** The form again, with what was typed and why nothing was saved. @param field the one that is wrong */
async function showAgain(
  form: AnyForm,
  at: Moment,
  message: Message,
  notice = message.blocks,
  field = '',
): Promise<void> {
  const isOpen = at.state.isOpen || isUnderMore(form.fields[field], at.values);
  const state = { ...at.state, isOpen, nonce: randomUUID() };
  const again = await loadFields(form, { ...at, state }, false);
  // A preview waits for its button, and what is wrong with a field is said once.
  const previews = Object.entries<Field>(form.fields).filter(([, { load }]) => load?.isSlow);
  const unsaid = Object.fromEntries([...previews.map(([name]) => name), field].map((name) => [name, null]));
  const known = { ...again, data: { ...again.data, ...unsaid } };
  await at.request.reply.modal.update(drawForm(form, known, notice), message);
}

/** @param problem as mrkdwn @param more below it */
const showProblem = (
  form: AnyForm,
  at: Moment,
  [what, todo = NOTHING_SAVED]: FormProblem,
  field?: string,
  more: readonly Block[] = [],
): Promise<void> => {
  const message = markupMessage(`${what} ${NOTHING_SAVED}`, ...more);
  return showAgain(form, at, message, [markup(`${what} ${todo}`), ...more], field);
};

/** A text that everybody may read, and that is a secret of this workspace. @returns the field's name */
const findLeak = ({ fields }: AnyForm, { values, request: { workspace } }: Moment): string | undefined =>
  Object.keys(fields).find(
    (field) => fields[field].isText && holdsRegisteredSecret(values[field] ?? '', workspace),
  );

/** @param earlier what came of the first attempt, after which somebody else's change was found */
async function submit(form: AnyForm, at: Moment, input: Parsed['input'], earlier?: Block[]): Promise<void> {
  const { request, state, id } = at;
  const { seen } = state;
  if (seen === undefined) return request.reply.modal.show(form.heading, OUTDATED);
  const sent = { ...at, input, seen, nonce: state.nonce };
  try {
    const leak = findLeak(form, at);
    if (leak !== undefined) {
      const clean = { ...at, values: { ...at.values, [leak]: '' } };
      const what = `${form.fields[leak].label}: that looks like a token. Everyone can see it, so choose something else.`;
      return await showProblem(form, clean, [what], leak);
    }
    if (form.revision(id, request, input) !== seen) {
      const said = await form.repeated(sent);
      if (said !== undefined) return await request.reply.modal.show(form.heading, said);
      const conflict = form.conflict(sent);
      const renewed = form.renewed?.(sent) ?? {};
      const now = renewed.id ?? id;
      const latest = renewed.seen ?? form.revision(now, request);
      const again = { ...at, id: now, state: { ...state, id: now, seen: latest } };
      if (conflict !== undefined) {
        const said = typeof conflict === 'string' ? changedFirst(conflict) : conflict;
        return await showProblem(form, again, said, undefined, earlier);
      }
    }
    const [field, problem] = (await findProblem(form, at)) ?? [];
    if (problem !== undefined) return await showProblem(form, at, [problem], field);
    const saved = await form.save(sent);
    if (saved === undefined) return;
    await (saved instanceof FieldRefusal
      ? showProblem(form, at, [saved.sentence])
      : request.reply.modal.show(form.heading, saved));
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    if (error.kind === 'edit-conflict' && earlier === undefined) {
      const workspace = await form.workspaces.load(request.user.teamId);
      const remains = [...(form.remains?.(error, sent) ?? [])];
      return submit(form, { ...at, request: { ...request, workspace } }, input, remains);
    }
    request.recordError(error);
    const { explain = failureMessage, done = 'saved', kept = () => NOTHING_SAVED } = form;
    // What was saved before the store went away stays saved.
    const failure = hasChanged(request.workspace) ? markUnsure(error, true) : error;
    const { text, blocks } = notSavedMessage(failure, explain(failure, request), done, kept(sent));
    const said = { text, blocks: [...blocks, ...(form.remains?.(failure, sent) ?? [])] };
    await showAgain(form, { ...at, values: { ...at.values, ...form.corrected?.(failure) } }, said);
  }
}
