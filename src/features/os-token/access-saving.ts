import { isDeepStrictEqual } from 'node:util';
import {
  changedNothing,
  type Failure,
  InvalidWord,
  isFailure,
  mayHaveBeenSaved,
} from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import { expiryOf } from '../../slack/commands/expiry-input.ts';
import {
  actions,
  type Block,
  button,
  header,
  markup,
  section,
  withoutActions,
} from '../../slack/kit/atoms.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { requireKnownGroups } from '../../slack/request/user-groups.ts';
import { describeAccess, isNamedIssuer, type NewAccess } from '../../workspace/credentials/accesses.ts';
import { withExpiry } from '../../workspace/credentials/connections.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import { auditedChange, type WorkspaceChange } from '../../workspace/record/change.ts';
import { requireUnchanged } from '../../workspace/record/conflict.ts';
import { findAccess } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { ACCESS_VIEW, accessSavedText, issuersText, registeredBlocks, TESTED } from './access-form.ts';
import {
  type AccessRequest,
  accessAuditText,
  accessProjectLabel,
  encodeAccessMetadata,
} from './access-words.ts';
import { auditStateOf } from './audit.ts';
import { auditBlocks } from './blocks.ts';
import { findIneligible } from './ineligible.ts';
import { maybeIssuedBlocks } from './issue-modal.ts';
import {
  type AccessTest,
  type AccessTestParts,
  accessTestAudit,
  type Credentials,
  testAccess,
} from './test-access.ts';

export interface AccessParts extends AccessTestParts {
  readonly workspaces: Workspaces;
  /** The address as it will be used; throws AddressRefused, InvalidWord. */
  readonly readAuthUrl: (text: string) => string;
  /** Filled in if no connection has one. */
  readonly authUrl: string | undefined;
  /** Logs an error that a user was shown, and where. */
  readonly explain: (error: unknown, where: string) => void;
  /** Called after each change, so that reminders are planned. */
  readonly onSaved?: (workspace: string) => Promise<void>;
}

/** A change of an application access, with its entry in the audit. */
export const accessChange = (action: AuditAction, project: string, request: Request): WorkspaceChange =>
  auditedChange(request, [action, accessAuditText(request.workspace, project)]);

async function registerAccess(
  input: AccessRequest,
  credentials: Credentials,
  test: AccessTest,
  request: Request,
  parts: AccessParts,
): Promise<Block[]> {
  const { user, at } = request;
  const { project, issuers } = input;
  const fresh = newAccess(input, credentials, test, request);
  const isKnown = request.workspace.accessIds.includes(project);
  const action = `application access ${isKnown ? 'replaced' : 'registered'}` as const;
  const change = accessChange(action, project, request);
  const left = test.revocation === 'revoked' ? [] : [accessTestAudit(test, project, request)];
  const access = await parts.workspaces.saveAccess(
    { ...change, entries: [...change.entries, ...left] },
    fresh,
  );
  const isIssuer =
    isNamedIssuer(access, user.id) || (await request.slack.isInGroups(issuers.groups).catch(() => false));
  const names = accessProjectLabel(request.workspace, project);
  return registeredBlocks({
    ...names,
    ...{ access, ...test, isIssuer, at, zone: request.workspace.settings.zone },
    ineligible: await findIneligible(issuers.people, request),
  });
}

/** Updates the issuers and the expiry; changing the URL needs the secret again. */
async function editAccess(
  { project, authUrl: url, issuers, expiry: choice }: AccessRequest,
  request: Request,
  { workspaces }: AccessParts,
): Promise<Block[]> {
  const { zone } = request.workspace.settings;
  const current = findAccess(request.workspace, project);
  if (current === undefined) throw new InvalidWord('Access ID', 'is empty', 'Enter the ID and the secret.');
  if (url !== current.authUrl)
    throw new InvalidWord(url, 'is a new address', 'Enter the ID and the secret too.', undefined, 'always');
  const expiry = choice === undefined ? undefined : expiryOf(choice, zone);
  const edits: readonly AuditAction[] = [
    ...(isDeepStrictEqual(issuers, current.issuers) ? [] : (['token issuers changed'] as const)),
    ...(expiry === undefined ? [] : (['expiry changed'] as const)),
  ];
  const subject = accessAuditText(request.workspace, project);
  const change = auditedChange(request, ...edits.map((action) => [action, subject] as const));
  if (edits.length > 0)
    await workspaces.editCredential(change, { kind: 'access', name: project }, { issuers, expiry });
  const ineligible = await findIneligible(issuers.people, request);
  return [
    header(accessProjectLabel(request.workspace, project).label),
    section(edits.length === 0 ? 'No changes to save.' : 'Saved.'),
    section(describeAccess(expiry === undefined ? current : withExpiry(current, expiry), request.at, zone)),
    markup(issuersText(issuers, ineligible)),
  ];
}

/** Shows what became of the form in its modal. */
export async function saveAccess(input: AccessRequest, request: Request, parts: AccessParts): Promise<void> {
  const { explain, audit } = parts;
  let test: AccessTest | undefined;
  try {
    requireUnchanged(request.workspace, FIELDS.access + input.project, input.stamp);
    const before = request.workspace.accesses.get(input.project)?.issuers.groups ?? [];
    const added = input.issuers.groups.filter((group) => !before.includes(group));
    await requireKnownGroups(added, request);
    const { credentials } = input;
    test = credentials && (await testAccess(input, credentials, request, parts));
    const blocks =
      credentials === undefined || test === undefined
        ? await editAccess(input, request, parts)
        : await registerAccess(input, credentials, test, request, parts);
    const text = 'The application access is saved.';
    await request.reply.modal.update(accessSavedText(blocks), { text, blocks });
    await parts.onSaved?.(request.user.teamId);
  } catch (error) {
    if (!isFailure(error)) throw error;
    explain(error, ACCESS_VIEW);
    const tested = test && [
      section(TESTED[test.revocation]),
      ...auditBlocks(
        await auditStateOf(
          audit.record(request.user.teamId, accessTestAudit(test, input.project, request)),
          explain,
        ),
      ),
    ];
    await showFailure(error, input, [...maybeIssuedBlocks(error), ...(tested ?? [])], request);
  }
}

/** @param tested what became of the token of the test */
async function showFailure(
  failure: Failure,
  input: AccessRequest,
  tested: readonly Block[],
  request: Request,
): Promise<void> {
  const { text, blocks } = failureMessage(failure);
  const isKnown = request.workspace.accesses.get(input.project) !== undefined;
  const explanation = [
    header(mayHaveBeenSaved(failure) ? 'May not be saved' : 'Not saved'),
    ...withoutActions(blocks),
    ...(changedNothing(failure)
      ? [section(isKnown ? 'The current access stays in use.' : 'Nothing was saved.')]
      : []),
    ...tested,
  ];
  const suggested = failure.kind === 'wrong-identity-url' ? failure.suggestion : undefined;
  const back = actions(
    ...(suggested === undefined
      ? []
      : [
          button('access-form:corrected', 'Use the corrected address…', {
            value: encodeAccessMetadata({ ...input, authUrl: suggested }),
            style: 'primary',
          }),
        ]),
    button('access-form:back', 'Back to the form', { value: encodeAccessMetadata(input) }),
  );
  await request.reply.modal.update(accessSavedText([...explanation, back]), { text, blocks: explanation });
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
    ...{ project, authUrl, issuers, ...credentials },
    ...(name !== undefined && { name }),
    ...(restricted !== undefined && { restricted }),
    // The service knows better than the person.
    ...(expiresAt === undefined ? said : { expiresAt }),
    ...(revocation !== 'failed' && { revocable: revocation === 'revoked' }),
    registeredBy: user.id,
    registeredAt: at,
  };
}
