import type { KnownBlock, View } from '@slack/types';
import { useEffect } from 'react';
import { post } from './api.ts';
import { Blocks } from './blocks/Blocks.tsx';
import { SurfaceProvider, useSurfaceOf } from './blocks/surface.ts';
import { AppHeader } from './ChannelHeader.tsx';
import { HOME } from './location.ts';
import { useWorkspace } from './workspace.ts';

export function AppHome({ onOpen }: { onOpen(channel: string): void }) {
  const { snapshot, me } = useWorkspace();
  // Sends `app_home_opened`, after which the app can publish the Home.
  useEffect(() => {
    void post('home', { as: me.id });
  }, [me.id]);
  return (
    <>
      <AppHeader open="home" onOpen={onOpen} />
      <section className="scroller home" aria-label="App Home">
        {snapshot.home ? (
          <HomeView key={me.id} view={snapshot.home} />
        ) : (
          <p className="home-empty">
            {snapshot.install?.isInstalled === false
              ? `${snapshot.bot.name} isn’t installed in ${snapshot.workspace.name} yet.`
              : `${snapshot.bot.name} hasn’t published your Home yet.`}
          </p>
        )}
      </section>
      <div className="composer off" aria-hidden="true">
        To write to {snapshot.bot.name}, open Messages.
      </div>
    </>
  );
}

function HomeView({ view }: { view: View }) {
  const blocks = view.blocks as KnownBlock[];
  const surface = useSurfaceOf({ viewId: HOME }, blocks, false);
  return (
    <SurfaceProvider value={surface}>
      <div className="home-view">
        <Blocks blocks={blocks} />
      </div>
    </SurfaceProvider>
  );
}
