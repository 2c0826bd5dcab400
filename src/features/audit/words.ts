import { formatCsv } from '../../domain/csv.ts';
import type { RecordedEntry } from '../../workspace/audit.ts';

const COLUMNS = ['time', 'person', 'action', 'about'] as const;

/** A line an entry after one with the names of the columns: times in UTC, a formula's power taken away. */
export const formatAuditCsv = (entries: readonly RecordedEntry[]): string =>
  formatCsv(
    [
      COLUMNS,
      ...entries.map(({ at, who, action, about }) => [new Date(at).toISOString(), who, action, about]),
    ].map((row) => row.map((text) => ({ text }))),
  );
