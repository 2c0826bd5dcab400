import type { ModalView } from '@slack/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import type { Block, Message } from '../../src/slack/kit/blocks.ts';
import { sendCsv as sendFile, showDetails } from '../../src/slack/reply/csv-and-details.ts';
import type { Request } from '../../src/slack/request/request.ts';
import { textOf } from '../support/bot.ts';
import { requestOf } from '../support/records.ts';

let files: object[];
let messages: Message[];
let modals: ModalView[];
beforeEach(() => {
  files = [];
  messages = [];
  modals = [];
});

/** @param file, modal what Slack says instead of taking it */
function request({ file, modal, canOpen = true }: { file?: Error; modal?: Error; canOpen?: boolean } = {}) {
  const take = async <T>(list: T[], one: T, refusal?: Error) => {
    if (refusal !== undefined) throw refusal;
    list.push(one);
  };
  const { reply } = requestOf();
  return requestOf({
    reply: {
      file: async (one) => {
        await take(files, one, file);
        return false;
      },
      private: (one) => take(messages, one),
      modal: { ...reply.modal, canOpen, open: (one) => take(modals, one, modal) },
    },
  });
}
const ABOUT = 'prod · 5.00 spent, 14–20 Nov.';
const sendCsv = (content: string, name: string, to: Request) => sendFile({ content, name, about: ABOUT }, to);
const NO_FILES = new Failure('slack-failed', { method: 'files.uploadV2', code: 'missing_scope' });
/** The text of each monospaced block. */
const parts = (blocks: readonly object[]) =>
  (blocks as readonly Block[]).flatMap((block) => (block.type === 'rich_text' ? [textOf(block)] : []));

describe('figures as CSV', () => {
  it('are sent as a file, and the answer says where it is', async () => {
    await sendCsv('a,b\r\n', 'spend.csv', request());
    expect(files).toEqual([
      { name: 'spend.csv', title: 'spend.csv', content: '\ufeffa,b\r\n', about: ABOUT },
    ]);
    expect(messages.map(({ text }) => text)).toEqual([
      `${ABOUT} The CSV is in your direct messages with Tally.`,
    ]);
    expect(textOf(messages[0]?.blocks)).toContain('The CSV is in your direct messages');
    expect(modals).toEqual([]);
  });

  it('need no other answer if the file is in the thread that asked', async () => {
    const asked = request();
    const inThread = { ...asked.reply, file: async () => true };
    await sendCsv('a,b\r\n', 'spend.csv', { ...asked, reply: inThread });
    expect([messages, modals]).toEqual([[], []]);
  });

  it('are shown as text in a message if Tally may not send files', async () => {
    await sendCsv('a,b\r\n1,2\r\n', 'spend.csv', request({ file: NO_FILES }));
    expect(messages.map(({ text }) => text)).toEqual(['CSV as text']);
    expect(messages.map(({ blocks }) => parts(blocks))).toEqual([['a,b\n1,2']]);
    expect(textOf(messages[0]?.blocks)).toContain('without the files:write permission.');
    expect(textOf(messages[0]?.blocks)).not.toContain('beginning');
    expect(modals).toEqual([]);
  });

  it('are not sent twice if Slack fails otherwise', async () => {
    const bug = new TypeError('a bug');
    await expect(sendCsv('a', 'a.csv', request({ file: bug }))).rejects.toBe(bug);
    expect(messages).toEqual([]);
  });
});

describe('the details of an answer', () => {
  const DETAILS = [
    {
      label: 'This period',
      rows: [
        ['From', '2026-11-01'],
        ['Total', '1.50'],
      ] as const,
    },
    { label: 'Before', rows: [['Readable items', '3']] as const },
  ];

  it('are shown in a window, a table for each project', async () => {
    await showDetails(DETAILS, [], request());
    expect(modals.map(({ title }) => title.text)).toEqual(['Details']);
    expect(parts(modals[0]?.blocks ?? [])).toEqual(['From   2026-11-01\nTotal  1.50', 'Readable items  3']);
    expect(textOf(modals[0]?.blocks)).toContain('This period');
    expect(messages).toEqual([]);
  });

  it('say why a project has no figures', async () => {
    const failed = {
      label: 'dev',
      project: '7002',
      product: 1,
      failure: new Failure('not-connected'),
    } as const;
    await showDetails(DETAILS, [failed], request());
    expect(parts(modals[0]?.blocks ?? []).at(-1)).toBe(`No figures  ${failed.failure.message}`);
  });
});
