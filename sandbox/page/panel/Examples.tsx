import { useState } from 'react';
import type { Example } from '../../protocol.ts';
import { post, sentenceOf } from '../api.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { useWorkspace } from '../workspace.ts';
import { useSkip } from './skip.ts';

/** Examples and credentials; credentials come first while a form is open. */
export function Examples({ onTry }: { onTry(attempt: Example): void }) {
  const formIsOpen = useWorkspace().snapshot.views.length > 0;
  return (
    <>
      {formIsOpen && <Credentials />}
      <Installation />
      <ExampleList onTry={onTry} />
      {!formIsOpen && <Credentials />}
    </>
  );
}

/** Installs and uninstalls the app. */
function Installation() {
  const { snapshot, me, report } = useWorkspace();
  const { install, workspace, bot } = snapshot;
  if (!install) return null;
  const uninstall = async () => {
    const answer = await post('uninstall', { as: me.id });
    if (!answer.ok) report(sentenceOf(answer, 'The app was not uninstalled.'));
  };
  return (
    <section aria-label="Installation">
      <h2>Installation</h2>
      <p className="panel-note">
        {bot.name} is {install.isInstalled ? '' : 'not '}installed in {workspace.name}.
      </p>
      <p className="panel-actions">
        <a href={install.url} target="_blank" rel="noreferrer">
          {install.isInstalled ? 'Install again' : `Install ${bot.name}`}
        </a>
        {install.isInstalled && (
          <button type="button" onClick={() => void uninstall()}>
            Uninstall
          </button>
        )}
      </p>
    </section>
  );
}

function ExampleList({ onTry }: { onTry(attempt: Example): void }) {
  const { examples } = useWorkspace().snapshot;
  const skip = useSkip();
  return (
    <section aria-label="Things to try">
      <h2>Things to try</h2>
      <ul className="tries">
        {examples.map((attempt) => (
          <li key={attempt.text}>
            <button type="button" onClick={() => (attempt.skip ? void skip(attempt.skip) : onTry(attempt))}>
              <code>{attempt.text}</code>
              <small>{attempt.why}</small>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Credentials() {
  const { credentials } = useWorkspace().snapshot;
  if (credentials.length === 0) return null;
  return (
    <section aria-label="Tokens to paste">
      <h2>Tokens to paste</h2>
      <p className="panel-note">
        Paste these into Tally's forms. They only work in this sandbox. Read-only is enough.
      </p>
      <dl className="credentials">
        {credentials.map((credential) => (
          <Credential key={credential.label} {...credential} />
        ))}
      </dl>
    </section>
  );
}

/** How long the check mark is shown after copying. */
const COPIED_MS = 1500;

function Credential({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
        <button
          type="button"
          className="icon-button"
          aria-label={`Copy ${label}`}
          onClick={() => void copy()}
        >
          {copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
        </button>
      </dd>
    </div>
  );
}
