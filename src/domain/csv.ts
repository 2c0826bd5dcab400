/** A cell: text may come from outside, digits are written as they are. */
export type CsvCell = { readonly text: string } | { readonly digits: string };

/** What a spreadsheet takes for a formula at the beginning of a cell, in full width too. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** A line a row, RFC 4180. A formula in a text cell loses its power; a negative amount stays a number. */
export const formatCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');

function formatCell(cell: CsvCell): string {
  if ('digits' in cell) return cell.digits;
  const harmless = FORMULA.test(cell.text) ? `'${cell.text}` : cell.text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
