import { commandText } from '../../domain/commands.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { type LastFailure, remedyFor } from '../../workspace/projects/last-failure.ts';
import type { Project } from '../../workspace/projects/projects.ts';
import { wordFailure } from '../../workspace/record/stored-failure.ts';
import { escapeMarkup, formatInstant } from '../kit/atoms.ts';

/** The second part of a sentence about a failure: its consequence, or its reason. */
const AFTER_FACT = /: |\.(?: |$)/;

/** `the billing service returned an error (HTTP 500), since 9:08`, as mrkdwn. @param today the reader's */
export function lastFailureText(failure: LastFailure, today: Day): string {
  const [fact = ''] = wordFailure(failure, today).split(AFTER_FACT);
  const clause = fact.startsWith('Tally') ? fact : fact.charAt(0).toLowerCase() + fact.slice(1);
  return `${escapeMarkup(clause)}, since ${formatInstant(failure.since)}`;
}

/** What a manager does next, as mrkdwn. */
export function lastFailureTodo({ kind }: LastFailure, { alias, id }: Project): string {
  const command = (text: string) => `\`${escapeMarkup(text)}\``;
  switch (remedyFor(kind)) {
    case 'project':
      return `Check its ID (${id}) and product with ${command(`${commandText('/billing projects')} edit ${alias}`)}.`;
    case 'token':
      return `Replace the token with ${command(commandText('/billing connect'))}.`;
    case 'address':
      return `Check the address with ${command(commandText('/billing connect'))}.`;
    default:
      return `Ask again with ${command(`${commandText('/balance')} ${alias}`)}.`;
  }
}
