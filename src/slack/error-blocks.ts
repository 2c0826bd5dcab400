import type { ModalView } from '@slack/types';
import type { Failure } from '../domain/failure/index.ts';
import type { CommandInvocation } from './command-buttons.ts';
import { describeError, type ErrorDescription, retryButton } from './error-messages.ts';
import { actions, type Block, context, header, type Message, quote, section } from './kit/atoms.ts';
import { modal } from './kit/modal.ts';
import type { Scene } from './project-picker.ts';

function body(sentence: string, { todo, quotes = [] }: ErrorDescription): Block[] {
  return [section([sentence, todo].filter(Boolean).join('\n')), ...quotes.map(quote)];
}

/** The reply to a command or a click that failed. */
export function failureMessage(failure: Failure, rerun?: CommandInvocation, scene?: Scene): Message {
  const advice = describeError(failure, rerun, scene);
  const { sentence = failure.message, buttons = [], choices = [] } = advice;
  return {
    text: sentence,
    blocks: [...body(sentence, advice), ...(buttons.length > 0 ? [actions(...buttons)] : []), ...choices],
  };
}

/** The same below a field of a form that stays open. */
export const failureText = (failure: Failure): string =>
  [failure.message, describeError(failure).todo].filter(Boolean).join(' ');

/** The same in a modal, where the form behind it is gone: no buttons that would rerun a command. */
export function failureModal(failure: Failure): ModalView {
  return modal({ title: 'That did not work', blocks: body(failure.message, describeError(failure)) });
}

const unknown = (id: string): string =>
  `Something went wrong that Tally did not expect. Nothing was guessed. Whoever runs the bot finds it in the log under ${id}.`;

export function unknownErrorMessage(id: string, rerun?: CommandInvocation): Message {
  const buttons = retryButton(rerun);
  return {
    text: unknown(id),
    blocks: [section(unknown(id)), ...(buttons.length > 0 ? [actions(...buttons)] : [])],
  };
}

export function unknownErrorModal(id: string): ModalView {
  return modal({
    title: 'That did not work',
    blocks: [header('Unexpected'), section(unknown(id)), context(`id ${id}`)],
  });
}
