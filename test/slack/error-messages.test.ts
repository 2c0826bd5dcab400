import { describe, expect, it } from 'vitest';
import {
  ConnectionMissing,
  type Failure,
  NotConnected,
  SlackFailed,
  TokenRejected,
} from '../../src/domain/failure/index.ts';
import { failureMessage, failureModal, unknownErrorMessage } from '../../src/slack/error-blocks.ts';
import type { Requester } from '../../src/slack/request.ts';
import { textOf } from '../support/bot.ts';

const requester = (canManage: boolean) =>
  ({ user: { canManage }, channel: 'C1', workspace: {} }) as unknown as Requester;
const labels = (message: { readonly blocks: readonly object[] }): readonly string[] =>
  message.blocks
    .flatMap((block) => ('elements' in block ? (block.elements as { text?: { text?: string } }[]) : []))
    .map(({ text }) => text?.text ?? '');

describe('the reply to a failure', () => {
  const FORMS: readonly (readonly [Failure, string])[] = [
    [new TokenRejected('billing'), 'Replace token…'],
    [new NotConnected(), 'Connect…'],
    [new ConnectionMissing('finance'), 'Connect…'],
  ];

  it.each(FORMS)('has the button to a form for managers alone: %s', (failure, label) => {
    for (const show of [failureMessage, failureModal]) {
      expect(labels(show(failure, { requester: requester(true) }))).toContain(label);
      for (const context of [{ requester: requester(false) }, {}]) {
        expect(labels(show(failure, context))).toEqual([]);
        expect(textOf(show(failure, context).blocks)).toContain('A Tally manager can');
      }
    }
  });

  it('has the reference to the log where Slack returned an error', () => {
    const failure = new SlackFailed('users.info', 'fatal_error');
    expect(textOf(failureMessage(failure, { reference: '4f2a90bc' }).blocks)).toContain(
      'send your admin this reference: 4f2a90bc.',
    );
  });
});

describe('the reply to an error that Tally did not foresee', () => {
  it('says that nothing was changed only after a question', () => {
    expect(unknownErrorMessage('4f2a90bc', { isUnchanged: true }).text).toContain('Nothing was changed.');
    const { text } = unknownErrorMessage('4f2a90bc');
    expect(text).not.toContain('Nothing was changed');
    expect(text).toContain('Check whether your change was saved.');
    expect(text).toContain('4f2a90bc');
  });
});
