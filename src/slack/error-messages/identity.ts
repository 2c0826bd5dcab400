import { commandText } from '../../domain/commands.ts';
import type { IdentityFailure } from '../../domain/failure/index.ts';
import { button } from '../kit/atoms.ts';
import { askManagerButton, canManage, type Descriptions, retryButton, tryAgainIn } from './description.ts';

const ACCESS_PAGE = 'Cloud servers → the project → Access for applications';

/** What to add to the account of something that may be missing in the audit. */
export const AUDIT_NOTES = {
  yes: undefined,
  maybe: 'This may not be in the audit.',
  no: 'Tally couldn’t add this to the audit.',
} as const;

export const IDENTITY_DESCRIPTIONS: Descriptions<IdentityFailure> = {
  'access-refused': ({ status }) => ({
    todo:
      status === 401
        ? `Its secret may be wrong or expired, or its user was disabled or lost the role. Check it in the console under ${ACCESS_PAGE}, or make a new one there.`
        : 'Its role may not be sufficient.',
  }),
  'access-not-found': () => ({
    todo: `Its ID may be mistyped, or it was deleted. The console lists every access under ${ACCESS_PAGE}.`,
  }),
  'project-disabled': () => ({
    todo: 'The project may be disabled or deleted. Check it in the console.',
  }),
  'wrong-identity-url': ({ suggestion }) =>
    suggestion === undefined
      ? { todo: 'Copy the address from the console: API endpoints, identity. It ends with /v3.' }
      : { todo: 'The address should end with /v3. Did you mean:', quotes: [suggestion] },
  'outcome-unclear': (_, { invocation }) => ({
    todo: 'If there is a token, nobody has seen it, and it expires by itself. You can try again.',
    buttons: retryButton(invocation),
  }),
  'access-missing': ({ project }, context) =>
    canManage(context)
      ? {
          todo: 'The console shows the ID and the secret when you make an access for applications.',
          buttons: [button('access-form', 'Register an access…', { value: project, style: 'primary' })],
        }
      : {
          todo: `A Tally manager can register one with ${commandText('/billing projects access')}.`,
          buttons: askManagerButton(
            'setup',
            { command: '/billing projects', text: `access ${project}` },
            context,
          ),
        },
  'too-many-tokens': ({ wait }, context) => tryAgainIn(wait, context),
  'token-not-shown': ({ why, token: { state, until, audit } }) => {
    const became = {
      revoked: 'Tally revoked the token.',
      'not-revoked': `Tally couldn’t revoke the token: it works until ${until}.`,
      unclear: `Tally couldn’t confirm that the token is revoked: it may work until ${until}.`,
    }[state];
    return { todo: [why, became, AUDIT_NOTES[audit]].filter(Boolean).join(' ') };
  },
};
