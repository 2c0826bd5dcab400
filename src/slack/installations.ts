import { type Authorize, type AuthorizeResult, type Logger as BoltLogger, webApi } from '@slack/bolt';
import { type Installation, type InstallationStore, InstallProvider } from '@slack/oauth';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { NotInstalled } from '../domain/failure/index.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Audit } from '../workspace/audit.ts';
import { createDeletion } from '../workspace/forget.ts';
import { createInstallationStore } from '../workspace/installation-store.ts';
import { createOAuthNonces } from '../workspace/oauth-nonces.ts';
import { installationId, parseInstallation } from './install/installation.ts';
import { createInstallationTokens, type KnownInstallation } from './install/installation-tokens.ts';
import { createNotInstalledReply, type NotInstalledReply } from './install/not-installed-reply.ts';
import { createOAuthFlow, INSTALL_PATH, REDIRECT_PATH } from './install/oauth-flow.ts';
import { createStateStore } from './install/oauth-state.ts';
import type { BrowserRoutes } from './install/pages.ts';
import { SCOPES } from './install/scopes.ts';
import { isTokenAccepted, tokenStatusOf } from './install/token-status.ts';
import { createUninstallHandler, type EventBody } from './install/uninstall.ts';
import { createWelcome } from './install/welcome.ts';
import type { ResponseUrlClient } from './response-url.ts';
import { BACKGROUND_OPTIONS, createClientCache, INTERACTIVE_OPTIONS, type WebClient } from './web-client.ts';

/** Who may be answered with which token: one workspace by its token, or many by OAuth. */
export interface Installations {
  readonly pages: BrowserRoutes;
  /** Throws what `sorry` then has words for. */
  readonly authorize: Authorize<boolean>;
  /** What to acknowledge with when `authorize` refused this payload. */
  readonly sorry: NotInstalledReply['acknowledgement'];
  /**
   * Slack's Web API for a workspace where no payload came in, for posts by a schedule: tried once, with 10 s of patience.
   * @throws NotInstalled, UnsealFailed, StoreUnavailable
   */
  clientFor(workspace: string): Promise<WebClient>;
  /** Deletes everything of those who leave; false for an event about something else. @throws StoreUnavailable */
  leave(body: EventBody): Promise<boolean>;
  /** Whether Slack takes the token that serves this workspace, as far as it says. @throws StoreUnavailable */
  stays(workspace: string): Promise<boolean>;
  /** Until nothing is on its way from Slack into the store. */
  idle(): Promise<void>;
}

export interface InstallationsParts {
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly responder: ResponseUrlClient;
  readonly log: Logger;
  readonly boltLogger: BoltLogger;
  /** ms since the epoch, for the audit */
  readonly clock: () => number;
  /** What is not in the store's own keys goes with a workspace too. @throws StoreUnavailable */
  readonly onForget: (workspace: string) => Promise<void>;
}

/**
 * A code and a refresh token work once: a second try after an answer that was lost would only be refused, so the first
 * is given time, in ms; less than `installed.lock` lasts.
 */
const ONCE = { ...BACKGROUND_OPTIONS, timeout: 10_000 };

type OAuth = Extract<Config['slack']['credentials'], { kind: 'oauth' }>;

export function createInstallations(config: Config['slack'], parts: InstallationsParts): Installations {
  const { credentials } = config;
  return credentials.kind === 'token'
    ? oneWorkspace(credentials.botToken, config.apiUrl, parts)
    : manyWorkspaces(credentials, config.apiUrl, parts);
}

function oneWorkspace(botToken: string, apiUrl: string, parts: InstallationsParts): Installations {
  const { redis, log, boltLogger: logger, onForget } = parts;
  const client = new webApi.WebClient(botToken, { ...BACKGROUND_OPTIONS, slackApiUrl: apiUrl, logger });
  const standing = { since: async () => undefined, works: async () => false };
  return {
    pages: {},
    authorize: async () => ({ botToken }),
    clientFor: async () => client,
    sorry: () => undefined,
    leave: createUninstallHandler({
      forget: createDeletion(redis, onForget),
      standing,
      onGone: () => undefined,
      log,
    }),
    stays: () => isTokenAccepted(client),
    idle: async () => undefined,
  };
}

function manyWorkspaces(oauth: OAuth, apiUrl: string, parts: InstallationsParts): Installations {
  const { redis, keyring, log, boltLogger } = parts;
  const { origin } = new URL(apiUrl);
  const clientFor = (token: string) =>
    new webApi.WebClient(token, { ...INTERACTIVE_OPTIONS, slackApiUrl: apiUrl, logger: boltLogger });
  const options = {
    scopes: SCOPES.map(({ scope }) => scope),
    redirectUri: `${oauth.publicUrl}${REDIRECT_PATH}`,
  };
  const stateStore = createStateStore(createOAuthNonces(redis), oauth.stateSecret, options);
  const providerWith = (installationStore: InstallationStore, stateCookieName = 'none') =>
    new InstallProvider({
      clientId: oauth.clientId,
      clientSecret: oauth.clientSecret,
      authVersion: 'v2',
      stateStore,
      stateCookieName,
      installationStore,
      authorizationUrl: `${origin}/oauth/v2/authorize`,
      logger: boltLogger,
      clientOptions: { ...ONCE, slackApiUrl: apiUrl },
    });

  const installed = createInstallationStore({ redis, keyring });
  const tokens = createInstallationTokens({ installed, renewer: (one) => providerWith(one), log });
  const store: InstallationStore = {
    storeInstallation: (installation) => tokens.save(installation as Installation),
    fetchInstallation: () => Promise.reject(new NotInstalled('unknown')),
  };
  const { acknowledgement, remember } = createNotInstalledReply(`${oauth.publicUrl}${INSTALL_PATH}`, parts);

  const greet = createWelcome({ ...parts, clientFor });
  const forget = createDeletion(redis, parts.onForget);

  /** Who left while Slack's answer was on its way into the store was deleted before it: so it is deleted again. */
  const unlessLeft = async (id: string): Promise<void> => {
    const text = await installed.read(id);
    if (text === undefined) return;
    const { bot, isEnterpriseInstall } = parseInstallation(text).installation;
    if (await isTokenAccepted(clientFor(bot?.token ?? ''))) return;
    await (isEnterpriseInstall ? forget.organisation(id) : forget.workspace(id));
    tokens.drop(id);
  };

  /** An organisation's own installation serves where a workspace has none, whatever the payload says of it. */
  const find = async (team?: string, organisation?: string, whole = false) => {
    const ids = whole ? [organisation, team] : [team, organisation];
    for (const id of ids) {
      const known = id === undefined ? undefined : await tokens.find(id);
      if (known !== undefined) return known;
    }
    throw new NotInstalled('unknown');
  };

  const queued = createClientCache({ ...BACKGROUND_OPTIONS, slackApiUrl: apiUrl, logger: boltLogger });

  /** Before anything of the workspace is stored, so that leaving finds it. */
  const join = async ({ installation, used }: KnownInstallation, team?: string): Promise<void> => {
    if (!installation.isEnterpriseInstall || team === undefined || used.has(team)) return;
    await installed.join(installationId(installation), team);
    used.add(team);
  };

  return {
    pages: createOAuthFlow({
      providerWith: (cookie) => providerWith(store, cookie),
      options,
      publicUrl: oauth.publicUrl,
      slack: origin,
      async welcome(installation) {
        await greet(installation);
        await unlessLeft(installationId(installation)).catch((err: unknown) =>
          log.error({ err }, 'whether an installation stands could not be asked'),
        );
      },
      log,
      clock: parts.clock,
    }),
    async authorize({ teamId: named, enterpriseId, isEnterpriseInstall }, body) {
      const teamId = installedTeamOf(body) ?? named;
      try {
        const known = await find(teamId, enterpriseId, isEnterpriseInstall);
        await join(known, teamId);
        return resultOf(known.installation, teamId, enterpriseId);
      } catch (error) {
        remember(body, error, teamId ?? enterpriseId);
        throw error;
      }
    },
    async clientFor(workspace) {
      const own = await tokens.find(workspace);
      const known = own ?? (await find(await installed.organisationOf(workspace)));
      const { bot } = known.installation;
      if (bot === undefined) throw new NotInstalled('unknown');
      return queued(bot.token, workspace);
    },
    sorry: acknowledgement,
    leave: createUninstallHandler({
      forget,
      onGone: tokens.drop,
      standing: tokenStatusOf(installed, clientFor),
      log,
    }),
    stays: async (id) => (await installed.read(id)) !== undefined,
    idle: tokens.idle,
  };
}

/** Bolt reads it of a form that is sent, and not of a click in one: that would be answered by the other organisation's. */
function installedTeamOf(body: object = {}): string | undefined {
  const { view } = body as { readonly view?: { readonly app_installed_team_id?: string | null } | null };
  return view?.app_installed_team_id ?? undefined;
}

function resultOf(
  { bot, isEnterpriseInstall, team, enterprise }: Installation,
  teamId: string | undefined,
  enterpriseId: string | undefined,
): AuthorizeResult {
  if (bot === undefined) throw new NotInstalled('unknown');
  const within = isEnterpriseInstall ? teamId : team?.id;
  const organisation = enterprise?.id ?? enterpriseId;
  return {
    botToken: bot.token,
    botId: bot.id,
    botUserId: bot.userId,
    ...(within !== undefined && { teamId: within }),
    ...(organisation !== undefined && { enterpriseId: organisation }),
  };
}
