/** Builds the page's snapshot of a workspace as one person sees it. */
import type { Example, Message, Skip, Snapshot, Switch } from '../protocol.ts';
import type { Manifest } from './manifest.ts';
import { BOT_USER } from './people.ts';
import type { Steps } from './steps.ts';
import { toOpenView, type Views } from './views.ts';
import type { StoredMessage, Workspace } from './workspace.ts';

/** The sandbox's own controls, shown beside the workspace. */
export interface SandboxControls {
  switches(): Switch[];
  /** @returns false for an unknown switch or mode */
  setSwitch(service: string, mode: string): boolean;
  examples: readonly Example[];
  credentials: readonly { label: string; value: string }[];
  botUp(): boolean;
  /** How far the sandbox's clock is ahead of the machine's, in ms. */
  skipped(): number;
  /** @param zone the zone of a time of day @returns false for a time that never occurs */
  skip(to: Skip, zone: string): boolean;
  /** The app's install page; absent when the app has a fixed token. */
  installUrl?(): string;
}

export const NO_CONTROLS: SandboxControls = {
  switches: () => [],
  setSwitch: () => false,
  examples: [],
  credentials: [],
  botUp: () => true,
  skipped: () => 0,
  skip: () => false,
};

export interface SnapshotParts {
  workspace: Workspace;
  views: Views;
  steps: Steps;
  manifest: Manifest;
  panel: SandboxControls;
  mode: 'http' | 'socket';
  /** All workspaces, including this one. */
  workspaces: () => readonly Workspace[];
}

export function snapshotFor(me: string, scenery: SnapshotParts): Snapshot {
  const { workspace, views, manifest, panel, mode } = scenery;
  const conversations = workspace.conversationsOf(me);
  const home = views.home(me);
  return {
    type: 'snapshot',
    workspace: { id: workspace.team.id, name: workspace.team.name },
    workspaces: scenery.workspaces().map(({ team, people }) => ({
      id: team.id,
      name: team.name,
      as: people[0]?.id ?? '',
    })),
    ...(panel.installUrl && {
      install: { url: panel.installUrl(), isInstalled: workspace.isInstalled },
    }),
    me,
    people: [...workspace.people],
    channels: conversations.map(({ id, name, kind, topic }) => ({ id, name, kind, topic })),
    messages: Object.fromEntries(
      conversations.map(({ id }) => [id, workspace.messagesFor(me, id).map(withoutViewer)]),
    ),
    views: views.stack(me).map(toOpenView),
    ...(home && { home: toOpenView(home).view }),
    commands: manifest.commands.map(({ command, description, usageHint }) => ({
      command,
      description,
      usageHint,
    })),
    bot: { name: manifest.botName, userId: BOT_USER, mode, up: panel.botUp() },
    skipped: panel.skipped(),
    switches: panel.switches(),
    examples: [...panel.examples],
    steps: [...manifest.steps],
    stepRuns: scenery.steps.runs(),
    credentials: [...panel.credentials],
  };
}

function withoutViewer({
  channel: _channel,
  team: _team,
  viewer: _viewer,
  ...message
}: StoredMessage): Message {
  return message;
}
