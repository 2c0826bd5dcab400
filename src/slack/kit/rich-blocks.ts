import type { ContainerBlock, TableBlock } from '@slack/types';
import { SlackFailed } from '../../domain/failure/index.ts';
import { type Block, type Message, plainText, preformatted } from './atoms.ts';
import { SLACK_LIMITS } from './limits.ts';

export type Table = TableBlock;

/** Whether a table of these rows, including the header, stays within Slack's limits. */
export function fitsTable(rows: readonly (readonly string[])[]): boolean {
  return (
    rows.length <= SLACK_LIMITS.tableRows &&
    rows.flat().reduce((sum, cell) => sum + cell.length, 0) <= SLACK_LIMITS.tableCharacters
  );
}

/** Raw cells, so that outside text is not read as mark-up. The first column is aligned left, the others right. */
export function table(rows: readonly (readonly string[])[]): Table {
  const columns = rows[0]?.length ?? 0;
  return {
    type: 'table',
    column_settings: Array.from({ length: columns }, (_, column) => ({
      align: column === 0 ? 'left' : 'right',
      // A long name makes a row higher instead of pushing the figures out of a phone's screen.
      ...(column === 0 && { is_wrapped: true }),
    })),
    rows: rows.map((row) => row.map((cell) => ({ type: 'raw_text', text: cell || '–' }))),
  };
}

/** A table that opens when its title is clicked. Slack has it since June 2026; {@link withoutRichBlocks} drops it if refused. */
export const collapsedTable = (title: string, rows: readonly (readonly string[])[]): ContainerBlock => ({
  type: 'container',
  title: plainText(title, SLACK_LIMITS.containerTitle),
  child_blocks: [table(rows)],
  width: 'full',
  is_collapsible: true,
  default_collapsed: true,
});

/** When Slack refuses the blocks, sends once more without chart and table. */
export const sendOrSimplify = <T>(message: Message, attempt: (given: Message) => Promise<T>): Promise<T> =>
  attempt(message).catch((error: unknown) => {
    const simpler = isRefusal(error) ? withoutRichBlocks(message) : undefined;
    if (simpler === undefined) throw error;
    return attempt(simpler);
  });

/** A `response_url` may also say that the payload is invalid. */
const REFUSED_BLOCKS = /^invalid_(?:blocks|attachments|payload)/;

const isRefusal = (error: unknown): boolean =>
  error instanceof SlackFailed && REFUSED_BLOCKS.test(error.code);

/**
 * The same message without the blocks that Slack may refuse because they are new or not allowed: charts and containers
 * are dropped, a table becomes monospaced text. Undefined when there is nothing to simplify.
 */
export function withoutRichBlocks(message: Message): Message | undefined {
  if (!message.blocks.some(isRich)) return undefined;
  return { text: message.text, blocks: message.blocks.flatMap(simplify) };
}

const isRich = ({ type }: Block): boolean =>
  type === 'data_visualization' || type === 'container' || type === 'table';

function simplify(block: Block): Block[] {
  if (block.type === 'data_visualization' || block.type === 'container') return [];
  if (block.type === 'table') return [preformatted(lines(block).join('\n'))];
  return [block];
}

function lines(table: Table): string[] {
  const rows = table.rows.map((row) => row.map((cell) => ('text' in cell ? String(cell.text) : '')));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
