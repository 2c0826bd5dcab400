import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Channel, Person } from '../protocol.ts';
import { AppBadge, Avatar } from './Avatar.tsx';
import { ChevronIcon, HashIcon, HomeIcon, LockIcon } from './icons.tsx';
import { HOME } from './location.ts';
import { authorOf, useWorkspace } from './workspace.ts';

interface Props {
  /** ID of the open channel, or `home`. */
  here: string;
  /** Channel ID → number of unread messages; absent for none. */
  unread: Record<string, number>;
  onOpen(channel: string): void;
  onPerson(id: string): void;
  /** Behind a modal. */
  inert: boolean;
  /** On a phone: shown as a drawer over the conversation. */
  drawer: boolean;
  onClose(): void;
}

export function Sidebar({ here, unread, onOpen, onPerson, inert, drawer, onClose }: Props) {
  const { snapshot } = useWorkspace();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (drawer) nav.current?.querySelector<HTMLElement>('[aria-current="page"]')?.focus();
  }, [drawer]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (drawer && event.key === 'Escape') onClose();
  };
  const { workspace, channels, bot } = snapshot;
  const entry = (id: string, icon: ReactNode, name: string, badge = false) => (
    <li key={id}>
      <button
        type="button"
        className={unread[id] ? 'side-entry unread' : 'side-entry'}
        aria-current={here === id ? 'page' : undefined}
        onClick={() => onOpen(id)}
      >
        {icon}
        <span className="side-name">{name}</span>
        {badge && <AppBadge />}
        <UnreadBadge count={unread[id]} />
      </button>
    </li>
  );
  const joined = channels.filter(({ kind }) => kind !== 'im');
  const direct = channels.filter(({ kind }) => kind === 'im');
  const mark = <Avatar author={authorOf('bot', snapshot)} size={20} />;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape and the menu button close the drawer too */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the menu button close the drawer too */}
      {drawer && <div className="drawer-backdrop" onClick={onClose} />}
      <nav ref={nav} className="sidebar" aria-label="Workspace" inert={inert} onKeyDown={onKeyDown}>
        <p className="workspace-name">{workspace.name}</p>
        <Workspaces onPerson={onPerson} />
        <div className="side-scroll">
          <Group title="Channels">{joined.map((room) => entry(room.id, channelIcon(room), room.name))}</Group>
          <Group title="Direct messages">{direct.map(({ id }) => entry(id, mark, bot.name, true))}</Group>
          <Group title="Apps">{entry(HOME, <HomeIcon size={18} />, 'App Home')}</Group>
        </div>
        <People onPerson={onPerson} />
      </nav>
    </>
  );
}

/** As in Slack. */
const MAX_BADGE_COUNT = 99;

function UnreadBadge({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null;
  return (
    <span className="unread-badge">
      {count > MAX_BADGE_COUNT ? `${MAX_BADGE_COUNT}+` : count}
      <span className="for-screen-readers"> unread</span>
    </span>
  );
}

const channelIcon = ({ kind }: Channel) =>
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

/** Switches to another workspace, as its first person. */
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

/** Switches between people. */
function People({ onPerson }: { onPerson(id: string): void }) {
  const { snapshot, me } = useWorkspace();
  // Shows the choice at once, before the next snapshot arrives.
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
