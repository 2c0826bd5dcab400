import type { RecordedEntry } from '../../workspace/audit.ts';

const COLUMNS = ['time', 'person', 'deed', 'about'] as const;
/** What a spreadsheet takes for a formula at the beginning of a cell, in full width too. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** A line an entry after one with the names of the columns, RFC 4180: times in UTC, a formula's power taken away. */
export function formatAuditCsv(entries: readonly RecordedEntry[]): string {
  const rows = entries.map(({ at, who, action, about }) => [new Date(at).toISOString(), who, action, about]);
  return [COLUMNS, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
