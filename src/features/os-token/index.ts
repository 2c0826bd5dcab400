import { commandText } from '../../domain/command-names.ts';
import { ignoreFailure } from '../../domain/failure/index.ts';
import { type HelpLine, helpMessage } from '../../slack/commands/help.ts';
import { fetchUserGroups, suggestGroups } from '../../slack/commands/user-group-picker.ts';
import { section, textMessage } from '../../slack/kit/blocks.ts';
import { modal } from '../../slack/kit/modal.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { readerIn, type Workspace } from '../../workspace/record/workspace.ts';
import { grantHandle } from '../../workspace/short-lived/token-grants.ts';
import type { Feature } from '../feature.ts';
import { ACCESS_TITLE, ACCESS_VIEW, accessForm, testingModal } from './access-form.ts';
import { askForToken, issueAgain } from './ask-for-token.ts';
import { ALREADY_USED, CONFIRM_VIEW, tokenWindow, waitingTokenModal } from './blocks.ts';
import { parseModalTokens } from './modal-tokens.ts';
import {
  type AccessFormDefaults,
  type AccessRequest,
  accessProjectLabel,
  decodeAccessMetadata,
  findAccessProject,
  parseAccessForm,
} from './parse-access-form.ts';
import { revokeToken } from './revoke-token.ts';
import { accessChange, saveAccess } from './save-access.ts';
import { parseTokenText, type TokenContext } from './token-request.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/os-token': true;
    '/billing projects access': true;
  }
  interface Actions {
    'access-form': true;
    'access-remove': true;
    'os-token-revoke': true;
    'os-token-another': true;
  }
}

const ACCESS_HELP: HelpLine = {
  usage: `${commandText('/billing projects access')} [project]`,
  what: 'Register the application access that issues OS_TOKENs, and choose who can get them.',
  right: 'manage',
  examples: [`${commandText('/billing projects access')} prod`],
};
const HELP: HelpLine = {
  usage: `${commandText('/os-token')} [project]`,
  what: 'Get a temporary OS_TOKEN for the cloud platform’s API. Only you see it.',
  examples: [`${commandText('/os-token')} prod`, `${commandText('/os-token')} 123`],
};

/**
 * `/os-token`: issues a token, shows it once to the person who asks, and revokes it from there. Tally stores no token.
 * Application accesses of projects are registered through a form, tested, sealed, and removed.
 */
export function createOsTokenFeature(parts: Omit<TokenContext, 'request'>): Feature {
  return {
    help: [HELP, ACCESS_HELP],
    projectVerbs: {
      access: {
        label: 'Application access…',
        open: (word, request) => openAccessForm({ project: word }, { ...parts, request }),
      },
    },
    options: { issuerGroups: { right: 'manage', find: suggestGroups } },
    commands: {
      '/os-token': {
        right: 'ask',
        parse: (text, _, reader) => parseTokenText(text, reader),
        kind: 'changeInForm',
        async run(text, request) {
          const named = parseTokenText(text, readerIn(request.workspace, request.at));
          if (named === 'help') return request.reply.private(helpMessage('Temporary tokens', [HELP]));
          await askForToken(named, named.alias ?? named.project ?? '', { ...parts, request });
        },
      },
    },
    actions: {
      [ACCESS_VIEW]: onClick('manage', 'openForm', (value, request) =>
        openAccessForm(decodeAccessMetadata(value), { ...parts, request }),
      ),
      'access-remove': onClick('manage', 'change', (value, request) =>
        removeAccess(value, { ...parts, request }),
      ),
      'os-token-revoke': {
        right: 'workspaceUser',
        kind: 'change',
        async run({ metadata, value: handle }, request) {
          const tokens = parseModalTokens(metadata);
          const token = tokens.find(({ grantText }) => grantHandle(grantText) === handle) ?? tokens[0];
          const context = { ...parts, request };
          if (token === undefined)
            return request.reply.modal.update(tokenWindow([ALREADY_USED], tokens, context));
          await revokeToken(tokens, token, context);
        },
      },
      'os-token-another': {
        right: 'ask',
        kind: 'change',
        run: ({ metadata, value }, request) =>
          issueAgain(parseModalTokens(metadata), value, { ...parts, request }),
      },
    },
    views: {
      [ACCESS_VIEW]: {
        right: 'manage',
        waiting: testingModal,
        parse: (fields, metadata) => parseAccessForm(fields, metadata, parts.checks.authUrl),
        submit: (input: AccessRequest, request) => saveAccess(input, { ...parts, request }),
      },
      [CONFIRM_VIEW]: {
        right: 'ask',
        waiting: waitingTokenModal,
        parse: (_, metadata) => ({ input: metadata }),
        async submit(metadata: string, request) {
          const { teamId, id } = request.user;
          // Not awaited: if it is lost, the person is asked once more.
          await Promise.all([
            parts.workspaces.saveTokenNoticeSeen(teamId, id, request.at).catch(ignoreFailure),
            issueAgain(parseModalTokens(metadata), '', { ...parts, request }),
          ]);
        },
      },
    },
  };
}

/** @param known its `project` may be an alias or an ID */
async function openAccessForm(
  known: AccessFormDefaults,
  { request, addresses }: TokenContext,
): Promise<void> {
  const { workspace, user } = request;
  const project = findAccessProject(known.project, workspace);
  const current = workspace.accesses.get(project);
  const { people = current?.issuers.people ?? [user.id], groups = current?.issuers.groups ?? [] } = known;
  const form = {
    project,
    issuers: { people, groups },
    expiry: known.expiry,
    authUrl: known.authUrl ?? current?.authUrl ?? connectionAuthUrl(workspace, project) ?? addresses.authUrl,
    groups: await fetchUserGroups(request),
  };
  await request.reply.modal.open(accessForm(form, request));
}

async function removeAccess(project: string, { request, workspaces }: TokenContext): Promise<void> {
  const { workspace, reply } = request;
  const { label } = accessProjectLabel(workspace, project);
  if (!workspace.accessIds.includes(project)) {
    const blocks = [section(`The access for ${label} was already removed.`)];
    return reply.modal.update(modal({ title: ACCESS_TITLE, blocks }));
  }
  await workspaces.removeAccess(accessChange('application access removed', project, request), project);
  await reply.modal.show(
    ACCESS_TITLE,
    textMessage(
      `Removed the access for ${label} from Tally. Delete it in the console too: it still works there.`,
    ),
  );
}

function connectionAuthUrl(record: Workspace, project: string): string | undefined {
  const name = record.projects.find(({ id }) => id === project)?.connection ?? record.defaultConnection;
  return name === undefined ? undefined : record.connections.get(name)?.authUrl;
}
