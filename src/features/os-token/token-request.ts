import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { parseProjectText } from '../../domain/language/parse-command.ts';
import { formatPhrase } from '../../domain/language/periods/period-ast.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { HOUR, isTimeZone } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { IdentityClient, Tenant } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ApplicationAccessRecord,
  isNamedIssuer,
  type OpenableAccess,
} from '../../workspace/credentials/access-record.ts';
import {
  type ProjectReference,
  type ResolvedProject,
  resolveProject,
} from '../../workspace/projects/resolve-project.ts';
import { findAccess, findProject } from '../../workspace/record/workspace.ts';
import type { GrantClaim, TokenGrant, TokenGrants } from '../../workspace/short-lived/token-grants.ts';
import type { TokenQuota } from '../../workspace/short-lived/token-quota.ts';
import type { Services } from '../feature.ts';
import type { Tokens } from './modal-tokens.ts';

/** One user's request for a token of one project. */
export interface TokenRequest {
  readonly grant: TokenGrant;
  readonly label: string;
  readonly access: OpenableAccess;
  readonly tokens: Tokens;
}

/**
 * Refuses users who cannot be issuers. Whether they are in one of the groups is asked once the modal is open.
 * @param word the project as it was typed; undefined for the word it is known by
 * @throws access-missing, not-issuer, and what resolving the project throws
 */
export function createTokenRequest(
  project: ProjectReference,
  word: string | undefined,
  tokens: Tokens,
  request: Request,
): TokenRequest {
  const { workspace, user, channel } = request;
  const target = resolveTokenProject(project, request);
  const access = findAccess(workspace, target.project);
  if (access === undefined)
    throw new Failure('access-missing', { project: target.project, label: target.label });
  const isPossible = access.issuers.groups.length > 0 || isNamedIssuer(access, user.id);
  if (!isPossible) throw new Failure('not-issuer', { label: target.label });
  const location = channel === undefined ? {} : { channel };
  const grant = { person: user.id, project: target.project, word: word ?? target.word, ...location };
  return { grant, label: target.label, access, tokens };
}

/** Makes the same request again with what is registered now. @throws as `createTokenRequest` */
export function repeatTokenRequest(
  { word, project, channel }: TokenGrant,
  tokens: Tokens,
  request: Request,
): TokenRequest {
  const isSame = request.workspace.aliases.has(word) && findProject(request.workspace, word)?.id === project;
  return createTokenRequest(isSame ? { alias: word } : { project }, word, tokens, { ...request, channel });
}

/** If the grant is no longer stored, the word counts as typed outside of any channel. @throws as `createTokenRequest` */
export function parseTokenRequest(word: string, tokens: Tokens, request: Request): TokenRequest {
  const project = parseTokenText(word, request.workspace.aliases);
  if (project === 'help') throw new Failure('project-missing');
  return createTokenRequest(project, undefined, tokens, request);
}

/** Finds the project. Tokens need no connection to billing, so a missing connection is no reason to refuse. */
function resolveTokenProject(project: ProjectReference, request: Request): ResolvedProject {
  try {
    return resolveProject(project, request.workspace, request);
  } catch (error) {
    throw isFailure(error, 'not-connected') ? new Failure('project-missing') : error;
  }
}

/**
 * External people never get tokens; all others need to be named for the project.
 * @throws not-allowed, not-issuer
 */
export async function requireIssuer(
  label: string,
  access: ApplicationAccessRecord,
  request: Request,
): Promise<void> {
  const { role, id } = request.user;
  if (role === 'external') throw new Failure('not-allowed', { reason: 'external' });
  if (isNamedIssuer(access, id)) return;
  const { groups } = access.issuers;
  if (groups.length === 0 || !(await request.slack.isInGroups(groups)))
    throw new Failure('not-issuer', { label });
}

/** `prod` or `123`; without a project the channel's is meant. @throws InvalidWord, secret-pasted */
export function parseTokenText(text: string, aliases: ReadonlySet<string>): ProjectReference | 'help' {
  const { help, phrase, product, project, alias } = parseProjectText(text, aliases);
  if (help) return 'help';
  const word = alias ?? project;
  if (phrase !== undefined) throw refusal(formatPhrase(phrase), 'is a period, and a token has none', word);
  if (product !== undefined)
    throw refusal(PRODUCTS[product].word, 'is a product, and a token covers the whole project', word);
  return withoutUndefined({ project, alias });
}

const refusal = (bad: string, why: string, word: string | undefined): InvalidWord =>
  new InvalidWord(bad, why, `Type ${commandText('/os-token')} ${word ?? 'prod'}.`);

/** One person's command, click or form, and what the feature answers it with. */
export interface TokenContext extends Services {
  readonly request: Request;
  readonly identity: IdentityClient;
  readonly grants: TokenGrants;
  readonly quota: TokenQuota;
}

/** How long a window can ask for another token, in ms. */
const GRANT_TTL = HOUR;

/** From when until when a grant that is stored now is valid. */
export function grantLifetime({ clock }: TokenContext) {
  const at = clock();
  return { at, until: at + GRANT_TTL };
}

export const claimOf = (
  grantText: string,
  purpose: GrantClaim['purpose'],
  { request: { user }, clock }: TokenContext,
): GrantClaim => ({ workspace: user.teamId, person: user.id, grantText, purpose, at: clock() });

/** For the limits and the waiting times of requests to the identity service. @param project whose access is used */
export const tenantOf = (project: string, { request: { user, workspace } }: TokenContext): Tenant => ({
  workspace: user.teamId,
  connection: project,
  waits: workspace.waits,
});

/** The reader's own zone, or the workspace's if Slack's can't be used. */
export const readerZone = ({ user, workspace }: Request): string =>
  user.zone !== undefined && isTimeZone(user.zone) ? user.zone : workspace.settings.zone;

export type RevokeOutcome = 'dead' | 'alive' | 'unchecked' | 'already-dead' | 'not-offered' | 'refused';
