import { projectSearch } from '../commands/project-picker.ts';
import { type FormFields, type FormReading, waitingModal, withErrorAtTop } from '../kit/modal.ts';
import type { Request } from '../request/request.ts';
import type { ActionListener, Listeners } from '../server/listeners.ts';
import { fullMessage } from './actions.ts';
import { createFormDrawing } from './draw-form.ts';
import { commonErrors, draftOf, placeOfForm, readForm } from './form-state.ts';
import type { FormDraft, FormTypes, OwnedForm } from './owned-form.ts';
import { saveDraft } from './save-draft.ts';

/** The form of a schedule or a watch: opened, redrawn at each change, checked and saved. What it sends back is checked each time. */
export function createOwnedForm<K extends FormTypes>(form: OwnedForm<K>) {
  const { kind, field, max, words, inView } = form;
  type Draft = FormDraft<K>;
  const drawing = createFormDrawing(form);
  const { open, redraw } = drawing;

  const readDraft = (shown: FormFields, metadata: string): { fields: FormFields; draft: Draft } => {
    const { fields, draft } = readForm(shown, metadata, max);
    return { fields, draft: { ...draft, ...form.read(fields) } };
  };
  const readSubmission = (shown: FormFields, metadata: string): FormReading<Draft> => {
    const { fields, draft } = readDraft(shown, metadata);
    const errors = { ...commonErrors(fields, draft, max), ...form.errors(fields, draft) };
    return Object.keys(errors).length === 0
      ? { input: draft }
      : { errors: withErrorAtTop(errors, inView.blocks, inView.below) };
  };
  /** @param fill the fields that the button's value fills in */
  const onDraft = (
    run: (draft: Draft, request: Request, value: string) => Promise<void>,
    fill: (value: string) => FormFields = () => ({}),
  ): ActionListener => ({
    right: 'member',
    does: 'answer',
    run: ({ value, fields, metadata }, request) =>
      run(readDraft({ ...fields, ...fill(value) }, metadata).draft, request, value),
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
        read: readSubmission,
        submit: (draft: Draft, request: Request) => saveDraft(form, drawing, draft, request),
      },
    },
  };
  return {
    ...drawing,
    ...{ listeners, onDraft },
    async openNew(request: Request, create: () => Draft): Promise<void> {
      const full = fullMessage(kind, request);
      await (full === undefined ? open(create(), request) : request.reply.update(full));
    },
    openFor: (item: K['item'], request: Request) =>
      open({ ...draftOf(item, request), ...form.fieldsOf(item) }, request),
    /** For a button that fills in fields: Slack only shows that under other action IDs. */
    refill: (fill: (value: string) => FormFields) =>
      onDraft((draft, request) => redraw({ ...draft, isRefilled: !draft.isRefilled }, request), fill),
  };
}
