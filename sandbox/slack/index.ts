/**
 * A fake Slack. It knows the bot only by its URLs, sends what Slack sends, rejects what Slack rejects, and keeps what
 * each person sees.
 */
import type { Person, Role } from '../protocol.ts';
import { type Ack, type Delivery, httpDelivery, sign } from './delivery.ts';
import { createDriver, type Driver } from './driver.ts';
import { Files } from './files.ts';
import { readManifest } from './manifest.ts';
import { createMasker } from './masking.ts';
import type { MethodContext } from './methods/method.ts';
import { OAuth, type OAuthOptions } from './oauth.ts';
import { Page, type VerbHandlers } from './page.ts';
import { BOT_USER, type Conversation, TEAM } from './people.ts';
import type { SlackBehaviour } from './response-urls.ts';
import { listen } from './server.ts';
import { NO_CONTROLS, type SandboxControls } from './snapshot.ts';
import { type DisconnectReason, socketDelivery } from './socket-mode.ts';
import { ORBIT, SANDBOX } from './teams.ts';
import { TrafficLog } from './traffic.ts';
import { waitFor } from './wait-for.ts';
import { type Bearer, type Call, type Failure, WebApi } from './web-api.ts';
import type { Workspace } from './workspace.ts';
import { createWorkspaceRuntime, type WorkspaceRuntime } from './workspace-runtime.ts';

export { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, OTHER_TEAM, OWNER } from './people.ts';
export { ORBIT_MEMBER, ORBIT_OWNER } from './teams.ts';

const MAY_INSTALL: readonly Role[] = ['owner', 'admin', 'member'];

export interface SlackOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  mode: 'http' | 'socket';
  /** HTTP mode: the bot's base URL, read at every request. */
  botUrl?: () => string;
  signingSecret: string;
  /** The token of the first workspace, unless `oauth` is set. */
  botToken: string;
  /** Two workspaces, without the app: it is installed by OAuth. */
  oauth?: OAuthOptions;
  /** Socket Mode: the app-level token. */
  appToken?: string;
  /** manifest.json, parsed. */
  manifest: unknown;
  people?: readonly Person[];
  channels?: readonly Conversation[];
  /** How long the bot may take to acknowledge, in ms. */
  ackTimeout?: number;
  /** How long a `trigger_id` is valid, in ms. */
  triggerLife?: number;
  /** The delay before each retry of an event, in ms. */
  eventRetries?: readonly number[];
  /** ms since the epoch */
  now?: () => number;
  /** The folder of the built page. */
  pageDir?: string;
  panel?: SandboxControls;
}

export interface Slack extends Driver {
  /** The base URL; `SLACK_API_URL` is `${url}/api/`. */
  url: string;
  /** Every Web API call, oldest first. */
  calls: readonly Call[];
  /** What the bot sent that Slack rejects without an answer, as sentences. */
  complaints: readonly string[];
  traffic: TrafficLog;
  /** The first workspace. */
  workspace: Workspace;
  /** Block types to reject in ephemeral messages, acknowledgements and `response_url`s. */
  refuse: Set<string>;
  /** How slow this Slack is, and what it does where Slack documents nothing. */
  behaviour: SlackBehaviour;
  /** Slack's signature headers for this body. */
  signed(body: string, signing?: { at?: number; secret?: string }): Record<string, string>;
  /** Sends an event, even one without a subscription; from the first workspace by default. */
  event(event: Record<string, unknown>, team?: string): Promise<Ack>;
  failNext(method: string, failure: Failure, times?: number): void;
  /** Resolves with what `look` returns once it is not undefined, null or false. Rejects after `ms`. */
  waitFor<T>(look: (slack: Slack) => T | undefined | null | false, ms?: number): Promise<T>;
  /** Socket Mode: the number of open connections. */
  connections(): number;
  /** Socket Mode: asks one connection to reconnect, as Slack does every few hours. */
  disconnect(reason: DisconnectReason): void;
  /** Call when something on the panel has changed. */
  changed(): void;
  close(): Promise<void>;
}

export async function startSlack(options: SlackOptions): Promise<Slack> {
  const now = options.now ?? Date.now;
  const panel = options.panel ?? NO_CONTROLS;
  const manifest = readManifest(options.manifest);
  const complaints: string[] = [];
  const refuse = new Set<string>();
  const behaviour: SlackBehaviour = { latency: 0, replacesCommandAnswers: true };
  let base = '';
  const url = () => base;

  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  const oauth = options.oauth && new OAuth(options.oauth, now);
  const mask = createMasker(() => [
    ...[options.signingSecret, options.botToken, options.appToken ?? ''],
    ...(oauth?.secrets ?? []),
    ...panel.credentials.map(({ value }) => value),
  ]);
  const traffic = new TrafficLog(mask, now);
  const ackTimeout = options.ackTimeout ?? 3_000;
  const socket = options.mode === 'socket' ? socketDelivery({ ackTimeout, traffic, changed }) : undefined;
  const toBot: Delivery = socket ?? httpDelivery({ ...signingParts(options), ackTimeout, now, traffic });
  const socketUrl = socket && (() => `${base.replace('http', 'ws')}/link?ticket=${socket.ticket()}`);
  const complain = (problem: string) => {
    complaints.push(problem);
    changed();
  };

  const runtimeParts = {
    ...{ manifest, url, refuse, behaviour, panel, mode: options.mode, now, complain, listeners },
    triggerLife: options.triggerLife ?? 3_000,
    eventRetries: options.eventRetries ?? [0, 60_000, 300_000],
    delivery: () => toBot,
    workspaces: () => all.map(({ workspace }) => workspace),
  };
  const { people = SANDBOX.people, channels = SANDBOX.channels } = options;
  const first = createWorkspaceRuntime({ ...SANDBOX, people, channels }, oauth === undefined, runtimeParts);
  const all: readonly WorkspaceRuntime[] = oauth
    ? [first, createWorkspaceRuntime(ORBIT, false, runtimeParts)]
    : [first];
  const at = (person: string) => all.find(({ workspace }) => workspace.person(person)) ?? first;
  const inTeam = (id: string) => all.find(({ workspace }) => workspace.team.id === id) ?? first;

  const uninstall = async (team: string): Promise<void> => {
    const { workspace, events } = inTeam(team);
    oauth?.revoke(team);
    const tokens = { oauth: [], bot: [BOT_USER] };
    const deliveries = [
      events.publish('tokens_revoked', { type: 'tokens_revoked', tokens }),
      events.publish('app_uninstalled', { type: 'app_uninstalled' }),
    ];
    workspace.isInstalled = false;
    changed();
    await Promise.all(deliveries);
  };
  const files = new Files(url);
  const contextOf = ({ workspace, views, triggers, steps }: WorkspaceRuntime): MethodContext => ({
    ...{ workspace, views, triggers, steps, manifest, files, refuse, url, socketUrl, oauth },
    markInstalled(team) {
      inTeam(team).workspace.isInstalled = true;
      changed();
    },
    uninstall: (team) => void uninstall(team),
  });
  const bearerOf = (token: string): Bearer => {
    if (token === options.appToken) return 'app';
    const running = all.find(({ steps }) => steps.isToken(token));
    if (running !== undefined) return { context: contextOf(running) };
    const known = oauth
      ? oauth.teamOf(token)
      : token === options.botToken
        ? { team: TEAM }
        : { error: 'invalid_auth' };
    return 'error' in known ? known : { context: contextOf(inTeam(known.team)) };
  };
  const api = new WebApi(contextOf(first), bearerOf, traffic);

  const handlers: VerbHandlers = {
    say: (body) => at(body.as).handlers.say(body),
    act: (body) => at(body.as).handlers.act(body),
    submit: (body) => at(body.as).handlers.submit(body),
    close: (body) => at(body.as).handlers.close(body),
    suggest: (body) => at(body.as).handlers.suggest(body),
    home: (body) => at(body.as).handlers.home(body),
    step: (body) => at(body.as).handlers.step(body),
    async uninstall({ as }) {
      if (!oauth) return { ok: false, error: 'not_supported' };
      await uninstall(at(as).workspace.team.id);
      return { ok: true };
    },
    async switch({ service, mode }) {
      const isKnown = panel.setSwitch(service, mode);
      changed();
      return isKnown ? { ok: true } : { ok: false, error: 'unknown_mode' };
    },
    async skip({ as, to }) {
      const zone = at(as).workspace.person(as)?.tz ?? 'UTC';
      const isTime = panel.skip(to, zone);
      changed();
      return isTime ? { ok: true } : { ok: false, error: 'no_such_time' };
    },
  };
  const snapshot = (person: string) => at(person).snapshot(person);
  const person = (id: string | null) => (id === null ? people[0]?.id : at(id).workspace.person(id)?.id);
  const page = new Page({ handlers: handlers, person, onChange, traffic, snapshot, dir: options.pageDir });
  const responses = {
    answer: (key: string, body: unknown) =>
      (all.find((workspace) => workspace.responses.has(key)) ?? first).responses.answer(key, body),
  };
  const { scopes } = manifest;
  const authorize = oauth && {
    ...{ oauth, scopes, botName: manifest.botName },
    teams: () =>
      all.map(({ workspace }) => ({
        team: workspace.team,
        people: workspace.people.filter((person) => MAY_INSTALL.includes(person.role)),
      })),
  };
  const appPath = (team: string | null) => {
    const { workspace } = inTeam(team ?? TEAM);
    const [somebody] = workspace.people;
    const as = oauth?.installerOf(workspace.team.id) ?? somebody?.id ?? '';
    return `/?${new URLSearchParams({ as, channel: workspace.directMessageOf(as)?.id ?? '' })}`;
  };
  const serverParts = {
    ...{ api, behaviour, responses, files, page, traffic, scopes, authorize, appPath },
    upgrade: socket?.upgrade,
  };
  const listening = await listen(options.port ?? 0, serverParts);
  base = `http://127.0.0.1:${listening.port}`;

  const slack: Slack = {
    ...createDriver({ handlers: handlers, at, snapshot }),
    url: base,
    calls: api.calls,
    complaints,
    traffic,
    workspace: first.workspace,
    refuse,
    behaviour,
    signed: (body, { at = now(), secret = options.signingSecret } = {}) => sign(body, secret, at),
    event: (event, team = TEAM) => inTeam(team).events.send(event),
    failNext: (...args) => api.failNext(...args),
    waitFor: (look, ms = 5_000) => waitFor(onChange, () => look(slack), ms, complaints),
    connections: () => socket?.connections() ?? 0,
    disconnect: (reason) => socket?.disconnect(reason),
    changed,
    async close() {
      for (const { events } of all) events.close();
      page.close();
      await toBot.close();
      await listening.close();
    },
  };
  return slack;
}

function signingParts({ botUrl, signingSecret }: SlackOptions) {
  if (!botUrl) throw new Error('HTTP mode needs botUrl.');
  return { botUrl, signingSecret };
}
