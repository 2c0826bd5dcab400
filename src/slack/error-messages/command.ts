import type { Button } from '@slack/types';
import { commandText, type SlashCommand } from '../../domain/command-names.ts';
import { type DataOf, type InvalidWord, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { couldBeName } from '../../domain/language/correct-text.ts';
import { parseCommandText } from '../../domain/language/read-command.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { visibleProjects } from '../../workspace/projects/project-visibility.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import { type Command, toCommand } from '../commands/command.ts';
import { commandButton, commandButtons } from '../commands/command-buttons.ts';
import { ALL_COMMANDS } from '../commands/help.ts';
import { canSuggest, projectPicker, projectSelect } from '../commands/project-picker.ts';
import { actions, button, option, select } from '../kit/blocks.ts';
import { privateScope, type Request } from '../request/request.ts';
import {
  askManagerAgain,
  askManagerButton,
  CONNECT,
  canManage,
  type Descriptions,
  type ErrorDescription,
  type FailedRequest,
  forManagers,
  isAuthorized,
  retryButton,
  tryAgainIn,
} from './description.ts';

const MOST_NAMED = 5;

function whoCanConnect(request: FailedRequest): ErrorDescription {
  const people = request.workspace?.settings.managers.slice(0, MOST_NAMED) ?? [];
  const buttons = isAuthorized(request) ? askManagerButton(toCommand('/billing connect'), request) : [];
  return people.length === 0
    ? { todo: 'An owner or admin of this workspace can connect it.', buttons }
    : { todo: 'A Tally manager can connect it.', people, buttons };
}

const REVOKE_PASTED = 'It stays in Slack’s history, so revoke it in the console and make a new one.';

const ASK_INSTEAD = {
  guest: 'Ask a full member, or ask an admin to allow guests.',
  external: 'Ask a member of that workspace.',
  'not-member': 'Ask a full member.',
  'not-owner': 'Ask one of them.',
  'not-manager': 'Ask an owner or admin of this workspace.',
  channel: 'Ask in one of its channels, or ask a Tally manager to allow this one.',
} as const;

export const COMMAND_DESCRIPTIONS = {
  'text-too-long': () => ({
    todo: `Try a shorter command, such as ${commandText('/spend')} prod last-month.`,
  }),
  'secret-pasted': (_, request) =>
    request.command?.command === '/os-token'
      ? accessSecretPasted(request)
      : forManagers(
          request,
          { todo: `${REVOKE_PASTED} Register that here.`, buttons: [CONNECT] },
          `${REVOKE_PASTED} A Tally manager can register that.`,
        ),
  'period-just-began': (_, { command }) => ({
    todo: 'Try again in a moment, or ask for yesterday.',
    buttons: retryButton(command),
  }),
  'project-missing': ({ projectFor }, request) =>
    request.command === undefined || !isAuthorized(request)
      ? { todo: `Use the ID on its project card in the console, for example ${commandText('/spend')} 123` }
      : {
          todo: '',
          choices:
            projectFor === undefined
              ? projectPicker(request.command, request)
              : projectSelect(request.command.command, projectFor, request),
        },
  'not-connected': (_, request) =>
    canManage(request)
      ? { todo: 'You need the service’s address and an access token.', buttons: [CONNECT] }
      : whoCanConnect(request),
  'connection-missing': ({ connection, project }, request) => {
    const edit =
      project?.alias === undefined ? undefined : toCommand('/billing projects', `edit ${project.alias}`);
    const connect = button('connect', 'Connect…', connection === undefined ? {} : { value: connection });
    const choose = edit === undefined ? [] : commandButton('edit', 'Choose another…', edit);
    return forManagers(
      request,
      { todo: 'Choose another connection, or register this one again.', buttons: [...choose, connect] },
      `A Tally manager can choose another. ${commandText('/billing status')} lists them.`,
      edit,
    );
  },
  'not-allowed': (data, request) => {
    const { managers = [], reason } = data;
    const todo =
      reason === 'channel' && canManage(request)
        ? 'Managers can ask about it in a direct message with Tally.'
        : ASK_INSTEAD[reason];
    return {
      ...(managers.length > 0 ? { todo: '', people: managers } : { todo }),
      ...(reason === 'channel' && { sentence: 'You can’t ask about this project here.' }),
      buttons: askManagerAbout(data, request),
    };
  },
  'not-issuer': ({ label }, request) => {
    const where = commandText('/billing projects access');
    return canManage(request)
      ? { todo: `Managers need to be added too. Add yourself with ${where}.` }
      : {
          todo: `A Tally manager can add you with ${where}.`,
          buttons: askManagerButton(
            toCommand('/billing projects', `access ${label.replace(/^Project /, '')}`),
            request,
          ),
        };
  },
  throttled: ({ wait }, request) => tryAgainIn(wait, request),
} satisfies Partial<Descriptions>;

function askManagerAbout(
  { reason, managers = [], owned }: DataOf<'not-allowed'>,
  request: FailedRequest,
): Button[] {
  if (reason === 'external' || (reason === 'not-manager' && managers.length === 0)) return [];
  // A manager who ran it would get a token, which nobody else may have.
  if (request.command?.command === '/os-token') return [];
  return owned === undefined
    ? askManagerAgain(request)
    : askManagerButton(toCommand(`/billing ${owned.plural}`, owned.text), request);
}

function accessSecretPasted(request: FailedRequest): ErrorDescription {
  const revoke = 'It stays in Slack’s history, so delete the access in the console and make a new one.';
  const form = commandText('/billing projects access');
  if (!isAuthorized(request) || !canManage(request))
    return { todo: `${revoke} A Tally manager registers it with ${form}.` };
  const projects = visibleProjects(request.workspace, privateScope(request));
  if (projects.length === 0) return { todo: `${revoke} Register that one with ${form} 123.` };
  const options = projects.map(({ alias, id }) => option(alias, id));
  return {
    todo: `${revoke} Register that one in the form of its project:`,
    choices: [actions(select('access-form:project', 'Choose a project', options))],
  };
}

export function describeInvalidWord(failure: InvalidWord, request: FailedRequest): ErrorDescription {
  const { command, acceptsWords = () => true } = request;
  const { fact, why, projectFor } = failure;
  const texts = failure.offered.filter(
    (text) =>
      command !== undefined &&
      acceptsWords(text) &&
      (!isAuthorized(request) ||
        canSuggest(text, { ...privateScope(request), workspace: request.workspace })),
  );
  const buttons = command
    ? commandButtons(
        'suggestion',
        texts.map((text) => ({ ...command, text })),
      )
    : [];
  if (why === UNKNOWN_COMMAND && buttons.length === 0) return { todo: '', buttons: ALL_COMMANDS };
  const isGuess = (why === UNRECOGNIZED || why === UNKNOWN_COMMAND) && buttons.length > 0;
  if (command !== undefined && isAuthorized(request)) {
    if (projectFor !== undefined)
      return { todo: '', buttons, choices: projectSelect(command.command, projectFor, request) };
    if (why === UNRECOGNIZED && buttons.length === 0) return pickerInstead(failure, command, request);
  }
  return { todo: '', buttons, ...(isGuess && { sentence: `${fact} Did you mean this?` }) };
}

const ASKS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance', '/os-token']);

function pickerInstead(
  { word, fact }: InvalidWord,
  { command, text }: Command,
  request: Request,
): ErrorDescription {
  const rest = textWithout(text, word);
  if (!ASKS.has(command) || rest === undefined || !couldBeName(word)) return { todo: '' };
  const parsed = tryParse(() => parseCommandText(rest, readerIn(request.workspace, request.at)));
  if (parsed === undefined) return { todo: '' };
  const { project, alias, several } = parsed;
  if ([project, alias, several].some((named) => named !== undefined)) return { todo: '' };
  return {
    sentence: `${fact} Which project?`,
    todo: '',
    choices: projectPicker({ command, text: rest }, request),
  };
}

/** @returns undefined when the text doesn't have the word, which may be withheld */
function textWithout(text: string, word: string): string | undefined {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  if (at < 0) return undefined;
  const rest = `${text.slice(0, at)}${text.slice(at + word.length)}`;
  return rest
    .replace(/,(?=\s*,)/g, '')
    .replace(/^[\s,]+|[\s,]+$/g, '')
    .replace(/\s+/g, ' ');
}
