import { randomBytes } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure } from '../domain/failure/index.ts';
import type { CommandInvocation } from './command-buttons.ts';
import { failureMessage, failureModal, unknownErrorMessage, unknownErrorModal } from './error-blocks.ts';
import type { Message } from './kit/atoms.ts';
import type { Scene } from './project-picker.ts';
import { show, type Ways, whisper } from './ways.ts';

/** The one place where a thrown thing turns into words. */
export interface ErrorReply {
  /** Logs it. @param where the command, the action or the like that it happened in */
  explain(error: unknown, where: string): ErrorReport;
  /** Where the answer would have been, or in the modal that was opened meanwhile. Never rejects. */
  say(ways: Ways, told: ErrorReport, command?: Failed): Promise<void>;
  /** In the modal that this came from. Never rejects. */
  sayInModal(ways: Ways, told: ErrorReport): Promise<void>;
  /** Logs what a reply that could not be sent rejects with. */
  readonly lost: (error: unknown) => void;
}

/** A failure that has words, or the id under which the log has the unknown. */
export type ErrorReport = { readonly failure: Failure } | { readonly id: string };

/** The command that failed, to be tried again, and where it was asked. */
interface Failed {
  readonly rerun: CommandInvocation;
  readonly scene: Scene | undefined;
}

export function createErrorReply(log: Logger): ErrorReply {
  const lost = (error: unknown) => log.error({ err: error }, 'a reply could not be delivered');
  return {
    explain(error, where) {
      if (isFailure(error)) {
        // A refused word is somebody's typing and may be anything, a password too.
        log.info(
          { where, kind: error.kind, ...(error.kind !== 'invalid-word' && { err: error }) },
          'answered with a failure',
        );
        return { failure: error };
      }
      const id = randomBytes(4).toString('hex');
      log.error({ where, id, err: error }, 'answered with an unknown error');
      return { id };
    },
    async say(ways, told, command) {
      const message = errorMessageOf(told, command);
      const said =
        ways.opened === undefined ? whisper(ways, message) : show(ways, errorModalOf(told), message);
      await said.catch(lost);
    },
    sayInModal: (ways, told) => show(ways, errorModalOf(told), errorMessageOf(told)).catch(lost),
    lost,
  };
}

export const errorMessageOf = (told: ErrorReport, command?: Failed): Message =>
  'failure' in told
    ? failureMessage(told.failure, command?.rerun, command?.scene)
    : unknownErrorMessage(told.id, command?.rerun);

export const errorModalOf = (told: ErrorReport): ModalView =>
  'failure' in told ? failureModal(told.failure) : unknownErrorModal(told.id);
