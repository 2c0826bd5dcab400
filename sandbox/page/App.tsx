import { useCallback, useMemo, useRef, useState } from 'react';
import type { Example, Snapshot } from '../protocol.ts';
import { useStream } from './api.ts';
import { Banner } from './Banner.tsx';
import { ConfirmProvider } from './blocks/Confirm.tsx';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { draftKey, useDrafts } from './drafts.ts';
import { AppHome } from './Home.tsx';
import { HOME, useLocation } from './location.ts';
import { Modals } from './Modal.tsx';
import { NARROW, PHONE, useMedia } from './media.ts';
import { Panel } from './panel/Panel.tsx';
import { Sidebar } from './Sidebar.tsx';
import { Toast, useToast } from './Toast.tsx';
import { TopBar } from './TopBar.tsx';
import { useTheme } from './theme.ts';
import { useUnread } from './unread.ts';
import { WorkspaceProvider } from './workspace.ts';

export function App() {
  const [location, go] = useLocation();
  const { snapshot, traffic, link } = useStream(location.as);
  const [problem, report] = useToast();
  const [theme, toggleTheme] = useTheme();
  const isPhone = useMedia(PHONE);
  // A narrow window has no room for the panel.
  const [panelOpen, setPanelOpen] = useState(!useMedia(NARROW));
  const [drawerWanted, setDrawerOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const [thread, setThread] = useState<string>();
  const [sentCount, setSentCount] = useState(0);
  const drafts = useDrafts();
  const here = snapshot && openPage(snapshot, location.channel);
  const unread = useUnread(snapshot, here?.channel?.id);
  const skipped = snapshot?.skipped ?? 0;
  const now = useCallback(() => new Date(Date.now() + skipped), [skipped]);
  const workspace = useMemo(() => {
    const me = snapshot?.people.find(({ id }) => id === snapshot.me);
    return snapshot && me ? { snapshot, me, now, channel: here?.channel, report } : undefined;
  }, [snapshot, now, here?.channel, report]);

  const openChannel = useCallback(
    (channel: string) => {
      setThread(undefined);
      setDrawerOpen(false);
      go({ channel });
    },
    [go],
  );
  if (!workspace || !here) return <LoadingScreen stopped={link === 'stopped'} />;
  const { me } = workspace;
  const covered = workspace.snapshot.views.length > 0;
  const drawerOpen = isPhone && drawerWanted && !covered;
  const closeDrawer = () => {
    setDrawerOpen(false);
    menuButton.current?.focus();
  };
  const layout = ['shell', panelOpen && 'with-panel', drawerOpen && 'with-drawer'].filter(Boolean).join(' ');
  const tryExample = ({ text, inThread }: Pick<Example, 'text' | 'inThread'>, as = me.id) => {
    const channel = here.channel ?? workspace.snapshot.channels[0];
    if (!channel) return;
    if (as !== me.id || !here.channel) go({ as, channel: channel.id });
    const answered = inThread && newestThread(workspace.snapshot, channel.id);
    setThread(answered);
    if (isPhone) setPanelOpen(false);
    drafts.insert(draftKey(channel.id, answered), text);
  };
  return (
    <WorkspaceProvider value={workspace}>
      <ConfirmProvider>
        <div className={layout}>
          <TopBar
            link={link}
            unread={Object.values(unread).reduce((sum, count) => sum + count, 0)}
            drawerOpen={drawerOpen}
            onDrawer={covered ? undefined : () => setDrawerOpen(!drawerOpen)}
            menuButton={menuButton}
            theme={theme}
            onTheme={toggleTheme}
            panelOpen={panelOpen}
            onPanel={() => setPanelOpen(!panelOpen)}
          />
          <Sidebar
            here={here.id}
            unread={unread}
            inert={covered}
            drawer={drawerOpen}
            onOpen={openChannel}
            onPerson={(as) => go({ as })}
            onClose={closeDrawer}
          />
          <main className="centre" inert={covered || drawerOpen || (isPhone && panelOpen)}>
            <Banner link={link} />
            {here.channel ? (
              <>
                <Conversation
                  key={here.id}
                  channel={here.channel}
                  sentCount={sentCount}
                  onOpen={openChannel}
                  onTry={tryExample}
                  onThread={setThread}
                />
                <Composer
                  key={`${here.id}/${thread ?? ''}`}
                  drafts={drafts}
                  thread={thread}
                  onLeaveThread={() => setThread(undefined)}
                  onSent={() => setSentCount(sentCount + 1)}
                />
              </>
            ) : (
              <AppHome onOpen={openChannel} />
            )}
          </main>
          {panelOpen && <Panel traffic={traffic} onTry={tryExample} onClose={() => setPanelOpen(false)} />}
          <Modals />
        </div>
        <Toast problem={problem} />
      </ConfirmProvider>
    </WorkspaceProvider>
  );
}

/** Returns the channel in the URL if this viewer can see it, otherwise their first channel. */
function openPage({ channels }: Snapshot, wanted: string | null) {
  if (wanted === HOME) return { id: HOME, channel: undefined };
  // Each person has their own DM with the bot: after switching to another person, show theirs.
  const direct = wanted?.startsWith('D') ? channels.find(({ kind }) => kind === 'im') : undefined;
  const channel = channels.find(({ id, name }) => id === wanted || name === wanted) ?? direct ?? channels[0];
  return { id: channel?.id ?? HOME, channel };
}

/** The thread of the newest message of the app in a thread of the channel. */
const newestThread = ({ messages }: Snapshot, channel: string): string | undefined =>
  messages[channel]?.findLast(({ from, threadTs }) => from === 'bot' && threadTs)?.threadTs;

function LoadingScreen({ stopped }: { stopped: boolean }) {
  return (
    <div className="waiting" role="status">
      {stopped ? 'Sandbox stopped' : 'Opening the workspace…'}
      {stopped && <small>Start it with npm run sandbox. This page reconnects automatically.</small>}
    </div>
  );
}
