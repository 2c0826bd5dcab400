import { commandText } from '../../domain/command-names.ts';
import { type Failure, wordFailure } from '../../domain/failure/index.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { KEY_IS_GONE } from '../../workspace/credentials/health.ts';
import type { LastFailure } from '../../workspace/record/stored-outcomes.ts';
import { toCommand } from '../commands/command.ts';
import { commandButton } from '../commands/command-buttons.ts';
import { escapeMarkup, formatInstant } from '../kit/blocks.ts';
import { COMMAND_DESCRIPTIONS, describeInvalidWord } from './command.ts';
import {
  canManage,
  type Descriptions,
  type ErrorDescription,
  type FailedRequest,
  forManagers,
  REPLACE_TOKEN,
  tryAgain,
  tryAgainIn,
} from './description.ts';
import { IDENTITY_DESCRIPTIONS, SERVICE_DESCRIPTIONS } from './service.ts';

/** What a manager does to bring a damaged record back: completes “A Tally manager can …”. */
const RESTORE = new Map([
  ['billing-token', 'register the token again'],
  ['application-access', `register it again with ${commandText('/billing projects access')}`],
  ['project', `remove it under ${commandText('/billing projects')} and add it again`],
]);

function restoreText(what: string, isManager: boolean): string {
  if (what === 'slack-installation') return 'An admin can install Tally again.';
  const step = RESTORE.get(what);
  if (step === undefined) return 'Tally’s operator can find details in its log.';
  return isManager ? `${step.charAt(0).toUpperCase()}${step.slice(1)}.` : `A Tally manager can ${step}.`;
}

const DESCRIPTIONS: Descriptions = {
  ...SERVICE_DESCRIPTIONS,
  ...IDENTITY_DESCRIPTIONS,
  ...COMMAND_DESCRIPTIONS,
  'unseal-failed': ({ reason, what = 'record' }, request) => {
    if (reason !== 'malformed') return { sentence: KEY_IS_GONE, todo: '' };
    const why = 'The record is damaged, so Tally didn’t use it.';
    return what === 'billing-token' && canManage(request)
      ? { todo: why, buttons: [REPLACE_TOKEN] }
      : { todo: `${why} ${restoreText(what, canManage(request))}` };
  },
  'settings-damaged': (_, request) =>
    forManagers(
      request,
      {
        todo: 'Tally can’t answer without the time zone in them. Save them again.',
        buttons: commandButton('settings', 'Open settings…', toCommand('/billing settings'), {
          style: 'primary',
        }),
      },
      `Tally can’t answer without the time zone in them. An admin can save them again with ${commandText('/billing settings')}.`,
      toCommand('/billing settings'),
    ),
  'edit-conflict': () => ({ todo: 'Your change wasn’t saved. Check what it says now, then try again.' }),
  'store-unavailable': ({ write }, request) =>
    write === 'unsure'
      ? tryAgain('Your change may have been saved. Check in a minute before you repeat it.', request)
      : tryAgain('Nothing was changed. Try again in a minute.', request),
  'not-installed': () => ({ todo: 'An admin can install Tally again.' }),
  'slack-failed': ({ retryAfter, code }, request) => {
    if (retryAfter !== undefined) return tryAgainIn(retryAfter * 1000, request);
    if (code === 'expired_trigger_id')
      return {
        ...tryAgain('Slack allows three seconds. Try again.', request),
        sentence: 'The window took too long to open.',
      };
    return { ...tryAgain('Try again.', request), isOurs: true };
  },
  'cannot-post': ({ reason }, request) =>
    tryAgain(
      reason === 'not-there'
        ? 'Type /invite @Tally there, then try again; or ask here.'
        : 'Ask in another channel, or here.',
      request,
    ),
  // Nobody asked, so nobody is answered: lists and notices have their own next steps.
  'not-sent': () => ({ todo: '' }),
};

/** What the reply to a failure says besides its message. Managers also get the technical detail. */
export function describeError(failure: Failure, request: FailedRequest): ErrorDescription {
  if (failure.kind === 'invalid-word') return describeInvalidWord(failure, request);
  const describe = DESCRIPTIONS[failure.kind] as (data: object, request: FailedRequest) => ErrorDescription;
  const description = describe(failure.data, request);
  const { kind, data } = failure;
  if (!('host' in data) || kind === 'address-refused' || !canManage(request)) return description;
  const detail = 'code' in data ? `${data.host} (${data.code})` : data.host;
  return { ...description, quotes: [...(description.quotes ?? []), detail] };
}

/** The second part of a sentence about a failure: its consequence, or its reason. */
const AFTER_FACT = /: |\.(?: |$)/;

/** `the billing service returned an error (HTTP 500). First failed: Today 9:08`, as mrkdwn. @param today the reader's */
export function lastFailureText(failure: LastFailure, today: Day): string {
  const [fact = ''] = wordFailure(failure, today).split(AFTER_FACT);
  const clause = fact.startsWith('Tally') ? fact : fact.charAt(0).toLowerCase() + fact.slice(1);
  return `${escapeMarkup(clause)}. First failed: ${formatInstant(failure.since)}`;
}
