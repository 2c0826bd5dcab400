/** The sandbox's Slack with any workspaces and organizations, for tests of OAuth that write payloads by hand. */
import { startSlack } from '../../sandbox/slack/index.ts';
import type { Team as SandboxTeam } from '../../sandbox/slack/people.ts';
import type { Workspace } from '../../sandbox/slack/workspace.ts';
import { createManifest } from '../../src/slack/install/manifest.ts';
import { CHANNEL } from './people.ts';

export const CLIENT = { id: '111.222', secret: 'client-secret-for-tests-0123456789' };
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const INSTALLER = 'U0INSTALL1';

export type Team = Readonly<Omit<SandboxTeam, 'domain'>>;

interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The workspace or organization that the token belongs to. */
  readonly of: string | undefined;
  readonly token: string | undefined;
}

/** @param appToken for Socket Mode */
export async function startOAuthSlack(appToken?: string) {
  const slack = await startSlack({
    mode: appToken ? 'socket' : 'http',
    botUrl: () => '',
    signingSecret: SIGNING_SECRET,
    botToken: '',
    oauth: { clientId: CLIENT.id, clientSecret: CLIENT.secret },
    ...(appToken && { appToken }),
    manifest: createManifest({ url: 'https://tally.example.com' }),
  });
  const { core, calls } = slack;
  const oauth = core.oauth!;
  const workspaces = new Map<string, Workspace>();
  const replyNames = new Map<string, string>();
  const workspaceOf = (team: Team): Workspace => {
    const key = JSON.stringify(team);
    const known = workspaces.get(key) ?? slack.addWorkspace(seedOf(team));
    workspaces.set(key, known);
    return known;
  };
  const ownerOf = (token: string | undefined): string | undefined => {
    const team = token === undefined ? undefined : oauth.workspaceOf(token)?.team;
    return team?.whole ? team.enterprise : team?.id;
  };
  const toCall = ({ method, args, token }: (typeof calls)[number]): Call => ({
    method,
    fields: Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    of: ownerOf(token),
    token,
  });

  return {
    url: slack.url,
    get calls(): readonly Call[] {
      return calls.filter(({ method }) => method !== 'response_url').map(toCall);
    },
    get replies() {
      const all = calls.filter(({ method }) => method === 'response_url');
      return all.map(({ token, args }) => ({ url: `/reply/${replyNames.get(String(token))}`, body: args }));
    },
    get secrets(): readonly string[] {
      return [CLIENT.secret, SIGNING_SECRET, ...oauth.secrets];
    },
    called: (method: string) => calls.filter((call) => call.method === method).map(toCall),
    /** Makes this method fail with this error from now on; without an error it works again. */
    refuse(method: string, error?: string) {
      if (error === undefined) core.behaviour.failures.delete(method);
      else core.behaviour.failures.set(method, { error });
    },
    limit: (method: string, retryAfter: number) =>
      core.behaviour.failures.set(method, { status: 429, retryAfter }),
    /** Makes each call take this many ms. */
    delay(ms: number) {
      core.behaviour.latency = ms;
    },
    /** Allows the installation. @returns a code that works once */
    allow: (team: Team) => oauth.allow(workspaceOf(team), INSTALLER, [...core.manifest.scopes].join(',')),
    grant: (token: string, team: Team) => oauth.accept(token, workspaceOf(team)),
    /** Revokes every token of a workspace or organization. */
    revoke: (id: string) => oauth.revoke(id),
    /** Adds a workspace that has installed nothing itself, such as another workspace of an organization. */
    know: (team: Team) => team.id.startsWith('T') && workspaceOf(team),
    trigger: () => core.triggers.issue({ person: INSTALLER }),
    /** @returns a `response_url` whose answers have this name in `replies` */
    replyAddress(name: string): string {
      const origin = { workspace: slack.workspace, person: INSTALLER, channel: CHANNEL };
      const address = core.responses.issue(origin);
      replyNames.set(address.slice(address.lastIndexOf('/') + 1), name);
      return address;
    },
    /** Opens an empty form, as if a command had done so. @returns its view ID */
    openForm(team: Team): string {
      const title = { type: 'plain_text', text: 'Form' } as const;
      return workspaceOf(team).openModal(INSTALLER, { type: 'modal', title, blocks: [] }).id;
    },
    send(bot: string, body: string, type = 'application/json') {
      const headers = { 'content-type': type, ...slack.signed(body) };
      return fetch(`${bot}/slack/events`, { method: 'POST', headers, body });
    },
    close: slack.close,
  };
}

const seedOf = (team: Team) => ({
  team: { ...team, domain: 'x' },
  people: [
    {
      id: INSTALLER,
      name: 'olivia',
      realName: 'Olivia',
      role: 'owner' as const,
      team: team.id,
      tz: 'UTC',
      locale: 'en-US',
      color: '#000',
    },
  ],
  channels: [{ id: CHANNEL, name: 'costs', kind: 'public' as const, topic: '', members: [INSTALLER, 'bot'] }],
  userGroups: [],
});
