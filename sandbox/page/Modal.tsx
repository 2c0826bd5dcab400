/** Modals and confirmation dialogs. */
import type { ConfirmationDialog, KnownBlock, ModalView } from '@slack/types';
import { useCallback, useEffect, useState } from 'react';
import type { OpenView } from '../protocol.ts';
import { post, sentenceOf } from './api.ts';
import { Blocks } from './blocks.tsx';
import { SurfaceProvider, useSurfaceOf } from './form.ts';
import { Text } from './mrkdwn.tsx';
import { Avatar, Icon, useWorkspace } from './workspace.tsx';

/** All open modals stay mounted, so that they keep what was typed. Only the top one is shown. */
export function Modals() {
  const { snapshot, me } = useWorkspace();
  return snapshot.views.map((open, index) => (
    <Modal key={`${me.id}/${open.id}`} open={open} onTop={index === snapshot.views.length - 1} />
  ));
}

/** The key of an error about the whole view. Other errors have a block ID as key. */
const WHOLE_VIEW = '';

const focusFirst = (dialog: HTMLDialogElement | null) =>
  dialog
    ?.querySelector<HTMLElement>(':is(.field, .field :is(input, select)):not(.many), footer button')
    ?.focus({ preventScroll: true });

/** The panel stays usable, to copy a token from it into the form. */
function Modal({ open, onTop }: { open: OpenView; onTop: boolean }) {
  const { me, report } = useWorkspace();
  const view = open.view as ModalView;
  const blocks = view.blocks as KnownBlock[];
  const surface = useSurfaceOf({ viewId: open.id }, blocks, open.errors);
  const close = async () => {
    const answer = await post('close', { as: me.id, viewId: open.id });
    if (!answer.ok) report(sentenceOf(answer));
  };
  useEffect(() => {
    const onEscape = (event: KeyboardEvent) => {
      const isForThis = onTop && event.key === 'Escape' && !document.querySelector(':modal, :popover-open');
      if (isForThis) void close();
    };
    document.addEventListener('keydown', onEscape);
    return () => document.removeEventListener('keydown', onEscape);
  });
  if (!onTop) return null;
  // Slack also shows a submit button if the view has inputs but names no button.
  const submit = view.submit?.text ?? (blocks.some(({ type }) => type === 'input') ? 'Submit' : undefined);
  return (
    <div className="overlay">
      <dialog open ref={focusFirst} className="dialog modal" aria-label={view.title.text}>
        <SurfaceProvider value={surface}>
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void post('submit', { as: me.id, viewId: open.id, values: surface.values });
            }}
          >
            <header>
              <Avatar from="bot" size={24} />
              <h2>{view.title.text}</h2>
              <button
                type="button"
                className="icon-button"
                aria-label="Close window"
                onClick={() => void close()}
              >
                <Icon name="close" />
              </button>
            </header>
            <div className="dialog-body">
              {open.errors[WHOLE_VIEW] && (
                <p className="input-error" role="alert">
                  {open.errors[WHOLE_VIEW]}
                </p>
              )}
              <Blocks blocks={blocks} />
            </div>
            {(submit || view.close) && (
              <footer>
                <button type="button" className="button" onClick={() => void close()}>
                  {view.close?.text ?? 'Cancel'}
                </button>
                {submit && (
                  <button type="submit" className="button primary" disabled={open.busy} aria-busy={open.busy}>
                    {submit}
                  </button>
                )}
              </footer>
            )}
          </form>
        </SurfaceProvider>
      </dialog>
    </div>
  );
}

interface Question {
  dialog: ConfirmationDialog;
  answer(yes: boolean): void;
}

const showModal = (dialog: HTMLDialogElement | null) => dialog?.showModal();

export function useConfirm() {
  const [question, setQuestion] = useState<Question>();
  const confirm = useCallback(
    (dialog: ConfirmationDialog | undefined) =>
      new Promise<boolean>((answer) => (dialog ? setQuestion({ dialog, answer }) : answer(true))),
    [],
  );
  const { title, text, deny, confirm: yes, style } = question?.dialog ?? {};
  const shown = question && (
    <dialog
      ref={showModal}
      className="dialog"
      aria-label={title?.text}
      onClose={({ currentTarget }) => {
        question.answer(currentTarget.returnValue === 'yes');
        setQuestion(undefined);
      }}
    >
      <form method="dialog">
        <header>
          <h2>{title?.text}</h2>
        </header>
        <div className="dialog-body">{text && <Text text={text} />}</div>
        <footer>
          <button type="submit" className="button">
            {deny?.text ?? 'Cancel'}
          </button>
          <button type="submit" value="yes" className={`button ${style ?? 'primary'}`}>
            {yes?.text ?? 'Yes'}
          </button>
        </footer>
      </form>
    </dialog>
  );
  return [shown, confirm] as const;
}
