import { commandText } from '../../domain/commands.ts';
import type { SlackFailure, StoreFailure } from '../../domain/failure/index.ts';
import { commandButton } from '../commands/command-buttons.ts';
import {
  canManage,
  type ErrorContext,
  type ErrorDescription,
  REPLACE_TOKEN,
  tryAgain,
  tryAgainIn,
} from './description.ts';

export function describeStoreFailure(failure: StoreFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'unseal-failed': {
      const reason =
        failure.reason === 'unknown-key'
          ? 'Its encryption key is missing. Tally’s operator can add the key to ENCRYPTION_KEYS again.'
          : 'The record is damaged, so Tally did not use it.';
      const isToken = failure.what === 'billing-token';
      return {
        todo: `${reason} ${RESTORE[failure.what]}`,
        buttons: isToken && canManage(context) ? [REPLACE_TOKEN] : [],
      };
    }
    case 'settings-damaged':
      if (canManage(context))
        return {
          todo: 'Tally can’t answer without the time zone in them. Save them again.',
          buttons: commandButton(
            'settings',
            'Open settings…',
            { command: '/billing settings' },
            { style: 'primary' },
          ),
        };
      return {
        todo: `Tally can’t answer without the time zone in them. An admin can save them again with ${commandText('/billing settings')}.`,
      };
    case 'edit-conflict':
      return { todo: 'Your change wasn’t saved. Check what it says now, then try again.' };
    case 'store-unavailable':
      return failure.unsure
        ? tryAgain('Your change may have been saved. Check in a minute before you repeat it.', context)
        : tryAgain('Nothing was changed. Try again in a minute.', context);
  }
}

/** What brings a damaged record back. */
const RESTORE = {
  'billing-token': 'A Tally manager can register the token again.',
  'application-access': `A Tally manager can register it again with ${commandText('/billing projects access')}.`,
  'slack-installation': 'An admin can install Tally again.',
  project: `A Tally manager can remove it under ${commandText('/billing projects')} and add it again.`,
  record: 'Tally’s operator can find details in its log.',
} as const;

export function describeSlackFailure(failure: SlackFailure, context: ErrorContext): ErrorDescription {
  switch (failure.kind) {
    case 'not-installed':
      return { todo: 'An admin can install Tally again.' };
    case 'slack-failed':
      if (failure.retryAfter !== undefined) return tryAgainIn(failure.retryAfter * 1000, context);
      if (failure.code === 'expired_trigger_id')
        return tryAgain('It took longer than the three seconds that Slack allows. Try again.', context);
      return tryAgain(
        ['Try again.', context.reference && sendReference(context.reference)].filter(Boolean).join(' '),
        context,
      );
    case 'cannot-post':
      return tryAgain(
        failure.reason === 'not-there'
          ? 'Type /invite @Tally there, then try again; or ask here.'
          : 'Ask in another channel, or here.',
        context,
      );
  }
}

const sendReference = (reference: string): string =>
  `If it keeps happening, send your admin this reference: ${reference}.`;
