import { answerMessage } from '../../slack/commands/manager-request.ts';
import { type Message, markupMessage, mention, textMessage } from '../../slack/kit/atoms.ts';
import type { ManagerRequest } from '../../workspace/once/manager-requests.ts';

export const EXPIRED = textMessage('This request has expired. Nothing was changed.');

const people = (managers: readonly string[]): string => {
  const names = managers.map(mention);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

export const askedMessage = (managers: readonly string[]): Message =>
  markupMessage(`Asked ${people(managers)}. You’ll hear from Tally when they answer.`);

/** What became of what this person asked before. */
export function repeatedMessage(request: ManagerRequest): Message {
  const { state, messages, by = '' } = request;
  if (state === 'open' && messages.length > 0)
    return markupMessage(
      `You already asked; ${people(messages.map(({ to }) => to))} ${messages.length === 1 ? 'has' : 'have'} it.`,
    );
  if (state === 'open') return markupMessage('You already asked.');
  return state === 'refused'
    ? markupMessage(`You already asked, and ${mention(by)} said no. You can ask again tomorrow.`)
    : answerMessage(request);
}

export const TOO_MANY = textMessage(
  'Managers already have several requests from you or this workspace. Ask again tomorrow, or talk to one of them.',
);
export const NOBODY = textMessage('Ask an owner or admin of this workspace.');
export const NO_PROJECT = textMessage(
  'A manager can allow one project at a time. Name one project, then ask again.',
);
export const USED = textMessage('You’ve used what was allowed once.');
export const NOT_USABLE = textMessage('This was already used, or its hour has passed.');
