import type { KnownBlock, ModalView } from '@slack/types';
import { type FormEvent, useState } from 'react';
import type { OpenView } from '../protocol.ts';
import { Avatar } from './Avatar.tsx';
import { post, sentenceOf } from './api.ts';
import { Blocks } from './blocks/Blocks.tsx';
import { inputsOf } from './blocks/form.ts';
import { type Surface, SurfaceProvider, useSurfaceOf } from './blocks/surface.ts';
import { validateInputs } from './blocks/validate-inputs.ts';
import { Dialog } from './Dialog.tsx';
import { authorOf, useWorkspace } from './workspace.ts';

/** The viewer's stack of modals. All stay mounted to keep what was typed; only the top one is shown. */
export function Modals() {
  const { snapshot, me } = useWorkspace();
  return snapshot.views.map((open, index) => (
    <Modal key={`${me.id}/${open.id}`} open={open} onTop={index === snapshot.views.length - 1} />
  ));
}

function Modal({ open, onTop }: { open: OpenView; onTop: boolean }) {
  const { snapshot, me, report } = useWorkspace();
  const view = open.view as ModalView;
  const blocks = view.blocks as KnownBlock[];
  const { surface, busy, submit } = useForm(open, blocks);
  const close = async () => {
    const answer = await post('close', { as: me.id, viewId: open.id });
    if (!answer.ok) report(sentenceOf(answer, 'The form did not close.'));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  // Slack shows a submit button when the view has inputs or names the button.
  const submitText = view.submit?.text ?? (inputsOf(blocks).length ? 'Submit' : undefined);
  if (!onTop) return null;
  return (
    <Dialog
      title={view.title.text}
      className="modal"
      besidePanel
      icon={<Avatar author={authorOf('bot', snapshot)} size={24} />}
      onClose={() => void close()}
    >
      <SurfaceProvider value={surface}>
        <form className="modal-form" noValidate onSubmit={onSubmit} aria-busy={busy}>
          <div className="dialog-body">
            {surface.errors[WHOLE_VIEW] && (
              <p className="view-error" role="alert">
                {surface.errors[WHOLE_VIEW]}
              </p>
            )}
            <Blocks blocks={blocks} />
          </div>
          {(submitText || view.close) && (
            <footer className="dialog-foot">
              <button type="button" className="button" disabled={busy} onClick={() => void close()}>
                {view.close?.text ?? 'Cancel'}
              </button>
              {submitText && (
                <button type="submit" className="button primary" disabled={busy} aria-busy={busy}>
                  {submitText}
                </button>
              )}
            </footer>
          )}
        </form>
      </SurfaceProvider>
    </Dialog>
  );
}

/** The key of an error about the whole view, beside block IDs. */
const WHOLE_VIEW = '';

/** A modal's values, errors and submission. */
function useForm(open: OpenView, blocks: KnownBlock[]) {
  const { me } = useWorkspace();
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [touched, setTouched] = useState({ errors: open.errors, blocks: new Set<string>() });
  const [sending, setSending] = useState(false);
  const form = useSurfaceOf({ viewId: open.id }, blocks, true);
  const busy = open.busy || sending;
  // The bot's errors are shown until their input changes.
  if (touched.errors !== open.errors) setTouched({ errors: open.errors, blocks: new Set() });

  const shownErrors = Object.entries({ ...open.errors, ...problems }).filter(
    ([blockId]) => problems[blockId] || !touched.blocks.has(blockId),
  );
  const change: Surface['change'] = (blockId, actionId, value) => {
    setProblems(({ [blockId]: _, ...others }) => others);
    setTouched((before) => ({ ...before, blocks: new Set(before.blocks).add(blockId) }));
    return form.change(blockId, actionId, value);
  };
  const submit = async () => {
    if (busy) return;
    setTouched({ errors: open.errors, blocks: new Set() });
    const found = validateInputs(blocks, form.values);
    setProblems(found);
    if (Object.keys(found).length) return;
    setSending(true);
    const answer = await post('submit', { as: me.id, viewId: open.id, values: form.values });
    setSending(false);
    // Errors of inputs come with the next snapshot.
    if (!answer.ok && answer.error !== 'invalid_input')
      setProblems({ [WHOLE_VIEW]: sentenceOf(answer, 'The form was not sent.') });
  };
  const surface: Surface = { ...form, change, errors: Object.fromEntries(shownErrors), busy };
  return { surface, busy, submit };
}
