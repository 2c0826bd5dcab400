import { section, textMessage } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import { loadUserGroups, suggestGroups } from '../../slack/request/user-groups.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { Feature } from '../feature.ts';
import { ACCESS_TITLE, ACCESS_VIEW, accessForm, testingModal } from './access-form.ts';
import { accessChange, saveAccess } from './access-saving.ts';
import {
  type AccessFormDefaults,
  type AccessRequest,
  accessProjectLabel,
  decodeAccessMetadata,
  findAccessProject,
  parseAccessForm,
} from './access-words.ts';
import type { OsTokenParts } from './context.ts';

/** Application accesses of projects: registered through a form, tested, sealed, and removed. */
export function createAccess(parts: OsTokenParts) {
  const { workspaces, readAuthUrl, authUrl } = parts;
  const openForm = async (known: AccessFormDefaults, request: Request): Promise<void> => {
    const { workspace, user } = request;
    const project = findAccessProject(known.project, workspace);
    const current = workspace.accesses.get(project);
    const { people = current?.issuers.people ?? [user.id], groups = current?.issuers.groups ?? [] } = known;
    const form = {
      ...{ project, issuers: { people, groups }, expiry: known.expiry },
      authUrl: known.authUrl ?? current?.authUrl ?? connected(workspace, project) ?? authUrl,
      groups: await loadUserGroups(request),
    };
    await request.reply.modal.open(accessForm(form, request));
  };

  const remove = async (project: string, request: Request): Promise<void> => {
    const { label } = accessProjectLabel(request.workspace, project);
    if (!request.workspace.accessIds.includes(project))
      return request.reply.modal.update(
        modal({
          title: ACCESS_TITLE,
          blocks: [section(`The access for ${label} was already removed.`)],
        }),
      );
    await workspaces.removeAccess(accessChange('application access removed', project, request), project);
    await request.reply.modal.show(
      ACCESS_TITLE,
      textMessage(
        `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`,
      ),
    );
  };

  return {
    /** @param word an alias or an ID */
    open: (word: string, request: Request): Promise<void> => openForm({ project: word }, request),
    actions: {
      [ACCESS_VIEW]: {
        right: 'manage',
        openForm: ({ value }, request) => openForm(decodeAccessMetadata(value), request),
      },
      'access-remove': { right: 'manage', run: ({ value }, request) => remove(value, request) },
    },
    options: { issuerGroups: { right: 'manage', find: suggestGroups } },
    views: {
      [ACCESS_VIEW]: {
        right: 'manage',
        waiting: testingModal,
        read: (fields, metadata) => parseAccessForm(fields, metadata, readAuthUrl),
        work: (input: AccessRequest, request) => saveAccess(input, { ...parts, request }),
      },
    },
  } satisfies Partial<Feature> & { open: unknown };
}

/** The identity address of the connection that the project is asked by. */
function connected(record: Workspace, project: string): string | undefined {
  const name = record.projects.find(({ id }) => id === project)?.connection ?? record.defaultConnection;
  return name === undefined ? undefined : record.connections.get(name)?.authUrl;
}
