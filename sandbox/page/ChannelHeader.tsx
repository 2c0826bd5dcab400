import type { Channel } from '../protocol.ts';
import { AppBadge, Avatar } from './Avatar.tsx';
import { HashIcon, LockIcon } from './icons.tsx';
import { HOME } from './location.ts';
import { authorOf, useWorkspace } from './workspace.ts';

export function ChannelHeader({ channel }: { channel: Channel }) {
  return (
    <header className="channel-header">
      <h2>
        {channel.kind === 'private' ? <LockIcon size={18} /> : <HashIcon size={18} />}
        {channel.name}
      </h2>
      <span className="topic">{channel.topic}</span>
    </header>
  );
}

/** The header of the app's Home and Messages tabs. */
export function AppHeader({ open, onOpen }: { open: 'home' | 'messages'; onOpen(channel: string): void }) {
  const { snapshot } = useWorkspace();
  const direct = snapshot.channels.find(({ kind }) => kind === 'im');
  const tab = (id: string | undefined, name: 'home' | 'messages', text: string) => (
    <button type="button" aria-current={open === name ? 'page' : undefined} onClick={() => id && onOpen(id)}>
      {text}
    </button>
  );
  return (
    <header className="channel-header app">
      <h2>
        <Avatar author={authorOf('bot', snapshot)} size={24} />
        {snapshot.bot.name}
        <AppBadge />
      </h2>
      <div className="tabs">
        {tab(HOME, 'home', 'Home')}
        {tab(direct?.id, 'messages', 'Messages')}
      </div>
    </header>
  );
}
