import type { ContainerBlock, TableBlock } from '@slack/types';
import { plainText, SLACK_LIMITS } from './blocks.ts';

export type Table = TableBlock;

/** The space between a number and its sign or unit, at which a phone would break the line. */
const BESIDE_NUMBER = /(?<=[+−▲▼]) |(?<=\d) (?=(?:%|days?)$)/g;

/** A column of an answer's rows. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => string;
}

/** A header, and a line a row. */
export const cellsOf = <T>(rows: readonly T[], columns: readonly Column<T>[]): string[][] => [
  columns.map(({ title }) => title),
  ...rows.map((row) => columns.map(({ cell }) => cell(row))),
];

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
    rows: rows.map((row) =>
      row.map((cell) => ({ type: 'raw_text', text: cell.replace(BESIDE_NUMBER, '\u00a0') || '–' })),
    ),
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
