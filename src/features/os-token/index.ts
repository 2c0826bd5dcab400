import { commandText } from '../../domain/command-names.ts';
import { ignoreFailure } from '../../domain/failure/index.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type HelpLine, helpMessage } from '../../slack/commands/help.ts';
import { fetchUserGroups, suggestGroups } from '../../slack/commands/user-group-picker.ts';
import { onClick } from '../../slack/server/listeners.ts';
import type { Feature } from '../feature.ts';
import {
  ACCESS_VIEW,
  type AccessFormDefaults,
  type AccessRequest,
  accessForm,
  decodeAccessMetadata,
  findAccessProject,
  parseAccessForm,
  testingModal,
} from './access-form.ts';
import { removeAccess, saveAccess } from './save-access.ts';
import { parseTokenText, type TokenContext } from './token-request.ts';
import { askForToken, issueAgain, revokeToken } from './tokens.ts';
import { CONFIRM_VIEW, waitingTokenModal } from './window.ts';

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
        parse: (text, { aliases }) => parseTokenText(text, aliases),
        kind: 'changeInForm',
        async run(text, request) {
          const named = parseTokenText(text, request.workspace.aliases);
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
        run: ({ metadata }, request) => revokeToken(metadata, { ...parts, request }),
      },
      'os-token-another': {
        right: 'ask',
        kind: 'change',
        run: ({ metadata }, request) => issueAgain(metadata, { ...parts, request }),
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
          // A failure is ignored: the person is asked once more.
          await Promise.all([
            parts.workspaces.saveTokenNoticeSeen(teamId, id, request.at).catch(ignoreFailure),
            issueAgain(metadata, { ...parts, request }),
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
  const connection =
    workspace.projects.find(({ id }) => id === project)?.connection ?? workspace.defaultConnection;
  const form = {
    authUrl: current?.authUrl ?? workspace.connections.get(connection ?? '')?.authUrl ?? addresses.authUrl,
    issuers: current?.issuers ?? { people: [user.id], groups: [] },
    ...withoutUndefined(known),
    project,
  };
  await request.reply.modal.open(accessForm(form, await fetchUserGroups(request), request));
}
