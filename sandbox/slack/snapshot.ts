/** The workspace as one person sees it, for the page. */
import type { Message, Snapshot, Switch, Try } from '../protocol.ts';
import type { Manifest } from './manifest.ts';
import { BOT_USER, TEAM } from './people.ts';
import { shownView, type Views } from './views.ts';
import type { Stored, Workspace } from './workspace.ts';

/** What the page shows beside the workspace; whoever starts the sandbox knows it. */
export interface Panel {
  switches(): Switch[];
  /** False when there is no such switch or mode. */
  setSwitch(service: string, mode: string): boolean;
  tries: readonly Try[];
  credentials: readonly { label: string; value: string }[];
  botUp(): boolean;
}

export const NO_PANEL: Panel = {
  switches: () => [],
  setSwitch: () => false,
  tries: [],
  credentials: [],
  botUp: () => true,
};

export interface Scenery {
  workspace: Workspace;
  views: Views;
  manifest: Manifest;
  panel: Panel;
  mode: 'http' | 'socket';
}

export function snapshotFor(me: string, { workspace, views, manifest, panel, mode }: Scenery): Snapshot {
  const places = workspace.placesOf(me);
  const home = views.home(me);
  return {
    type: 'snapshot',
    workspace: { id: TEAM, name: 'Sandbox' },
    me,
    people: [...workspace.people],
    channels: places.map(({ id, name, kind, topic }) => ({ id, name, kind, topic })),
    messages: Object.fromEntries(
      places.map(({ id }) => [id, workspace.messagesFor(me, id).map(withoutViewer)]),
    ),
    views: views.stack(me).map(shownView),
    ...(home && { home: shownView(home).view }),
    commands: manifest.commands.map(({ command, description, usageHint }) => ({
      command,
      description,
      usageHint,
    })),
    bot: { name: manifest.botName, userId: BOT_USER, mode, up: panel.botUp() },
    switches: panel.switches(),
    tries: [...panel.tries],
    credentials: [...panel.credentials],
  };
}

function withoutViewer({ channel: _channel, viewer: _viewer, ...message }: Stored): Message {
  return message;
}
