import type { Link } from './api.ts';
import { WarningIcon } from './icons.tsx';
import { useWorkspace } from './workspace.ts';

/** Says what is not running, where nobody overlooks it. */
export function Banner({ link }: { link: Link }) {
  const { bot } = useWorkspace().snapshot;
  if (link === 'stopped') {
    return (
      <div className="banner stopped" role="alert">
        <WarningIcon />
        <span>
          <b>Sandbox stopped.</b> Start it again with <code>npm run sandbox</code>; this page comes back by
          itself.
        </span>
      </div>
    );
  }
  if (bot.up) return null;
  return (
    <div className="banner" role="alert">
      <WarningIcon />
      <span>
        <b>{bot.name} is down.</b> Commands and clicks get no answer until it runs again.
      </span>
    </div>
  );
}
