import type { ModalView } from '@slack/types';
import type { Failure } from '../../domain/failure/index.ts';
import { type ErrorContext, type ErrorDescription, retryButton } from '../error-messages/description.ts';
import { describeError } from '../error-messages/index.ts';
import {
  actions,
  type Block,
  escapeMarkup,
  type Message,
  markup,
  mention,
  quote,
  section,
} from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';

/** The reply to a command or a click that failed. */
export function failureMessage(failure: Failure, context: ErrorContext = {}): Message {
  const description = describeError(failure, context);
  return {
    text: description.sentence ?? failure.message,
    blocks: [...failureBlocks(failure, description), ...(description.choices ?? [])],
  };
}

/** The same as text, below a field of a form that stays open. */
export const failureText = (failure: Failure): string =>
  [failure.message, describeError(failure, {}).todo].filter(Boolean).join(' ');

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
  return [
    people.length === 0 ? section(text) : markup(named),
    ...quotes.map(quote),
    ...(buttons.length > 0 ? [actions(...buttons)] : []),
  ];
}

/** The reply to an error that Tally didn't foresee. @param id its reference in the log */
export function unknownErrorMessage(id: string, { invocation, isUnchanged }: ErrorContext = {}): Message {
  const text = unknownErrorText(id, isUnchanged);
  const buttons = retryButton(invocation);
  return { text, blocks: [section(text), ...(buttons.length > 0 ? [actions(...buttons)] : [])] };
}

export const unknownErrorModal = (id: string, { isUnchanged }: ErrorContext = {}): ModalView =>
  modal({ title: ERROR_TITLE, blocks: [section(unknownErrorText(id, isUnchanged))] });

const ERROR_TITLE = 'That did not work';

function unknownErrorText(id: string, isUnchanged = false): string {
  const changed = isUnchanged ? 'Nothing was changed.' : 'Check whether your change was saved.';
  return `Something went wrong in Tally. ${changed}\nIf it keeps happening, send your admin this reference: ${id}.`;
}
