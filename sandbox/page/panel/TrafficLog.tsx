import { useState } from 'react';
import type { Traffic } from '../../protocol.ts';
import { indentJson } from './indent-json.ts';

/** The exchanges, newest first; a click opens one. */
export function TrafficLog({ traffic }: { traffic: Traffic[] }) {
  const [open, setOpen] = useState<number>();
  if (traffic.length === 0) return <p className="panel-note">No traffic yet. Send a command.</p>;
  return (
    <ol className="traffic">
      {traffic.toReversed().map((entry) => (
        <li key={entry.id}>
          <Line entry={entry} open={open === entry.id} onOpen={setOpen} />
        </li>
      ))}
    </ol>
  );
}

/** A complete exchange without a Web API error, or one in progress. */
const OK_STATUS = /^([23]\d\d|…)$/;

interface LineProps {
  entry: Traffic;
  open: boolean;
  onOpen(id: number | undefined): void;
}

function Line({ entry, open, onOpen }: LineProps) {
  const { direction, title, status, took } = entry;
  const from = direction.split('→')[1] ?? direction;
  return (
    <>
      <button
        type="button"
        className="exchange"
        aria-expanded={open}
        onClick={() => onOpen(open ? undefined : entry.id)}
      >
        <span className={`direction ${from}`}>{direction.replace('→', ' → ')}</span>
        <span className={OK_STATUS.test(status) ? 'status' : 'status bad'}>{status}</span>
        <span className="took">{took === undefined ? '' : `${Math.round(took)} ms`}</span>
        <span className="exchange-title">{title}</span>
      </button>
      {open && (
        <div className="exchange-detail">
          <Body title="Request" text={entry.request} />
          <Body title="Response" text={entry.response} />
        </div>
      )}
    </>
  );
}

function Body({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3>{title}</h3>
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
        <pre tabIndex={0}>{indentJson(text)}</pre>
      ) : (
        <p className="panel-note">empty</p>
      )}
    </>
  );
}
