import type { Button } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { type DataOf, Failure, failureOf, ignoreFailure, isFailure } from '../../domain/failure/index.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import type { IssuedToken } from '../../identity/client.ts';
import {
  type Block,
  button,
  compact,
  SLACK_LIMITS,
  section,
  withoutActions,
} from '../../slack/kit/blocks.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import type { AccessSecrets } from '../../workspace/credentials/access-record.ts';
import type { ProjectReference } from '../../workspace/projects/resolve-project.ts';
import { EVENTS_KEPT_MS } from '../../workspace/short-lived/replay-protection.ts';
import type { TokenWindow, WindowToken } from '../../workspace/short-lived/token-windows.ts';
import {
  createTokenRequest,
  isRevocationUnclear,
  mayHaveIssued,
  type RevokeOutcome,
  recordEntry,
  repeatTokenRequest,
  requireIssuer,
  revocationEntry,
  type TokenContext,
  type TokenRequest,
  type TokenSubject,
  tenantOf,
  tokenAuditId,
  tokenSubject,
} from './token-request.ts';
import {
  ALREADY_USED,
  anotherButton,
  confirmIssueModal,
  formatUntil,
  issuedModal,
  issuingModal,
  openWindow,
  revocationMessage,
  revokingModal,
  shellLines,
  showInWindow,
  slashCommandOnlyMessage,
  tokenWindow,
} from './window.ts';

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

/** For an answer that Tally can't read: it may have brought a token. */
export const maybeIssuedBlocks = (failure: Failure): Block[] =>
  mayHaveIssued(failure) && failure.kind !== 'outcome-unclear'
    ? [section('It may have issued a token. Nobody has seen it, and it expires by itself.')]
    : [];

/** What somebody has to do about the access. */
const ACCESS_FAILURES: ReadonlySet<string> = new Set([
  ...['access-refused', 'access-not-found', 'project-disabled', 'access-missing', 'unseal-failed'],
  'wrong-identity-url',
]);

/** The buttons below a failure. Where the access is wrong, managers can replace it. */
function remedies(failure: Failure, { project }: TokenWindow, manage: boolean): Button[] {
  const again = anotherButton('Try again');
  if (failure.kind === 'not-issuer' || failure.kind === 'not-allowed') return [];
  const isKeyGone = failure.kind === 'unseal-failed' && failure.data.reason !== 'malformed';
  const isReplaceable = manage && ACCESS_FAILURES.has(failure.kind) && !isKeyGone;
  const authUrl = failure.kind === 'wrong-identity-url' ? failure.data.suggestion : undefined;
  const value = [project, authUrl].filter(Boolean).join(' ');
  return compact([
    isReplaceable && button('access-form', 'Replace access…', { value, style: 'primary' }),
    again,
  ]);
}

/** Issues a token and shows it in the open modal. One that could not be audited or shown is revoked. */
async function issueToken(asked: TokenRequest, context: TokenContext): Promise<void> {
  const { request, audit, clock } = context;
  const { label, access, window } = asked;
  const { teamId, id } = request.user;
  const issued = await issueWithinQuota(asked, context);
  const { token: value, expiresAt } = issued;
  const about = tokenSubject(request, window.project, tokenAuditId(issued.auditId));
  let isAudited = false;
  const notShown = async (why: string | undefined, cause?: unknown): Promise<Failure> => {
    const became = await revokeUnseen(asked, issued, about, isAudited, context);
    return new Failure('token-not-shown', { label, why, ...became }, { cause });
  };
  if (shellLines(issued, access).length > SLACK_LIMITS.section)
    throw await notShown(`It has ${value.length} characters, more than Slack can show.`);
  // Before anybody sees it.
  const entry = { at: clock(), who: id, action: 'token issued', about } as const;
  await audit.record(teamId, entry).catch(async (error: unknown) => {
    throw await notShown(isFailure(error) ? error.message : undefined, error);
  });
  isAudited = true;
  const token: WindowToken = {
    value,
    authUrl: access.authUrl,
    ...(expiresAt !== undefined && { expiresAt }),
    // If the service doesn't say when the token expires, a day.
    until: expiresAt ?? clock() + DAY,
    ...(about.token !== undefined && { audit: about.token }),
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
  const about = tokenSubject(request, window.project);
  const issued = await requestToken(opened, about, context).catch(async (error: unknown) => {
    if (isFailure(error) && !mayHaveIssued(error)) await quota.giveBack(teamId, id, at).catch(ignoreFailure);
    throw error;
  });
  const credential = { kind: 'access', name: window.project } as const;
  // The token was issued, so a failure to update this record is ignored.
  if (request.workspace.rejectedAt(credential) !== undefined)
    await workspaces.clearRejection(teamId, credential).catch(ignoreFailure);
  return issued;
}

/** Audits a token that the service may have issued although Tally has none. @param about for that entry */
export function requestToken(
  access: AccessSecrets,
  about: TokenSubject,
  context: TokenContext,
): Promise<IssuedToken> {
  const { request, identity, clock } = context;
  return identity.issue(access, tenantOf(about.id, context)).catch(async (error: unknown) => {
    const entry = { at: clock(), who: request.user.id, action: 'token issued' } as const;
    if (isFailure(error) && mayHaveIssued(error))
      await recordEntry({ ...entry, about: { ...about, outcome: 'unclear' } }, context);
    throw error;
  });
}

/** @param isAudited whether the entry of the audit was certainly written */
async function revokeUnseen(
  { access }: TokenRequest,
  { token, expiresAt }: IssuedToken,
  about: TokenSubject,
  isAudited: boolean,
  context: TokenContext,
): Promise<Pick<DataOf<'token-not-shown'>, 'state' | 'until' | 'audit'>> {
  const { request, identity, clock } = context;
  const outcome = await identity.revoke(access.authUrl, token, tenantOf(about.id, context)).catch(failureOf);
  const entry = { at: clock(), who: request.user.id, about };
  const issued = { ...entry, action: 'token issued', about: { ...about, outcome: 'not-shown' } } as const;
  const states = [
    await recordEntry(isAudited ? undefined : issued, context),
    await recordEntry(revocationEntry(entry, outcome), context),
  ];
  const isRevoked = outcome === 'revoked' || outcome === 'already-dead';
  const isUnclear = isFailure(outcome) && isRevocationUnclear(outcome);
  return {
    state: isRevoked ? 'revoked' : isUnclear ? 'unclear' : 'not-revoked',
    until: formatUntil(expiresAt, request).slice('until '.length),
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
  const { request, clock } = context;
  const { user, reply } = request;
  const window = openWindow(metadata, context);
  if (window?.token === undefined)
    return reply.modal.update(tokenWindow([ALREADY_USED], window, context, anotherButton('Issue another')));
  const { token, ...left } = window;
  if (!(await isFirst(`revoke ${metadata}`, REVOCATION_TIME, context))) return;
  await reply.modal.update(revokingModal);
  const outcome = await revokeAndCheck(token, window.project, context).catch(failureOf);
  const about = tokenSubject(request, window.project, token.audit);
  const audit = await recordEntry(revocationEntry({ at: clock(), who: user.id, about }, outcome), context);
  const message = revocationMessage(outcome, token, audit, request);
  if (isFailure(outcome)) request.recordError(outcome);
  const isOver = !isFailure(outcome) && outcome !== 'alive' && outcome !== 'refused';
  if (isOver) await showInWindow(message, left, context, anotherButton('Issue another'));
  else await showInWindow(message, window, context);
}

/** Revokes the token, then checks whether the service still accepts it. @throws Failure of the revocation */
async function revokeAndCheck(
  { authUrl, value }: WindowToken,
  project: string,
  context: TokenContext,
): Promise<RevokeOutcome> {
  const { identity } = context;
  const tenant = tenantOf(project, context);
  const revoked = await identity.revoke(authUrl, value, tenant);
  if (revoked !== 'revoked') return revoked;
  const checked = await identity.check(authUrl, value, tenant).catch(ignoreFailure);
  return checked === 'valid' ? 'alive' : checked === 'dead' ? 'dead' : 'unchecked';
}
