import { ignoreFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { parseCommand } from '../../slack/commands/command.ts';
import {
  answerMessage,
  isQuestion,
  type ManagerAnswer,
  requestMessage,
  TOKEN_COMMAND,
} from '../../slack/commands/manager-request.ts';
import { type Message, markupMessage, mention, textMessage } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import type { Rerun } from '../../slack/server/listeners.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import { markChanged } from '../../workspace/record/change.ts';
import {
  isUsable,
  type ManagerRequest,
  type ManagerRequests,
  type RequestChange,
  requestEntry,
  typedCommand,
} from '../../workspace/short-lived/manager-requests.ts';

/**
 * What managers answer, and what a person does with it. The answer is stored together with what the person who asked is told,
 * which the delivery sends: a process that ends in between loses nothing.
 */
export function createAnswers(requests: ManagerRequests, changed: (workspace: SlackId) => Promise<void>) {
  const update = async (
    { user, at, workspace }: Request,
    id: string,
    change: (found: ManagerRequest) => RequestChange | undefined,
  ): Promise<ManagerRequest | undefined> => {
    const updated = await requests.update(user.teamId, id, at, change);
    if (updated !== undefined) markChanged(workspace);
    return updated;
  };

  /** @returns the request before the answer; undefined if it can't be answered like this any more */
  async function answer(
    id: string,
    canBe: (found: ManagerRequest) => boolean,
    [state, action]: readonly [ManagerRequest['state'], AuditAction],
    request: Request,
  ): Promise<ManagerRequest | undefined> {
    const { user, at } = request;
    let before: ManagerRequest | undefined;
    const answered = await update(request, id, (found) => {
      before = found;
      if (!canBe(found)) return undefined;
      const next = { ...found, state, by: user.id, answeredAt: Math.floor(at) };
      return { next, entry: requestEntry(action, found, user.id, at), notifiesAsker: state !== 'taken' };
    });
    if (answered === undefined) {
      const found = await requests.find(user.teamId, id, at);
      await (found === undefined ? request.reply.update(EXPIRED) : redraw(found, request));
      return undefined;
    }
    if (state !== 'taken') await changed(user.teamId);
    return before;
  }

  /** **Do it**: runs the command as it was asked for, where it was, with the rights of the manager who pressed. */
  async function run(id: string, request: Request, rerun: Rerun): Promise<void> {
    const found = await answer(id, canDo, ['taken', 'request taken'], request);
    if (found === undefined) return;
    const { channel } = found;
    // The direct message of Tally with the person who asked is not a place for the manager's answer.
    const place = channel === undefined || isDirectMessage(channel) ? {} : { askedIn: channel };
    const isAnswered = await rerun(parseCommand(typedCommand(found)), {
      replaces: false,
      managerRequest: id,
      ...place,
    });
    // A change marks the request as done in its own step. If it was refused, the manager has seen the reason.
    const taken = await update(request, id, (now) =>
      now.state === 'taken' ? (isAnswered ? { next: now, notifiesAsker: true } : { next: found }) : undefined,
    );
    if (taken?.state === 'taken') await changed(request.user.teamId);
  }

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
            ? {
                next: { ...found, state: 'used' },
                entry: requestEntry('allowance used', found, user.id, at),
              }
            : undefined,
        )
      : undefined;
    if (used?.project === undefined) return request.reply.update(NOT_USABLE);
    const { channel, project: allowed } = used;
    const isAnswered = await rerun(parseCommand(typedCommand(used)), {
      allowed,
      replaces: false,
      ...(channel !== undefined && { askedIn: channel }),
    });
    if (!isAnswered) {
      await update(request, id, (found) => ({ next: { ...found, state: 'allowed' } }));
      return;
    }
    await Promise.all([request.reply.update(USED), redraw(used, request)]);
  }

  const answers: Readonly<
    Record<ManagerAnswer, (id: string, request: Request, rerun: Rerun) => Promise<unknown>>
  > = {
    allow: (id, request) => answer(id, canAllow, ['allowed', 'request allowed'], request),
    no: (id, request) => answer(id, isUndone, ['refused', 'request refused'], request),
    done: (id, request) => answer(id, isTaken, ['done', 'request done'], request),
    do: run,
    form: run,
  };
  return { answers, redeem };
}

/** Redraws the request where the managers have it. One that can't be redrawn says so when it is pressed. */
export async function redraw(found: ManagerRequest, { reply, workspace }: Request): Promise<void> {
  const message = requestMessage(found, workspace);
  await Promise.all(
    found.messages.map(({ channel, ts }) => reply.replace({ channel, ts }, message).catch(ignoreFailure)),
  );
}

const isTaken = ({ state }: ManagerRequest): boolean => state === 'taken';
const isUndone = ({ state }: ManagerRequest): boolean => state === 'open' || state === 'taken';
const canAllow = ({ state, project }: ManagerRequest): boolean => state === 'open' && project !== undefined;
/** A form that a manager opened can be left, and opened by another one. */
const canDo = (found: ManagerRequest): boolean =>
  !isQuestion(found) && (found.state === 'open' || (found.state === 'taken' && found.opensForm));

/** No manager can allow a guest a token where guests can't use Tally. @throws NotAllowed */
export function requireTokenRight({ command, isGuest }: ManagerRequest, { workspace }: Request): void {
  if (command === TOKEN_COMMAND && isGuest && !workspace.settings.guests) throw new NotAllowed('guest');
}

const EXPIRED = textMessage('This request has expired. Nothing was changed.');

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
export const NO_MANAGER = textMessage('Ask an owner or admin of this workspace.');
export const NO_PROJECT = textMessage(
  'A manager can allow one project at a time. Name one project, then ask again.',
);
const USED = textMessage('You’ve used what was allowed once.');
const NOT_USABLE = textMessage('This was already used, or its hour has passed.');
