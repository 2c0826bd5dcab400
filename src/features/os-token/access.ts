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
import { loadUserGroups, requireKnownGroups, suggestGroups } from '../../slack/user-groups.ts';
import type { Visit } from '../../slack/visit.ts';
import { isNamedIssuer, type NewAccess, type OpenableAccess } from '../../workspace/accesses.ts';
import type { Audit, AuditAction } from '../../workspace/audit.ts';
import { auditedChange, type WorkspaceChange } from '../../workspace/change.ts';
import { readable } from '../../workspace/parse-record.ts';
import { reportingZoneOf } from '../../workspace/settings.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
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
  /** Told of what was answered with a failure, and where. */
  readonly explain: (failure: Failure, where: string) => void;
}

/** Application accesses of projects: registered through a form, tested, sealed, and removed. */
export function createAccess(parts: AccessParts) {
  const { workspaces, identity, limits, audit, readAuthUrl, authUrl, explain } = parts;
  const openForm = async (known: AccessFormDefaults, visit: Visit): Promise<void> => {
    const { record, asker, at } = visit;
    const project = findAccessProject(known.project, record);
    const current = readable(() => record.access(project));
    const isDamaged = current === undefined && record.accessIds.includes(project);
    const { people = current?.issuers.people ?? [asker.person] } = known;
    await visit.open(
      accessForm({
        project,
        ...{ at, zone: reportingZoneOf(record) },
        label: projectLabel(record, project).label,
        current: isDamaged ? 'damaged' : current,
        authUrl: known.authUrl ?? current?.authUrl ?? connected(record, project) ?? authUrl,
        issuers: { people, groups: known.groups ?? current?.issuers.groups ?? [] },
        groups: await loadUserGroups(visit),
      }),
    );
  };

  /** A token is issued and given back: so it is known whether the service takes tokens back, too. */
  const test = async ({ project, authUrl }: AccessRequest, given: Given, visit: Visit) => {
    const opened = { authUrl, ...given };
    const tenant = { workspace: visit.asker.workspace, connection: project };
    limits.demand('tests', visit.asker);
    const issued = await identity.issue(opened, tenant).catch(async (error: unknown) => {
      if (isFailure(error) && mayHaveIssued(error)) {
        const entry = unclearIssueAudit(
          visit.at,
          visit.asker.person,
          `${about(visit.record, project)} · test`,
        );
        await audit.record(visit.asker.workspace, entry).catch(ignoreFailure);
      }
      throw error;
    });
    const givenBack = await identity.revoke(opened.authUrl, issued.token, tenant).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return 'failed' as const;
    });
    return { issued, givenBack: GIVEN_BACK[givenBack] };
  };

  const changed = (deed: AuditAction, project: string, visit: Visit): WorkspaceChange =>
    auditedChange(visit, [deed, about(visit.record, project)]);

  const register = async (request: AccessRequest, given: Given, visit: Visit): Promise<Block[]> => {
    const { asker, at } = visit;
    const { project, issuers } = request;
    const { issued, givenBack } = await test(request, given, visit);
    const fresh = newAccess(request, given, { issued, givenBack }, visit);
    const isKnown = visit.record.accessIds.includes(project);
    const deed = `application access ${isKnown ? 'replaced' : 'registered'}` as const;
    const access = await workspaces.saveAccess(changed(deed, project, visit), fresh);
    const isIssuer =
      isNamedIssuer(access, asker.person) || (await visit.isIn(issuers.groups).catch(() => false));
    const names = projectLabel(visit.record, project);
    return registeredBlocks({
      ...names,
      ...{ access, issued, givenBack, isIssuer, at, zone: reportingZoneOf(visit.record) },
      excluded: await findIneligible(issuers.people, visit),
    });
  };

  /** Who may is changed without the secret; where it is sent is not. */
  const rename = async (
    { project, authUrl: url, issuers }: AccessRequest,
    visit: Visit,
  ): Promise<Block[]> => {
    const current = visit.record.access(project);
    if (current === undefined)
      throw new InvalidWord('Access ID', 'is empty, and none is registered', 'Fill in ID and secret.');
    if (url !== current.authUrl)
      throw new InvalidWord(
        url,
        'is another address',
        'For another one, fill in ID and secret as well.',
        undefined,
        'always',
      );
    const { id, secret } = current.open();
    const change = changed('token issuers changed', project, visit);
    await workspaces.saveAccess(change, { ...without(current), issuers, id, secret });
    const excluded = await findIneligible(issuers.people, visit);
    return [
      header(projectLabel(visit.record, project).label),
      section('Saved.'),
      markup(issuersText(issuers, excluded)),
    ];
  };

  const save = async (request: AccessRequest, visit: Visit): Promise<void> => {
    try {
      const before = readable(() => visit.record.access(request.project))?.issuers.groups ?? [];
      const added = request.issuers.groups.filter((group) => !before.includes(group));
      await requireKnownGroups(added, visit);
      const { given } = request;
      const blocks =
        given === undefined ? await rename(request, visit) : await register(request, given, visit);
      await visit.show(accessSavedText(blocks), { text: 'The application access is registered.', blocks });
    } catch (error) {
      if (!isFailure(error)) throw error;
      explain(error, ACCESS_VIEW);
      const { text, blocks } = failureMessage(error);
      const isKnown = readable(() => visit.record.access(request.project)) !== undefined;
      const sorry = [
        header(mayHaveBeenSaved(error) ? 'Perhaps not registered' : 'Not registered'),
        ...withoutActions(blocks),
        ...(changedNothing(error)
          ? [section(isKnown ? 'The one registered before stays in use.' : 'Nothing was stored.')]
          : []),
      ];
      const suggested = error.kind === 'wrong-identity-url' ? error.suggestion : undefined;
      const back = actions(
        ...(suggested === undefined
          ? []
          : [
              button('access:corrected', 'Use the corrected address…', {
                value: encodeAccessMetadata({ ...request, authUrl: suggested }),
                style: 'primary',
              }),
            ]),
        button('access:back', 'Back to the form', { value: encodeAccessMetadata(request) }),
      );
      await visit.show(accessSavedText([...sorry, back]), { text, blocks: sorry });
    }
  };

  const remove = async (project: string, visit: Visit): Promise<void> => {
    const { label } = projectLabel(visit.record, project);
    if (!visit.record.accessIds.includes(project))
      return visit.show(accessSavedText([section(`There is no access of ${label} any more.`)]));
    await workspaces.removeAccess(changed('application access removed', project, visit), project);
    const text = `The access of ${label} is removed from Tally. It lives on in the console until it is deleted there.`;
    await visit.show(accessSavedText([section(text)]), { text, blocks: [section(text)] });
  };

  return {
    /** @param word an alias or an ID */
    open: (word: string, visit: Visit): Promise<void> => openForm({ project: word }, visit),
    actions: {
      [ACCESS_VIEW]: {
        right: 'manage',
        run: ({ value }, visit) => openForm(decodeAccessMetadata(value), visit),
      },
      'access-remove': { right: 'manage', run: ({ value }, visit) => remove(value, visit) },
    },
    options: { issuerGroups: { right: 'manage', find: suggestGroups } },
    views: {
      [ACCESS_VIEW]: {
        right: 'manage',
        waiting: testingModal,
        read: (fields, metadata) => parseAccessForm(fields, metadata, readAuthUrl),
        work: (request: AccessRequest, visit) => save(request, visit),
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
  { asker, at }: Visit,
): NewAccess {
  const { name, restricted, expiresAt } = issued.credential ?? {};
  return {
    ...{ project, authUrl, issuers, ...given },
    ...(name !== undefined && { name }),
    ...(restricted !== undefined && { restricted }),
    ...(expiresAt !== undefined && { lapsesAt: expiresAt }),
    ...(givenBack !== 'failed' && { revocable: givenBack === 'revoked' }),
    registeredBy: asker.person,
    registeredAt: at,
  };
}

const without = ({ open: _, lastFour: __, ...rest }: OpenableAccess) => rest;

/** The identity address of the connection that the project is asked by. */
function connected(record: WorkspaceRecord, project: string): string | undefined {
  const named = readable(() => record.projects.find(({ id }) => id === project)?.connection);
  return readable(() => record.connection(named))?.authUrl;
}

function about(record: WorkspaceRecord, project: string): string {
  const { label, word } = projectLabel(record, project);
  return word === project ? label : `${label} (project ${project})`;
}
