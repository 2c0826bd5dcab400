/** One workspace with all that happens in it. */
import type { Delivery } from './deliver.ts';
import { Events } from './events.ts';
import { Interactions } from './interactions.ts';
import type { Manifest } from './manifest.ts';
import type { MethodContext } from './methods/method.ts';
import type { Doers } from './page.ts';
import { ResponseUrls, type SlackBehaviour } from './response-urls.ts';
import { type SandboxControls, snapshotFor } from './snapshot.ts';
import { Speech } from './speech.ts';
import { Submissions } from './submissions.ts';
import type { Founding } from './teams.ts';
import { Triggers } from './triggers.ts';
import { Views } from './views.ts';
import { Workspace } from './workspace.ts';

export interface HostParts extends Pick<MethodContext, 'manifest' | 'url' | 'refuse'> {
  panel: SandboxControls;
  behaviour: SlackBehaviour;
  mode: 'http' | 'socket';
  now: () => number;
  triggerLife: number;
  eventRetries: readonly number[];
  delivery: () => Delivery;
  complain: (problem: string) => void;
  /** All workspaces, this one among them. */
  workspaces: () => readonly Workspace[];
  /** Told of every change, whichever workspace it is in. */
  listeners: Set<() => void>;
}

export type Hosted = ReturnType<typeof host>;

/** @param isInstalled whether the app is there from the beginning */
export function host(founding: Founding, isInstalled: boolean, parts: HostParts) {
  const { manifest, now, delivery, complain, listeners, panel } = parts;
  const workspace = new Workspace({ ...founding, botName: manifest.botName, now, listeners, isInstalled });
  const views = new Views(founding.team.id, now, () => workspace.changed());
  const triggers = new Triggers(now, parts.triggerLife);
  const responses = new ResponseUrls(workspace, parts.url, parts.refuse, parts.behaviour);
  const events = new Events(workspace, manifest, delivery, parts.eventRetries);
  const speech = new Speech({ workspace, manifest, events, triggers, responses, delivery, complain });
  const interactionParts = { workspace, views, triggers, responses, delivery, complain };
  const interactions = new Interactions(interactionParts);
  const submissions = new Submissions(interactionParts);

  const doers: Omit<Doers, 'switch' | 'skip' | 'uninstall'> = {
    say: (body) => speech.say(body),
    act: (body) => interactions.act(body),
    submit: (body) => submissions.submit(body),
    close: (body) => submissions.close(body),
    suggest: (body) => interactions.suggest(body),
    home: ({ as }) => openHome(as, { workspace, manifest, events }),
  };
  return {
    workspace,
    views,
    triggers,
    responses,
    events,
    interactions,
    doers,
    snapshot: (person: string) => snapshotFor(person, { ...parts, workspace, views, manifest, panel }),
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
