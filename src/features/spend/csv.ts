import { type CsvCell, formatCsv } from '../../domain/csv.ts';
import { SlackFailed } from '../../domain/failure/index.ts';
import type { RowAmount, UsageRow } from '../../domain/money/usage.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Period } from '../../domain/time/period.ts';
import { type Block, type Message, preformatted, section } from '../../slack/kit/atoms.ts';
import { SLACK_LIMITS } from '../../slack/kit/limits.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request.ts';
import type { SpendFigures } from './figures.ts';

const COLUMNS = ['project', 'product', 'day', 'amount', 'bonuses', 'items', 'note'] as const;

/** A line a day after one with the names of the columns; amounts carry the digits as they came. */
export function formatSpendCsv(figures: readonly SpendFigures[], period: Period): string {
  return formatCsv([COLUMNS.map((text) => ({ text })), ...figures.flatMap((one) => linesOf(one, period))]);
}

function linesOf({ target, usage }: SpendFigures, { today }: Period): CsvCell[][] {
  const source: CsvCell[] = [{ digits: target.project }, { text: PRODUCTS[target.product].word }];
  const lines = [
    ...usage.rows.map((row) => ({ day: row.day ?? '~', cells: [...source, ...cellsOf(row, today)] })),
    ...usage.missing.map((day) => ({
      day,
      cells: [...source, { text: day }, { digits: '' }, { digits: '' }, { digits: '0' }, { text: 'no data' }],
    })),
  ];
  // Items without a day come last, in the order in which they came.
  return lines.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)).map(({ cells }) => cells);
}

function cellsOf(
  { day, shown, outside, merged, amount, bonuses }: UsageRow,
  today: string | undefined,
): CsvCell[] {
  const notes = [
    ...(day !== undefined && day === today ? ['so far'] : []),
    ...(merged > 1 ? [`${merged} items added`] : []),
    ...(outside ? ['outside this period'] : []),
    ...(day === undefined ? ['not a readable day'] : []),
    ...noteOf('amount', amount),
    ...noteOf('bonuses', bonuses),
  ];
  return [
    { text: day ?? shown },
    digitsOf(amount),
    digitsOf(bonuses),
    { digits: String(merged) },
    { text: notes.join('; ') },
  ];
}

const digitsOf = (amount: RowAmount): CsvCell => ({ digits: 'raw' in amount ? amount.raw : '' });

function noteOf(name: string, amount: RowAmount): string[] {
  if ('unreadable' in amount) return [`${name} unreadable: ${amount.unreadable}`];
  return amount.incomplete ? [`${name} incomplete`] : [];
}

/**
 * As a file in the user's conversation with Tally; where Tally may not send files, as text in a modal, and where none can
 * be opened, in a message.
 * @throws SlackFailed
 */
export async function sendCsv(content: string, name: string, request: Request): Promise<void> {
  try {
    await request.reply.file({ name, title: name, content });
  } catch (error) {
    if (!(error instanceof SlackFailed && error.code === 'missing_scope')) throw error;
    return showText(content, request);
  }
  const text = 'The CSV is in your direct messages with Tally.';
  await request.reply.private({ text, blocks: [section(text)] });
}

/** Each block of text is one that Slack shows whole. */
const MOST_PARTS = { modal: 60, message: 15 } as const;

async function showText(content: string, request: Request): Promise<void> {
  if (request.reply.modal.canOpen) {
    const isShown = await request.reply.modal
      .open(modal({ title: 'CSV', blocks: textBlocks(content, MOST_PARTS.modal) }))
      .then(() => true)
      // The click may be too long ago for a modal.
      .catch((error: unknown) => {
        if (error instanceof SlackFailed) return false;
        throw error;
      });
    if (isShown) return;
  }
  const message: Message = {
    text: 'CSV as text',
    blocks: textBlocks(content, MOST_PARTS.message),
  };
  await request.reply.private(message);
}

function textBlocks(content: string, most: number): Block[] {
  const parts = inParts(content.split('\r\n').filter(Boolean));
  const rest = parts.length - most;
  const why = "Tally can't send files here: it was installed without the files:write permission.";
  return [
    section(rest > 0 ? `${why} This is the beginning; ask about a shorter period for the rest.` : why),
    ...parts.slice(0, most).map(preformatted),
  ];
}

/** Whole lines, as many as fit into a block each. */
function inParts(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let part = '';
  for (const line of lines) {
    if (part !== '' && part.length + line.length + 1 > SLACK_LIMITS.section) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? line : `${part}\n${line}`;
  }
  return part === '' ? parts : [...parts, part];
}
