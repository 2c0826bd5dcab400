import type { Output } from '../../domain/language/argument.ts';
import { formatVersus } from '../../domain/language/command-text.ts';
import { findReport } from '../../domain/report.ts';
import type { CommandInvocation } from '../../slack/commands/command-buttons.ts';
import { askedText } from '../../slack/commands/project-answers.ts';
import type { SpendView } from './figures.ts';

/** The command that gives this answer again, of another period or in another form. */
export const spendCommand = (
  { projects, period }: Pick<SpendView, 'projects' | 'period'>,
  { phrase = period.phrase, output }: { readonly phrase?: string; readonly output?: Output } = {},
): CommandInvocation => ({
  command: '/spend',
  text: [askedText(projects, phrase, ...versusWords(period)), output].filter(Boolean).join(' '),
});

const versusWords = ({ versus }: SpendView['period']): string[] =>
  versus === undefined ? [] : [`vs ${formatVersus(versus)}`];

/** What **Schedule this…** begins with: the report of the same days, if there is one. */
export const reportOf = ({ projects, period }: Pick<SpendView, 'projects' | 'period'>): string | undefined =>
  projects.isList ? undefined : findReport(period.phrase) && period.phrase;
