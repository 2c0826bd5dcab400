import { randomBytes } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { ErrorContext } from '../error-messages/description.ts';
import type { Message } from '../kit/atoms.ts';
import { failureMessage, failureModal, unknownErrorMessage, unknownErrorModal } from './error-blocks.ts';
import type { ReplyTarget } from './reply.ts';

/** Turns an error of a listener into a reply. */
export interface ErrorReply {
  /** Logs the error. @param where the command, action, form or event it happened in @returns what the reply is made of */
  explain(error: unknown, where: string): ErrorReport;
  /** Replies privately, or in the modal that this request opened. Never rejects. */
  send(target: ReplyTarget, report: ErrorReport, context?: ErrorContext): Promise<void>;
  /** Replies in the modal that the request came from. Never rejects. */
  sendInModal(target: ReplyTarget, report: ErrorReport, context?: ErrorContext): Promise<void>;
  /** Logs why a reply could not be sent. */
  readonly logUndelivered: (error: unknown) => void;
}

/** A logged error. */
export interface ErrorReport {
  /** Undefined for an error that Tally didn't foresee. */
  readonly failure: Failure | undefined;
  /** The reference to its log line. */
  readonly id: string;
}

export function createErrorReply(log: Logger): ErrorReply {
  const logUndelivered = (error: unknown) => log.error({ err: error }, 'a reply could not be delivered');
  const sendInModal: ErrorReply['sendInModal'] = async (target, report, context) => {
    const message = errorMessageOf(report, context);
    await target.updateModal(errorModalOf(report, context), message).catch(logUndelivered);
  };
  return {
    explain(error, where) {
      const id = randomBytes(4).toString('hex');
      if (isFailure(error)) {
        // The rejected word was typed by a person, so it can be a password.
        log.info(
          { where, kind: error.kind, id, ...(error.kind !== 'invalid-word' && { err: error }) },
          'answered with a failure',
        );
        return { failure: error, id };
      }
      log.error({ where, id, err: error }, 'answered with an unknown error');
      return { failure: undefined, id };
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
