/** The channels, and the people that the viewer can be. */
import type { ReactNode } from 'react';
import { Avatar, channelIcon, HOME, Icon, useWorkspace } from './workspace.tsx';

interface Props {
  here: string;
  unread: Record<string, number>;
}

export function Sidebar({ here, unread }: Props) {
  const { snapshot, me, go } = useWorkspace();
  const { workspace, workspaces, channels, people, bot, views } = snapshot;
  const entry = (id: string, icon: ReactNode, name: string) => (
    <li key={id}>
      <button
        type="button"
        aria-current={here === id ? 'page' : undefined}
        onClick={() => go({ channel: id })}
      >
        {icon}
        <span>{name}</span>
        {(unread[id] ?? 0) > 0 && <b>{unread[id]} new</b>}
      </button>
    </li>
  );
  return (
    <nav className="sidebar" aria-label="Workspace" inert={views.length > 0}>
      {workspaces.length > 1 && (
        <p className="workspaces">
          {workspaces.map(({ id, name, as }) => (
            <button
              key={id}
              type="button"
              aria-current={id === workspace.id ? 'true' : undefined}
              onClick={() => id !== workspace.id && go({ as })}
            >
              {name}
            </button>
          ))}
        </p>
      )}
      <ul>
        {channels.map((channel) =>
          channel.kind === 'im'
            ? entry(channel.id, <Avatar from="bot" size={20} />, bot.name)
            : entry(channel.id, channelIcon(channel), channel.name),
        )}
        {entry(HOME, <Icon name="home" size={18} />, 'App Home')}
      </ul>
      <fieldset>
        <legend>Switch person</legend>
        {people.map(({ id, realName, role }) => (
          <label key={id}>
            <input type="radio" name="person" checked={id === me.id} onChange={() => go({ as: id })} />
            <Avatar from={id} size={26} />
            <span>{realName}</span>
            <small>{role}</small>
          </label>
        ))}
      </fieldset>
    </nav>
  );
}
