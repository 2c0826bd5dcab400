import type { InputBlock, ModalView } from '@slack/types';
import { type Block, compact, type Optional, plainText, SLACK_LIMITS, section } from './blocks.ts';

export interface ModalOptions {
  readonly callback?: string;
  /** At most 3,000 characters, which the user can read: IDs and sealed texts, never secrets. Checked again when it comes back. */
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string;
  /** The other button: **Close**, or **Cancel** where there is something to submit. */
  readonly close?: string;
  readonly blocks: readonly Optional<Block | InputBlock>[];
}

export const modal = ({
  callback,
  metadata,
  title,
  submit,
  close = submit === undefined ? 'Close' : 'Cancel',
  blocks,
}: ModalOptions): ModalView => ({
  type: 'modal',
  title: plainText(title, SLACK_LIMITS.modalTitle),
  close: plainText(close, SLACK_LIMITS.modalTitle),
  ...(callback !== undefined && { callback_id: callback }),
  ...(metadata !== undefined && { private_metadata: metadata }),
  ...(submit !== undefined && { submit: plainText(submit, SLACK_LIMITS.modalTitle) }),
  // Slack's types lack the chart, and no view of Tally's has one.
  blocks: compact(blocks) as ModalView['blocks'],
});

/**
 * Acknowledges a form that isn't taken: below its last field, so that it keeps what was typed.
 * @param instead replaces a form without fields
 */
export function refuseForm(
  blocks: readonly { readonly type: string; readonly block_id?: string | undefined }[],
  text: string,
  instead: ModalView,
) {
  const last = blocks.findLast(({ type }) => type === 'input')?.block_id;
  return last === undefined
    ? ({ response_action: 'update', view: instead } as const)
    : ({ response_action: 'errors', errors: { [last]: text } } as const);
}

/** Shown in place of a form until its work is done. */
export const waitingModal = (title: string, text = 'Saving…', ...more: readonly Block[]): ModalView =>
  modal({ title, blocks: [section(text), ...more] });
