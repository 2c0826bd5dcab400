import type { Period } from '../../domain/time/period.ts';
import type { ProjectAnswer } from '../../slack/answer-message.ts';
import type { SpendFigures } from './figures.ts';

/** Everything an answer to `/spend` says. */
export interface SpendReport extends ProjectAnswer, Omit<SpendFigures, 'connection'> {
  readonly period: Period;
}
