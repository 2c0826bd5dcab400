import type { TableBlock } from '@slack/types';
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
