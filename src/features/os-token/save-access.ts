import { isDeepStrictEqual } from 'node:util';
import {
  type Failure,
  failureOf,
  InvalidWord,
  ignoreFailure,
  isFailure,
} from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Revocation } from '../../identity/client.ts';
import { FIELDS } from '../../redis/keys.ts';
import { expiryOf } from '../../slack/commands/expiry-input.ts';
import { requireKnownGroups } from '../../slack/commands/user-group-picker.ts';
import { actions, type Block, button, header, markup, section } from '../../slack/kit/blocks.ts';
import { failureMessage, notSavedMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  describeAccess,
  isNamedIssuer,
  type NewAccess,
  type OpenableAccess,
} from '../../workspace/credentials/access-record.ts';
import { withExpiry } from '../../workspace/credentials/expiry.ts';
import { permissionsOf } from '../../workspace/permissions.ts';
import type { AuditAction, AuditEntry } from '../../workspace/record/audit.ts';
import { auditedChange, requireUnchanged, type WorkspaceChange } from '../../workspace/record/change.ts';
import { findAccess, type Workspace } from '../../workspace/record/workspace.ts';
import {
  ACCESS_TITLE,
  type AccessTest,
  type IneligibleIssuer,
  issuersText,
  REVOCATION_TEXTS,
  type RevocationResult,
  registeredBlocks,
} from './access-form.ts';
import { maybeIssuedBlocks } from './ask-for-token.ts';
import { accessSubject, recordEntry, tokenAuditId, tokenSubject } from './audit.ts';
import { auditBlocks } from './blocks.ts';
import { requestToken } from './issue-token.ts';
import { type AccessRequest, accessProjectLabel, encodeAccessMetadata } from './parse-access-form.ts';
import { type TokenContext, tenantOf } from './token-request.ts';

/** A change of an application access, with its entry in the audit. */
export const accessChange = (action: AuditAction, project: string, request: Request): WorkspaceChange =>
  auditedChange(request, [action, accessSubject(request.workspace, project)]);

async function registerAccess(
  input: AccessRequest,
  credentials: Credentials,
  test: AccessTest,
  { request, workspaces }: TokenContext,
): Promise<Block[]> {
  const { user, workspace } = request;
  const { project, issuers } = input;
  const isKnown = workspace.accessIds.includes(project);
  const action = `application access ${isKnown ? 'replaced' : 'registered'}` as const;
  const change = accessChange(action, project, request);
  const left = test.revocation === 'revoked' ? [] : [accessTestAudit(test, project, request)];
  const access = await workspaces.saveAccess(
    { ...change, entries: [...change.entries, ...left] },
    newAccess(input, credentials, test, request),
  );
  const isIssuer =
    isNamedIssuer(access, user.id) || (await request.slack.isInGroups(issuers.groups).catch(() => false));
  const ineligible = await findIneligible(issuers.people, request);
  return registeredBlocks(access, test, isIssuer, ineligible, request);
}

/**
 * Without the secret, everything but the URL can change.
 * @returns the access as it is
 * @throws InvalidWord
 */
function requireSameUrl({ project, authUrl: url }: AccessRequest, workspace: Workspace): OpenableAccess {
  const current = findAccess(workspace, project);
  if (current === undefined) throw new InvalidWord('Access ID', 'is empty', 'Enter the ID and the secret.');
  if (url !== current.authUrl)
    throw new InvalidWord(url, 'is a new address', 'Enter the ID and the secret too.', undefined, 'always');
  return current;
}

async function editAccess(input: AccessRequest, { request, workspaces }: TokenContext): Promise<Block[]> {
  const { project, issuers, expiry: choice } = input;
  const { workspace, at } = request;
  const { zone } = workspace.settings;
  const current = requireSameUrl(input, workspace);
  const expiry = choice === undefined ? undefined : expiryOf(choice, zone);
  const edits: readonly AuditAction[] = [
    ...(isDeepStrictEqual(issuers, current.issuers) ? [] : (['token issuers changed'] as const)),
    ...(expiry === undefined ? [] : (['expiry changed'] as const)),
  ];
  const subject = accessSubject(workspace, project);
  const change = auditedChange(request, ...edits.map((action) => [action, subject] as const));
  if (edits.length > 0)
    await workspaces.editCredential(change, { kind: 'access', name: project }, { issuers, expiry });
  return [
    header(accessProjectLabel(workspace, project).label),
    section(edits.length === 0 ? 'No changes to save.' : 'Saved.'),
    section(describeAccess(expiry === undefined ? current : withExpiry(current, expiry), at, zone)),
    markup(issuersText(issuers, await findIneligible(issuers.people, request))),
  ];
}

/** Shows what became of the form in its modal. */
export async function saveAccess(input: AccessRequest, context: TokenContext): Promise<void> {
  const { request, all } = context;
  const { project, issuers, credentials } = input;
  let test: AccessTest | undefined;
  let saved: readonly Block[];
  try {
    requireUnchanged(request.workspace, FIELDS.access + project, input.stamp);
    const before = request.workspace.accesses.get(project)?.issuers.groups ?? [];
    const added = issuers.groups.filter((group) => !before.includes(group));
    await requireKnownGroups(added, request);
    if (credentials === undefined) requireSameUrl(input, request.workspace);
    test = credentials && (await testAccess(input, credentials, context));
    saved =
      credentials === undefined || test === undefined
        ? await editAccess(input, context)
        : await registerAccess(input, credentials, test, context);
  } catch (error) {
    if (!isFailure(error)) throw error;
    request.recordError(error);
    return showFailure(error, input, test, context);
  }
  const text = 'The application access is saved.';
  await request.reply.modal.show(ACCESS_TITLE, { text, blocks: saved });
  // Plans the reminders of its expiry.
  await all.connected(request.user.teamId);
}

async function showFailure(
  failure: Failure,
  input: AccessRequest,
  test: AccessTest | undefined,
  context: TokenContext,
): Promise<void> {
  const { request } = context;
  const tested = test && [
    section(REVOCATION_TEXTS[test.revocation]),
    ...auditBlocks(await recordEntry(accessTestAudit(test, input.project, request), context)),
  ];
  const isKnown = request.workspace.accesses.has(input.project);
  const kept = isKnown ? 'The current access stays in use.' : 'Nothing was saved.';
  const { text, blocks } = notSavedMessage(failure, failureMessage(failure, request), 'saved', kept);
  const explanation = [...blocks, ...maybeIssuedBlocks(failure), ...(tested ?? [])];
  const authUrl = failure.kind === 'wrong-identity-url' ? failure.data.suggestion : undefined;
  const corrected = authUrl && encodeAccessMetadata({ ...input, authUrl });
  const back = actions(
    ...(corrected
      ? [
          button('access-form:corrected', 'Use the corrected address…', {
            value: corrected,
            style: 'primary',
          }),
        ]
      : []),
    button('access-form:back', 'Back to the form', { value: encodeAccessMetadata(input) }),
  );
  await request.reply.modal.show(ACCESS_TITLE, { text, blocks: explanation }, back);
}

function newAccess(
  { project, authUrl, issuers, expiry }: AccessRequest,
  credentials: Credentials,
  { issued, revocation }: AccessTest,
  { user, at, workspace }: Request,
): NewAccess {
  const { name, restricted, expiresAt } = issued.credential ?? {};
  const said = expiry === undefined ? {} : expiryOf(expiry, workspace.settings.zone);
  return {
    project,
    authUrl,
    issuers,
    ...credentials,
    ...(name !== undefined && { name }),
    ...(restricted !== undefined && { restricted }),
    // The service knows better than the person.
    ...(expiresAt === undefined ? said : { expiresAt }),
    ...(revocation !== 'failed' && { revocable: revocation === 'revoked' }),
    registeredBy: user.id,
    registeredAt: at,
  };
}

/** The chosen people whose role doesn't allow tokens. People whose role Slack doesn't return now are left out. */
async function findIneligible(
  people: readonly SlackId[],
  { slack, workspace }: Request,
): Promise<readonly IneligibleIssuer[]> {
  const found = await Promise.all(
    people.map(async (person) => {
      const role = await slack.roleOf(person).catch(ignoreFailure);
      // External people never get tokens, even if they can ask.
      const canGet = role !== 'external' && role && permissionsOf(role, workspace.settings, false).canAsk;
      return role === undefined || canGet ? [] : [{ person, role }];
    }),
  );
  return found.flat();
}

type Credentials = NonNullable<AccessRequest['credentials']>;

const REVOCATION_RESULTS: Readonly<Record<Revocation, RevocationResult>> = {
  revoked: 'revoked',
  'already-dead': 'revoked',
  'not-offered': 'not-offered',
  refused: 'failed',
};

/** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
async function testAccess(
  { project, authUrl }: AccessRequest,
  credentials: Credentials,
  context: TokenContext,
): Promise<AccessTest> {
  const { request, identity, limits } = context;
  const { teamId, id } = request.user;
  limits.demand('tests', { teamId, userId: id });
  const about = { ...accessSubject(request.workspace, project), kind: 'token', isTest: true } as const;
  const issued = await requestToken({ authUrl, ...credentials }, project, about, context);
  const revocation = await identity
    .revoke(authUrl, issued.token, tenantOf(project, context))
    .catch(failureOf);
  return { issued, revocation: isFailure(revocation) ? 'failed' : REVOCATION_RESULTS[revocation] };
}

const TEST_OUTCOMES = {
  revoked: 'test-revoked',
  'not-offered': 'test-not-revoked',
  failed: 'test-unclear',
} as const;

/** The entry for the token of a test, which nobody has seen. */
const accessTestAudit = (
  { issued, revocation }: AccessTest,
  project: string,
  { user, workspace, at }: Request,
): AuditEntry => {
  const { word } = accessProjectLabel(workspace, project);
  const token = tokenSubject({ word, project }, tokenAuditId(issued.auditId));
  const about = { ...token, isTest: true, outcome: TEST_OUTCOMES[revocation] };
  return { at, who: user.id, action: 'token issued', about };
};
