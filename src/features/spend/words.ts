import { InvalidWord } from '../../domain/failure/index.ts';
import { type Output, parseWithOutput } from '../../domain/language/argument.ts';
import { parseCommandText } from '../../domain/language/command-text.ts';
import { LAST_7_DAYS, type PeriodPhrase } from '../../domain/language/period-phrase.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { type Period, resolvePeriod } from '../../domain/time/period.ts';
import { type AskedProjects, askedText } from '../../slack/commands/project-answers.ts';

/**
 * `123 last-7-days cloud` or `prod mtd`, in any order; without a project the channel's is meant.
 * @throws InvalidWord, SecretPasted
 */
export const parseSpendText = (text: string, aliases: ReadonlySet<string>) =>
  parseWithOutput(text, aliases, (rest) => parseCommandText(rest, aliases));

/**
 * The period at this moment; a refusal suggests the whole command's text.
 * @param typed what was typed beside the period, with the name of the projects that were found
 * @param when `asked` is when an answer that is shared now was asked for
 * @throws InvalidWord, PeriodJustBegan
 */
export function resolveSpendPeriod(
  phrase: PeriodPhrase = LAST_7_DAYS,
  { output, ...named }: Pick<AskedProjects, 'word' | 'product'> & { readonly output: Output | undefined },
  when: { readonly at: Millis; readonly asked: Millis | undefined },
  zone: Zone,
): Period {
  try {
    return resolvePeriod(phrase, when.at, zone, when.asked);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const last = output === undefined ? [] : [output];
    throw error.within((period) => [askedText(named, period), ...last].join(' '));
  }
}
