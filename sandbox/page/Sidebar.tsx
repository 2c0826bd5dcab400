import { type ReactNode, useState } from 'react';
import type { Channel, Person } from '../protocol.ts';
import { AppBadge, Avatar } from './Avatar.tsx';
import { ChevronIcon, HashIcon, HomeIcon, LockIcon } from './icons.tsx';
import { HOME } from './place.ts';
import { authorOf, useWorkspace } from './workspace.ts';

interface Props {
  /** Id of the open channel, or `home`. */
  here: string;
  onOpen(channel: string): void;
  onPerson(id: string): void;
  /** Out of reach, behind a modal. */
  inert: boolean;
}

export function Sidebar({ here, onOpen, onPerson, inert }: Props) {
  const { snapshot } = useWorkspace();
  const { workspace, channels, bot } = snapshot;
  const entry = (id: string, icon: ReactNode, name: string, badge = false) => (
    <li key={id}>
      <button
        type="button"
        className="side-entry"
        aria-current={here === id ? 'page' : undefined}
        onClick={() => onOpen(id)}
      >
        {icon}
        <span>{name}</span>
        {badge && <AppBadge />}
      </button>
    </li>
  );
  const rooms = channels.filter(({ kind }) => kind !== 'im');
  const direct = channels.filter(({ kind }) => kind === 'im');
  const mark = <Avatar author={authorOf('bot', snapshot)} size={20} />;
  return (
    <nav className="sidebar" aria-label="Workspace" inert={inert}>
      <h1 className="workspace-name">{workspace.name}</h1>
      <Workspaces onPerson={onPerson} />
      <div className="side-scroll">
        <Group title="Channels">{rooms.map((room) => entry(room.id, roomIcon(room), room.name))}</Group>
        <Group title="Direct messages">{direct.map(({ id }) => entry(id, mark, bot.name, true))}</Group>
        <Group title="Apps">{entry(HOME, <HomeIcon size={18} />, 'App Home')}</Group>
      </div>
      <People onPerson={onPerson} />
    </nav>
  );
}

const roomIcon = ({ kind }: Channel) =>
  kind === 'private' ? <LockIcon size={18} /> : <HashIcon size={18} />;

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="side-group" aria-label={title}>
      <h2>
        <ChevronIcon size={14} />
        {title}
      </h2>
      <ul>{children}</ul>
    </section>
  );
}

/** To the other workspaces, where there are any: as whoever is first there. */
function Workspaces({ onPerson }: { onPerson(id: string): void }) {
  const { workspace, workspaces } = useWorkspace().snapshot;
  if (workspaces.length < 2) return null;
  return (
    <ul className="workspaces" aria-label="Workspaces">
      {workspaces.map(({ id, name, as }) => (
        <li key={id}>
          <button
            type="button"
            aria-current={id === workspace.id ? 'true' : undefined}
            onClick={() => id !== workspace.id && onPerson(as)}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Whose eyes the workspace is seen with. */
function People({ onPerson }: { onPerson(id: string): void }) {
  const { snapshot, me } = useWorkspace();
  // The choice shows at once; what that person sees comes with the next snapshot.
  const [chosen, setChosen] = useState({ before: me.id, id: me.id });
  if (chosen.before !== me.id) setChosen({ before: me.id, id: me.id });
  const isMe = (person: Person) => person.id === chosen.id;
  const choose = (id: string) => {
    setChosen({ before: me.id, id });
    onPerson(id);
  };
  return (
    <fieldset className="people">
      <legend>You are</legend>
      {snapshot.people.map((person) => (
        <label key={person.id} className={isMe(person) ? 'person me' : 'person'}>
          <input type="radio" name="person" checked={isMe(person)} onChange={() => choose(person.id)} />
          <Avatar author={authorOf(person.id, snapshot)} size={26} />
          <span className="person-name">{person.realName}</span>
          <span className={`role ${person.role}`}>{person.role}</span>
        </label>
      ))}
    </fieldset>
  );
}
