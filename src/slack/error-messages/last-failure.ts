import { commandText } from '../../domain/commands.ts';
import type { LastFailure, LastFailureKind } from '../../workspace/projects/last-failure.ts';
import type { Project } from '../../workspace/projects/projects.ts';
import { escapeMarkup, formatInstant } from '../kit/atoms.ts';

const TEXTS: Readonly<Record<LastFailureKind, string>> = {
  'token-rejected': 'the billing service rejected the access token (HTTP 401)',
  forbidden: 'the billing service refused this access token (HTTP 403)',
  'no-data': 'the billing service has no data for this project and product',
  'query-rejected': 'the billing service rejected the query',
  'rate-limited': 'the billing service is limiting Tally’s requests (HTTP 429)',
  'timed-out': 'the billing service did not answer in time',
  'service-unreachable': 'the billing service could not be reached',
  'service-failed': 'the billing service returned an error',
  'invalid-response': 'the billing service sent a response that Tally can’t read',
  'response-too-large': 'the billing service sent more than Tally reads',
  'redirect-refused': 'the billing service redirects to another address',
  'address-refused': 'Tally doesn’t connect to the address of the billing service',
};

/** `the billing service returned an error (HTTP 500), since 9:08`, as mrkdwn */
export const lastFailureText = ({ kind, status, since }: LastFailure): string =>
  `${TEXTS[kind]}${status === undefined ? '' : ` (HTTP ${status})`}, since ${formatInstant(since)}`;

/** What a manager does next, as mrkdwn. */
export function lastFailureTodo({ kind }: LastFailure, { alias, id }: Project): string {
  const command = (text: string) => `\`${escapeMarkup(text)}\``;
  switch (kind) {
    case 'no-data':
    case 'query-rejected':
      return `Check its ID (${id}) and product with ${command(`${commandText('/billing projects')} edit ${alias}`)}.`;
    case 'token-rejected':
    case 'forbidden':
      return `Replace the token with ${command(commandText('/billing connect'))}.`;
    case 'service-unreachable':
    case 'invalid-response':
    case 'redirect-refused':
    case 'address-refused':
      return `Check the address with ${command(commandText('/billing connect'))}.`;
    default:
      return `Ask again with ${command(`${commandText('/balance')} ${alias}`)}.`;
  }
}
