import type { ReportPeriods } from '../../domain/money/report-figures.ts';
import type { Headline, ProjectFailure, ProjectFigures } from './figures.ts';

/** What a scheduled post says. */
export interface ReportView {
  readonly headline: Headline;
  readonly brief: ReportPeriods;
  readonly answered: readonly ProjectFigures[];
  readonly unanswered: readonly ProjectFailure[];
  /** ms since the epoch */
  readonly fetched: number;
}
