/** How results look: one table, columns as wide as they need to be. */
import type { Line } from './measure.ts';

const HEAD = ['', 'median', 'p95', 'floor', '×', 'the floor is'];

export function table(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i] ?? 0, i))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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

function pad(cell: string, width: number, column: number): string {
  return column === 0 || column === HEAD.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}

function duration(ms: number): string {
  if (ms >= 1) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  return ms >= 0.001 ? `${(ms * 1e3).toFixed(1)} µs` : `${(ms * 1e6).toFixed(0)} ns`;
}
