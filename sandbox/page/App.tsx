/** The sandbox's page: a conversation or the App Home between the sidebar and the panel. */
import type { KnownBlock, View } from '@slack/types';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Example, Snapshot } from '../protocol.ts';
import { post, useStream } from './api.ts';
import { Blocks } from './blocks.tsx';
import type { Draft } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { SurfaceProvider, useSurfaceOf } from './form.ts';
import { Modals, useConfirm } from './Modal.tsx';
import { Panel } from './Panel.tsx';
import { Sidebar } from './Sidebar.tsx';
import {
  Avatar,
  channelIcon,
  HOME,
  Icon,
  usePlace,
  useUnread,
  useWorkspace,
  WorkspaceProvider,
} from './workspace.tsx';

export function App() {
  const [place, go] = usePlace();
  const { snapshot, isStopped } = useStream(place.as);
  if (snapshot) return <Shell snapshot={snapshot} isStopped={isStopped} go={go} wanted={place.channel} />;
  return (
    <p className="top-bar" role="status">
      {isStopped ? 'Sandbox stopped' : 'Opening the workspace…'}
    </p>
  );
}

interface ShellProps {
  snapshot: Snapshot;
  isStopped: boolean;
  go: ReturnType<typeof usePlace>[1];
  wanted: string | null;
}

const PROBLEM_MS = 6000;
/** The style sheet switches at the same width. */
const isNarrow = () => window.matchMedia('(width < 1100px)').matches;

function Shell({ snapshot, isStopped, go, wanted }: ShellProps) {
  const [problem, report] = useState('');
  const [isPanelOpen, setPanelOpen] = useState(!isNarrow());
  const [draft, setDraft] = useState<Draft>();
  const [confirmation, confirm] = useConfirm();
  const { bot, skipped, views } = snapshot;
  const channel = openChannel(snapshot, wanted);
  const unread = useUnread(snapshot, channel?.id);
  const now = useCallback(() => new Date(Date.now() + skipped), [skipped]);
  const workspace = useMemo(() => {
    const me = snapshot.people.find(({ id }) => id === snapshot.me);
    return me && { snapshot, me, now, channel, go, report, confirm };
  }, [snapshot, now, channel, go, confirm]);
  useEffect(() => {
    if (problem === '') return;
    const timer = setTimeout(() => report(''), PROBLEM_MS);
    return () => clearTimeout(timer);
  }, [problem]);
  if (!workspace) return null;

  const tryText = (text: string, inThread?: Example['inThread']) => {
    const target = channel ?? snapshot.channels[0];
    if (!target) return;
    if (!channel) go({ channel: target.id });
    if (isNarrow()) setPanelOpen(false);
    setDraft({ channel: target.id, thread: inThread && newestThread(snapshot, target.id), text });
  };
  return (
    <WorkspaceProvider value={workspace}>
      <div className={isPanelOpen ? 'shell with-panel' : 'shell'}>
        <header className="top-bar">
          <h1>{snapshot.workspace.name}</h1>
          <p>A simulated Slack workspace. Nothing leaves this machine.</p>
          <span>
            {isStopped ? 'The sandbox stopped' : `${bot.name} is ${bot.up ? 'running' : 'down'}`}
            {bot.mode === 'socket' && ' · Socket Mode'}
          </span>
          <button
            type="button"
            className="icon-button"
            aria-expanded={isPanelOpen}
            aria-label={isPanelOpen ? 'Hide the panel' : 'Show the panel'}
            onClick={() => setPanelOpen(!isPanelOpen)}
          >
            <Icon name="panel" />
          </button>
        </header>
        <Sidebar here={channel?.id ?? HOME} unread={unread} />
        <main className="centre" inert={views.length > 0}>
          <Title />
          {channel ? (
            <Conversation key={channel.id} channel={channel} draft={draft} onTry={tryText} />
          ) : (
            <AppHome />
          )}
        </main>
        {isPanelOpen && <Panel onTry={tryText} />}
        <Modals />
      </div>
      {confirmation}
      {problem && (
        <p className="toast" role="alert">
          {problem}
        </p>
      )}
    </WorkspaceProvider>
  );
}

function openChannel({ channels }: Snapshot, wanted: string | null) {
  if (wanted === HOME) return undefined;
  // Each person has their own DM with Tally: after switching to another person, show theirs.
  const direct = wanted?.startsWith('D') ? channels.find(({ kind }) => kind === 'im') : undefined;
  return channels.find(({ id, name }) => id === wanted || name === wanted) ?? direct ?? channels[0];
}

const newestThread = ({ messages }: Snapshot, channel: string): string | undefined =>
  messages[channel]?.findLast(({ from, threadTs }) => from === 'bot' && threadTs)?.threadTs;

function Title() {
  const { snapshot, channel, go } = useWorkspace();
  if (channel && channel.kind !== 'im')
    return (
      <header className="title">
        <h2>
          {channelIcon(channel)}
          {channel.name}
        </h2>
        <p>{channel.topic}</p>
      </header>
    );
  const direct = snapshot.channels.find(({ kind }) => kind === 'im')?.id ?? null;
  const tab = (name: string, isHere: boolean, id: string | null) => (
    <button type="button" aria-current={isHere ? 'page' : undefined} onClick={() => go({ channel: id })}>
      {name}
    </button>
  );
  return (
    <header className="title">
      <h2>
        <Avatar from="bot" size={24} />
        {snapshot.bot.name}
      </h2>
      {tab('Home', !channel, HOME)}
      {tab('Messages', Boolean(channel), direct)}
    </header>
  );
}

function AppHome() {
  const { snapshot, me } = useWorkspace();
  const { home, bot } = snapshot;
  // Sends `app_home_opened`; Tally then publishes the Home.
  useEffect(() => {
    void post('home', { as: me.id });
  }, [me.id]);
  return (
    <section className="home" aria-label="App Home">
      {home ? <HomeView key={me.id} view={home} /> : <p>{bot.name} hasn’t published your Home yet.</p>}
    </section>
  );
}

function HomeView({ view }: { view: View }) {
  const blocks = view.blocks as KnownBlock[];
  return (
    <SurfaceProvider value={useSurfaceOf({ viewId: HOME }, blocks)}>
      <Blocks blocks={blocks} />
    </SurfaceProvider>
  );
}
