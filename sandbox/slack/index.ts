/**
 * A fake Slack. It knows the bot only by its URLs, sends what Slack sends, rejects what Slack rejects, and keeps
 * what each person sees.
 */
import type { Panel } from '../panel.ts';
import type { Snapshot } from '../protocol.ts';
import { openHome, publish, say, sendEvent } from './conversation.ts';
import { type Core, type Failure, failed, type SlackBehaviour, Triggers } from './core.ts';
import { httpDelivery, sign, socketDelivery } from './delivery.ts';
import { createDriver } from './driver.ts';
import { act, close, submit, suggest } from './interactions.ts';
import { readManifest } from './manifest.ts';
import { OAuth, type OAuthOptions } from './oauth.ts';
import { BOT_USER, ORBIT, SANDBOX, type WorkspaceSeed } from './people.ts';
import { ResponseUrls } from './response-urls.ts';
import { listen, type VerbHandlers } from './server.ts';
import { Steps } from './steps.ts';
import { type Call, WebApi } from './web-api.ts';
import { toOpenView, Workspace } from './workspace.ts';

export { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, ORBIT_OWNER, OTHER_TEAM, OWNER } from './people.ts';

export interface SlackOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  mode: 'http' | 'socket';
  /** Read at every request, because the bot starts after this Slack. */
  botUrl: () => string;
  signingSecret: string;
  /** Not used with `oauth`. */
  botToken: string;
  /** Starts two workspaces without the app, which is installed by OAuth. */
  oauth?: OAuthOptions;
  appToken?: string;
  manifest: unknown;
  /** How long the bot may take to acknowledge, in ms. */
  ackTimeout?: number;
  now?: () => number;
  pageDir?: string;
  panel?: Panel;
}

export type Slack = Awaited<ReturnType<typeof startSlack>>;

export async function startSlack(options: SlackOptions) {
  const { now = Date.now, panel, ackTimeout = 3_000, signingSecret, botUrl } = options;
  const manifest = readManifest(options.manifest);
  const complaints: string[] = [];
  const refuse = new Set<string>();
  const behaviour: SlackBehaviour = { latency: 0, failure: undefined, failures: new Map() };
  let base = '';
  const url = () => base;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  const first = new Workspace(SANDBOX, manifest.botName, !options.oauth, now, changed);
  const workspaces = options.oauth
    ? [first, new Workspace(ORBIT, manifest.botName, false, now, changed)]
    : [first];
  const at = (person: string) => workspaces.find((workspace) => workspace.person(person)) ?? first;
  const oauth = options.oauth && new OAuth(options.oauth, now, workspaces, manifest);
  const socket = options.mode === 'socket' ? socketDelivery(ackTimeout, changed) : undefined;
  const core: Core = {
    manifest,
    workspaces,
    now,
    url,
    behaviour,
    refuse,
    oauth,
    changed,
    delivery: socket ?? httpDelivery({ ackTimeout, botUrl, signingSecret, now }),
    triggers: new Triggers(now),
    responses: new ResponseUrls({ now, url, refuse }),
    steps: new Steps(),
    complain(problem) {
      complaints.push(problem);
      changed();
    },
  };
  const bearerOf = (token: string, team: unknown) => {
    if (token === options.appToken) return 'app';
    const fixed = !oauth && token === options.botToken ? first : undefined;
    return (
      fixed ?? oauth?.workspaceOf(token, team) ?? core.steps.workspaceOf(token) ?? { error: 'invalid_auth' }
    );
  };
  const socketUrl = socket && (() => `${base.replace('http', 'ws')}/link?ticket=${socket.ticket()}`);
  const api = new WebApi(core, bearerOf, socketUrl);

  const handlers = createHandlers(core, at, panel);
  const snapshot = (me: string) => snapshotOf(me, at(me), core, options.mode, panel);
  const listening = await listen(options.port ?? 0, {
    core,
    api,
    socket,
    handlers,
    snapshot,
    onChange,
    pageDir: options.pageDir,
    person: (id) => (id === null ? first.people[0]?.id : at(id).person(id)?.id),
  });
  base = `http://127.0.0.1:${listening.port}`;

  return {
    ...createDriver(handlers, at, snapshot),
    /** Runs a step of Workflow Builder. Resolves with the run's ID when the bot has acknowledged. */
    runStep: (as: string, step: string, inputs: Record<string, unknown> = {}) =>
      core.steps.run(core, at(as), step, inputs),
    stepRun: (as: string, id: string) => core.steps.find(at(as), id),
    /** `SLACK_API_URL` is `${url}/api/`. */
    url: base,
    /** Calls of the Web API and of `response_url`s, oldest first. */
    calls: api.calls as readonly Call[],
    /** Those of the bot's mistakes that Slack wouldn't report, as sentences. */
    complaints: complaints as readonly string[],
    workspace: first,
    core,
    addWorkspace(seed: WorkspaceSeed): Workspace {
      const workspace = new Workspace(seed, manifest.botName, false, now, changed);
      workspaces.push(workspace);
      return workspace;
    },
    /** Block types to reject in ephemeral messages, acknowledgements and `response_url`s. */
    refuse,
    behaviour,
    changed,
    signed: (body: string, { at = now(), secret = signingSecret } = {}) => sign(body, secret, at),
    /** Sends an event from the first workspace, even without a subscription. */
    event: (event: Record<string, unknown>) => sendEvent(core, first, event),
    failNext: (method: string, failure: Failure, times?: number) => api.failNext(method, failure, times),
    /** Resolves with the first result of `look` that isn't undefined, null or false. Rejects after `ms`. */
    waitFor: <T>(look: () => T | undefined | null | false, ms = 5_000) =>
      waitFor(onChange, look, ms, () => [...complaints, ...lastOf(api.calls, first)]),
    async close() {
      await core.delivery.close();
      await listening.close();
    },
  };
}

function createHandlers(
  core: Core,
  at: (person: string) => Workspace,
  panel: Panel | undefined,
): VerbHandlers {
  return {
    say: (body) => say(core, at(body.as), body),
    act: (body) => act(core, at(body.as), body),
    submit: (body) => submit(core, at(body.as), body),
    close: (body) => close(at(body.as), body),
    suggest: (body) => suggest(core, at(body.as), body),
    home: ({ as }) => openHome(core, at(as), as),
    async uninstall({ as }) {
      const workspace = at(as);
      core.oauth?.revoke(workspace.team.id);
      const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: [BOT_USER] } };
      const sent = [
        publish(core, workspace, 'tokens_revoked', revoked),
        publish(core, workspace, 'app_uninstalled', { type: 'app_uninstalled' }),
      ];
      workspace.isInstalled = false;
      core.changed();
      await Promise.all(sent);
      return { ok: true };
    },
    async switch({ service, mode }) {
      const isKnown = panel?.setSwitch(service, mode);
      core.changed();
      return isKnown ? { ok: true } : failed('unknown_mode');
    },
    async skip({ as, to }) {
      const isTime = panel?.skip(to, at(as).person(as)?.tz ?? 'UTC');
      core.changed();
      return isTime ? { ok: true } : failed('no_such_time');
    },
  };
}

function snapshotOf(
  me: string,
  workspace: Workspace,
  { manifest, workspaces }: Core,
  mode: 'http' | 'socket',
  panel: Panel | undefined,
): Snapshot {
  const { team, isInstalled } = workspace;
  const channels = workspace.conversationsOf(me);
  const home = workspace.home(me);
  return {
    workspace: { id: team.id, name: team.name },
    workspaces: workspaces.map(({ team: { id, name }, people }) => ({ id, name, as: people[0]?.id ?? '' })),
    ...(panel?.installUrl && { install: { url: panel.installUrl(), isInstalled } }),
    me,
    people: [...workspace.people],
    channels: channels.map(({ id, name, kind, topic }) => ({ id, name, kind, topic })),
    messages: Object.fromEntries(channels.map(({ id }) => [id, workspace.messagesFor(me, id)])),
    views: workspace.stack(me).map(toOpenView),
    ...(home && { home: toOpenView(home).view }),
    bot: { name: manifest.botName, userId: BOT_USER, mode, up: panel?.botUp() ?? true },
    skipped: panel?.skipped() ?? 0,
    switches: panel?.switches() ?? [],
    examples: panel?.examples ?? [],
    credentials: panel?.credentials ?? [],
  };
}

const POLL_INTERVAL = 20;

/** Looks at every change, and every 20 ms because `look` may read something outside this Slack. */
async function waitFor<T>(
  onChange: (listener: () => void) => () => void,
  look: () => T | undefined | null | false,
  ms: number,
  happened: () => readonly string[],
): Promise<T> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    const seen = look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, POLL_INTERVAL);
      const forget = onChange(end);
      function end() {
        clearTimeout(timer);
        forget();
        resolve();
      }
    });
  }
  throw new Error([`Not true within ${ms} ms: ${look}`, ...happened()].join('\n'));
}

/** The last calls and messages, for the error when a wait times out. */
const lastOf = (calls: readonly Call[], { messages }: Workspace): readonly string[] => [
  ...calls
    .slice(-6)
    .map(({ method, response }) => `${method}: ${response?.error ?? (response ? 'ok' : 'no answer')}`),
  ...messages
    .slice(-3)
    .map(({ channel, from, viewer = 'all', text }) => `${channel}: ${from} to ${viewer}: ${text}`),
];
