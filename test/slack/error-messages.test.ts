import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  AddressRefused,
  ConnectionMissing,
  type Failure,
  NotConnected,
  NotIssuer,
  OutcomeUnclear,
  ServiceUnreachable,
  TokenRejected,
  UnsealFailed,
  WriteRefused,
  WrongIdentityUrl,
} from '../../src/domain/failure/index.ts';
import type { FailedRequest } from '../../src/slack/error-messages/description.ts';
import {
  createErrorReply,
  errorMessageOf,
  errorModalOf,
  failureMessage,
  failureText,
} from '../../src/slack/reply/error-reply.ts';
import type { Reply } from '../../src/slack/reply/reply.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { textOf } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { failuresOfAll } from '../support/failures.ts';
import { requestOf } from '../support/records.ts';
import { testRedis } from '../support/redis.ts';

const request = (canManage: boolean) => requestOf({ user: { canManage } });
const ID = '4f2a90bc';
const failureModal = (failure: Failure, asked: FailedRequest = {}) =>
  errorModalOf({ failure, id: ID }, asked, false);
const unknown = (asked: FailedRequest = {}, isUnchanged = false) =>
  errorMessageOf({ failure: undefined, id: ID }, asked, isUnchanged);
const labels = (message: { readonly blocks: readonly object[] }): readonly string[] =>
  message.blocks
    .flatMap((block) => ('elements' in block ? (block.elements as { text?: { text?: string } }[]) : []))
    .map(({ text }) => text?.text ?? '');

describe('the reply to a failure', () => {
  const FORMS: readonly (readonly [Failure, string])[] = [
    [new TokenRejected('billing'), 'Replace token…'],
    [new NotConnected(), 'Connect…'],
    [new ConnectionMissing('finance'), 'Connect…'],
    [new UnsealFailed('malformed', undefined, 'billing-token'), 'Replace token…'],
  ];

  const STEPS: readonly Failure[] = [
    new NotIssuer('prod'),
    new UnsealFailed('malformed', undefined, 'application-access'),
    new UnsealFailed('malformed', undefined, 'project'),
  ];

  it.each(STEPS)('tells a manager what to do, and others that a manager can do it: %s', (failure) => {
    const said = (canManage: boolean) => textOf(failureMessage(failure, request(canManage)).blocks);
    expect(said(false)).toContain('A Tally manager can');
    expect(said(true)).not.toContain('A Tally manager can');
    expect(said(true)).toContain('/billing projects');
  });

  it.each(FORMS)('shows the button that opens a form only to managers: %s', (failure, label) => {
    for (const show of [failureMessage, failureModal]) {
      expect(labels(show(failure, request(true)))).toContain(label);
      for (const context of [request(false), {}]) {
        expect(labels(show(failure, context))).not.toContain(label);
        expect(textOf(show(failure, context).blocks)).toMatch(/A Tally manager can|An owner or admin/);
      }
      expect(labels(show(failure, {}))).toEqual([]);
    }
  });
});

describe('the address of a service, and the error’s code', () => {
  const unreachable = (host: string, code: string) => new ServiceUnreachable('billing', host, code);
  const FAILURES: readonly Failure[] = [
    unreachable('10.1.2.3:44147', 'ECONNRESET'),
    unreachable('10.1.2.3:44147', 'ECONNREFUSED'),
    new WrongIdentityUrl('10.1.2.3:44147', 404),
    new OutcomeUnclear('10.1.2.3:44147'),
    new AddressRefused('10.1.2.3:44147', 'is a private address'),
  ];

  it.each(FAILURES)('are for managers, not for members: %s', (failure) => {
    const shown = (canManage: boolean) => {
      const { text, blocks } = failureMessage(failure, request(canManage));
      return `${text}\n${textOf(blocks)}`;
    };
    expect(shown(true)).toContain('10.1.2.3:44147');
    expect(shown(false)).not.toMatch(/10\.1\.2\.3|\bE[A-Z]{5,}/);
  });

  it('are left out of sentences for posts and lists', () => {
    expect(unreachable('10.1.2.3', 'ECONNRESET').message).toBe('The billing service closed the connection.');
    expect(unreachable('10.1.2.3', 'ENOTFOUND').message).toBe('The billing service couldn’t be reached.');
  });
});

describe('the reply to an error that Tally did not foresee', () => {
  it('says that nothing was changed only after a question', () => {
    expect(unknown({}, true).text).toContain('Nothing was changed.');
    const { text } = unknown();
    expect(text).not.toContain('Nothing was changed');
    expect(text).toContain('Check whether your change was saved.');
    expect(text).toContain('4f2a90bc');
  });
});

describe('the reply to a write that Redis refused', () => {
  it('says that nothing was changed, unless an earlier step of the request was saved', async () => {
    const store = await testRedis();
    const workspaces = createWorkspaces({
      redis: store.client,
      keyring: createKeyring([{ id: 'k', key: randomBytes(32) }]),
    });
    const change = await changeIn(workspaces, 'T1');
    const asked = { ...request(true), workspace: change.workspace };
    const said = () => textOf(errorMessageOf({ failure: new WriteRefused(), id: ID }, asked, false).blocks);
    expect(said()).toContain('Nothing was changed.');
    await workspaces.saveSettings(change, { zone: 'Europe/London' });
    expect(said()).toContain('Your change may have been saved.');
    expect(said()).not.toContain('Nothing was changed');
    await store.close();
  });
});

describe('the reply to any failure', () => {
  const command = { command: '/spend', text: '123' } as const;
  const CONTEXTS = [{}, { command }, { ...request(true), command }];
  const failures = failuresOfAll()
    .map(([failure]) => failure)
    .filter(({ kind }) => kind !== 'project-missing' && kind !== 'invalid-word');

  it('is a text without empty lines, followed by its buttons', () => {
    for (const failure of failures)
      for (const context of CONTEXTS) {
        const { text, blocks } = failureMessage(failure, context);
        expect(text).not.toBe('');
        const [first] = blocks;
        const shown = first?.type === 'section' ? (first.text?.text ?? '') : '';
        expect(shown).toBe(shown.trim());
        expect(shown.startsWith(text)).toBe(true);
        expect(shown.slice(text.length)).toMatch(/^(?:\n\S.*)?$/s);
        for (const block of blocks)
          if (block.type === 'actions') expect(block.elements.length).toBeGreaterThan(0);
        for (const block of blocks) expect(block).toHaveProperty('type');
        const below = failureText(failure);
        expect(below).toBe(below.trim());
        expect(below).not.toContain('  ');
      }
  });

  it('has buttons that run a command in a window only if the command opens a window', async () => {
    const reruns = async (does: 'answer' | 'openForm') => {
      const shown: string[] = [];
      const { reply } = requestOf();
      const modal: Reply['modal'] = {
        ...reply.modal,
        isShown: async () => true,
        update: async (view) => void shown.push(JSON.stringify(view.blocks)),
      };
      const { send } = createErrorReply(pino({ level: 'silent' }));
      for (const failure of failures) await send({ ...reply, modal }, { failure, id: ID }, { command }, does);
      return shown.filter((blocks) => blocks.includes('"/spend 123"')).length;
    };
    expect([await reruns('answer'), (await reruns('openForm')) > 5]).toEqual([0, true]);
  });
});

describe('an unforeseen error', () => {
  it('offers to run the command again', () => {
    const buttons = (context: object) =>
      unknown(context).blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    expect(buttons({ command: { command: '/spend', text: 'prod' } })).toMatchObject([
      { value: '/spend prod' },
    ]);
    const bare = unknown();
    expect(bare.blocks.map(({ type }) => type)).toEqual(['section']);
    expect(textOf(bare.blocks)).toContain('4f2a90bc');
    const { blocks } = errorModalOf({ failure: undefined, id: ID }, {}, true);
    expect(textOf(blocks)).toContain('Nothing was changed.');
  });
});
