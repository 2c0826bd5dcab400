import type { Failure } from '../../domain/failure/index.ts';
import { describeCommandFailure, describePermissionFailure } from './command.ts';
import { canManage, type ErrorContext, type ErrorDescription, tryAgainIn } from './description.ts';
import { describeIdentityFailure, describeTokenFailure } from './identity.ts';
import { describeServiceFailure } from './service.ts';
import { describeSlackFailure, describeStoreFailure } from './store.ts';

/** What the reply to a failure says besides its message. Managers also get the technical detail. */
export function describeError(failure: Failure, context: ErrorContext): ErrorDescription {
  const description = describeKind(failure, context);
  if (!('detail' in failure) || !canManage(context)) return description;
  return { ...description, quotes: [...(description.quotes ?? []), failure.detail] };
}

/** Describes every kind of failure; the compiler refuses a kind without a description. */
function describeKind(failure: Failure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'token-rejected':
    case 'forbidden':
    case 'no-data':
    case 'query-rejected':
    case 'rate-limited':
    case 'timed-out':
    case 'service-unreachable':
    case 'service-failed':
    case 'service-paused':
    case 'queue-full':
    case 'invalid-response':
    case 'response-too-large':
    case 'redirect-refused':
    case 'address-refused':
      return describeServiceFailure(failure, context);
    case 'access-refused':
    case 'access-not-found':
    case 'project-disabled':
    case 'wrong-identity-url':
    case 'outcome-unclear':
      return describeIdentityFailure(failure, context);
    case 'invalid-word':
    case 'text-too-long':
    case 'secret-pasted':
    case 'period-just-began':
    case 'project-missing':
    case 'not-connected':
    case 'connection-missing':
      return describeCommandFailure(failure, context);
    case 'not-allowed':
    case 'not-issuer':
      return describePermissionFailure(failure);
    case 'access-missing':
    case 'too-many-tokens':
    case 'token-not-shown':
      return describeTokenFailure(failure, context);
    case 'unseal-failed':
    case 'settings-damaged':
    case 'edit-conflict':
    case 'store-unavailable':
      return describeStoreFailure(failure, context);
    case 'slack-failed':
    case 'not-installed':
    case 'cannot-post':
      return describeSlackFailure(failure, context);
    case 'throttled':
      return tryAgainIn(failure.wait, context);
  }
}
