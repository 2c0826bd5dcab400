import { isDeepStrictEqual } from 'node:util';
import { commandText } from '../../domain/command-names.ts';
import {
  type Failure,
  failureOf,
  InvalidWord,
  ignoreFailure,
  isFailure,
} from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import type { IssuedToken } from '../../identity/client.ts';
import { FIELDS } from '../../redis/keys.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { expiryOf } from '../../slack/commands/expiry-input.ts';
import { requireKnownGroups } from '../../slack/commands/user-group-picker.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  escapeMarkup,
  header,
  joinTexts,
  markup,
  mention,
  section,
  textMessage,
} from '../../slack/kit/blocks.ts';
import { failureMessage, notSavedMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ApplicationAccessRecord,
  describeAccess,
  type Issuers,
  isNamedIssuer,
} from '../../workspace/credentials/access-record.ts';
import { isExpiryUnknown, withExpiry } from '../../workspace/credentials/expiry.ts';
import { permissionsOf, type Role } from '../../workspace/permissions.ts';
import type { AuditAction, AuditEntry } from '../../workspace/record/audit.ts';
import { auditedChange, requireUnchanged, type WorkspaceChange } from '../../workspace/record/change.ts';
import { findAccess } from '../../workspace/record/workspace.ts';
import { EVENTS_KEPT_MS } from '../../workspace/short-lived/replay-protection.ts';
import { ACCESS_TITLE, type AccessRequest, encodeAccessMetadata } from './access-form.ts';
import {
  accessProjectLabel,
  projectSubject,
  recordEntry,
  type TokenContext,
  tenantOf,
  tokenAuditId,
  tokenSubject,
} from './token-request.ts';
import { isFirst, maybeIssuedBlocks, requestToken } from './tokens.ts';
import { auditBlocks, describeTokenScope, formatClockTime, formatTimeLeft } from './window.ts';

type Credentials = NonNullable<AccessRequest['credentials']>;

/** What became of the token of a test, which nobody has seen: how it is said, and audited. */
const TEST_RESULTS = {
  revoked: {
    text: 'The test passed: the service issued a token and revoked it.',
    outcome: 'test-revoked',
  },
  'not-offered': {
    text: 'The test passed: the service issued a token. The service can’t revoke tokens, so this one works until it expires. Nobody has seen it.',
    outcome: 'test-not-revoked',
  },
  failed: {
    text: 'The test passed: the service issued a token. Revoking it failed, so it may work until it expires. Nobody has seen it.',
    outcome: 'test-unclear',
  },
} as const;

interface AccessTest {
  readonly issued: IssuedToken;
  readonly result: keyof typeof TEST_RESULTS;
}

/** A change of an application access, with an entry in the audit for each action. */
const accessChange = (request: Request, project: string, ...names: readonly AuditAction[]): WorkspaceChange =>
  auditedChange(request, ...names.map((action) => [action, projectSubject(request, project)] as const));

/** Shows what became of the form in its modal. A form counts once, however often it is sent. */
export async function saveAccess(input: AccessRequest, context: TokenContext): Promise<void> {
  const { request, all } = context;
  const { workspace, reply } = request;
  const { project, issuers, credentials } = input;
  if (!(await isFirst(`access ${input.form}`, EVENTS_KEPT_MS, context))) return;
  let test: AccessTest | undefined;
  let saved: readonly Block[];
  try {
    requireUnchanged(workspace, FIELDS.access + project, input.stamp);
    const before = workspace.accesses.get(project)?.issuers.groups ?? [];
    await requireKnownGroups(
      issuers.groups.filter((group) => !before.includes(group)),
      request,
    );
    if (credentials === undefined) saved = await editAccess(input, context);
    else {
      test = await testAccess(input, credentials, context);
      saved = await registerAccess(input, credentials, test, context);
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    request.recordError(error);
    return showNotSaved(error, input, test, context);
  }
  await reply.modal.show(ACCESS_TITLE, { text: 'The application access is saved.', blocks: saved });
  // Plans the reminders of its expiry.
  await all.connected(request.user.teamId);
}

/** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
async function testAccess(
  { project, authUrl }: AccessRequest,
  credentials: Credentials,
  context: TokenContext,
): Promise<AccessTest> {
  const { request, identity, limits } = context;
  limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
  const about = { ...tokenSubject(request, project), isTest: true };
  const issued = await requestToken({ authUrl, ...credentials }, about, context);
  const tenant = tenantOf(project, context);
  const revoked = await identity.revoke(authUrl, issued.token, tenant).catch(failureOf);
  const isFailed = isFailure(revoked) || revoked === 'refused';
  return { issued, result: isFailed ? 'failed' : revoked === 'not-offered' ? revoked : 'revoked' };
}

/** The entry for the token of a test. */
function testEntry({ issued, result }: AccessTest, project: string, request: Request): AuditEntry {
  const token = tokenSubject(request, project, tokenAuditId(issued.auditId));
  const about = { ...token, isTest: true, outcome: TEST_RESULTS[result].outcome };
  return { at: request.at, who: request.user.id, action: 'token issued', about };
}

async function registerAccess(
  { project, authUrl, issuers, expiry }: AccessRequest,
  credentials: Credentials,
  test: AccessTest,
  { request, workspaces }: TokenContext,
): Promise<Block[]> {
  const { user, at, workspace, slack } = request;
  const { name, restricted, expiresAt } = test.issued.credential ?? {};
  const said = expiry === undefined ? {} : expiryOf(expiry, workspace.settings.zone);
  const isKnown = workspace.accessIds.includes(project);
  const change = accessChange(request, project, `application access ${isKnown ? 'replaced' : 'registered'}`);
  const left = test.result === 'revoked' ? [] : [testEntry(test, project, request)];
  const access = await workspaces.saveAccess(
    { ...change, entries: [...change.entries, ...left] },
    {
      ...{ project, authUrl, issuers, ...credentials, registeredBy: user.id, registeredAt: at },
      ...(name !== undefined && { name }),
      ...(restricted !== undefined && { restricted }),
      // The service knows better than the person.
      ...(expiresAt === undefined ? said : { expiresAt }),
      ...(test.result !== 'failed' && { revocable: test.result === 'revoked' }),
    },
  );
  const isIssuer =
    isNamedIssuer(access, user.id) || (await slack.isInGroups(issuers.groups).catch(() => false));
  const people = markup(await issuersText(issuers, request));
  return registeredBlocks(access, test, isIssuer, people, request);
}

/** Tokens last an hour as a rule, and no longer than the access they come from; in ms, a minute less for clocks. */
const USUAL = 59 * MINUTE;

/** @param isIssuer whether the person who registered it can get tokens @param people who can */
function registeredBlocks(
  access: ApplicationAccessRecord,
  { issued, result }: AccessTest,
  isIssuer: boolean,
  people: Block,
  { workspace, at }: Request,
): Block[] {
  const { zone } = workspace.settings;
  const { label, word } = accessProjectLabel(workspace, access.project);
  const { name, restricted } = access;
  const { expiresAt } = issued;
  const described = [describeAccess(access, at, zone), name && `named ${name}`, restricted && 'restricted'];
  const isUnknown = isExpiryUnknown(access);
  const buttons = [
    ...(isIssuer ? commandButton('os-token', 'Issue a token', { command: '/os-token', text: word }) : []),
    isUnknown && button('access-form', 'Set expiry…', { value: access.project }),
  ];
  return compact([
    header(`${label} can issue OS_TOKENs`),
    section(TEST_RESULTS[result].text),
    section(`${joinTexts(' · ', described)}\n${describeTokenScope(issued)}`),
    restricted === false &&
      markup(
        '*This access is unrestricted.* Anyone with one of its tokens can create more accesses that outlive it. Create a restricted access in the console and register that instead.',
      ),
    isUnknown &&
      expiresAt !== undefined &&
      expiresAt - at < USUAL &&
      section(
        `The test token expires at ${formatClockTime(expiresAt, zone)}, ${formatTimeLeft(expiresAt - at)}. If tokens usually last longer, the access itself expires then. Create one that lasts longer in the console and register that.`,
      ),
    isUnknown &&
      section('Expiry unknown: the service doesn’t say. Set it to be reminded before the access expires.'),
    people,
    ...buttonRow(buttons),
  ]);
}

/** Without the secret, everything but the URL can change. @throws InvalidWord */
async function editAccess(input: AccessRequest, { request, workspaces }: TokenContext): Promise<Block[]> {
  const { project, issuers, authUrl } = input;
  const { workspace, at } = request;
  const { zone } = workspace.settings;
  const current = findAccess(workspace, project);
  if (current === undefined) throw new InvalidWord('Access ID', 'is empty', 'Enter the ID and the secret.');
  if (authUrl !== current.authUrl)
    throw new InvalidWord(
      authUrl,
      'is a new address',
      'Enter the ID and the secret too.',
      undefined,
      'always',
    );
  const expiry = input.expiry === undefined ? undefined : expiryOf(input.expiry, zone);
  const edits: readonly AuditAction[] = [
    ...(isDeepStrictEqual(issuers, current.issuers) ? [] : (['token issuers changed'] as const)),
    ...(expiry === undefined ? [] : (['expiry changed'] as const)),
  ];
  if (edits.length > 0) {
    const change = accessChange(request, project, ...edits);
    await workspaces.editCredential(change, { kind: 'access', name: project }, { issuers, expiry });
  }
  return [
    header(accessProjectLabel(workspace, project).label),
    section(edits.length === 0 ? 'No changes to save.' : 'Saved.'),
    section(describeAccess(expiry === undefined ? current : withExpiry(current, expiry), at, zone)),
    markup(await issuersText(issuers, request)),
  ];
}

async function showNotSaved(
  failure: Failure,
  input: AccessRequest,
  test: AccessTest | undefined,
  context: TokenContext,
): Promise<void> {
  const { request } = context;
  const tested = test && [
    section(TEST_RESULTS[test.result].text),
    ...auditBlocks(await recordEntry(testEntry(test, input.project, request), context)),
  ];
  const isKnown = request.workspace.accesses.has(input.project);
  const kept = isKnown ? 'The current access stays in use.' : 'Nothing was saved.';
  const { text, blocks } = notSavedMessage(failure, failureMessage(failure, request), 'saved', kept);
  const authUrl = failure.kind === 'wrong-identity-url' ? failure.data.suggestion : undefined;
  const value = authUrl === undefined ? undefined : encodeAccessMetadata({ ...input, authUrl });
  const back = actions(
    value !== undefined &&
      button('access-form:corrected', 'Use the corrected address…', { value, style: 'primary' }),
    button('access-form:back', 'Back to the form', { value: encodeAccessMetadata(input) }),
  );
  const said = [...blocks, ...maybeIssuedBlocks(failure), ...(tested ?? [])];
  await request.reply.modal.show(ACCESS_TITLE, { text, blocks: said }, back);
}

export async function removeAccess(project: string, { request, workspaces }: TokenContext): Promise<void> {
  const { workspace, reply } = request;
  const { label } = accessProjectLabel(workspace, project);
  const isThere = workspace.accessIds.includes(project);
  if (isThere)
    await workspaces.removeAccess(accessChange(request, project, 'application access removed'), project);
  const text = isThere
    ? `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`
    : `The access for ${label} was already removed.`;
  await reply.modal.show(ACCESS_TITLE, textMessage(text));
}

/** How many people and groups a list names. */
const NAMED = 20;

const WHY_NOT: Readonly<Record<Role, string>> = {
  admin: 'an admin',
  member: 'a member',
  guest: `guests are turned off in ${commandText('/billing settings')}`,
  external: 'external',
  nobody: 'has left, or is an app',
};

/** Who can get tokens, and who can't although they were chosen. People whose role Slack doesn't return now count as able. */
async function issuersText({ people, groups }: Issuers, { slack, workspace }: Request): Promise<string> {
  const whyNot = async (person: SlackId): Promise<string | false> => {
    const role = await slack.roleOf(person).catch(ignoreFailure);
    // External people never get tokens, even if they can ask.
    const canGet = role !== 'external' && role && permissionsOf(role, workspace.settings, false).canAsk;
    return role !== undefined && !canGet && `${mention(person)} (${WHY_NOT[role]})`;
  };
  const without = compact(await Promise.all(people.map(whyNot)));
  const groupMentions = groups.map((id) => `<!subteam^${escapeMarkup(id)}>`);
  return joinTexts('\n', [
    `Can get tokens: ${formatList([...people.map(mention), ...groupMentions])}`,
    without.length > 0 && `*Can’t get tokens yet:* ${formatList(without)}`,
  ]);
}

function formatList(all: readonly string[]): string {
  const more = all.length - NAMED;
  return `${all.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
