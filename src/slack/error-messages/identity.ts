import { commandText } from '../../domain/commands.ts';
import type { IdentityFailure, TokenFailure } from '../../domain/failure/index.ts';
import { button } from '../kit/atoms.ts';
import {
  canManage,
  type ErrorContext,
  type ErrorDescription,
  retryButton,
  tryAgainIn,
} from './description.ts';

export function describeIdentityFailure(failure: IdentityFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'access-refused':
      return {
        todo:
          failure.status === 401
            ? `Its secret may be wrong or expired, or its user was disabled or lost the role. Check it in the console under ${ACCESS_PAGE}, or make a new one there.`
            : 'Its role may not be sufficient.',
      };
    case 'access-not-found':
      return {
        todo: `Its ID may be mistyped, or it was deleted. The console lists every access under ${ACCESS_PAGE}.`,
      };
    case 'project-disabled':
      return { todo: 'The project may be disabled or deleted. Check it in the console.' };
    case 'wrong-identity-url':
      return failure.suggestion === undefined
        ? { todo: 'Copy the address from the console: API endpoints, identity. It ends with /v3.' }
        : { todo: 'The address should end with /v3. Did you mean:', quotes: [failure.suggestion] };
    case 'outcome-unclear':
      return {
        todo: 'If there is a token, nobody has seen it, and it expires by itself. You can try again.',
        buttons: retryButton(context.invocation),
      };
  }
}

const ACCESS_PAGE = 'Cloud servers → the project → Access for applications';

/** What to add to the account of something that may be missing in the audit. */
export const AUDIT_NOTES = {
  yes: undefined,
  maybe: 'This may not be in the audit.',
  no: 'Tally couldn’t add this to the audit.',
} as const;

export function describeTokenFailure(failure: TokenFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'access-missing':
      return canManage(context)
        ? {
            todo: 'The console shows the ID and the secret when you make an access for applications.',
            buttons: [
              button('access-form', 'Register an access…', { value: failure.project, style: 'primary' }),
            ],
          }
        : { todo: `A Tally manager can register one with ${commandText('/billing projects access')}.` };
    case 'too-many-tokens':
      return tryAgainIn(failure.wait, context);
    case 'token-not-shown': {
      const { state, until, audit } = failure.token;
      const became = {
        revoked: 'Tally revoked the token.',
        'not-revoked': `Tally couldn’t revoke the token: it works until ${until}.`,
        unclear: `Tally couldn’t confirm that the token is revoked: it may work until ${until}.`,
      }[state];
      return { todo: [failure.why, became, AUDIT_NOTES[audit]].filter(Boolean).join(' ') };
    }
  }
}
