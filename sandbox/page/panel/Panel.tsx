import { type KeyboardEvent, useState } from 'react';
import type { Traffic } from '../../protocol.ts';
import { CloseIcon } from '../icons.tsx';
import { Examples } from './Examples.tsx';
import { Switches } from './Switches.tsx';
import { TimeControls } from './TimeControls.tsx';
import { TrafficLog } from './TrafficLog.tsx';
import { WorkflowSteps } from './WorkflowSteps.tsx';

const TABS = ['Try', 'Steps', 'Switches', 'Traffic'] as const;

interface Props {
  traffic: Traffic[];
  onTry(attempt: { text: string }): void;
  onClose(): void;
}

/** The sandbox's controls: examples, steps of workflows, switches and traffic. */
export function Panel({ traffic, onTry, onClose }: Props) {
  const [tab, setTab] = useState<(typeof TABS)[number]>('Try');
  // The arrow keys of the ARIA tabs pattern.
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside className="panel" aria-label="Sandbox panel">
      <div className="panel-head">
        <div className="panel-tabs" role="tablist" aria-label="Sandbox panel">
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="panel-page"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setTab(name)}
              onKeyDown={onKeyDown}
            >
              {name}
              {name === 'Traffic' && traffic.length > 0 && (
                <span className="tab-count">{traffic.length}</span>
              )}
            </button>
          ))}
        </div>
        <button type="button" className="icon-button" aria-label="Close panel" onClick={onClose}>
          <CloseIcon size={18} />
        </button>
      </div>
      <div id="panel-page" className="panel-page" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'Try' && <Examples onTry={onTry} />}
        {tab === 'Steps' && <WorkflowSteps />}
        {tab === 'Switches' && (
          <>
            <TimeControls />
            <Switches />
          </>
        )}
        {tab === 'Traffic' && <TrafficLog traffic={traffic} />}
      </div>
    </aside>
  );
}
