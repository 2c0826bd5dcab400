import { randomBytes } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { RequestWork } from '../../runtime/work.ts';
import type { ErrorContext } from '../error-messages/description.ts';
import type { Message } from '../kit/atoms.ts';
import {
  failureMessage,
  failureModal,
  stepFailureText,
  unknownErrorMessage,
  unknownErrorModal,
  unknownErrorText,
} from './error-blocks.ts';
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
