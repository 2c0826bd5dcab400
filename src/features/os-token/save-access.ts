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
import { tryParse } from '../../domain/try-parse.ts';
import type { IssuedToken } from '../../identity/client.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { expiryOf } from '../../slack/commands/expiry-input.ts';
import {
  type Block,
  button,
  buttonRow,
  compact,
  escapeMarkup,
  header,
  joinTexts,
  type Message,
  markup,
  mention,
  section,
  textMessage,
} from '../../slack/kit/blocks.ts';
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
import { auditedChange, type WorkspaceChange } from '../../workspace/record/change.ts';
import { findAccess } from '../../workspace/record/workspace.ts';
import { EVENTS_KEPT_MS } from '../../workspace/short-lived/replay-protection.ts';
import { ACCESS_TITLE, type SentAccess } from './access-form.ts';
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

/** What a sent form does: tests the access, saves it, and says how that went. */
export function createAccessSaving(parts: Omit<TokenContext, 'request'>) {
  /** The tests whose access was not saved then, and what the audit says of them. */
  const left = new WeakMap<object, readonly Block[]>();
  return {
    async save(sent: SentAccess): Promise<Message | undefined> {
      const context = { ...parts, request: sent.request };
      // A token is issued once, however often and to however many processes the form is sent.
      if (!(await isFirst(`access ${sent.nonce}`, EVENTS_KEPT_MS, context))) return undefined;
      const blocks =
        sent.input.secret === ''
          ? await editAccess(sent, context)
          : await registerAccess(sent, await testAccess(sent, context), context, left);
      // Plans the reminders of its expiry.
      await parts.all.connected(sent.request.user.teamId);
      return { text: 'The application access is saved.', blocks };
    },
    /** Of a form that was sent twice. */
    async repeated({ id, input, request }: SentAccess): Promise<Message | undefined> {
      const { workspace, at, user } = request;
      const known = workspace.accesses.get(id);
      if (known?.authUrl !== input.authUrl || !isDeepStrictEqual(known.issuers, issuersOf(input)))
        return undefined;
      const stored = tryParse(() => known.open());
      const isKept =
        input.secret === '' || (stored?.secret === input.secret && known.registeredBy === user.id);
      if (!isKept) return undefined;
      const described = section(describeAccess(known, at, workspace.settings.zone));
      const who = markup(await issuersText(known.issuers, request));
      const { label } = accessProjectLabel(workspace, id);
      return { text: 'Saved.', blocks: [header(label), section('Saved.'), described, who] };
    },
    remains: (failure: Failure, sent: SentAccess): readonly Block[] => [
      ...maybeIssuedBlocks(failure),
      ...(left.get(sent.request) ?? []),
    ],
  };
}

const issuersOf = ({ people, groups }: SentAccess['input']): Issuers => ({
  people: [...people],
  groups: [...groups],
});

/** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
async function testAccess({ id: project, input }: SentAccess, context: TokenContext): Promise<AccessTest> {
  const { request, identity, limits } = context;
  const { authUrl, access_id, secret } = input;
  limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
  const about = { ...tokenSubject(request, project), isTest: true };
  const issued = await requestToken({ authUrl, id: access_id, secret }, about, context);
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
  { id: project, input }: SentAccess,
  test: AccessTest,
  context: TokenContext,
  left: WeakMap<object, readonly Block[]>,
): Promise<Block[]> {
  const { request, workspaces } = context;
  const { user, at, workspace, slack } = request;
  const { authUrl, access_id, secret, expires: expiry } = input;
  const issuers = issuersOf(input);
  const { name, restricted, expiresAt } = test.issued.credential ?? {};
  const said = expiry === undefined ? {} : expiryOf(expiry, workspace.settings.zone);
  const isKnown = workspace.accessIds.includes(project);
  const change = accessChange(request, project, `application access ${isKnown ? 'replaced' : 'registered'}`);
  const tested = test.result === 'revoked' ? [] : [testEntry(test, project, request)];
  const saving = workspaces.saveAccess(
    { ...change, entries: [...change.entries, ...tested] },
    {
      ...{ project, authUrl, issuers, id: access_id, secret, registeredBy: user.id, registeredAt: at },
      ...(name !== undefined && { name }),
      ...(restricted !== undefined && { restricted }),
      // The service knows better than the person.
      ...(expiresAt === undefined ? said : { expiresAt }),
      ...(test.result !== 'failed' && { revocable: test.result === 'revoked' }),
    },
  );
  const access = await saving.catch(async (error: unknown) => {
    const entry = testEntry(test, project, request);
    left.set(request, [
      section(TEST_RESULTS[test.result].text),
      ...auditBlocks(await recordEntry(entry, context)),
    ]);
    throw error;
  });
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
async function editAccess(
  { id: project, input }: SentAccess,
  { request, workspaces }: TokenContext,
): Promise<Block[]> {
  const { authUrl } = input;
  const issuers = issuersOf(input);
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
  const expiry = input.expires === undefined ? undefined : expiryOf(input.expires, zone);
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
