import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createErrorReply, failureMessage, failureText } from '../../src/slack/reply/error-reply.ts';
import type { Reply } from '../../src/slack/reply/reply.ts';
import { failuresOfAll } from '../support/failures.ts';
import { requestOf } from '../support/records.ts';

const request = (canManage: boolean) => requestOf({ user: { canManage } });
const ID = '4f2a90bc';

describe('the reply to any failure', () => {
  const command = { command: '/spend', text: '123' } as const;
  const CONTEXTS = [{}, { command }, { ...request(true), command }];
  const failures = failuresOfAll()
    .map(([failure]) => failure)
    .filter(({ kind }) => kind !== 'project-missing' && kind !== 'invalid-word');

  it('has text without empty lines, and no empty row of buttons', () => {
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

  it('offers a button inside a modal only if the button’s command opens a modal', async () => {
    const reruns = async (rules: { readonly opensForm?: boolean }) => {
      const shown: string[] = [];
      const { reply } = requestOf();
      const modal: Reply['modal'] = {
        ...reply.modal,
        isShown: async () => true,
        update: async (view) => shown.push(JSON.stringify(view.blocks)) > 0,
      };
      const { send } = createErrorReply(pino({ level: 'silent' }));
      for (const failure of failures)
        await send({ ...reply, modal }, { failure, id: ID }, { command }, rules);
      return shown.filter((blocks) => blocks.includes('"/spend 123"')).length;
    };
    expect([await reruns({}), (await reruns({ opensForm: true })) > 5]).toEqual([0, true]);
  });
});
