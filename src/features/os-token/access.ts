import { type Failure, isFailure, isUnsure, leftAllAsItWas, WordRefused } from '../../domain/failure.ts';
import type { IdentityClient, IssuedToken, Revocation } from '../../identity/client.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
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
import { checkAdded, findGroups, groupsFor } from '../../slack/user-groups.ts';
import type { Visit } from '../../slack/visit.ts';
import { isNamed, type NewAccess, type OpenableAccess } from '../../workspace/accesses.ts';
import type { Audit, Deed } from '../../workspace/audit.ts';
import { type Change, changeBy } from '../../workspace/change.ts';
import { readable } from '../../workspace/record.ts';
import { zoneOf } from '../../workspace/settings.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import {
  ACCESS,
  accessForm,
  type GivenBack,
  registeredBlocks,
  said,
  testing,
  whoMay,
} from './access-form.ts';
import {
  type AccessRequest,
  type Known,
  labelOf,
  projectNamed,
  readAccessForm,
  recall,
  remember,
} from './access-words.ts';
import { mayHaveIssued, unclearIssue } from './audited.ts';
import { excludedOf } from './excluded.ts';
import { unlessFailure } from './issuing.ts';

export interface AccessParts {
  readonly workspaces: Workspaces;
  readonly identity: IdentityClient;
  readonly limits: RateLimiter;
  readonly audit: Audit;
  /** The address as it will be used; throws AddressRefused, WordRefused. */
  readonly readAuthUrl: (text: string) => string;
  /** Filled in where no connection has one. */
  readonly authUrl: string | undefined;
  /** Told of what was answered with a failure, and where. */
  readonly explain: (failure: Failure, where: string) => void;
}

/** Application accesses of projects: registered through a form, tested, sealed, and removed. */
export function createAccess(parts: AccessParts) {
  const { workspaces, identity, limits, audit, readAuthUrl, authUrl, explain } = parts;
  const openForm = async (known: Known, visit: Visit): Promise<void> => {
    const { record, asker, at } = visit;
    const project = projectNamed(known.project, record);
    const current = readable(() => record.access(project));
    const isDamaged = current === undefined && record.accessIds.includes(project);
    const { people = current?.issuers.people ?? [asker.person] } = known;
    await visit.open(
      accessForm({
        project,
        ...{ at, zone: zoneOf(record) },
        label: labelOf(record, project).label,
        current: isDamaged ? 'damaged' : current,
        authUrl: known.authUrl ?? current?.authUrl ?? connected(record, project) ?? authUrl,
        issuers: { people, groups: known.groups ?? current?.issuers.groups ?? [] },
        groups: await groupsFor(visit),
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
        const entry = unclearIssue(visit.at, visit.asker.person, `${about(visit.record, project)} · test`);
        await audit.record(visit.asker.workspace, entry).catch(unlessFailure);
      }
      throw error;
    });
    const givenBack = await identity.revoke(opened.authUrl, issued.token, tenant).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return 'failed' as const;
    });
    return { issued, givenBack: GIVEN_BACK[givenBack] };
  };

  const changed = (deed: Deed, project: string, visit: Visit): Change =>
    changeBy(visit, [deed, about(visit.record, project)]);

  const register = async (request: AccessRequest, given: Given, visit: Visit): Promise<Block[]> => {
    const { asker, at } = visit;
    const { project, issuers } = request;
    const { issued, givenBack } = await test(request, given, visit);
    const fresh = newAccess(request, given, { issued, givenBack }, visit);
    const isKnown = visit.record.accessIds.includes(project);
    const deed = `application access ${isKnown ? 'replaced' : 'registered'}` as const;
    const access = await workspaces.saveAccess(changed(deed, project, visit), fresh);
    const isIssuer = isNamed(access, asker.person) || (await visit.isIn(issuers.groups).catch(() => false));
    const names = labelOf(visit.record, project);
    return registeredBlocks({
      ...names,
      ...{ access, issued, givenBack, isIssuer, at, zone: zoneOf(visit.record) },
      excluded: await excludedOf(issuers.people, visit),
    });
  };

  /** Who may is changed without the secret; where it is sent is not. */
  const rename = async (
    { project, authUrl: url, issuers }: AccessRequest,
    visit: Visit,
  ): Promise<Block[]> => {
    const current = visit.record.access(project);
    if (current === undefined)
      throw new WordRefused('Access ID', 'is empty, and none is registered', 'Fill in ID and secret.');
    if (url !== current.authUrl)
      throw new WordRefused(url, 'is another address', 'For another one, fill in ID and secret as well.');
    const { id, secret } = current.open();
    const change = changed('token issuers changed', project, visit);
    await workspaces.saveAccess(change, { ...without(current), issuers, id, secret });
    const excluded = await excludedOf(issuers.people, visit);
    return [
      header(labelOf(visit.record, project).label),
      section('Saved.'),
      markup(whoMay(issuers, excluded)),
    ];
  };

  const save = async (request: AccessRequest, visit: Visit): Promise<void> => {
    try {
      const before = readable(() => visit.record.access(request.project))?.issuers.groups ?? [];
      const added = request.issuers.groups.filter((group) => !before.includes(group));
      await checkAdded(added, visit);
      const { given } = request;
      const blocks =
        given === undefined ? await rename(request, visit) : await register(request, given, visit);
      await visit.show(said(blocks), { text: 'The application access is registered.', blocks });
    } catch (error) {
      if (!isFailure(error)) throw error;
      explain(error, ACCESS);
      const { text, blocks } = failureMessage(error);
      const isKnown = readable(() => visit.record.access(request.project)) !== undefined;
      const sorry = [
        header(isUnsure(error) ? 'Perhaps not registered' : 'Not registered'),
        ...withoutActions(blocks),
        ...(leftAllAsItWas(error)
          ? [section(isKnown ? 'The one registered before stays in use.' : 'Nothing was stored.')]
          : []),
      ];
      const suggested = error.kind === 'wrong-address' ? error.suggestion : undefined;
      const back = actions(
        ...(suggested === undefined
          ? []
          : [
              button('access:corrected', 'Use the corrected address…', {
                value: remember({ ...request, authUrl: suggested }),
                style: 'primary',
              }),
            ]),
        button('access:back', 'Back to the form', { value: remember(request) }),
      );
      await visit.show(said([...sorry, back]), { text, blocks: sorry });
    }
  };

  const remove = async (project: string, visit: Visit): Promise<void> => {
    const { label } = labelOf(visit.record, project);
    if (!visit.record.accessIds.includes(project))
      return visit.show(said([section(`There is no access of ${label} any more.`)]));
    await workspaces.removeAccess(changed('application access removed', project, visit), project);
    const text = `The access of ${label} is removed from Tally. It lives on in the console until it is deleted there.`;
    await visit.show(said([section(text)]), { text, blocks: [section(text)] });
  };

  return {
    /** @param word an alias or an ID */
    open: (word: string, visit: Visit): Promise<void> => openForm({ project: word }, visit),
    actions: {
      [ACCESS]: { right: 'manage', run: ({ value }, visit) => openForm(recall(value), visit) },
      'access-remove': { right: 'manage', run: ({ value }, visit) => remove(value, visit) },
    },
    options: { issuerGroups: { right: 'manage', find: findGroups } },
    views: {
      [ACCESS]: {
        right: 'manage',
        waiting: testing,
        read: (fields, metadata) => readAccessForm(fields, metadata, readAuthUrl),
        work: (request: AccessRequest, visit) => save(request, visit),
      },
    },
  } satisfies Partial<Feature> & { open: unknown };
}

type Given = NonNullable<AccessRequest['given']>;

const GIVEN_BACK: Readonly<Record<Revocation | 'failed', GivenBack>> = {
  revoked: 'revoked',
  'already-dead': 'revoked',
  'not-offered': 'not-offered',
  refused: 'failed',
  failed: 'failed',
};

function newAccess(
  { project, authUrl, issuers }: AccessRequest,
  given: Given,
  { issued, givenBack }: { readonly issued: IssuedToken; readonly givenBack: GivenBack },
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
  const { label, word } = labelOf(record, project);
  return word === project ? label : `${label} (project ${project})`;
}
