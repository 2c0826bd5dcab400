/** Where bot tokens come from: the configuration for a single workspace, or OAuth for many workspaces. */
import { type Authorize, type AuthorizeResult, webApi } from '@slack/bolt';
import { type Installation, type InstallationStore, InstallProvider } from '@slack/oauth';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { isOrganizationId, type SlackId } from '../../domain/slack-id.ts';
import { KEY_IS_GONE } from '../../workspace/credentials/credential-health.ts';
import {
  createInstallationStore,
  type InstallationRecords,
} from '../../workspace/credentials/installation-store.ts';
import { createWorkspaceDeleter } from '../../workspace/record/workspace-store.ts';
import { createOAuthNonces } from '../../workspace/replay-protection.ts';
import { textMessage } from '../block-kit/blocks.ts';
import type { ResponseUrlClient } from '../reply/message-calls.ts';
import { originOf, type PayloadOrigin, type SlackPayload } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import {
  BACKGROUND_OPTIONS,
  callOptions,
  createClientFactory,
  INTERACTIVE_OPTIONS,
  type WebClient,
} from '../web-client.ts';
import {
  type CachedInstallation,
  createInstallationTokens,
  type InstallationTokens,
  installationId,
} from './installation-tokens.ts';
import { SCOPES } from './manifest.ts';
import {
  type BrowserRoutes,
  createOAuthPages,
  createStateStore,
  createWelcome,
  INSTALL_PATH,
  REDIRECT_PATH,
} from './oauth-install.ts';
import { createTokenCheck, isTokenAccepted, type TokenCheck } from './token-check.ts';
import { createUninstallHandler } from './uninstall.ts';

export interface Installations {
  readonly pages: BrowserRoutes;
  /** Finds the bot token for a payload. @throws not-installed, unseal-failed, store-unavailable */
  readonly authorize: Authorize<boolean>;
  clientFor(workspace: SlackId): Promise<WebClient>;
  /** Deletes a workspace's data after an uninstall. @returns false for any other event @throws store-unavailable */
  handleUninstall(event: SlackPayload): Promise<boolean>;
  isInstalled(workspace: SlackId): Promise<boolean>;
  readonly tokenCheck?: TokenCheck;
}

type InstallationServices = Pick<
  SlackServices,
  'redis' | 'keyring' | 'responseUrls' | 'log' | 'boltLogger' | 'clock' | 'onForget' | 'audit'
>;

/** No retry, because OAuth codes and refresh tokens work only once. A renewal's lock outlasts this timeout. */
const OAUTH_OPTIONS = callOptions(10_000, false);

type OAuth = Extract<Config['slack']['credentials'], { kind: 'oauth' }>;

export const createInstallations = (
  { credentials, apiUrl }: Config['slack'],
  services: InstallationServices,
): Installations =>
  credentials.kind === 'token'
    ? singleWorkspace(credentials.botToken, apiUrl, services)
    : manyWorkspaces(credentials, apiUrl, services);

function singleWorkspace(botToken: string, apiUrl: string, services: InstallationServices): Installations {
  const { redis, log, boltLogger: logger, onForget: others, clock } = services;
  const client = new webApi.WebClient(botToken, { ...BACKGROUND_OPTIONS, slackApiUrl: apiUrl, logger });
  return {
    pages: {},
    authorize: async () => ({ botToken }),
    clientFor: async () => client,
    handleUninstall: createUninstallHandler({
      redis,
      forget: createWorkspaceDeleter({ redis, others }),
      clock,
      log,
    }),
    isInstalled: () => isTokenAccepted(client),
    tokenCheck: createTokenCheck(client, log),
  };
}

function manyWorkspaces(oauth: OAuth, apiUrl: string, services: InstallationServices): Installations {
  const { redis, keyring, log, boltLogger: logger, clock } = services;
  const clientOptions = { slackApiUrl: apiUrl, logger };
  const interactive = { ...INTERACTIVE_OPTIONS, ...clientOptions };
  const clientOf = (token: string) => new webApi.WebClient(token, interactive);
  const clientOfTeam = createClientFactory({ ...BACKGROUND_OPTIONS, ...clientOptions });
  const { providerWith, options } = createProviderFactory(oauth, apiUrl, services);
  const installed = createInstallationStore({ redis, keyring });
  const tokens = createInstallationTokens(installed, providerWith, log);
  const welcome = createWelcome(services.audit, clientOf, log, clock);
  const store: InstallationStore = {
    async storeInstallation(installation) {
      await tokens.save(installation as Installation);
      await welcome(installation as Installation);
    },
    fetchInstallation: () => Promise.reject(notInstalled()),
  };
  const refuse = createRefusal(`${oauth.publicUrl}${INSTALL_PATH}`, services.responseUrls, log);
  const isAccepted = async (id: string): Promise<boolean> => {
    const bot = (await tokens.loadReadable(id))?.installation.bot;
    return bot !== undefined && isTokenAccepted(clientOf(bot.token));
  };
  const forget = createWorkspaceDeleter({ redis, others: services.onForget, isInstalled: isAccepted });

  return {
    pages: createOAuthPages(providerWith(store), options),
    async authorize(_, body) {
      const payload = (body ?? {}) as SlackPayload;
      const origin = originOf(payload);
      try {
        return authorizeResult((await findForPayload(tokens, installed, origin)).installation, origin);
      } catch (error) {
        refuse(payload, error, origin.teamId ?? origin.enterpriseId);
        throw error;
      }
    },
    async clientFor(workspace) {
      const known =
        (await tokens.find(workspace)) ?? (await tokens.find(await installed.organizationOf(workspace)));
      const bot = isOrganizationId(workspace) ? undefined : known?.installation.bot;
      if (bot === undefined) throw notInstalled();
      return clientOfTeam(bot.token, workspace);
    },
    handleUninstall: createUninstallHandler({ redis, forget, clock, log, tokens, isAccepted }),
    isInstalled: async (id) => (await installed.load(id)) !== undefined,
  };
}

const notInstalled = () => new Failure('not-installed', { reason: 'unknown' });

/** An `InstallProvider` gets its store when it is created, so each renewal of a token creates a provider. */
function createProviderFactory(
  { publicUrl, clientId, clientSecret, stateSecret }: OAuth,
  apiUrl: string,
  { redis, boltLogger: logger }: InstallationServices,
) {
  const options = { scopes: SCOPES.map(({ scope }) => scope), redirectUri: `${publicUrl}${REDIRECT_PATH}` };
  const stateStore = createStateStore(createOAuthNonces(redis), stateSecret);
  const providerWith = (installationStore: InstallationStore) =>
    new InstallProvider({
      clientId,
      clientSecret,
      authVersion: 'v2',
      stateStore,
      installationStore,
      logger,
      stateCookieName: 'tally-install',
      directInstall: true,
      authorizationUrl: `${new URL(apiUrl).origin}/oauth/v2/authorize`,
      clientOptions: { ...OAUTH_OPTIONS, slackApiUrl: apiUrl },
    });
  return { providerWith, options };
}

/** Also links a workspace to its organization, whose uninstall then deletes the workspace's data too. */
async function findForPayload(
  tokens: InstallationTokens,
  installed: InstallationRecords,
  { teamId, enterpriseId, isEnterpriseInstall }: PayloadOrigin,
): Promise<CachedInstallation> {
  for (const id of isEnterpriseInstall ? [enterpriseId, teamId] : [teamId, enterpriseId]) {
    const known = await tokens.find(id);
    if (known === undefined) continue;
    if (!known.installation.isEnterpriseInstall || teamId === undefined || known.joined.has(teamId))
      return known;
    const local = await tokens.load(teamId);
    // In a shared channel, a payload can name one customer's workspace and another customer's organization.
    const isOther = local !== undefined && local.installation.enterprise?.id !== enterpriseId;
    if (isOther || !(await installed.join(installationId(known.installation), teamId))) continue;
    known.joined.add(teamId);
    return known;
  }
  throw notInstalled();
}

function authorizeResult(
  { bot, isEnterpriseInstall, team, enterprise }: Installation,
  origin: PayloadOrigin,
): AuthorizeResult {
  if (bot === undefined) throw notInstalled();
  const workspace = isEnterpriseInstall ? origin.teamId : team?.id;
  const organization = enterprise?.id ?? origin.enterpriseId;
  return {
    botToken: bot.token,
    ...(workspace !== undefined && { teamId: workspace }),
    ...(organization !== undefined && { enterpriseId: organization }),
  };
}

/** Tells the person why Tally can't answer, if the payload has a response URL. */
const createRefusal =
  (installUrl: string, responseUrls: ResponseUrlClient, log: Logger) =>
  ({ response_url: url }: SlackPayload, error: unknown, workspace: string | undefined): void => {
    const about = { err: error, workspace };
    if (isFailure(error, 'not-installed')) log.warn(about, 'No installation for a request from Slack');
    else log.error(about, 'Could not look up an installation');
    if (!url) return;
    responseUrls
      .post(url, textMessage(notInstalledText(error, `An admin can install Tally again: ${installUrl}`)))
      .catch((err: unknown) => log.error({ err, workspace }, 'Could not deliver a reply'));
  };

function notInstalledText(error: unknown, installAgain: string): string {
  if (isFailure(error, 'unseal-failed') && error.data.reason !== 'malformed') return KEY_IS_GONE;
  if (isFailure(error, 'not-installed') || isFailure(error, 'unseal-failed'))
    return `${error.message} ${installAgain}`;
  const what = isFailure(error, 'store-unavailable') ? error.message : 'Something went wrong in Tally.';
  return `${what} Nothing was changed. Try again in a minute.`;
}
