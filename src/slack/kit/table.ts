import type { ContainerBlock, TableBlock } from '@slack/types';
import { plainText } from './atoms.ts';
import { SLACK_LIMITS } from './limits.ts';

export type Table = TableBlock;

/** Whether a table of these rows, its header among them, stays within Slack's limits. */
export function fitsTable(rows: readonly (readonly string[])[]): boolean {
  return (
    rows.length <= SLACK_LIMITS.tableRows &&
    rows.flat().reduce((sum, cell) => sum + cell.length, 0) <= SLACK_LIMITS.tableCharacters
  );
}

/** Raw cells, so that no outside text becomes mark-up; the first column reads left, the others are figures. */
export function table(rows: readonly (readonly string[])[]): Table {
  const columns = rows[0]?.length ?? 0;
  return {
    type: 'table',
    column_settings: Array.from({ length: columns }, (_, column) => ({
      align: column === 0 ? 'left' : 'right',
    })),
    rows: rows.map((row) => row.map((cell) => ({ type: 'raw_text', text: cell || '–' }))),
  };
}

/** A table that a reader opens by its title. Slack's since June 2026; {@link withoutRichBlocks} drops it where refused. */
export const collapsedTable = (title: string, rows: readonly (readonly string[])[]): ContainerBlock => ({
  type: 'container',
  title: plainText(title, SLACK_LIMITS.containerTitle),
  child_blocks: [table(rows)],
  width: 'full',
  is_collapsible: true,
  default_collapsed: true,
});
