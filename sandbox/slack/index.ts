/**
 * A Slack workspace on one's own machine. It knows the bot by its URLs alone, sends what Slack sends, refuses what
 * Slack refuses, and shows everybody what they would see.
 */
import type { Person } from '../protocol.ts';
import { type Ack, type Delivery, httpDelivery, sign } from './deliver.ts';
import { createDriver, type Driver } from './driver.ts';
import { Events } from './events.ts';
import { Interactions } from './interactions.ts';
import { readManifest } from './manifest.ts';
import { createMasker } from './masking.ts';
import { type Doers, Page } from './page.ts';
import type { Place } from './people.ts';
import { ResponseUrls } from './response-urls.ts';
import { listen } from './server.ts';
import { NO_PANEL, type Panel, snapshotFor } from './snapshot.ts';
import { type DisconnectReason, socketDelivery } from './socket-mode.ts';
import { Speech } from './speech.ts';
import { Submissions } from './submissions.ts';
import { TrafficLog } from './traffic.ts';
import { Triggers } from './triggers.ts';
import { Views } from './views.ts';
import { type Call, type Failure, WebApi } from './web-api.ts';
import { Workspace } from './workspace.ts';

export { GUEST, MEMBER, OWNER } from './people.ts';

export interface SlackOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  mode: 'http' | 'socket';
  /** HTTP mode: the bot's base URL, asked at every request. */
  botUrl?: () => string;
  signingSecret: string;
  botToken: string;
  /** Socket Mode: the app-level token. */
  appToken?: string;
  /** manifest.yml, parsed. */
  manifest: unknown;
  people?: readonly Person[];
  channels?: readonly Place[];
  /** How long the bot may take to acknowledge, in ms. */
  ackTimeout?: number;
  /** How long a `trigger_id` is good for, in ms. */
  triggerLife?: number;
  /** How long each retry of an event waits, in ms. */
  eventRetries?: readonly number[];
  /** ms since the epoch */
  now?: () => number;
  /** Where the built page lies. */
  pageDir?: string;
  panel?: Panel;
}

export interface Slack extends Driver {
  /** The base; `${url}/api/` is what `SLACK_API_URL` wants. */
  url: string;
  /** Every call of the Web API, oldest first. */
  calls: readonly Call[];
  /** What the bot sent that Slack could not use, in words. */
  complaints: readonly string[];
  traffic: TrafficLog;
  workspace: Workspace;
  /** Block types that are refused in ephemeral messages, acknowledgements and `response_url`s. */
  refuse: Set<string>;
  /** The headers of a request with this body, signed as Slack signs. */
  signed(body: string, signing?: { at?: number; secret?: string }): Record<string, string>;
  /** Sends any event, subscribed to or not. */
  event(event: Record<string, unknown>): Promise<Ack>;
  failNext(method: string, failure: Failure, times?: number): void;
  /** Comes back with what `look` finds, as soon as it finds something other than undefined, null or false. */
  waitFor<T>(look: (slack: Slack) => T | undefined | null | false, ms?: number): Promise<T>;
  /** Socket Mode: how many connections are open. */
  connections(): number;
  /** Socket Mode: sends one connection away, as Slack does every few hours. */
  disconnect(reason: DisconnectReason): void;
  /** Says that something on the panel is different now. */
  changed(): void;
  close(): Promise<void>;
}

export async function startSlack(options: SlackOptions): Promise<Slack> {
  const now = options.now ?? Date.now;
  const panel = options.panel ?? NO_PANEL;
  const manifest = readManifest(options.manifest);
  const complaints: string[] = [];
  const refuse = new Set<string>();
  let base = '';
  const url = () => base;

  const workspace = new Workspace({ ...options, botName: manifest.botName, now });
  const views = new Views(now, () => workspace.changed());
  const triggers = new Triggers(now, options.triggerLife ?? 3_000);
  const responses = new ResponseUrls(workspace, url, refuse);
  const secrets = [options.signingSecret, options.botToken, options.appToken ?? ''];
  const mask = createMasker(() => [...secrets, ...panel.credentials.map(({ value }) => value)]);
  const traffic = new TrafficLog(mask, now);

  const ackTimeout = options.ackTimeout ?? 3_000;
  const socket =
    options.mode === 'socket'
      ? socketDelivery({ ackTimeout, traffic, changed: () => workspace.changed() })
      : undefined;
  const toBot: Delivery = socket ?? httpDelivery({ ...signing(options), ackTimeout, now, traffic });
  const delivery = () => toBot;
  const socketUrl = socket && (() => `${base.replace('http', 'ws')}/link?ticket=${socket.ticket()}`);

  const complain = (problem: string) => {
    complaints.push(problem);
    workspace.changed();
  };
  const events = new Events(workspace, manifest, delivery, options.eventRetries ?? [0, 60_000, 300_000]);
  const speech = new Speech({ workspace, manifest, events, triggers, responses, delivery, complain });
  const interactionParts = { workspace, views, triggers, responses, delivery, complain };
  const interactions = new Interactions(interactionParts);
  const submissions = new Submissions(interactionParts);
  const context = { workspace, views, triggers, manifest, refuse, url, socketUrl };
  const tokens = { bot: options.botToken, app: options.appToken };
  const api = new WebApi(context, tokens, traffic);

  const doers: Doers = {
    say: (body) => speech.say(body),
    act: (body) => interactions.act(body),
    submit: (body) => submissions.submit(body),
    close: (body) => submissions.close(body),
    suggest: (body) => interactions.suggest(body),
    async home({ as: user }) {
      const channel = workspace.directMessageOf(user)?.id;
      if (!channel) return { ok: false, error: 'user_not_found' };
      if (!manifest.tabs.home) return { ok: true };
      await events.publish('app_home_opened', { type: 'app_home_opened', user, channel, tab: 'home' });
      return { ok: true };
    },
    async switch({ service, mode }) {
      const isKnown = panel.setSwitch(service, mode);
      workspace.changed();
      return isKnown ? { ok: true } : { ok: false, error: 'unknown_mode' };
    },
  };
  const scenery = { workspace, views, manifest, panel, mode: options.mode };
  const snapshot = (person: string) => snapshotFor(person, scenery);
  const page = new Page({ doers, workspace, traffic, snapshot, dir: options.pageDir });
  const { scopes } = manifest;
  const rooms = { api, responses, page, traffic, scopes, upgrade: socket?.upgrade };
  const listening = await listen(options.port ?? 0, rooms);
  base = `http://127.0.0.1:${listening.port}`;

  const slack: Slack = {
    ...createDriver({ doers, workspace, views, interactions, snapshot }),
    url: base,
    calls: api.calls,
    complaints,
    traffic,
    workspace,
    refuse,
    signed: (body, { at = now(), secret = options.signingSecret } = {}) => sign(body, secret, at),
    event: (event) => events.send(event),
    failNext: (...args) => api.failNext(...args),
    waitFor: (look, ms = 5_000) => waitFor(workspace, () => look(slack), ms, complaints),
    connections: () => socket?.connections() ?? 0,
    disconnect: (reason) => socket?.disconnect(reason),
    changed: () => workspace.changed(),
    async close() {
      events.close();
      page.close();
      await toBot.close();
      await listening.close();
    },
  };
  return slack;
}

function signing({ botUrl, signingSecret }: SlackOptions) {
  if (!botUrl) throw new Error('HTTP mode needs to know where the bot is: botUrl.');
  return { botUrl, signingSecret };
}

const LOOK_EVERY = 20;

/** Looks at every change, and now and then, for `look` may be about something else than this workspace. */
async function waitFor<T>(
  workspace: Workspace,
  look: () => T | undefined | null | false,
  ms: number,
  complaints: readonly string[],
): Promise<T> {
  const releases: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      const check = () => {
        try {
          const seen = look();
          if (seen !== undefined && seen !== null && seen !== false) resolve(seen);
        } catch (error) {
          reject(error);
        }
      };
      const giveUp = () => {
        const said = complaints.length > 0 ? ` Slack complained: ${complaints.join(' | ')}` : '';
        reject(new Error(`Nothing of the kind within ${ms} ms.${said}`));
      };
      const looks = setInterval(check, LOOK_EVERY);
      const patience = setTimeout(giveUp, ms);
      releases.push(
        workspace.onChange(check),
        () => clearInterval(looks),
        () => clearTimeout(patience),
      );
      check();
    });
  } finally {
    for (const release of releases) release();
  }
}
