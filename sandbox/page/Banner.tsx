import type { Link } from './api.ts';
import { WarningIcon } from './icons.tsx';
import { useWorkspace } from './workspace.ts';

/** Warns that the sandbox or the bot is not running. */
export function Banner({ link }: { link: Link }) {
  const { bot } = useWorkspace().snapshot;
  if (link === 'stopped') {
    return (
      <div className="banner stopped" role="alert">
        <WarningIcon />
        <span>
          <b>Sandbox stopped.</b> Start it again with <code>npm run sandbox</code>. This page reconnects
          automatically.
        </span>
      </div>
    );
  }
  if (bot.up) return null;
  return (
    <div className="banner" role="alert">
      <WarningIcon />
      <span>
        <b>{bot.name} is down.</b> Commands and buttons don’t work until it is running again.
      </span>
    </div>
  );
}
