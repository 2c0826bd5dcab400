import { isFailure, NotAllowed, requireShortText, SecretPasted } from '../../domain/failure/index.ts';
import { parseWithOutput } from '../../domain/language/argument.ts';
import { normalizeText, parseCommandText } from '../../domain/language/command-text.ts';
import { couldBeSecret, labelsSecret } from '../../domain/language/secret-detection.ts';
import { tryRead } from '../../domain/try-read.ts';
import { parseInvocation } from '../../slack/commands/command-buttons.ts';
import { isRequestReason } from '../../slack/error-messages/description.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { isDirectMessage } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ActionHandler,
  type CommandHandler,
  type CommandListener,
  handlerOf,
  lookUp,
} from '../../slack/server/listeners.ts';
import {
  isUsable,
  type ManagerRequest,
  type ManagerRequests,
  type RequestChange,
  requestId,
  SENDING,
} from '../../workspace/once/manager-requests.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import type { Audit, AuditAction, AuditEntry } from '../../workspace/record/audit.ts';
import { holdsRegisteredSecret } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import {
  answerMessage,
  askedMessage,
  EXPIRED,
  isQuestion,
  type ManagerAnswer,
  NO_PROJECT,
  NOBODY,
  NOT_USABLE,
  repeatedMessage,
  requestMessage,
  TOKEN,
  TOO_MANY,
  typed,
  USED,
} from './blocks.ts';

declare module '../../domain/commands.ts' {
  interface Actions {
    'ask-manager': true;
    'answer-request': true;
    'use-allowance': true;
  }
}

export interface AskManagerParts {
  readonly requests: ManagerRequests;
  readonly audit: Audit;
  /** The commands that can be asked for. */
  readonly listeners: () => Readonly<Record<string, CommandListener>>;
}

type Rerun = Parameters<NonNullable<ActionHandler['run']>>[2];

/**
 * **Ask a manager**, below a refusal: the managers get who asks for what and where, and answer with **Do it**, **Allow once** or
 * **No**. What is asked for is a command's text; what may be done about it is decided at each press, by the rights of then.
 */
export function createAskManagerFeature({ requests, audit, listeners }: AskManagerParts): Feature {
  const handlerFor = ({ command, text }: Pick<ManagerRequest, 'command' | 'text'>) => {
    const listener = lookUp(listeners(), command);
    return listener && handlerOf<CommandHandler>(listener, text);
  };
  const opensForm = (request: ManagerRequest): boolean => handlerFor(request)?.openForm !== undefined;

  const entryOf = (action: AuditAction, request: ManagerRequest, { user, at }: Request): AuditEntry => {
    const place = request.channel === undefined ? '' : ` in ${request.channel}`;
    const asker = user.id === request.person ? '' : ` for ${request.person}`;
    return { at, who: user.id, action, about: `${typed(request)}${place}${asker}` };
  };

  const update = (
    request: Request,
    id: string,
    change: (found: ManagerRequest) => RequestChange | undefined,
  ): Promise<ManagerRequest | undefined> => requests.update(request.user.teamId, id, request.at, change);

  async function ask(value: string, request: Request): Promise<void> {
    const { user, at, slack } = request;
    const reply = (message: Message) =>
      request.reply.modal.isOpen
        ? request.reply.modal.show('Ask a manager', message)
        : request.reply.update(message);
    const asked = readAsked(value, request);
    if (asked === undefined || handlerFor(asked) === undefined || handlerFor(asked)?.isForManagers === true)
      return reply(NOBODY);
    // Guests learn from no answer which names there are.
    if (isQuestion(asked) && asked.project === undefined && !asked.isGuest) return reply(NO_PROJECT);
    const managers = (await slack.managers()).filter((manager) => manager !== user.id);
    if (managers.length === 0) return reply(NOBODY);
    const outcome = await requests.open(user.teamId, asked, entryOf('manager asked', asked, request));
    const id = requestId(asked);
    if (outcome === 'full') return reply(TOO_MANY);
    if (outcome === 'repeated') {
      const before = await requests.find(user.teamId, id, at);
      return reply(repeatedMessage(before ?? asked, opensForm(asked)));
    }
    const messages = await sendToEach(managers, asked, request);
    const sent = await update(request, id, (found) => ({ next: { ...found, messages } }));
    // Somebody has answered before all of them had it.
    if (sent !== undefined && sent.state !== 'open') await showAll(sent, request);
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
        const message = requestMessage(asked, request.workspace, opensForm(asked));
        messages.push({ to, ...(await request.reply.public(to, message)) });
      } catch (error) {
        if (!isFailure(error)) throw error;
        problem = error;
      }
    if (messages.length === 0) throw problem;
    return messages;
  }

  /** Redraws the request where the managers have it. One that can't be redrawn says so when it is pressed. */
  async function showAll(found: ManagerRequest, { reply, workspace }: Request): Promise<void> {
    const message = requestMessage(found, workspace, opensForm(found));
    await Promise.all(
      found.messages.map(({ channel, ts }) => reply.replace({ channel, ts }, message).catch(ignoreFailure)),
    );
  }

  /** Tells the person who asked, then all managers. */
  async function tell(found: ManagerRequest, request: Request): Promise<void> {
    await request.reply.public(found.person, answerMessage(found, opensForm(found)));
    await update(request, requestId(found), (now) => ({ next: { ...now, isTold: true } }));
    await showAll(found, request);
  }

  /** @returns whether it could be answered so */
  async function answer(
    id: string,
    canBe: (found: ManagerRequest) => boolean,
    [state, action]: readonly [ManagerRequest['state'], AuditAction],
    request: Request,
  ): Promise<ManagerRequest | undefined> {
    const { user, at } = request;
    const answered = await update(request, id, (found) =>
      canBe(found)
        ? {
            next: { ...found, state, by: user.id, answeredAt: Math.floor(at), isTold: false },
            entry: entryOf(action, found, request),
          }
        : undefined,
    );
    if (answered !== undefined) return answered;
    const found = await requests.find(user.teamId, id, at);
    if (found === undefined) await request.reply.update(EXPIRED);
    else if (found.isTold === false && at >= (found.answeredAt ?? at) + SENDING) await tell(found, request);
    else await showAll(found, request);
    return undefined;
  }

  const answers: Readonly<
    Record<ManagerAnswer, (id: string, request: Request, rerun: Rerun) => Promise<void>>
  > = {
    async allow(id, request) {
      const found = await answer(id, canAllow, ['allowed', 'request allowed'], request);
      if (found !== undefined) await tell(found, request);
    },
    async no(id, request) {
      const found = await answer(id, isUndone, ['refused', 'request refused'], request);
      if (found !== undefined) await tell(found, request);
    },
    async done(id, request) {
      const found = await answer(id, isTaken, ['done', 'request done'], request);
      if (found !== undefined) await tell(found, request);
    },
    do: run,
    form: run,
  };

  /** **Do it**: runs the command as it was asked for, where it was, with the rights of the manager who pressed. */
  async function run(id: string, request: Request, rerun: Rerun): Promise<void> {
    const found = await answer(id, canDo, ['taken', 'request taken'], request);
    if (found === undefined) return;
    if (!(await rerunFound(found, rerun))) {
      // As if it had not been pressed: the reason is shown to who did.
      await update(request, id, (now) => ({ next: { ...now, state: 'open' } }));
      return;
    }
    const { user, at } = request;
    const [newest] = await audit.list(user.teamId, 1);
    const hasChanged =
      newest !== undefined && newest.who === user.id && newest.at >= at && newest.action !== 'request taken';
    const done = hasChanged ? await answer(id, isTaken, ['done', 'request done'], request) : undefined;
    await tell(done ?? found, request);
  }

  /** A conversation of Tally with the person who asked is no place for a manager. */
  const rerunFound = (found: ManagerRequest, rerun: Rerun): Promise<boolean> => {
    const { channel } = found;
    const place = channel === undefined || isDirectMessage(channel) ? {} : { channel };
    return rerun(parseInvocation(typed(found)), { replace: false, ...place });
  };

  /** Uses up what was allowed. If that fails, nothing was shown, and it can be tried again. */
  async function redeem(id: string, request: Request, rerun: Rerun): Promise<void> {
    const { user, slack, at } = request;
    const before = await requests.find(user.teamId, id, at);
    const isOwn = before?.person === user.id && before.isGuest === (user.role === 'guest');
    if (isOwn) requireTokenRight(before, request);
    const isStillAllowed =
      before?.by !== undefined && isOwn && (await slack.permissionsOf(before.by)).canManage;
    const used = isStillAllowed
      ? await update(request, id, (found) =>
          isUsable(found, at)
            ? { next: { ...found, state: 'used' }, entry: entryOf('allowance used', found, request) }
            : undefined,
        )
      : undefined;
    if (used?.project === undefined) return request.reply.update(NOT_USABLE);
    const { channel, project: allowed } = used;
    const isAnswered = await rerun(parseInvocation(typed(used)), {
      ...{ allowed, replace: false },
      ...(channel !== undefined && { channel }),
    });
    if (!isAnswered) {
      await update(request, id, (found) => ({ next: { ...found, state: 'allowed' } }));
      return;
    }
    await Promise.all([request.reply.update(USED), showAll(used, request)]);
  }

  return {
    help: [],
    actions: {
      'ask-manager': { right: 'belong', run: ({ value }, request) => ask(value, request) },
      'answer-request': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const work = async (_: unknown, request: Request, rerun: Rerun) =>
          lookUp(answers, kind)?.(id, request, rerun);
        return kind === 'form' ? { right: 'manage', openForm: work } : { right: 'manage', run: work };
      },
      'use-allowance': (value) => {
        const [kind = '', id = ''] = value.split(' ');
        const work = (_: unknown, request: Request, rerun: Rerun) => redeem(id, request, rerun);
        return kind === 'form' ? { right: 'belong', openForm: work } : { right: 'belong', run: work };
      },
    },
  };
}

const isTaken = ({ state }: ManagerRequest): boolean => state === 'taken';
const isUndone = ({ state }: ManagerRequest): boolean => state === 'open' || state === 'taken';
const canAllow = ({ state, project }: ManagerRequest): boolean => state === 'open' && project !== undefined;
const canDo = (found: ManagerRequest): boolean => found.state === 'open' && !isQuestion(found);

/** What a button of a refusal asks for, all of it outside text. @throws SecretPasted, TextTooLong, NotAllowed */
function readAsked(value: string, request: Request): ManagerRequest | undefined {
  const [reason = '', place = '', ...words] = value.split(' ');
  const { command, text } = parseInvocation(words.join(' '));
  const { user, workspace, at } = request;
  requireShortText(text);
  if (holdsSecret(text, workspace.aliases) || holdsRegisteredSecret(text, workspace))
    throw new SecretPasted();
  if (!isRequestReason(reason)) return undefined;
  const channel = /^[A-Z][A-Z0-9]{1,30}$/.test(place) ? place : undefined;
  const asked: ManagerRequest = {
    ...{ person: user.id, isGuest: user.role === 'guest', reason, command, text },
    ...(channel !== undefined && { channel }),
    ...{ at: Math.floor(at), state: 'open', messages: [] },
  };
  requireTokenRight(asked, request);
  const project = isQuestion(asked) ? tryRead(() => findProject(text, channel, request)) : undefined;
  return { ...asked, ...(project && { project }) };
}

function holdsSecret(text: string, aliases: ReadonlySet<string>): boolean {
  const words = text.split(' ').filter((word) => !aliases.has(normalizeText(word)));
  return labelsSecret(text) || words.some(couldBeSecret);
}

/** The only project of a question. @throws Failure */
function findProject(
  text: string,
  channel: string | undefined,
  { workspace }: Request,
): ManagerRequest['project'] {
  const { several, ...named } = parseWithOutput(text, workspace.aliases, parseCommandText).words;
  if (several !== undefined) return undefined;
  const { project: id, product, label } = resolveProject(named, workspace, { channel, manager: true });
  return { id, product, label };
}

/** No manager can allow a guest a token where guests can't use Tally. @throws NotAllowed */
function requireTokenRight({ command, isGuest }: ManagerRequest, { workspace }: Request): void {
  if (command === TOKEN && isGuest && !workspace.settings.guests) throw new NotAllowed('guest');
}

function ignoreFailure(error: unknown): void {
  if (!isFailure(error)) throw error;
}
