/** How results look: one table, columns as wide as they need to be. */
import type { Line } from './measure.ts';

const HEAD = ['', 'median', 'p95', 'floor', '×', 'the floor is'];

export const table = (lines: readonly Line[]): string =>
  columns([HEAD, ...lines.map(cells)], HEAD.length - 1);

/** @param words index of a column of words beside the first one: they begin at the left, numbers end at the right */
export function columns(rows: readonly (readonly string[])[], words?: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, i: number) =>
    i === 0 || i === words ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

function cells({ name, median, p95, floor }: Line): string[] {
  if (floor === undefined) return [name, duration(median), duration(p95), '', '', ''];
  const ratio = median / floor.median;
  return [
    name,
    duration(median),
    duration(p95),
    duration(floor.median),
    ratio.toFixed(ratio < 10 ? 1 : 0),
    floor.name,
  ];
}

function duration(ms: number): string {
  if (ms >= 1) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  return ms >= 0.001 ? `${(ms * 1e3).toFixed(1)} µs` : `${(ms * 1e6).toFixed(0)} ns`;
}
