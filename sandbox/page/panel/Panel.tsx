import { useState } from 'react';
import type { Traffic } from '../../protocol.ts';
import { CloseIcon } from '../icons.tsx';
import { useWorkspace } from '../workspace.ts';
import { Inspector } from './Inspector.tsx';
import { Switches } from './Switches.tsx';
import { Time } from './Time.tsx';
import { Tries } from './Tries.tsx';

const TABS = ['Try', 'Switches', 'Traffic'] as const;

interface Props {
  traffic: Traffic[];
  onTry(attempt: { text: string }): void;
  onClose(): void;
}

/** What a real Slack would not show: what to try, how the services behave, and every exchange behind the scenes. */
export function Panel({ traffic, onTry, onClose }: Props) {
  const { bot } = useWorkspace().snapshot;
  const [tab, setTab] = useState<(typeof TABS)[number]>('Try');
  return (
    <aside className="panel" aria-label="Sandbox panel">
      <div className="panel-tabs" role="tablist" aria-label="Sandbox panel">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="panel-page"
            onClick={() => setTab(name)}
          >
            {name}
            {name === 'Traffic' && traffic.length > 0 && <span className="tab-count">{traffic.length}</span>}
          </button>
        ))}
        <button type="button" className="icon-button" aria-label="Fold the panel" onClick={onClose}>
          <CloseIcon size={18} />
        </button>
      </div>
      <div id="panel-page" className="panel-page" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'Try' && <Tries onTry={onTry} />}
        {tab === 'Switches' && (
          <>
            <Time />
            <Switches />
          </>
        )}
        {tab === 'Traffic' && <Inspector traffic={traffic} />}
      </div>
      <footer className="panel-foot">
        <span className={bot.up ? 'dot up' : 'dot'} />
        {bot.mode === 'socket' ? 'Socket Mode' : 'HTTP'} · {bot.name} {bot.up ? 'is up' : 'is down'}
      </footer>
    </aside>
  );
}
