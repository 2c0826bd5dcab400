/**
 * A form is a description: its fields, whose record it is about and how that is saved. Opened, it is drawn again after each
 * change; sent, it is read and saved once, however often and to however many processes. All that comes back is outside text.
 */
import { randomUUID } from 'node:crypto';
import type { ActionName } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import type { Right } from '../../workspace/permissions.ts';
import { hasChanged } from '../../workspace/record/change.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { type Block, type Message, markup, markupMessage, waitingModal } from '../block-kit/blocks.ts';
import { failureMessage, markUnsure, notSavedMessage } from '../reply/error-reply.ts';
import type { FormFields } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { Listeners, OptionsListener, ParsedForm } from '../server/listeners.ts';
import {
  decodeState,
  drawForm,
  type FormLayout,
  isPartOf,
  loadFields,
  type Moment,
  type NamedForm,
} from './draw-form.ts';
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
}

/** What happened, and what to do about it in the form; a form that was closed is answered without the latter. */
export type FormProblem = readonly [what: string, todo?: string];

export interface FormDescription<F extends Fields> extends Omit<FormLayout, 'title'> {
  /** Its `heading` if absent. */
  readonly title?: FormLayout['title'];
  readonly right: Right;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly fields: F;
  /** Above what became of it. */
  readonly heading: string;
  /** Shown until its work is done. */
  readonly waiting?: readonly [text: string, ...more: Block[]];
  /** By the buttons' names. @param show draws the form with these blocks below its buttons */
  readonly pressed?: Readonly<
    Record<string, (at: FormMoment, show: (result: readonly Block[]) => Promise<void>) => Promise<void>>
  >;
  /** Differs if the record of this ID does. @param input once the form was sent */
  readonly revision: (id: string, request: Request, input?: FormInput<F>) => string;
  /** What the fields hold for the record as it is. */
  readonly before?: (id: string, request: Request) => FormFields;
  /** What is wrong where the record has another revision, `CHANGED_FIRST` if absent; undefined if nothing is. */
  readonly conflict?: (sent: SentForm<F>) => FormProblem | undefined;
  /** The ID of what the form is about after a conflict, if that isn't the same. */
  readonly idAfterConflict?: (sent: SentForm<F>) => string;
  /** @returns what was saved, or why nothing was, as a mrkdwn sentence @throws Failure, NotAllowed */
  readonly save: (sent: SentForm<F>) => Promise<Message | FieldRefusal>;
  /** Completes “Not …”; `saved` if absent. */
  readonly done?: string;
  /** What stays as it was if nothing was saved. */
  readonly unchanged?: (sent: SentForm<F>) => string;
}

/** What a form opens with. */
export interface FormOpening {
  readonly id: string;
  readonly values: FormFields;
  readonly isOpen?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what its fields mean is known to the form alone
type AnyForm = FormDescription<any> & NamedForm;

const NOTHING_SAVED = 'Nothing was saved.';
export const CHANGED_FIRST: FormProblem = ['Someone else changed this first.', 'Save again to replace that.'];
export function createForm<F extends Fields>(name: FormName, description: FormDescription<F>) {
  const title = () => description.heading;
  const form: AnyForm = { title, ...description, name, action: `${name}-form` };
  const { right, fields, heading, waiting = ['Saving…'] as const } = form;
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
      },
    },
  };
  return {
    listeners,
    async open(request: Request, { id, values, isOpen = false }: FormOpening): Promise<void> {
      const place = request.channel ?? '';
      const seen = form.revision(id, request);
      const state = { id, place, isOpen, seen, nonce: randomUUID(), hidden: {} };
      await show(form, { state, id, place, request, values, data: {} }, 'open');
    },
  };
}

/** @param shown what the form shows: Slack sends nothing else */
function momentOf(shown: FormFields, metadata: string, request: Request): Moment {
  const state = decodeState(metadata);
  const { id, place, hidden } = state;
  return { state, id, place, request, data: {}, values: { ...hidden, ...shown } };
}

/** Draws the form, and once more when what is slow has been asked. */
async function show(form: AnyForm, at: Moment, how: 'open' | 'redraw'): Promise<void> {
  const { modal: reply } = at.request.reply;
  const quick = await loadFields(form, at, false);
  await reply[how](drawForm(form, quick));
  const all = await loadFields(form, quick, true);
  if (all !== quick) await reply.redraw(drawForm(form, all));
}

/** After a choice, or a press of one of its buttons. */
async function click(form: AnyForm, what: string, at: Moment): Promise<void> {
  if (what === 'more') return show(form, { ...at, state: { ...at.state, isOpen: true } }, 'redraw');
  const run = form.pressed?.[what];
  if (run === undefined) return show(form, at, 'redraw');
  const known = await loadFields(form, at, false);
  await run(known, (result) => at.request.reply.modal.update(drawForm(form, known, [], result)));
}

function parse(form: AnyForm, shown: FormFields, metadata: string): ParsedForm {
  const values = { ...decodeState(metadata).hidden, ...shown };
  const read = Object.entries<Field>(form.fields)
    .filter(([, field]) => field.parse !== undefined && isPartOf(field, values))
    .map(([field, described]) => [field, readField(described, values[field] ?? '', values)] as const);
  const refused = read.flatMap(([field, value]) =>
    value instanceof FieldRefusal ? [[field, value.sentence] as const] : [],
  );
  // Slack takes errors only below fields that the form shows.
  const [first = ''] = Object.keys(form.fields).filter((field) => field in shown);
  const errors = refused.map(([field, sentence]) => [field in shown ? field : first, sentence] as const);
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  const input = Object.fromEntries(read);
  return { submit: (request) => submit(form, momentOf(shown, metadata, request), input) };
}

/** The first field that is wrong, and why; a text that everybody may read must be no secret of this workspace. */
async function findProblem(
  form: AnyForm,
  at: Moment,
): Promise<readonly [field: string, why: string] | undefined> {
  const before = form.before?.(at.id, at.request) ?? {};
  for (const [name, field] of Object.entries<Field>(form.fields)) {
    if (!isPartOf(field, at.values)) continue;
    const isLeak = field.isText && holdsRegisteredSecret(at.values[name] ?? '', at.request.workspace);
    const problem = isLeak ? `${field.label}: ${LEAKED}` : await field.check?.(at, before, name);
    if (problem !== undefined) return [name, problem];
  }
  return undefined;
}

const LEAKED = 'that looks like a token. Everyone can see it, so choose something else.';

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

/** @param problem as mrkdwn */
const showProblem = (
  form: AnyForm,
  at: Moment,
  [what, todo = NOTHING_SAVED]: FormProblem,
  field?: string,
): Promise<void> =>
  showAgain(form, at, markupMessage(`${what} ${NOTHING_SAVED}`), [markup(`${what} ${todo}`)], field);

async function submit(
  form: AnyForm,
  at: Moment,
  input: FormInput<Fields>,
  isRepeated = false,
): Promise<void> {
  const { request, state, id } = at;
  const sent = { ...at, input };
  try {
    if (form.revision(id, request, input) !== state.seen) {
      const conflict = form.conflict ? form.conflict(sent) : CHANGED_FIRST;
      if (conflict !== undefined) return await showConflict(form, sent, conflict);
    }
    const [field = '', problem] = (await findProblem(form, at)) ?? [];
    // A text is wrong here only if it is a secret, which isn't shown again.
    const values = form.fields[field]?.isText ? { ...at.values, [field]: '' } : at.values;
    if (problem !== undefined) return await showProblem(form, { ...at, values }, [problem], field);
    const saved = await form.save(sent);
    if (saved instanceof FieldRefusal) await showProblem(form, at, [saved.sentence]);
    else await request.reply.modal.show(form.heading, saved);
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    if (error.kind === 'edit-conflict' && !isRepeated) {
      const workspace = await form.workspaces.load(request.user.teamId);
      return submit(form, { ...at, request: { ...request, workspace } }, input, true);
    }
    request.recordError(error);
    const { done = 'saved', unchanged = () => NOTHING_SAVED } = form;
    // What was saved before the store went away stays saved.
    const failure = hasChanged(request.workspace) ? markUnsure(error, true) : error;
    const message = notSavedMessage(failure, failureMessage(failure, request), done, unchanged(sent));
    await showAgain(form, at, message);
  }
}

/** The form again, which is then about what there is now. */
function showConflict(form: AnyForm, sent: Moment & SentForm<Fields>, conflict: FormProblem): Promise<void> {
  const id = form.idAfterConflict?.(sent) ?? sent.id;
  const state = { ...sent.state, id, seen: form.revision(id, sent.request) };
  return showProblem(form, { ...sent, id, state }, conflict);
}
