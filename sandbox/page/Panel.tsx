/** The sandbox's controls beside the workspace. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Example, Skip, Switch } from '../protocol.ts';
import { post, sentenceOf } from './api.ts';
import { clock } from './dates.ts';
import { useWorkspace } from './workspace.tsx';

interface Props {
  onTry(text: string, inThread: Example['inThread']): void;
}

const TOKENS = 'Tokens to paste';

/** One section is open at a time; while a form is open, the tokens. */
export function Panel({ onTry }: Props) {
  const { snapshot } = useWorkspace();
  const { examples, credentials, switches, views, install } = snapshot;
  const hasForm = views.length > 0;
  const [open, setOpen] = useState(hasForm ? TOKENS : 'Try');
  useEffect(() => setOpen((now) => (hasForm ? TOKENS : now.replace(TOKENS, 'Try'))), [hasForm]);
  const section = (title: string, content: ReactNode, badge?: number) => (
    <details
      name="panel"
      open={open === title}
      onToggle={({ currentTarget }) =>
        setOpen((now) => (currentTarget.open ? title : now.replace(title, '')))
      }
    >
      <summary>
        {title}
        {badge ? <small>{badge}</small> : null}
      </summary>
      {open === title && <div className="panel-body">{content}</div>}
    </details>
  );
  return (
    <aside className="panel" aria-label="Sandbox panel">
      <Time />
      {section(
        'Try',
        <ul className="tries">
          {examples.map(({ text, why, inThread }) => (
            <li key={text}>
              <button type="button" onClick={() => onTry(text, inThread)}>
                <code>{text}</code>
                <small>{why}</small>
              </button>
            </li>
          ))}
        </ul>,
      )}
      {credentials.length > 0 && section(TOKENS, <Credentials />)}
      {section(
        'Break something',
        switches.map((fake) => <Mode key={fake.service} service={fake} />),
      )}
      {install && section('Installation', <Installation />)}
    </aside>
  );
}

const SKIPS: [label: string, to: Skip][] = [
  ['Skip to 09:00', { time: '09:00' }],
  ['Skip 1 hour', { hours: 1 }],
  ['Skip 1 day', { hours: 24 }],
];
const TICK_MS = 5_000;

function Time() {
  const { me, now, report } = useWorkspace();
  const [isSkipping, setSkipping] = useState(false);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const skip = async (to: Skip) => {
    setSkipping(true);
    const answer = await post('skip', { as: me.id, to });
    setSkipping(false);
    if (!answer.ok) report(sentenceOf(answer));
  };
  const day = { timeZone: me.tz, weekday: 'short', day: 'numeric', month: 'short' } as const;
  return (
    <section className="time" aria-label="Time">
      <p>
        <b>{clock(now(), me)}</b> {now().toLocaleDateString(me.locale, day)} · {me.tz}
        <small>Posts and alerts follow this clock.</small>
      </p>
      {SKIPS.map(([label, to]) => (
        <button
          key={label}
          type="button"
          className="button"
          disabled={isSkipping}
          onClick={() => void skip(to)}
        >
          {label}
        </button>
      ))}
    </section>
  );
}

function Credentials() {
  const { credentials } = useWorkspace().snapshot;
  const [copied, setCopied] = useState('');
  const copy = async (value: string) => {
    await navigator.clipboard.writeText(value);
    setCopied(value);
  };
  return (
    <>
      <p>Paste these into Tally’s forms. They only work in this sandbox. Read-only is enough.</p>
      <dl className="credentials">
        {credentials.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <code>{value}</code>
              <button
                type="button"
                className="button"
                aria-label={`Copy ${label}`}
                onClick={() => void copy(value)}
              >
                {copied === value ? 'Copied' : 'Copy'}
              </button>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Mode({ service: { service, mode, modes } }: { service: Switch }) {
  const { report } = useWorkspace();
  const set = async (next: string) => {
    const answer = await post('switch', { service, mode: next });
    if (!answer.ok) report(sentenceOf(answer));
  };
  return (
    <label className="stacked">
      <b>{service}</b>
      <select className="field" value={mode} onChange={({ target }) => void set(target.value)}>
        {modes.map(({ mode: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <small>{modes.find((each) => each.mode === mode)?.hint}</small>
    </label>
  );
}

function Installation() {
  const { snapshot, me, report } = useWorkspace();
  const { install, workspace, bot } = snapshot;
  const uninstall = async () => {
    const answer = await post('uninstall', { as: me.id });
    if (!answer.ok) report(sentenceOf(answer));
  };
  return (
    <>
      <p>
        {bot.name} is {install?.isInstalled ? '' : 'not '}installed in {workspace.name}.
      </p>
      <a className="button" href={install?.url} target="_blank" rel="noreferrer">
        {install?.isInstalled ? 'Install again' : `Install ${bot.name}`}
      </a>
      {install?.isInstalled && (
        <button type="button" className="button" onClick={() => void uninstall()}>
          Uninstall
        </button>
      )}
    </>
  );
}
