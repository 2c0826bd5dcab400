import { commandText } from '../../domain/command-names.ts';
import { type HelpLine, helpMessage } from '../../slack/commands/help.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import { createAccessForm, removeAccess } from './access.ts';
import { issueToken, parseTokenText, revokeToken, type TokenServices } from './token.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/os-token': true;
    '/billing projects access': true;
  }
  interface Actions {
    'access-form': true;
    'application-access-form': true;
    'access-remove': true;
    'os-token-revoke': true;
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
export function createOsTokenFeature(services: TokenServices): Feature {
  const form = createAccessForm(services);
  return {
    help: [HELP, ACCESS_HELP],
    projectVerbs: { access: { label: 'Application access…', open: form.open } },
    options: form.listeners.options,
    commands: {
      '/os-token': {
        right: 'ask',
        parse: (text, _, reader) => parseTokenText(text, reader),
        changes: true,
        opensForm: true,
        async run(text, request) {
          const named = parseTokenText(text, readerIn(request.workspace, request.at));
          if (named === 'help') return request.reply.private(helpMessage('Temporary tokens', [HELP]));
          await issueToken(named, request, services);
        },
      },
    },
    actions: {
      ...form.listeners.actions,
      'access-form': onClick('manage', { opensForm: true }, form.open),
      'access-remove': onClick('manage', { changes: true }, (value, request) =>
        removeAccess(value, request, services),
      ),
      'os-token-revoke': {
        right: 'workspaceUser',
        changes: true,
        run: ({ metadata }, request) => revokeToken(metadata, request, services),
      },
    },
    views: form.listeners.views,
  };
}
