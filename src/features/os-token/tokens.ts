/** Issuing and revoking OS_TOKENs. A window shows one token, and carries sealed what revoking it takes. */
import { createHash } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import {
  type DataOf,
  Failure,
  failureOf,
  InvalidWord,
  ignoreFailure,
  isFailure,
  mayHaveBeenSaved,
} from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/items.ts';
import { parseSingleProjectText } from '../../domain/language/read-command.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { IssuedToken, Tenant } from '../../identity/client.ts';
import { joinTexts, SLACK_LIMITS, withoutActions } from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import { type AccessSecrets, isNamedIssuer } from '../../workspace/credentials/access-record.ts';
import type { TokenWindow, WindowToken } from '../../workspace/credentials/issued-tokens.ts';
import { type ProjectReference, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { findAccess, findProject, type Workspace } from '../../workspace/record/workspace.ts';
import { EVENTS_KEPT_MS } from '../../workspace/replay-protection.ts';
import {
  ALREADY_USED,
  type AuditState,
  anotherButton,
  confirmIssueModal,
  formatUntil,
  isRevocationUnclear,
  issuedModal,
  issuingModal,
  maybeIssuedBlocks,
  mayHaveIssued,
  openWindow,
  type RevokeOutcome,
  remedies,
  revocationMessage,
  revokingModal,
  shellLines,
  showInWindow,
  slashCommandOnlyMessage,
  type TokenContext,
  type TokenRequest,
  tokenWindow,
} from './window.ts';

/** `prod` or `123`; without a project the channel's is meant. @throws InvalidWord, secret-pasted */
export function parseTokenText(text: string, reader: Reader): ProjectReference | 'help' {
  const { help, phrase, product, project, alias } = parseSingleProjectText(text, reader);
  if (help) return 'help';
  const word = alias ?? project ?? 'prod';
  const refusal = (bad: string, why: string) =>
    new InvalidWord(bad, why, `Type ${commandText('/os-token')} ${word}.`);
  if (phrase !== undefined) throw refusal(phrase.typed, 'is a period, and a token has none');
  if (product !== undefined)
    throw refusal(PRODUCTS[product].word, 'is a product, and a token covers the whole project');
  return withoutUndefined({ project, alias });
}

/**
 * Refuses people who cannot be issuers. Whether they are in one of the groups is asked once the modal is open.
 * @param word the project as it was typed; undefined for the word it is known by
 * @throws access-missing, not-issuer, and what resolving the project throws
 */
function createTokenRequest(named: ProjectReference, request: Request, word?: string): TokenRequest {
  const { workspace, user, channel } = request;
  const target = findTokenProject(named, request);
  const { project, label } = target;
  const access = findAccess(workspace, project);
  if (access === undefined) throw new Failure('access-missing', { project, label });
  if (access.issuers.groups.length === 0 && !isNamedIssuer(access, user.id))
    throw new Failure('not-issuer', { label });
  const window = { project, word: word ?? target.word, ...withoutUndefined({ channel }) };
  return { window, label, access };
}

/** Tokens need no connection to billing, so a missing connection is no reason to refuse. */
function findTokenProject(named: ProjectReference, request: Request) {
  try {
    return resolveProject(named, request.workspace, request);
  } catch (error) {
    throw isFailure(error, 'not-connected') ? new Failure('project-missing') : error;
  }
}

/** Makes a window's request again with what is registered now. @throws as `createTokenRequest` */
function repeatTokenRequest({ word, project, channel }: TokenWindow, request: Request): TokenRequest {
  const isSame = request.workspace.aliases.has(word) && findProject(request.workspace, word)?.id === project;
  return createTokenRequest(isSame ? { alias: word } : { project }, { ...request, channel }, word);
}

/** External people never get tokens; all others need to be named for the project. @throws not-allowed, not-issuer */
async function requireIssuer({ label, access }: TokenRequest, { user, slack }: Request): Promise<void> {
  if (user.role === 'external') throw new Failure('not-allowed', { reason: 'external' });
  if (isNamedIssuer(access, user.id)) return;
  const { groups } = access.issuers;
  if (groups.length === 0 || !(await slack.isInGroups(groups))) throw new Failure('not-issuer', { label });
}

/**
 * Asks for a token: in a channel it is confirmed first by people who have not seen the notice yet.
 * @param typed the words of the command, for a button that runs it again
 * @throws Failure until the modal is open; after that the modal shows it
 */
export async function askForToken(
  project: ProjectReference,
  typed: string,
  context: TokenContext,
): Promise<void> {
  const { request } = context;
  const { user, channel, workspace, reply } = request;
  if (!reply.modal.canOpen)
    return reply.private(slashCommandOnlyMessage(typed, { command: '/os-token', text: typed }));
  const asked = createTokenRequest(project, request);
  const isInChannel = channel !== undefined && !isDirectMessage(channel);
  if (isInChannel && !workspace.hasSeenTokenNotice(user.id)) {
    await requireIssuer(asked, request);
    return reply.modal.open(confirmIssueModal(asked, context));
  }
  await reply.modal.open(issuingModal(asked.label));
  await issueInWindow(asked.window, () => asked, context);
}

/** Issues a token in the place of what a window shows. @param metadata the window's */
export async function issueAgain(metadata: string, context: TokenContext): Promise<void> {
  const { request } = context;
  const { modal } = request.reply;
  const window = openWindow(metadata, context);
  if (window === undefined) return modal.update(tokenWindow([ALREADY_USED], undefined, context));
  if (!(await isFirst(`issue ${metadata}`, EVENTS_KEPT_MS, context))) return;
  await modal.tryUpdate(issuingModal(window.word));
  await issueInWindow(window, () => repeatTokenRequest(window, request), context);
}

/**
 * Whether a window as it was drawn was not used before, by any process: it is sealed anew each time it is drawn, so what
 * comes twice is the same click. While Redis is down, each counts as the first.
 */
export const isFirst = (use: string, kept: Millis, { request, dedup }: TokenContext): Promise<boolean> =>
  dedup.first(request.user.teamId, `os-token ${use}`, kept).catch(() => true);

/** The modal is open from here on, so it shows the failures too. */
async function issueInWindow(
  window: TokenWindow,
  createRequest: () => TokenRequest,
  context: TokenContext,
): Promise<void> {
  const { request } = context;
  try {
    const asked = createRequest();
    await requireIssuer(asked, request);
    await issueToken(asked, context);
  } catch (error) {
    if (!isFailure(error)) throw error;
    request.recordError(error);
    const { text, blocks } = failureMessage(error, request);
    const said = { text, blocks: [...withoutActions(blocks), ...maybeIssuedBlocks(error)] };
    await showInWindow(said, window, context, ...remedies(error, window, request.user.canManage));
  }
}

/** Issues a token and shows it in the open modal. One that could not be audited or shown is revoked. */
async function issueToken(asked: TokenRequest, context: TokenContext): Promise<void> {
  const { request, audit, clock } = context;
  const { label, access, window } = asked;
  const issued = await issueWithinQuota(asked, context);
  const { token: value, expiresAt } = issued;
  const name = tokenName(issued);
  let isAudited = false;
  const notShown = async (why: string | undefined, cause?: unknown): Promise<Failure> => {
    const became = await revokeUnseen(asked, issued, isAudited, context);
    return new Failure('token-not-shown', { label, why, ...became }, { cause });
  };
  if (shellLines(issued, access).length > SLACK_LIMITS.section)
    throw await notShown(`It has ${value.length} characters, more than Slack can show.`);
  // Before anybody sees it.
  const about = tokenText(request, window.project, name);
  const entry = { at: clock(), who: request.user.id, action: ISSUED, about };
  await audit.record(request.user.teamId, entry).catch(async (error: unknown) => {
    throw await notShown(isFailure(error) ? error.message : undefined, error);
  });
  isAudited = true;
  const token: WindowToken = {
    ...{ value, authUrl: access.authUrl, ...withoutUndefined({ expiresAt, audit: name }) },
    // If the service doesn't say when the token expires, a day.
    until: expiresAt ?? clock() + DAY,
  };
  if (await request.reply.modal.tryUpdate(issuedModal(asked, issued, { ...window, token }, context))) return;
  throw await notShown(
    `The window was closed, or Slack refused it. To get another one, type ${commandText('/os-token')} ${window.word}.`,
  );
}

async function issueWithinQuota(
  { access, window }: TokenRequest,
  context: TokenContext,
): Promise<IssuedToken> {
  const { request, workspaces, quota, clock } = context;
  const { teamId, id } = request.user;
  const at = clock();
  const opened = access.open();
  const next = await quota.take(teamId, id, at);
  if (next !== undefined) throw new Failure('too-many-tokens', { limit: quota.limit, wait: next - at });
  const issued = await requestToken(opened, window.project, context).catch(async (error: unknown) => {
    if (isFailure(error) && !mayHaveIssued(error)) await quota.giveBack(teamId, id, at).catch(ignoreFailure);
    throw error;
  });
  const credential = { kind: 'access', name: window.project } as const;
  // The token was issued, so a failure to update this record is ignored.
  if (request.workspace.rejectedAt(credential) !== undefined)
    await workspaces.clearRejection(teamId, credential).catch(ignoreFailure);
  return issued;
}

/** Audits a token that the service may have issued although Tally has none. @param fact for that entry */
export function requestToken(
  access: AccessSecrets,
  project: string,
  context: TokenContext,
  fact?: string,
): Promise<IssuedToken> {
  return context.identity.issue(access, tenantOf(project, context)).catch(async (error: unknown) => {
    if (isFailure(error) && mayHaveIssued(error))
      await auditToken(ISSUED, tokenText(context.request, project, fact, UNCLEAR), context);
    throw error;
  });
}

/** @param isAudited whether the entry of the audit was certainly written */
async function revokeUnseen(
  { access, window: { project } }: TokenRequest,
  issued: IssuedToken,
  isAudited: boolean,
  context: TokenContext,
): Promise<Pick<DataOf<'token-not-shown'>, 'state' | 'until' | 'audit'>> {
  const { request, identity } = context;
  const name = tokenName(issued);
  const outcome = await identity
    .revoke(access.authUrl, issued.token, tenantOf(project, context))
    .catch(failureOf);
  const states = [
    isAudited ? 'yes' : await auditToken(ISSUED, tokenText(request, project, name, 'not shown'), context),
    await auditRevocation(outcome, project, name, context),
  ];
  const isRevoked = outcome === 'revoked' || outcome === 'already-dead';
  const isUnclear = isFailure(outcome) && isRevocationUnclear(outcome);
  return {
    state: isRevoked ? 'revoked' : isUnclear ? 'unclear' : 'not-revoked',
    until: formatUntil(issued.expiresAt, request).slice('until '.length),
    audit: states.includes('no') ? 'no' : states.includes('maybe') ? 'maybe' : 'yes',
  };
}

/** In ms: longer than a revocation with its check may take. After it, one more click on the same window counts. */
const REVOCATION_TIME = 30_000;

/**
 * **Revoke now**: sends the token that the window carries to the service that issued it and to no other. Everyone may
 * revoke their own token, also when they are no issuer any more. The window keeps it until the service has confirmed it.
 * @param metadata the window's
 */
export async function revokeToken(metadata: string, context: TokenContext): Promise<void> {
  const { request } = context;
  const window = openWindow(metadata, context);
  if (window?.token === undefined)
    return request.reply.modal.update(
      tokenWindow([ALREADY_USED], window, context, anotherButton('Issue another')),
    );
  const { token, ...left } = window;
  if (!(await isFirst(`revoke ${metadata}`, REVOCATION_TIME, context))) return;
  await request.reply.modal.update(revokingModal);
  const outcome = await revokeAndCheck(token, window.project, context).catch(failureOf);
  const audit = await auditRevocation(outcome, window.project, token.audit, context);
  const message = revocationMessage(outcome, token, audit, request);
  if (isFailure(outcome)) request.recordError(outcome);
  if (isFailure(outcome) || outcome === 'alive' || outcome === 'refused')
    await showInWindow(message, window, context);
  else await showInWindow(message, left, context, anotherButton('Issue another'));
}

/** Revokes the token, then checks whether the service still accepts it. @throws Failure of the revocation */
async function revokeAndCheck(
  { authUrl, value }: WindowToken,
  project: string,
  context: TokenContext,
): Promise<RevokeOutcome> {
  const tenant = tenantOf(project, context);
  const revoked = await context.identity.revoke(authUrl, value, tenant);
  if (revoked !== 'revoked') return revoked;
  const checked = await context.identity.check(authUrl, value, tenant).catch(ignoreFailure);
  return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
}

/** For the limits and the waiting times of requests to the identity service. @param project whose access is used */
export const tenantOf = (project: string, { request: { user, workspace } }: TokenContext): Tenant => ({
  workspace: user.teamId,
  connection: project,
  waits: workspace.waits,
});

/** How the project with this ID is called: by its alias if it has one. */
export function accessProjectLabel({ projects }: Workspace, project: string) {
  const alias = projects.find(({ id }) => id === project)?.alias;
  return { label: alias ?? `Project ${project}`, word: alias ?? project };
}

/** As the audit says them. */
export const ISSUED = 'got an OS_TOKEN for';
const REVOKED = 'revoked an OS_TOKEN of';
const UNCLEAR = 'outcome unclear';

/** Identifies a token in the audit without revealing it: `token 0123456789ab` */
export const tokenName = ({ auditId }: IssuedToken): string | undefined =>
  auditId && `token ${createHash('sha256').update(auditId).digest('hex').slice(0, 12)}`;

/** What an entry of the audit is about: `prod (project 123) · token 0123456789ab · not shown` */
export function tokenText(
  { workspace }: Request,
  project: string,
  ...facts: readonly (string | undefined)[]
): string {
  const { word } = accessProjectLabel(workspace, project);
  return joinTexts(' · ', [
    word === project ? `project ${project}` : `${word} (project ${project})`,
    ...facts,
  ]);
}

export async function auditToken(
  action: string,
  about: string,
  { audit, request, clock }: TokenContext,
): Promise<AuditState> {
  try {
    await audit.record(request.user.teamId, { at: clock(), who: request.user.id, action, about });
    return 'yes';
  } catch (error) {
    request.recordError(error);
    return isFailure(error) && mayHaveBeenSaved(error) ? 'maybe' : 'no';
  }
}

/** What the audit says of a revocation beside the token; nothing is recorded of one that certainly was none. */
const REVOCATION_FACTS: Readonly<Partial<Record<RevokeOutcome | 'revoked', string>>> = {
  ...{ revoked: '', dead: '', unchecked: '' },
  ...{ alive: 'still accepted', 'already-dead': 'had expired already' },
};

async function auditRevocation(
  outcome: RevokeOutcome | 'revoked' | Failure,
  project: string,
  name: string | undefined,
  context: TokenContext,
): Promise<AuditState> {
  const unclear = isFailure(outcome) && isRevocationUnclear(outcome) ? UNCLEAR : undefined;
  const fact = isFailure(outcome) ? unclear : REVOCATION_FACTS[outcome];
  if (fact === undefined) return 'yes';
  return auditToken(REVOKED, tokenText(context.request, project, name, fact), context);
}
