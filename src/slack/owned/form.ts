import { projectSearch } from '../commands/project-picker.ts';
import { type FormFields, type FormReading, waitingModal, withErrorAtTop } from '../kit/modal.ts';
import type { Request } from '../request/request.ts';
import type { ActionListener, Listeners } from '../server/listeners.ts';
import { fullMessage } from './actions.ts';
import { findDraftProblem, load, openForm, redrawForm, viewOf } from './draw-form.ts';
import { commonErrors, draftOf, placeOfForm, readForm } from './form-state.ts';
import type { FormDraft, FormTypes, OwnedForm, Shown } from './owned-form.ts';
import { saveDraft } from './save-draft.ts';

/** The form of a schedule or a watch: opened, redrawn at each change, checked and saved. What it sends back is checked each time. */
export function createOwnedForm<K extends FormTypes>(form: OwnedForm<K>) {
  const { kind, field, words } = form;
  /** @param fill the fields that the button's value fills in */
  const onDraft = (
    run: (draft: FormDraft<K>, request: Request, value: string) => Promise<void>,
    fill: (value: string) => FormFields = () => ({}),
  ): ActionListener => ({
    right: 'member',
    does: 'answer',
    run: ({ value, fields, metadata }, request) =>
      run(readDraft(form, { ...fields, ...fill(value) }, metadata).draft, request, value),
  });
  const listeners: Required<Pick<Listeners, 'actions' | 'options' | 'views'>> = {
    actions: {
      [field]: onDraft((draft, request, choice) =>
        redrawForm(form, form.changed?.(draft, choice) ?? draft, request),
      ),
    },
    options: { [`${field}:projects`]: projectSearch(placeOfForm) },
    views: {
      [kind.kind]: {
        right: 'member',
        waiting: waitingModal(words.create, words.saving),
        read: (fields: FormFields, metadata: string) => readSubmission(form, fields, metadata),
        submit: (draft: FormDraft<K>, request: Request) => saveDraft(form, draft, request),
      },
    },
  };
  return {
    listeners,
    onDraft,
    async openNew(request: Request, create: () => FormDraft<K>): Promise<void> {
      const full = fullMessage(kind, request);
      await (full === undefined ? openForm(form, create(), request) : request.reply.update(full));
    },
    openFor: (item: K['item'], request: Request) =>
      openForm(form, { ...draftOf(item, request), ...form.fieldsOf(item) }, request),
    redraw: (draft: FormDraft<K>, request: Request) => redrawForm(form, draft, request),
    /** For a button that fills in fields: Slack only shows that under other action IDs. */
    refill: (fill: (value: string) => FormFields) =>
      onDraft(
        (draft, request) => redrawForm(form, { ...draft, isRefilled: !draft.isRefilled }, request),
        fill,
      ),
    /** Checks the target and gets the figures, unless they have to be asked for. */
    load: (draft: FormDraft<K>, request: Request) => load(form, draft, request),
    view: (draft: FormDraft<K>, request: Request, shown: Shown<K>) => viewOf(form, draft, request, shown),
    /** Joins the channel if that is wanted and needed. @returns why nothing can be sent there, as a mrkdwn sentence */
    findProblem: (draft: FormDraft<K>, request: Request) => findDraftProblem(form, draft, request),
  };
}

function readDraft<K extends FormTypes>(
  form: OwnedForm<K>,
  shown: FormFields,
  metadata: string,
): { readonly fields: FormFields; readonly draft: FormDraft<K> } {
  const { fields, draft } = readForm(shown, metadata, form.max);
  return { fields, draft: { ...draft, ...form.read(fields) } };
}

function readSubmission<K extends FormTypes>(
  form: OwnedForm<K>,
  shown: FormFields,
  metadata: string,
): FormReading<FormDraft<K>> {
  const { fields, draft } = readDraft(form, shown, metadata);
  const errors = { ...commonErrors(fields, draft, form.max), ...form.errors(fields, draft) };
  if (Object.keys(errors).length === 0) return { input: draft };
  return { errors: withErrorAtTop(errors, form.inView.blocks, form.inView.below) };
}
