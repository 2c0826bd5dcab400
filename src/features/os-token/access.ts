import {
  changedNothing,
  type Failure,
  InvalidWord,
  isFailure,
  mayHaveBeenSaved,
} from '../../domain/failure/index.ts';
import type { IdentityClient, IssuedToken, Revocation } from '../../identity/client.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import {
  actions,
  type Block,
  button,
  header,
  markup,
  section,
  withoutActions,
} from '../../slack/kit/atoms.ts';
import type { RateLimiter } from '../../slack/rate-limit.ts';
import type { Request } from '../../slack/request.ts';
import { loadUserGroups, requireKnownGroups, suggestGroups } from '../../slack/user-groups.ts';
import { isNamedIssuer, type NewAccess, type OpenableAccess } from '../../workspace/accesses.ts';
import type { Audit, AuditAction } from '../../workspace/audit.ts';
import { auditedChange, type WorkspaceChange } from '../../workspace/change.ts';
import { findAccess } from '../../workspace/workspace.ts';
import type { Workspace, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import {
  ACCESS_VIEW,
  accessForm,
  accessSavedText,
  issuersText,
  type RevocationResult,
  registeredBlocks,
  testingModal,
} from './access-form.ts';
import {
  type AccessFormDefaults,
  type AccessRequest,
  decodeAccessMetadata,
  encodeAccessMetadata,
  findAccessProject,
  parseAccessForm,
  projectLabel,
} from './access-words.ts';
import { mayHaveIssued, unclearIssueAudit } from './audit.ts';
import { findIneligible } from './ineligible.ts';
import { ignoreFailure } from './issuing.ts';

export interface AccessParts {
  readonly workspaces: Workspaces;
  readonly identity: IdentityClient;
  readonly limits: RateLimiter;
  readonly audit: Audit;
  /** The address as it will be used; throws AddressRefused, InvalidWord. */
  readonly readAuthUrl: (text: string) => string;
  /** Filled in where no connection has one. */
  readonly authUrl: string | undefined;
  /** Logs a failure that a person was told about, and where. */
  readonly explain: (failure: Failure, where: string) => void;
}

/** Application accesses of projects: registered through a form, tested, sealed, and removed. */
export function createAccess(parts: AccessParts) {
  const { workspaces, identity, limits, audit, readAuthUrl, authUrl, explain } = parts;
  const openForm = async (known: AccessFormDefaults, request: Request): Promise<void> => {
    const { workspace, user, at } = request;
    const project = findAccessProject(known.project, workspace);
    const current = workspace.accesses.get(project);
    const isDamaged = current === undefined && workspace.accessIds.includes(project);
    const { people = current?.issuers.people ?? [user.id] } = known;
    await request.reply.modal.open(
      accessForm({
        project,
        ...{ at, zone: workspace.settings.zone },
        label: projectLabel(workspace, project).label,
        current: isDamaged ? 'damaged' : current,
        authUrl: known.authUrl ?? current?.authUrl ?? connected(workspace, project) ?? authUrl,
        issuers: { people, groups: known.groups ?? current?.issuers.groups ?? [] },
        groups: await loadUserGroups(request),
      }),
    );
  };

  /** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
  const test = async ({ project, authUrl }: AccessRequest, given: Given, request: Request) => {
    const opened = { authUrl, ...given };
    const tenant = { workspace: request.user.teamId, connection: project };
    limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
    const issued = await identity.issue(opened, tenant).catch(async (error: unknown) => {
      if (isFailure(error) && mayHaveIssued(error)) {
        const entry = unclearIssueAudit(
          request.at,
          request.user.id,
          `${about(request.workspace, project)} · test`,
        );
        await audit.record(request.user.teamId, entry).catch(ignoreFailure);
      }
      throw error;
    });
    const givenBack = await identity.revoke(opened.authUrl, issued.token, tenant).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return 'failed' as const;
    });
    return { issued, givenBack: GIVEN_BACK[givenBack] };
  };

  const changed = (deed: AuditAction, project: string, request: Request): WorkspaceChange =>
    auditedChange(request, [deed, about(request.workspace, project)]);

  const register = async (input: AccessRequest, given: Given, request: Request): Promise<Block[]> => {
    const { user, at } = request;
    const { project, issuers } = input;
    const { issued, givenBack } = await test(input, given, request);
    const fresh = newAccess(input, given, { issued, givenBack }, request);
    const isKnown = request.workspace.accessIds.includes(project);
    const deed = `application access ${isKnown ? 'replaced' : 'registered'}` as const;
    const access = await workspaces.saveAccess(changed(deed, project, request), fresh);
    const isIssuer =
      isNamedIssuer(access, user.id) || (await request.slack.isInGroups(issuers.groups).catch(() => false));
    const names = projectLabel(request.workspace, project);
    return registeredBlocks({
      ...names,
      ...{ access, issued, givenBack, isIssuer, at, zone: request.workspace.settings.zone },
      excluded: await findIneligible(issuers.people, request),
    });
  };

  /** Updates the issuers; changing the URL needs the secret again. */
  const changeIssuers = async (
    { project, authUrl: url, issuers }: AccessRequest,
    request: Request,
  ): Promise<Block[]> => {
    const current = findAccess(request.workspace, project);
    if (current === undefined) throw new InvalidWord('Access ID', 'is empty', 'Enter the ID and the secret.');
    if (url !== current.authUrl)
      throw new InvalidWord(url, 'is a new address', 'Enter the ID and the secret too.', undefined, 'always');
    const { id, secret } = current.open();
    const change = changed('token issuers changed', project, request);
    await workspaces.saveAccess(change, { ...without(current), issuers, id, secret });
    const excluded = await findIneligible(issuers.people, request);
    return [
      header(projectLabel(request.workspace, project).label),
      section('Saved.'),
      markup(issuersText(issuers, excluded)),
    ];
  };

  const save = async (input: AccessRequest, request: Request): Promise<void> => {
    try {
      const before = request.workspace.accesses.get(input.project)?.issuers.groups ?? [];
      const added = input.issuers.groups.filter((group) => !before.includes(group));
      await requireKnownGroups(added, request);
      const { given } = input;
      const blocks =
        given === undefined ? await changeIssuers(input, request) : await register(input, given, request);
      await request.reply.modal.update(accessSavedText(blocks), {
        text: 'The application access is saved.',
        blocks,
      });
    } catch (error) {
      if (!isFailure(error)) throw error;
      explain(error, ACCESS_VIEW);
      const { text, blocks } = failureMessage(error);
      const isKnown = request.workspace.accesses.get(input.project) !== undefined;
      const explanation = [
        header(mayHaveBeenSaved(error) ? 'May not be saved' : 'Not saved'),
        ...withoutActions(blocks),
        ...(changedNothing(error)
          ? [section(isKnown ? 'The current access stays in use.' : 'Nothing was saved.')]
          : []),
      ];
      const suggested = error.kind === 'wrong-identity-url' ? error.suggestion : undefined;
      const back = actions(
        ...(suggested === undefined
          ? []
          : [
              button('access:corrected', 'Use the corrected address…', {
                value: encodeAccessMetadata({ ...input, authUrl: suggested }),
                style: 'primary',
              }),
            ]),
        button('access:back', 'Back to the form', { value: encodeAccessMetadata(input) }),
      );
      await request.reply.modal.update(accessSavedText([...explanation, back]), {
        text,
        blocks: explanation,
      });
    }
  };

  const remove = async (project: string, request: Request): Promise<void> => {
    const { label } = projectLabel(request.workspace, project);
    if (!request.workspace.accessIds.includes(project))
      return request.reply.modal.update(
        accessSavedText([section(`The access for ${label} was already removed.`)]),
      );
    await workspaces.removeAccess(changed('application access removed', project, request), project);
    const text = `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`;
    await request.reply.modal.update(accessSavedText([section(text)]), { text, blocks: [section(text)] });
  };

  return {
    /** @param word an alias or an ID */
    open: (word: string, request: Request): Promise<void> => openForm({ project: word }, request),
    actions: {
      [ACCESS_VIEW]: {
        right: 'manage',
        run: ({ value }, request) => openForm(decodeAccessMetadata(value), request),
      },
      'access-remove': { right: 'manage', run: ({ value }, request) => remove(value, request) },
    },
    options: { issuerGroups: { right: 'manage', find: suggestGroups } },
    views: {
      [ACCESS_VIEW]: {
        right: 'manage',
        waiting: testingModal,
        read: (fields, metadata) => parseAccessForm(fields, metadata, readAuthUrl),
        work: (input: AccessRequest, request) => save(input, request),
      },
    },
  } satisfies Partial<Feature> & { open: unknown };
}

type Given = NonNullable<AccessRequest['given']>;

const GIVEN_BACK: Readonly<Record<Revocation | 'failed', RevocationResult>> = {
  revoked: 'revoked',
  'already-dead': 'revoked',
  'not-offered': 'not-offered',
  refused: 'failed',
  failed: 'failed',
};

function newAccess(
  { project, authUrl, issuers }: AccessRequest,
  given: Given,
  { issued, givenBack }: { readonly issued: IssuedToken; readonly givenBack: RevocationResult },
  { user, at }: Request,
): NewAccess {
  const { name, restricted, expiresAt } = issued.credential ?? {};
  return {
    ...{ project, authUrl, issuers, ...given },
    ...(name !== undefined && { name }),
    ...(restricted !== undefined && { restricted }),
    ...(expiresAt !== undefined && { lapsesAt: expiresAt }),
    ...(givenBack !== 'failed' && { revocable: givenBack === 'revoked' }),
    registeredBy: user.id,
    registeredAt: at,
  };
}

const without = ({ open: _, lastFour: __, ...rest }: OpenableAccess) => rest;

/** The identity address of the connection that the project is asked by. */
function connected(record: Workspace, project: string): string | undefined {
  const name = record.projects.find(({ id }) => id === project)?.connection ?? record.defaultConnection;
  return name === undefined ? undefined : record.connections.get(name)?.authUrl;
}

function about(record: Workspace, project: string): string {
  const { label, word } = projectLabel(record, project);
  return word === project ? label : `${label} (project ${project})`;
}
