import type { RefObject } from 'react';
import type { Link } from './api.ts';
import { MenuIcon, MoonIcon, PanelIcon, SunIcon } from './icons.tsx';
import type { Theme } from './theme.ts';
import { useWorkspace } from './workspace.ts';

interface Props {
  link: Link;
  /** Total over all channels. */
  unread: number;
  drawerOpen: boolean;
  /** Undefined while a modal covers the sidebar. */
  onDrawer: (() => void) | undefined;
  menuButton: RefObject<HTMLButtonElement | null>;
  theme: Theme;
  onTheme(): void;
  panelOpen: boolean;
  onPanel(): void;
}

export function TopBar(props: Props) {
  const { link, unread, drawerOpen, onDrawer, panelOpen } = props;
  const { snapshot } = useWorkspace();
  const { bot } = snapshot;
  const up = bot.up && link !== 'stopped';
  const menuLabel = drawerOpen ? 'Close the sidebar' : 'Open the sidebar';
  return (
    <header className="top-bar">
      <button
        ref={props.menuButton}
        type="button"
        className="top-button menu-button"
        aria-label={unread > 0 ? `${menuLabel}, ${unread} unread` : menuLabel}
        aria-expanded={drawerOpen}
        disabled={!onDrawer}
        onClick={onDrawer}
      >
        <MenuIcon />
        {unread > 0 && <span className="unread-dot" />}
      </button>
      <div className="top-pill">
        <h1>{snapshot.workspace.name}</h1>
        <span>A simulated Slack workspace. Nothing leaves this machine.</span>
      </div>
      <div className="top-right">
        <span className={up ? 'bot-state up' : 'bot-state'}>
          <span>
            {bot.name} {up ? 'is up' : 'is down'} · {bot.mode === 'socket' ? 'Socket Mode' : 'HTTP'}
          </span>
        </span>
        <button
          type="button"
          className="top-button"
          aria-pressed={props.theme === 'dark'}
          aria-label="Dark theme"
          title="Dark theme"
          onClick={props.onTheme}
        >
          {props.theme === 'dark' ? <SunIcon /> : <MoonIcon />}
        </button>
        <button
          type="button"
          className="top-button"
          aria-expanded={panelOpen}
          aria-label={panelOpen ? 'Hide the panel' : 'Show the panel'}
          title={panelOpen ? 'Hide the panel' : 'Show the panel'}
          onClick={props.onPanel}
        >
          <PanelIcon />
        </button>
      </div>
    </header>
  );
}
