import type { Failure } from '../../domain/failure/index.ts';
import { COMMAND_DESCRIPTIONS, PERMISSION_DESCRIPTIONS } from './command.ts';
import { canManage, type Descriptions, type ErrorContext, type ErrorDescription } from './description.ts';
import { IDENTITY_DESCRIPTIONS, TOKEN_DESCRIPTIONS } from './identity.ts';
import { SERVICE_DESCRIPTIONS } from './service.ts';
import { SLACK_DESCRIPTIONS, STORE_DESCRIPTIONS } from './store.ts';

const DESCRIPTIONS: Descriptions<Failure> = {
  ...SERVICE_DESCRIPTIONS,
  ...IDENTITY_DESCRIPTIONS,
  ...COMMAND_DESCRIPTIONS,
  ...PERMISSION_DESCRIPTIONS,
  ...TOKEN_DESCRIPTIONS,
  ...STORE_DESCRIPTIONS,
  ...SLACK_DESCRIPTIONS,
  // Nobody asked, so nobody is answered: lists and notices have their own next steps.
  'not-sent': () => ({ todo: '' }),
};

/** What the reply to a failure says besides its message. Managers also get the technical detail. */
export function describeError(failure: Failure, context: ErrorContext): ErrorDescription {
  const describe = DESCRIPTIONS[failure.kind] as (of: Failure, context: ErrorContext) => ErrorDescription;
  const description = describe(failure, context);
  if (!('detail' in failure) || !canManage(context)) return description;
  return { ...description, quotes: [...(description.quotes ?? []), failure.detail] };
}
