/** Formats results as a text table. */
import type { Line } from './measure.ts';

const HEAD = ['', 'median', 'p95', 'baseline', '×', 'the baseline is'];

export const table = (lines: readonly Line[]): string =>
  columns([HEAD, ...lines.map(cells)], HEAD.length - 1);

/** @param words index of another left-aligned column, besides the first; the others are right-aligned */
export function columns(rows: readonly (readonly string[])[], words?: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, i: number) =>
    i === 0 || i === words ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

function cells({ name, median, p95, baseline }: Line): string[] {
  if (baseline === undefined) return [name, duration(median), duration(p95), '', '', ''];
  const ratio = median / baseline.median;
  return [
    name,
    duration(median),
    duration(p95),
    duration(baseline.median),
    ratio.toFixed(ratio < 10 ? 1 : 0),
    baseline.name,
  ];
}

function duration(ms: number): string {
  if (ms >= 1) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  return ms >= 0.001 ? `${(ms * 1e3).toFixed(1)} µs` : `${(ms * 1e6).toFixed(0)} ns`;
}
