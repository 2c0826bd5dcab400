import { randomUUID } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { projectSearch } from '../commands/project-picker.ts';
import { compact, context, markup } from '../kit/blocks.ts';
import { modal, waitingModal } from '../kit/modal.ts';
import { failureFacts } from '../reply/error-reply.ts';
import { type FormFields, type ParsedForm, withErrorAtTop } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { ActionListener, Listeners } from '../server/listeners.ts';
import { limitReachedMessage, storeItem } from './actions.ts';
import { createFormDrawing, type FormDrawing } from './draw-form.ts';
import {
  commonErrors,
  draftOf,
  type FormDraft,
  type FormTypes,
  type FormView,
  itemVersion,
  type OwnedForm,
  parseForm,
  placeOfForm,
} from './form-state.ts';
import {
  canReadOwned,
  capitalize,
  type OwnedItem,
  type OwnedKind,
  requireOwned,
  targetMarkup,
} from './owned-kind.ts';

/** The form of a schedule or a watch: opened, redrawn at each change, checked and saved. What it sends back is checked each time. */
export function createOwnedForm<K extends FormTypes>(form: OwnedForm<K>) {
  const { kind, field, max, words, inView } = form;
  type Draft = FormDraft<K>;
  const drawing = createFormDrawing(form);
  const { open, redraw } = drawing;

  const parseDraft = (shown: FormFields, metadata: string): { fields: FormFields; draft: Draft } => {
    const { fields, draft } = parseForm(shown, metadata, max);
    return { fields, draft: { ...draft, ...form.parse(fields) } };
  };
  const parseSubmission = (shown: FormFields, metadata: string): ParsedForm<Draft> => {
    const { fields, draft } = parseDraft(shown, metadata);
    const errors = { ...commonErrors(fields, draft, max), ...form.errors(fields, draft) };
    return Object.keys(errors).length === 0
      ? { input: draft }
      : { errors: withErrorAtTop(errors, inView.blocks, inView.below) };
  };
  const onDraft = (
    run: (draft: Draft, request: Request, value: string) => Promise<void>,
  ): ActionListener => ({
    right: 'member',
    kind: 'answer',
    run: ({ value, fields, metadata }, request) => run(parseDraft(fields, metadata).draft, request, value),
  });
  const listeners: Required<Pick<Listeners, 'actions' | 'options' | 'views'>> = {
    actions: {
      [field]: onDraft((draft, request, choice) => redraw(form.changed?.(draft, choice) ?? draft, request)),
    },
    options: { [`${field}:projects`]: projectSearch(placeOfForm) },
    views: {
      [kind.kind]: {
        right: 'member',
        waiting: waitingModal(words.create, words.saving),
        parse: parseSubmission,
        submit: (draft: Draft, request: Request) => saveDraft(form, drawing, draft, request),
      },
    },
  };
  return {
    ...drawing,
    listeners,
    onDraft,
    async openNew(request: Request, create: () => Draft): Promise<void> {
      const full = limitReachedMessage(kind, request);
      await (full === undefined ? open(create(), request) : request.reply.update(full));
    },
    openFor: (item: K['item'], request: Request) =>
      open({ ...draftOf(item, request), ...form.fieldsOf(item) }, request),
  };
}

const NOTHING_SAVED = 'Nothing was saved.';

/** Saves, and says so in the place of the form. */
async function saveDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  drawing: FormDrawing<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<void> {
  const { kind } = form;
  const item = await storeDraft(form, drawing, draft, request);
  if (item === undefined) return;
  await kind.changed(request.user.teamId);
  const saved = markup(formatSaved(kind, item, request));
  const view = modal({
    title: kind.words.title,
    blocks: [saved, context(`Change or delete it with \`${commandText(kind.commands.list)}\`.`)],
  });
  await request.reply.modal.update(view, { text: `${capitalize(kind.kind)} saved.`, blocks: [saved] });
}

/** @returns undefined when it was not saved; the form then says why and keeps what was chosen */
async function storeDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  drawing: FormDrawing<K>,
  draft: FormDraft<K>,
  request: Request,
): Promise<K['item'] | undefined> {
  const { kind } = form;
  const refuse = async (problem: string, instead = draft, shown: FormView<K> = {}): Promise<undefined> => {
    const notice = [markup(problem)];
    const { check, figures } = await drawing.load(instead, request);
    // What is wrong with the target is said once.
    const isSaid = check?.problem !== undefined && problem.startsWith(check.problem);
    const known = { check: isSaid ? undefined : check, figures };
    const view = drawing.view(instead, request, { ...known, ...shown, notice });
    await request.reply.modal.update(view, { text: problem, blocks: notice });
  };
  try {
    const before = requireOwned(kind.find, draft.before, request);
    if (draft.before !== '' && before === undefined)
      return await refuse(`This ${kind.kind} was deleted. Save to create a new one.`, {
        ...draft,
        before: '',
        seen: '',
      });
    const seen = before === undefined ? '' : itemVersion(before);
    if (before !== undefined && seen !== draft.seen)
      return await refuse(changedText(kind, before, request), { ...draft, seen });
    const full = before === undefined ? limitReachedMessage(kind, request) : undefined;
    if (full !== undefined) return await refuse(full.text);
    const problem = await drawing.findProblem(draft, request);
    if (problem !== undefined) return await refuse(`${problem} ${NOTHING_SAVED}`);
    const built = await form.build(draft, before, request);
    if ('problem' in built)
      return await refuse(`${built.problem} ${NOTHING_SAVED}`, draft, { figures: built.figures });
    const action = `${kind.kind} ${before === undefined ? 'created' : 'changed'}` as const;
    await storeItem(kind, built.item, action, request);
    return built.item;
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    request.recordError(error);
    // A store that is away and an edit conflict say themselves what was saved.
    const isSaid = error.kind === 'store-unavailable' || error.kind === 'edit-conflict';
    const notice = compact([...failureFacts(error, request), !isSaid && context(NOTHING_SAVED)]);
    const view = drawing.view(draft, request, { notice });
    await request.reply.modal.update(view, { text: error.message, blocks: notice });
    return undefined;
  }
}

function changedText(kind: OwnedKind, now: OwnedItem, request: Request): string {
  const text = `${kind.words.summary(now, request)} → ${targetMarkup(now)}`;
  const what = canReadOwned(now, request) ? ` It’s now ${text}.` : '';
  return `Someone else changed this ${kind.kind} first.${what} Save again to replace that.`;
}

/** What an edit keeps: whose it is, and since when. */
export const ownershipFields = (before: OwnedItem | undefined, { user, at }: Request) => ({
  /** Eight letters and digits. */
  id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
  owner: before?.owner ?? user.id,
  createdBy: before?.createdBy ?? user.id,
  createdAt: before?.createdAt ?? at,
});

/** `Saved: *prod*: balance below 50,000.00. Alerts go to #finance.`, as mrkdwn. */
function formatSaved(kind: OwnedKind, item: OwnedItem, request: Request): string {
  const paused = item.paused === undefined ? '' : ' It stays paused until someone resumes it.';
  const what = kind.words.summary(item, request);
  return `Saved: ${what}. ${capitalize(kind.sends)} go to ${targetMarkup(item)}.${paused}`;
}
