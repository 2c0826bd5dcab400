import { InvalidWord } from '../../domain/failure/index.ts';
import { type Output, parseWithOutput } from '../../domain/language/argument.ts';
import { parseCommandText } from '../../domain/language/parse-command.ts';
import { formatVersus, type ParsedCommand } from '../../domain/language/parsed-command.ts';
import { LAST_7_DAYS } from '../../domain/language/periods/period-ast.ts';
import { findReport } from '../../domain/report.ts';
import type { Zone } from '../../domain/time/calendar.ts';
import { type ComparedPeriod, compareWith, type Instants } from '../../domain/time/named-comparison.ts';
import { resolvePeriod } from '../../domain/time/period.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';
import { type AskedProjects, askedText } from '../../slack/commands/project-answers.ts';
import type { SpendView } from './figures.ts';

/** @throws InvalidWord, SecretPasted */
export const parseSpend = (text: string, aliases: ReadonlySet<string>) =>
  parseWithOutput(text, aliases, parseCommandText);

/**
 * The period at this moment, with the named comparison if there is one; a refusal suggests the whole command's text.
 * @throws InvalidWord, PeriodJustBegan
 */
export function resolveSpendPeriod(
  { phrase = LAST_7_DAYS, versus }: Pick<ParsedCommand, 'phrase' | 'versus'>,
  { output, ...named }: Pick<AskedProjects, 'word' | 'product'> & { readonly output: Output | undefined },
  instants: Instants,
  zone: Zone,
): ComparedPeriod {
  const command = (period: string, compared: string | undefined) =>
    [askedText(named, period, ...(compared === undefined ? [] : [`vs ${compared}`])), output]
      .filter(Boolean)
      .join(' ');
  const period = withWholeSuggestions(
    () => resolvePeriod(phrase, instants.now, zone, instants.writtenAt),
    (text) => command(text, versus && formatVersus(versus)),
  );
  if (versus === undefined) return period;
  return withWholeSuggestions(
    () => compareWith(period, versus, instants),
    (text) => command(period.phrase, text),
  );
}

/** Runs `resolve`. @throws its InvalidWord, with each suggestion made into a whole command */
function withWholeSuggestions<T>(resolve: () => T, whole: (text: string) => string): T {
  try {
    return resolve();
  } catch (error) {
    throw error instanceof InvalidWord ? error.within(whole) : error;
  }
}

/** The command that gives this answer again, of another period or in another form. */
export const spendCommand = (
  { projects, period }: Pick<SpendView, 'projects' | 'period'>,
  { phrase = period.phrase, output }: { readonly phrase?: string; readonly output?: Output } = {},
): Command => ({
  command: '/spend',
  text: [askedText(projects, phrase, ...versusWords(period)), output].filter(Boolean).join(' '),
});

const versusWords = ({ versus }: SpendView['period']): string[] =>
  versus === undefined ? [] : [`vs ${formatVersus(versus)}`];

/** What **Schedule this…** begins with: the report of the same days, if there is one. */
export const reportOf = ({ projects, period }: Pick<SpendView, 'projects' | 'period'>): string | undefined =>
  projects.isList ? undefined : findReport(period.phrase) && period.phrase;

/** The projects that the answer shows, by their names: `/balance` knows no top. */
export const shownText = ({ projects, top }: SpendView): string =>
  askedText(
    top === undefined
      ? projects
      : { word: top.shown.map(({ target }) => target.word).join(','), product: projects.product },
  );
