import { commandText } from '../../domain/commands.ts';
import { type HelpLine, helpMessage } from '../../slack/kit/help.ts';
import { grantHandle } from '../../workspace/once/one-time-grants.ts';
import type { Feature } from '../feature.ts';
import { createAccess } from './access.ts';
import { stoppedAccesses } from './access-saving.ts';
import { ALREADY_USED, CONFIRM_VIEW, tokenWindow, waitingTokenModal } from './blocks.ts';
import { ignoreFailure, type OsTokenParts, windowOf } from './context.ts';
import { askForToken, issueAgain } from './issue-modal.ts';
import { revokeToken } from './revoking.ts';
import { parseTokenText } from './token-requests.ts';
import { parseWindowTokens } from './window-tokens.ts';

declare module '../../domain/commands.ts' {
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

/** `/os-token`: issues a token, shows it once to the person who asks, and revokes it from there. Tally stores no token. */
export function createOsTokenFeature(parts: OsTokenParts): Feature {
  const access = createAccess(parts);
  return {
    help: [HELP, ACCESS_HELP],
    projectVerbs: { access: { label: 'Application access…', open: access.open } },
    options: access.options,
    stops: stoppedAccesses,
    commands: {
      '/os-token': {
        right: 'ask',
        read: (text, { aliases }) => parseTokenText(text, aliases),
        async openForm(text, request) {
          const named = parseTokenText(text, request.workspace.aliases);
          if (named === 'help') return request.reply.private(helpMessage('Temporary tokens', [HELP]));
          await askForToken(named, named.alias ?? named.project ?? '', { ...parts, request });
        },
      },
    },
    actions: {
      ...access.actions,
      'os-token-revoke': {
        right: 'belong',
        async run({ metadata, value: handle }, request) {
          const tokens = parseWindowTokens(metadata);
          const token = tokens.find(({ grantText }) => grantHandle(grantText) === handle) ?? tokens[0];
          const context = { ...parts, request };
          if (token === undefined)
            return request.reply.modal.update(tokenWindow([ALREADY_USED], windowOf(tokens, context)));
          await revokeToken(tokens, token, context);
        },
      },
      'os-token-another': {
        right: 'ask',
        run: ({ metadata, value }, request) =>
          issueAgain(parseWindowTokens(metadata), value, { ...parts, request }),
      },
    },
    views: {
      ...access.views,
      [CONFIRM_VIEW]: {
        right: 'ask',
        waiting: waitingTokenModal,
        read: (_, metadata) => ({ input: metadata }),
        async work(metadata: string, request) {
          const { teamId, id } = request.user;
          // Not awaited: if it is lost, the person is asked once more.
          await Promise.all([
            parts.workspaces.noteTokenNoticeSeen(teamId, id, request.at).catch(ignoreFailure),
            issueAgain(parseWindowTokens(metadata), '', { ...parts, request }),
          ]);
        },
      },
    },
  };
}
