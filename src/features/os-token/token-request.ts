import { createHash } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import {
  type DataOf,
  Failure,
  InvalidWord,
  isFailure,
  mayHaveBeenSaved,
} from '../../domain/failure/index.ts';
import { parseProjectText } from '../../domain/language/parse-command.ts';
import { formatPhrase } from '../../domain/language/periods/period-ast.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { IdentityClient, Revocation, Tenant } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import { isNamedIssuer, type OpenableAccess } from '../../workspace/credentials/access-record.ts';
import {
  type ProjectReference,
  type ResolvedProject,
  resolveProject,
} from '../../workspace/projects/resolve-project.ts';
import type { AuditEntry, AuditSubject } from '../../workspace/record/audit.ts';
import { findAccess, findProject, type Workspace } from '../../workspace/record/workspace.ts';
import type { EventDedup } from '../../workspace/short-lived/replay-protection.ts';
import type { TokenQuota } from '../../workspace/short-lived/token-quota.ts';
import type { TokenWindow, TokenWindows } from '../../workspace/short-lived/token-windows.ts';
import type { Services } from '../feature.ts';

/** One person's command, click or form, and what the feature answers it with. */
export interface TokenContext extends Services {
  readonly request: Request;
  readonly identity: IdentityClient;
  readonly windows: TokenWindows;
  readonly quota: TokenQuota;
  readonly dedup: EventDedup;
}

/** One person's request for a token of one project. */
export interface TokenRequest {
  readonly window: Omit<TokenWindow, 'token'>;
  readonly label: string;
  readonly access: OpenableAccess;
}

/**
 * Refuses people who cannot be issuers. Whether they are in one of the groups is asked once the modal is open.
 * @param word the project as it was typed; undefined for the word it is known by
 * @throws access-missing, not-issuer, and what resolving the project throws
 */
export function createTokenRequest(project: ProjectReference, request: Request, word?: string): TokenRequest {
  const { workspace, user, channel } = request;
  const target = findTokenProject(project, request);
  const access = findAccess(workspace, target.project);
  if (access === undefined)
    throw new Failure('access-missing', { project: target.project, label: target.label });
  const isPossible = access.issuers.groups.length > 0 || isNamedIssuer(access, user.id);
  if (!isPossible) throw new Failure('not-issuer', { label: target.label });
  const place = withoutUndefined({ channel });
  const window = { project: target.project, word: word ?? target.word, ...place };
  return { window, label: target.label, access };
}

/** Makes a window's request again with what is registered now. @throws as `createTokenRequest` */
export function repeatTokenRequest({ word, project, channel }: TokenWindow, request: Request): TokenRequest {
  const isSame = request.workspace.aliases.has(word) && findProject(request.workspace, word)?.id === project;
  return createTokenRequest(isSame ? { alias: word } : { project }, { ...request, channel }, word);
}

/** Tokens need no connection to billing, so a missing connection is no reason to refuse. */
function findTokenProject(project: ProjectReference, request: Request): ResolvedProject {
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
export async function requireIssuer({ label, access }: TokenRequest, request: Request): Promise<void> {
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
  const word = alias ?? project ?? 'prod';
  const refusal = (bad: string, why: string) =>
    new InvalidWord(bad, why, `Type ${commandText('/os-token')} ${word}.`);
  if (phrase !== undefined) throw refusal(formatPhrase(phrase), 'is a period, and a token has none');
  if (product !== undefined)
    throw refusal(PRODUCTS[product].word, 'is a product, and a token covers the whole project');
  return withoutUndefined({ project, alias });
}

/** For the limits and the waiting times of requests to the identity service. @param project whose access is used */
export const tenantOf = (project: string, { request: { user, workspace } }: TokenContext): Tenant => ({
  workspace: user.teamId,
  connection: project,
  waits: workspace.waits,
});

/** The reader's own zone, or the workspace's if Slack's can't be used. */
export const readerZone = ({ user, workspace }: Request): string =>
  user.zone !== undefined && isTimeZone(user.zone) ? user.zone : workspace.settings.zone;

/** How the project with this ID is called: by its alias if it has one. */
export function accessProjectLabel({ projects }: Workspace, project: string) {
  const alias = projects.find(({ id }) => id === project)?.alias;
  return { label: alias ?? `Project ${project}`, word: alias ?? project };
}

/** A project that has an application access. */
export function projectSubject({ workspace }: Request, project: string) {
  const { word } = accessProjectLabel(workspace, project);
  return { kind: 'project', id: project, ...(word !== project && { alias: word }) } as const;
}

export type TokenSubject = Extract<AuditSubject, { readonly kind: 'token' }>;

/** A token of a project. @param audit from `tokenAuditId` */
export const tokenSubject = (request: Request, project: string, audit?: string): TokenSubject => ({
  ...projectSubject(request, project),
  kind: 'token',
  ...(audit !== undefined && { token: audit }),
});

/** Identifies a token in the audit without revealing it. */
export const tokenAuditId = (auditId: string | undefined): string | undefined =>
  auditId === undefined ? undefined : createHash('sha256').update(auditId).digest('hex').slice(0, 12);

/** @param entry undefined if there is nothing to record @returns whether it is in the audit */
export async function recordEntry(
  entry: AuditEntry | undefined,
  { audit, request }: TokenContext,
): Promise<AuditState> {
  if (entry === undefined) return 'yes';
  try {
    await audit.record(request.user.teamId, entry);
    return 'yes';
  } catch (error) {
    request.recordError(error);
    return isFailure(error) && mayHaveBeenSaved(error) ? 'maybe' : 'no';
  }
}

/** Whether something is in the audit; `maybe` when the answer to writing it was lost. */
export type AuditState = DataOf<'token-not-shown'>['audit'];

/** Whether the service may have issued a token although Tally has none. */
export const mayHaveIssued = ({ kind }: Failure): boolean =>
  ['outcome-unclear', 'invalid-response', 'response-too-large'].includes(kind);

/** Whether the service may have revoked a token although Tally got no confirmation. */
export const isRevocationUnclear = (failure: Failure): boolean =>
  ['service-unreachable', 'timed-out', 'invalid-response', 'response-too-large'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.data.status >= 500);

/** What became of a revocation, as far as the service says. */
export type RevokeOutcome = Exclude<Revocation, 'revoked'> | 'dead' | 'alive' | 'unchecked';

/** The entry for a revocation; undefined when the token certainly was not revoked. */
export function revocationEntry(
  { about, ...entry }: Pick<AuditEntry, 'at' | 'who'> & { readonly about: TokenSubject },
  result: RevokeOutcome | 'revoked' | Failure,
): AuditEntry | undefined {
  const action = 'token revoked';
  if (typeof result !== 'string')
    return isRevocationUnclear(result)
      ? { ...entry, action, about: { ...about, outcome: 'unclear' } }
      : undefined;
  if (result === 'not-offered' || result === 'refused') return undefined;
  const isRemarkable = result === 'alive' || result === 'already-dead';
  return { ...entry, action, about: { ...about, ...(isRemarkable && { outcome: result }) } };
}
