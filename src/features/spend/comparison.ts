import {
  formatCoverage,
  formatUncompared,
  isPoorlyReported,
  type UsageChange,
  type UsageChangeFigures,
} from '../../domain/money/usage-change.ts';
import type { SpendFigures, SpendView } from './figures.ts';

/** A change between two sides that have enough reported days. */
export type ComparableChange = UsageChange & { readonly figures: UsageChangeFigures };

/** @returns undefined if there is nothing to compare with, or too few days are reported */
export const comparable = ({ change }: Pick<SpendFigures, 'change'>): ComparableChange | undefined =>
  change === undefined || typeof change === 'string' || !hasFigures(change) || isPoorlyReported(change)
    ? undefined
    : change;

const hasFigures = (change: UsageChange): change is ComparableChange => change.figures !== undefined;

/** Why there is no comparison, a sentence; '' if there is one. The facts say how many of the period's days are reported. */
export function uncomparedNote(
  { change }: Pick<SpendFigures, 'change'>,
  { comparison, dates }: SpendView['period'],
): string {
  if (change === undefined || comparison === undefined) return '';
  if (typeof change === 'string') return `No comparison with ${comparison.label}: ${change}`;
  if (change.figures === undefined && comparison.days.length === 1)
    return `No comparison: ${formatUncompared(change, { current: dates, before: comparison.label })}.`;
  if (comparable({ change }) !== undefined) return '';
  return `Too few days reported to compare with ${comparison.label} (${formatCoverage(change.coverage.before)}).`;
}
