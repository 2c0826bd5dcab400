import type { Button, RichTextElement } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { RequestReason } from '../../slack/error-messages/description.ts';
import {
  type Block,
  button,
  buttonRow,
  channelLink,
  context,
  escapeMarkup,
  instant,
  type Message,
  markupMessage,
  mention,
  textMessage,
} from '../../slack/kit/atoms.ts';
import { isDirectMessage } from '../../slack/request/payload.ts';
import { ALLOWANCE_LIFETIME, type ManagerRequest, requestId } from '../../workspace/once/manager-requests.ts';
import { findChannelLimit } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

export const TOKEN: string = commandText('/os-token');

/** Questions about one project, of which a manager can allow one. Everything else a manager does. */
const QUESTIONS: readonly string[] = [commandText('/spend'), commandText('/balance'), TOKEN];

export const isQuestion = ({ command }: Pick<ManagerRequest, 'command'>): boolean =>
  QUESTIONS.includes(command);

export const typed = ({ command, text }: Pick<ManagerRequest, 'command' | 'text'>): string =>
  `${command} ${text}`.trim();

/** What a manager answers, in front of the request's ID in a button's value; `form` opens one. */
export type ManagerAnswer = 'allow' | 'do' | 'form' | 'done' | 'no';

/** The request as each manager has it: who, what, where, and what became of it. @param opensForm whether **Do it** does */
export function requestMessage(request: ManagerRequest, record: Workspace, opensForm: boolean): Message {
  const { person, channel, command } = request;
  const asks = isQuestion(request) ? ' asks for one answer to ' : ' asks you to run ';
  const words: RichTextElement[] = [
    { type: 'user', user_id: person },
    { type: 'text', text: command === TOKEN ? ' asks for one token with ' : asks },
    { type: 'text', text: typed(request), style: { code: true } },
    ...placeOf(channel),
  ];
  const facts = factsOf(request, record);
  return {
    text: `A request to run ${typed(request)}`,
    blocks: [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: words }] },
      ...(facts.length === 0 ? [] : [context(facts.join(' '))]),
      ...stateBlocks(request, opensForm),
    ],
  };
}

function placeOf(channel: string | undefined): RichTextElement[] {
  if (channel === undefined) return [{ type: 'text', text: '.' }];
  if (isDirectMessage(channel)) return [{ type: 'text', text: ' in a direct message with Tally.' }];
  return [
    { type: 'text', text: ' in ' },
    { type: 'channel', channel_id: channel },
    { type: 'text', text: '.' },
  ];
}

/** Why the person can't do it, and what is given away: mrkdwn sentences. */
function factsOf(request: ManagerRequest, record: Workspace): string[] {
  const { person, isGuest, reason, command, project } = request;
  const who = mention(person);
  if (!isQuestion(request)) return isGuest ? [`${who} is a guest.`, ...why(reason)] : why(reason);
  if (project === undefined) return ['Tally can’t tell which project this is about, so you can’t allow it.'];
  const name = escapeMarkup(project.label);
  const named = `${name} (${[
    ...(project.label.endsWith(project.id) ? [] : [`project ${project.id}`]),
    PRODUCTS[project.product].name,
  ].join(', ')})`;
  const limit = findChannelLimit(project, record);
  const places = limit?.map(channelLink).join(', ');
  return [
    ...(isGuest && !record.settings.guests ? [`${who} is a guest, and guests can’t use Tally here.`] : []),
    ...(isGuest && record.settings.guests ? [`${who} is a guest.`] : []),
    ...(limit === undefined
      ? []
      : [places === '' ? `${name} is limited to channels.` : `${name} is limited to ${places}.`]),
    ...(command === TOKEN
      ? [`${who} can’t get tokens for ${name}. A token can do everything that the project’s access can.`]
      : []),
    command === TOKEN
      ? `Allow once gives them one token for ${named}, within an hour.`
      : `Allow once shows one answer about ${named} to them alone, within an hour.`,
  ];
}

const WHY: Partial<Record<RequestReason, string>> = {
  manager: 'Only Tally managers can do this.',
  member: 'Only full members can set this up. It will belong to you.',
  owner: 'It’s about something that belongs to somebody else.',
  channel: 'It’s about a project that is limited to other channels.',
};
const why = (reason: string): string[] => {
  const sentence = WHY[reason as RequestReason];
  return sentence === undefined ? [] : [sentence];
};

function stateBlocks(request: ManagerRequest, opensForm: boolean): readonly Block[] {
  const { state, by = '', answeredAt = 0, project } = request;
  const answer = (given: ManagerAnswer, label: string, style?: 'primary'): Button =>
    button(`answer-request:${given}`, label, {
      value: `${given} ${requestId(request)}`,
      ...(style && { style }),
    });
  const answered = (what: string): Block => context(`${what} ${mention(by)}, ${instant(answeredAt)}`);
  switch (state) {
    case 'open':
      return buttonRow([
        ...(isQuestion(request) ? [] : [answer(opensForm ? 'form' : 'do', 'Do it', 'primary')]),
        ...(project === undefined ? [] : [answer('allow', 'Allow once', 'primary')]),
        answer('no', 'No'),
      ]);
    case 'taken':
      return [
        context(`${mention(by)} has been on it since ${instant(answeredAt)}`),
        ...buttonRow([answer('done', 'Mark as done', 'primary'), answer('no', 'No')]),
      ];
    case 'done':
      return [answered('Done by')];
    case 'allowed':
      return [answered('Allowed by')];
    case 'used':
      return [context(`Allowed by ${mention(by)}, ${instant(answeredAt)} · used`)];
    case 'refused':
      return [answered('Refused by')];
  }
}

export const EXPIRED = textMessage('This request has expired. Nothing was changed.');

const people = (managers: readonly string[]): string => {
  const names = managers.map(mention);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

export const askedMessage = (managers: readonly string[]): Message =>
  markupMessage(`Asked ${people(managers)}. You’ll hear from Tally when they answer.`);

/** What became of what this person asked before. */
export function repeatedMessage(request: ManagerRequest, opensForm: boolean): Message {
  const { state, messages, by = '' } = request;
  if (state === 'open' && messages.length > 0)
    return markupMessage(
      `You already asked; ${people(messages.map(({ to }) => to))} ${messages.length === 1 ? 'has' : 'have'} it.`,
    );
  if (state === 'open') return markupMessage('You already asked.');
  return state === 'refused'
    ? markupMessage(`You already asked, and ${mention(by)} said no. You can ask again tomorrow.`)
    : answerMessage(request, opensForm);
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

/** The managers' answer, for the person who asked. @param opensForm whether the command opens a window */
export function answerMessage(request: ManagerRequest, opensForm: boolean): Message {
  const { state, by = '', answeredAt = 0, command } = request;
  const what = `“${escapeMarkup(typed(request))}”`;
  const who = mention(by);
  switch (state) {
    case 'allowed': {
      const value = `${opensForm ? 'form' : 'run'} ${requestId(request)}`;
      const label = command === TOKEN ? 'Get the token…' : 'Show the answer';
      return markupMessage(
        `${who} allowed ${what} once. You can use it until ${instant(answeredAt + ALLOWANCE_LIFETIME)}.`,
        ...buttonRow([button('use-allowance', label, { value, style: 'primary' })]),
      );
    }
    case 'done':
      return markupMessage(`${who} did what you asked for: ${what}.`);
    case 'refused':
      return markupMessage(`${who} said no to ${what}. Talk to them if you still need it.`);
    default:
      return markupMessage(`${who} is on it: ${what}.`);
  }
}
