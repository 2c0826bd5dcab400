import { type Block, type Message, preformatted } from './atoms.ts';
import type { Table } from './table.ts';

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
