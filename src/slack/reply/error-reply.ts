import { randomBytes } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { changedNothing, type Failure, isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import type { RequestWork } from '../../runtime/work.ts';
import { type ErrorContext, type ErrorDescription, retryButton } from '../error-messages/description.ts';
import { describeError } from '../error-messages/index.ts';
import {
  type Block,
  buttonRow,
  escapeMarkup,
  header,
  type Message,
  markup,
  mention,
  quote,
  section,
  textMessage,
  withoutActions,
} from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import type { ReplyTarget } from './reply.ts';

/** Turns an error of a listener into a reply. */
export interface ErrorReply {
  /** Notes the error in the request's record. @returns what the reply is made of */
  explain(error: unknown, work: Pick<RequestWork, 'outcome' | 'error' | 'reference'>): ErrorReport;
  /** Logs an error that an answer only mentions. @param where it happened */
  logMentioned(error: unknown, where: string): void;
  /** Replies privately, or in the modal that this request opened. Never rejects. */
  send(target: ReplyTarget, report: ErrorReport, context?: ErrorContext): Promise<void>;
  /** Replies in the modal that the request came from. Never rejects. */
  sendInModal(target: ReplyTarget, report: ErrorReport, context?: ErrorContext): Promise<void>;
  /** Logs why a reply could not be sent. */
  readonly logUndelivered: (error: unknown) => void;
}

/** What a reply says of an error. */
export interface ErrorReport {
  /** Undefined for an error that Tally didn't foresee. */
  readonly failure: Failure | undefined;
  /** The reference to the request's line in the log. */
  readonly id: string;
}

export function createErrorReply(log: Logger): ErrorReply {
  const logUndelivered = (error: unknown) => log.error({ err: error }, 'Could not deliver a reply');
  const sendInModal: ErrorReply['sendInModal'] = async (target, report, context) => {
    const message = errorMessageOf(report, context);
    await target.updateModal(errorModalOf(report, context), message).catch(logUndelivered);
  };
  return {
    explain(error, work) {
      const id = randomBytes(4).toString('hex');
      const failure = isFailure(error) ? error : undefined;
      Object.assign(work, { outcome: failure?.kind ?? 'unknown', error, reference: id });
      return { failure, id };
    },
    logMentioned(err, where) {
      if (isFailure(err)) log.info({ where, err }, 'An answer reports a failure');
      else log.error({ where, err }, 'An answer reports an unknown error');
    },
    async send(target, report, context) {
      if (await target.hasModal()) return sendInModal(target, report, context);
      await target.sendPrivate(errorMessageOf(report, context)).catch(logUndelivered);
    },
    sendInModal,
    logUndelivered,
  };
}

export const errorMessageOf = ({ failure, id }: ErrorReport, context: ErrorContext = {}): Message =>
  failure === undefined
    ? unknownErrorMessage(id, context)
    : failureMessage(failure, { ...context, reference: id });

export const errorModalOf = ({ failure, id }: ErrorReport, context: ErrorContext = {}): ModalView =>
  failure === undefined
    ? unknownErrorModal(id, context)
    : failureModal(failure, { ...context, reference: id });

/** Ends a workflow's step. */
export const stepErrorText = ({ failure, id }: ErrorReport): string =>
  failure === undefined ? unknownErrorText(id, true) : stepFailureText(failure, id);

export function failureMessage(failure: Failure, context: ErrorContext = {}): Message {
  const description = describeError(failure, context);
  return {
    text: description.sentence ?? failure.message,
    blocks: [...failureBlocks(failure, description), ...(description.choices ?? [])],
  };
}

/** The same without its buttons, in a form that has its own. */
export const failureFacts = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);

/** The same as text, below a field of a form that stays open. */
export const failureText = (failure: Failure): string =>
  [failure.message, describeError(failure, {}).todo].filter(Boolean).join(' ');

/** The same as the end of a workflow's step: a text that Slack sends on, so without mark-up and what an outside text says. */
function stepFailureText(failure: Failure, reference: string): string {
  const { sentence = failure.message, todo } = describeError(failure, { isStep: true, reference });
  const withoutLead = todo.replace(/(?:^|(?<=[.?!] ))[^.?!]+:$/, '');
  return escapeMarkup([sentence, withoutLead].filter(Boolean).join(' ').trim());
}

/** The same as a modal. Buttons that run a command are kept only if the command opens a form. */
export function failureModal(failure: Failure, context: ErrorContext = {}): ModalView {
  const { opensForm = false, invocation } = context;
  const description = describeError(failure, { ...context, invocation: opensForm ? invocation : undefined });
  const blocks = [...failureBlocks(failure, description), ...(opensForm ? (description.choices ?? []) : [])];
  return modal({ title: ERROR_TITLE, blocks });
}

function failureBlocks(failure: Failure, description: ErrorDescription): Block[] {
  const { sentence = failure.message, todo, people = [], quotes = [], buttons = [] } = description;
  const text = [sentence, todo].filter(Boolean).join('\n');
  const named = `${escapeMarkup(text.replace(/\.$/, ''))}: ${people.map(mention).join(', ')}.`;
  return [people.length === 0 ? section(text) : markup(named), ...quotes.map(quote), ...buttonRow(buttons)];
}

/**
 * The reply to a form whose work failed.
 * @param reason why, from `failureMessage` or as the form's own advice
 * @param done completes “Not …”: `saved`
 * @param kept a sentence about what stays as it was, said only if that is certain
 */
export const notSavedMessage = (failure: Failure, reason: Message, done: string, kept: string): Message => ({
  text: reason.text,
  blocks: [
    header(mayHaveBeenSaved(failure) ? `May not be ${done}` : `Not ${done}`),
    ...withoutActions(reason.blocks),
    ...(changedNothing(failure) ? [section(kept)] : []),
  ],
});

/** The reply to an error that Tally didn't foresee. @param id its reference in the log */
export function unknownErrorMessage(id: string, { invocation, isUnchanged }: ErrorContext = {}): Message {
  return textMessage(unknownErrorText(id, isUnchanged), ...buttonRow(retryButton(invocation)));
}

export const unknownErrorModal = (id: string, { isUnchanged }: ErrorContext = {}): ModalView =>
  modal({ title: ERROR_TITLE, blocks: [section(unknownErrorText(id, isUnchanged))] });

const ERROR_TITLE = 'That did not work';

function unknownErrorText(id: string, isUnchanged = false): string {
  const changed = isUnchanged ? 'Nothing was changed.' : 'Check whether your change was saved.';
  return `Something went wrong in Tally. ${changed}\nIf it keeps happening, send your admin this reference: ${id}.`;
}

/** In place of a part of a page whose record can't be read. */
export const DAMAGED_DATA = section(
  'Some of Tally’s data is damaged and can’t be shown. Ask your operator to check the log.',
);
