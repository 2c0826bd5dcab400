/** One workspace with its views, events, commands and interactions. */

import { Composer } from './composer.ts';
import type { Delivery } from './delivery.ts';
import { Events } from './events.ts';
import { Interactions } from './interactions.ts';
import type { Manifest } from './manifest.ts';
import type { MethodContext } from './methods/method.ts';
import type { VerbHandlers } from './page.ts';
import { ResponseUrls, type SlackBehaviour } from './response-urls.ts';
import { type SandboxControls, snapshotFor } from './snapshot.ts';
import { Steps } from './steps.ts';
import { Submissions } from './submissions.ts';
import type { WorkspaceSeed } from './teams.ts';
import { Triggers } from './triggers.ts';
import { Views } from './views.ts';
import { Workspace } from './workspace.ts';

export interface WorkspaceRuntimeParts extends Pick<MethodContext, 'manifest' | 'url' | 'refuse'> {
  panel: SandboxControls;
  behaviour: SlackBehaviour;
  mode: 'http' | 'socket';
  now: () => number;
  triggerLife: number;
  eventRetries: readonly number[];
  delivery: () => Delivery;
  complain: (problem: string) => void;
  /** All workspaces, including this one. */
  workspaces: () => readonly Workspace[];
  /** Called after every change in any workspace. */
  listeners: Set<() => void>;
}

export type WorkspaceRuntime = ReturnType<typeof createWorkspaceRuntime>;

/** @param isInstalled whether the app is installed from the start */
export function createWorkspaceRuntime(
  seed: WorkspaceSeed,
  isInstalled: boolean,
  parts: WorkspaceRuntimeParts,
) {
  const { manifest, now, delivery, complain, listeners, panel } = parts;
  const workspace = new Workspace({ ...seed, botName: manifest.botName, now, listeners, isInstalled });
  const views = new Views(seed.team.id, now, () => workspace.changed());
  const triggers = new Triggers(now, parts.triggerLife);
  const responses = new ResponseUrls(workspace, parts.url, parts.refuse, parts.behaviour);
  const events = new Events(workspace, manifest, delivery, parts.eventRetries);
  const speech = new Composer({ workspace, manifest, events, triggers, responses, delivery, complain });
  const interactionParts = { workspace, views, triggers, responses, delivery, complain };
  const steps = new Steps(workspace, manifest, events);
  const interactions = new Interactions(interactionParts);
  const submissions = new Submissions(interactionParts);

  const handlers: Omit<VerbHandlers, 'switch' | 'skip' | 'uninstall'> = {
    say: (body) => speech.say(body),
    act: (body) => interactions.act(body),
    submit: (body) => submissions.submit(body),
    close: (body) => submissions.close(body),
    suggest: (body) => interactions.suggest(body),
    step: ({ step, inputs }) => steps.run(step, inputs),
    home: ({ as }) => openHome(as, { workspace, manifest, events }),
  };
  return {
    workspace,
    views,
    triggers,
    responses,
    events,
    interactions,
    steps,
    handlers,
    snapshot: (person: string) => snapshotFor(person, { ...parts, workspace, views, steps, manifest, panel }),
  };
}

async function openHome(
  user: string,
  { workspace, manifest, events }: { workspace: Workspace; manifest: Manifest; events: Events },
) {
  const channel = workspace.directMessageOf(user)?.id;
  if (!channel) return { ok: false, error: 'user_not_found' };
  if (!manifest.tabs.home) return { ok: true };
  await events.publish('app_home_opened', { type: 'app_home_opened', user, channel, tab: 'home' });
  return { ok: true };
}
