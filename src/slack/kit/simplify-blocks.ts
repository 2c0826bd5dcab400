import type { TableBlock } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import { type Block, type Message, preformatted, section } from './blocks.ts';
import { barsText } from './charts.ts';

/** When Slack refuses the blocks, sends once more with text in the place of chart and table. */
export const sendOrSimplify = <T>(message: Message, attempt: (given: Message) => Promise<T>): Promise<T> =>
  attempt(message).catch((error: unknown) => {
    const simpler = isRefusal(error) ? withoutRichBlocks(message) : undefined;
    if (simpler === undefined) throw error;
    return attempt(simpler);
  });

/** A `response_url` may also say that the payload is invalid. */
const REFUSED_BLOCKS = /^invalid_(?:blocks|attachments|payload)/;

const isRefusal = (error: unknown): boolean =>
  isFailure(error, 'slack-failed') && REFUSED_BLOCKS.test(error.data.code);

/**
 * The same message without the blocks that Slack may refuse because they are new or not allowed: a chart becomes bars in a
 * line, a table monospaced text, whether it is folded away or not. Undefined when there is nothing to simplify.
 */
export function withoutRichBlocks(message: Message): Message | undefined {
  if (!message.blocks.some(isRich)) return undefined;
  return { text: message.text, blocks: message.blocks.flatMap(simplify) };
}

const isRich = ({ type }: Block): boolean =>
  type === 'data_visualization' || type === 'container' || type === 'table';

function simplify(block: Block): Block[] {
  if (block.type === 'data_visualization') return [section(barsText(block))];
  if (block.type === 'container') return (block.child_blocks as Block[]).flatMap(simplify);
  if (block.type === 'table') return [preformatted(lines(block).join('\n'))];
  return [block];
}

function lines(table: TableBlock): string[] {
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
