import type { ConfirmationDialog } from '@slack/types';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Dialog } from '../Dialog.tsx';
import { Text } from './Display.tsx';

type Ask = (dialog: ConfirmationDialog | undefined) => Promise<boolean>;
interface OpenConfirm {
  dialog: ConfirmationDialog;
  answer(yes: boolean): void;
}

const Context = createContext<Ask>(async () => true);
/** Returns a function that shows a confirmation dialog and resolves with the answer; true without a dialog. */
export const useConfirm = () => useContext(Context);

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<OpenConfirm>();
  const ask = useCallback<Ask>((dialog) => {
    if (!dialog) return Promise.resolve(true);
    return new Promise((resolve) => setQuestion({ dialog, answer: resolve }));
  }, []);
  const answer = (yes: boolean) => {
    question?.answer(yes);
    setQuestion(undefined);
  };
  return (
    <Context.Provider value={ask}>
      {children}
      {question && <ConfirmDialog dialog={question.dialog} answer={answer} />}
    </Context.Provider>
  );
}

function ConfirmDialog({ dialog, answer }: { dialog: ConfirmationDialog; answer(yes: boolean): void }) {
  return (
    <Dialog title={dialog.title?.text ?? 'Are you sure?'} className="confirm" onClose={() => answer(false)}>
      <div className="dialog-body">{dialog.text && <Text text={dialog.text} />}</div>
      <footer className="dialog-foot">
        <button type="button" className="button" onClick={() => answer(false)}>
          {dialog.deny?.text ?? 'Cancel'}
        </button>
        <button
          type="button"
          className={`button ${dialog.style === 'danger' ? 'danger' : 'primary'}`}
          onClick={() => answer(true)}
        >
          {dialog.confirm?.text ?? 'Yes'}
        </button>
      </footer>
    </Dialog>
  );
}
