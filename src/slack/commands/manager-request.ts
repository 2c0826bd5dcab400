import type { Button, RichTextElement } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { REPORTS } from '../../domain/report.ts';
import { describeProjects, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { findChannelLimit } from '../../workspace/projects/project-visibility.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import {
  ALLOWANCE_LIFETIME,
  type ManagerRequest,
  requestId,
  typedCommand,
} from '../../workspace/short-lived/manager-requests.ts';
import type { RequestReason } from '../error-messages/description.ts';
import {
  type Block,
  button,
  buttonRow,
  channelLink,
  compact,
  context,
  escapeMarkup,
  instant,
  joinTexts,
  type Message,
  markupMessage,
  mention,
} from '../kit/blocks.ts';
import { isDirectMessage } from '../request/source.ts';

export const TOKEN_COMMAND: string = commandText('/os-token');

/** Questions about one project, of which a manager can allow one. Everything else a manager does. */
const QUESTIONS: readonly string[] = [commandText('/spend'), commandText('/balance'), TOKEN_COMMAND];

export const isQuestion = ({ command }: Pick<ManagerRequest, 'command'>): boolean =>
  QUESTIONS.includes(command);

/** What a manager answers, in front of the request's ID in a button's value; `form` opens one. */
export type ManagerAnswer = 'allow' | 'do' | 'form' | 'done' | 'no';

/** The request as each manager has it: who, what, where, and what became of it. */
export function requestMessage(request: ManagerRequest, record: Workspace): Message {
  const { person, channel, command } = request;
  const asks = isQuestion(request) ? ' asks for one answer to ' : ' asks you to run ';
  const words: RichTextElement[] = [
    { type: 'user', user_id: person },
    { type: 'text', text: command === TOKEN_COMMAND ? ' asks for one token with ' : asks },
    ...commandElements(typedCommand(request)),
    ...placeOf(channel),
  ];
  const facts = factsOf(request, record);
  return {
    text: `A request to run ${typedCommand(request)}`,
    blocks: compact([
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: words }] },
      facts.length > 0 && context(facts.join(' ')),
      ...stateBlocks(request),
    ]),
  };
}

/** The command as it would be typed, with the names of people that Slack gives it. */
const commandElements = (line: string): RichTextElement[] =>
  line
    .split(/<@([A-Z0-9]+)>/)
    .map(
      (part, at): RichTextElement =>
        at % 2 === 0 ? { type: 'text', text: part, style: { code: true } } : { type: 'user', user_id: part },
    )
    .filter((element) => element.type !== 'text' || element.text.trim() !== '');

/** The same as mrkdwn. */
const commandMarkup = (line: string): string =>
  `\`${escapeMarkup(line).replace(/ ?&lt;@([A-Z0-9]+)&gt; ?/g, '` <@$1> `')}\``.replace(/` ?`/g, '').trim();

function placeOf(channel: string | undefined): RichTextElement[] {
  if (channel === undefined) return [{ type: 'text', text: ' from Home.' }];
  if (isDirectMessage(channel)) return [{ type: 'text', text: ' in a direct message with Tally.' }];
  return [
    { type: 'text', text: ' in ' },
    { type: 'channel', channel_id: channel },
    { type: 'text', text: '.' },
  ];
}

function factsOf(request: ManagerRequest, record: Workspace): string[] {
  const { person, isGuest, reason, command, project } = request;
  const who = mention(person);
  if (!isQuestion(request))
    return compact([
      isGuest && `${who} is a guest.`,
      WHY[reason as RequestReason],
      ...aboutOwned(request, record),
    ]);
  if (project === undefined) return ['Tally can’t tell which project this is about, so you can’t allow it.'];
  const name = escapeMarkup(project.label);
  const named = `${name} (${joinTexts(', ', [
    !project.label.endsWith(project.id) && `project ${project.id}`,
    PRODUCTS[project.product].name,
  ])})`;
  const limit = findChannelLimit(project, record);
  const places = limit?.map(channelLink).join(', ');
  return compact([
    isGuest && `${who} is a guest${record.settings.guests ? '' : ', and guests can’t use Tally here'}.`,
    limit && (places === '' ? `${name} is limited to channels.` : `${name} is limited to ${places}.`),
    command === TOKEN_COMMAND &&
      `${who} can’t get tokens for ${name}. A token can do everything that the project’s access can.`,
    command === TOKEN_COMMAND
      ? `Allow once gives them one token for ${named}, within an hour.`
      : `Allow once shows one answer about ${named} to them alone, within an hour.`,
  ]);
}

function aboutOwned({ text }: ManagerRequest, record: Workspace): string[] {
  const id = text.split(' ').at(-1);
  const item = [...record.schedules, ...record.watches].find((owned) => owned.id === id);
  if (item === undefined) return [];
  const what =
    'rule' in item
      ? `a watch on ${projectLabel(item.projects[0], record)}`
      : `${REPORTS[item.report].title} for ${describeProjects(item, record)}`;
  const { channel } = item;
  return [`It’s ${escapeMarkup(what)}${channel === undefined ? '' : ` in ${channelLink(channel)}`}.`];
}

const WHY: Partial<Record<RequestReason, string>> = {
  manager: 'Only Tally managers can do this.',
  member: 'Only full members can set this up. It will belong to you.',
  owner: 'It belongs to someone else.',
  channel: 'It’s about a project that is limited to other channels.',
};

function stateBlocks(request: ManagerRequest): readonly Block[] {
  const { state, by = '', answeredAt = 0, project, opensForm } = request;
  const answer = (given: ManagerAnswer, label: string, style?: 'primary'): Button =>
    button(`answer-request:${given}`, label, {
      value: `${given} ${requestId(request)}`,
      ...(style && { style }),
    });
  const answered = (what: string): Block => context(`${what} ${mention(by)}, ${instant(answeredAt)}`);
  switch (state) {
    case 'open':
      return buttonRow([
        !isQuestion(request) && answer(opensForm ? 'form' : 'do', 'Do it', 'primary'),
        project && answer('allow', 'Allow once', 'primary'),
        answer('no', 'No'),
      ]);
    case 'taken':
      return [
        context(`${mention(by)} has been on it since ${instant(answeredAt)}`),
        ...buttonRow([
          // Saving the form is doing it. Where there is none, Tally may not see when it is done.
          opensForm ? answer('form', 'Do it') : answer('done', 'Mark as done', 'primary'),
          answer('no', 'No'),
        ]),
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

/** The managers' answer, for the person who asked. */
export function answerMessage(request: ManagerRequest): Message {
  const { state, by = '', answeredAt = 0, command, opensForm } = request;
  const what = commandMarkup(typedCommand(request));
  const who = mention(by);
  switch (state) {
    case 'allowed': {
      const value = `${opensForm ? 'form' : 'run'} ${requestId(request)}`;
      const label = command === TOKEN_COMMAND ? 'Get the token…' : 'Show the answer';
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
