import { isFailure, requireShortText, SecretPasted } from '../../domain/failure/index.ts';
import { parseWithOutput } from '../../domain/language/parse-argument.ts';
import { parseCommandText } from '../../domain/language/parse-command.ts';
import { announcesSecret, couldBeSecret } from '../../domain/language/secret-detection.ts';
import { normalizeText } from '../../domain/language/text.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { isQuestion, requestMessage } from '../../slack/commands/manager-request.ts';
import { parseAskManager } from '../../slack/error-messages/description.ts';
import type { Message } from '../../slack/kit/blocks.ts';
import { opensForm, type Request } from '../../slack/request/request.ts';
import {
  type CommandHandler,
  type CommandListener,
  handlerOf,
  lookUp,
  onClick,
  type Rerun,
} from '../../slack/server/listeners.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { markChanged } from '../../workspace/record/change.ts';
import {
  type ManagerRequest,
  type ManagerRequests,
  requestEntry,
  requestId,
} from '../../workspace/short-lived/manager-requests.ts';
import type { Feature, Services } from '../feature.ts';
import {
  askedMessage,
  createAnswers,
  NO_MANAGER,
  NO_PROJECT,
  redraw,
  repeatedMessage,
  requireTokenRight,
  TOO_MANY,
} from './answer.ts';

declare module '../../domain/command-names.ts' {
  interface Actions {
    'ask-manager': true;
    'answer-request': true;
    'use-allowance': true;
  }
}

/**
 * **Ask a manager**, below a refusal: the managers get who asks for what and where, and answer with **Do it**, **Allow once** or
 * **No**. What is asked for is a command's text; each press checks the rights at that moment.
 */
export function createAskManagerFeature({ requests, delivery, all }: Services): Feature {
  const { answers, redeem } = createAnswers(requests, delivery.scheduling.changed);
  return {
    help: [],
    actions: {
      'ask-manager': onClick('workspaceUser', 'change', (value, request) =>
        askManagers(value, request, requests, all.listeners().commands),
      ),
      'answer-request': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const run = async (_: unknown, request: Request, rerun: Rerun) => {
          await lookUp(answers, kind)?.(id, request, rerun);
        };
        return { right: 'manage', kind: kind === 'form' ? 'changeInForm' : 'change', run };
      },
      'use-allowance': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const run = (_: unknown, request: Request, rerun: Rerun) => redeem(id, request, rerun);
        return { right: 'workspaceUser', kind: kind === 'form' ? 'changeInForm' : 'change', run };
      },
    },
  };
}

/** Stores what the person asks for, and sends it to the managers. @param value of the button below the refusal */
async function askManagers(
  value: string,
  request: Request,
  requests: ManagerRequests,
  listeners: Readonly<Record<string, CommandListener>>,
): Promise<void> {
  const { user, at, slack } = request;
  const reply = (message: Message) =>
    request.reply.modal.isOpen
      ? request.reply.modal.show('Ask a manager', message)
      : request.reply.update(message);
  const asked = parseManagerRequest(value, request, listeners);
  if (asked === undefined) return reply(NO_MANAGER);
  // Guests learn from no answer which names there are.
  if (isQuestion(asked) && asked.project === undefined && !asked.isGuest) return reply(NO_PROJECT);
  const managers = (await slack.managers()).filter((manager) => manager !== user.id);
  if (managers.length === 0) return reply(NO_MANAGER);
  const outcome = await requests.open(user.teamId, asked, requestEntry('manager asked', asked, user.id, at));
  const id = requestId(asked);
  if (outcome === 'full') return reply(TOO_MANY);
  if (outcome === 'repeated')
    return reply(repeatedMessage((await requests.find(user.teamId, id, at)) ?? asked));
  markChanged(request.workspace);
  const messages = await sendToEach(managers, asked, request);
  const sent = await requests.update(user.teamId, id, at, (found) => ({ next: { ...found, messages } }));
  // Somebody has answered before all of them had it.
  if (sent !== undefined && sent.state !== 'open') await redraw(sent, request);
  await reply(askedMessage(messages.map(({ to }) => to)));
}

/** @throws Failure if nobody could get it */
async function sendToEach(
  managers: readonly string[],
  asked: ManagerRequest,
  request: Request,
): Promise<ManagerRequest['messages']> {
  const messages: ManagerRequest['messages'] = [];
  let problem: unknown;
  for (const to of managers)
    try {
      const message = requestMessage(asked, request.workspace);
      messages.push({ to, ...(await request.reply.public(to, message)) });
    } catch (error) {
      if (!isFailure(error)) throw error;
      problem = error;
    }
  if (messages.length === 0) throw problem;
  return messages;
}

/** What a button of a refusal asks for, all of it outside text. @returns undefined for what nobody can be asked for @throws SecretPasted, TextTooLong, NotAllowed */
function parseManagerRequest(
  value: string,
  request: Request,
  listeners: Readonly<Record<string, CommandListener>>,
): ManagerRequest | undefined {
  const button = parseAskManager(value);
  if (button === undefined) return undefined;
  const { reason, channel, command, text } = button;
  const { user, workspace, at } = request;
  requireShortText(text);
  if (holdsSecret(text, workspace.aliases) || holdsRegisteredSecret(text, workspace))
    throw new SecretPasted();
  const listener = lookUp(listeners, command);
  const handler = listener && handlerOf<CommandHandler>(listener, text);
  if (handler === undefined || handler.isForManagers === true) return undefined;
  const asked: ManagerRequest = {
    person: user.id,
    isGuest: user.role === 'guest',
    reason,
    command,
    text,
    opensForm: opensForm(handler),
    ...(channel !== undefined && { channel }),
    at: Math.floor(at),
    state: 'open',
    messages: [],
  };
  requireTokenRight(asked, request);
  const project = isQuestion(asked) ? tryParse(() => findProject(text, channel, request)) : undefined;
  return { ...asked, ...(project && { project }) };
}

function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const words = text.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return announcesSecret(text) || words.some(couldBeSecret);
}

/** The only project of a question. @throws Failure */
function findProject(
  text: string,
  channel: string | undefined,
  { workspace }: Request,
): ManagerRequest['project'] {
  const { several, ...named } = parseWithOutput(text, workspace.aliases, parseCommandText).words;
  if (several !== undefined) return undefined;
  const { project: id, product, label } = resolveProject(named, workspace, { channel, isUnlimited: true });
  return { id, product, label };
}
