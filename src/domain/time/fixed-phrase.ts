import { parsePeriodText } from '../language/command-text.ts';
import type { PeriodPhrase } from '../language/periods/period-phrase.ts';
import { resolveRange } from '../language/periods/resolve-range.ts';
import { dayAt, type Millis, type Zone } from './calendar.ts';

/**
 * A phrase that means today the days that another one meant when it was written: `last-7-days` of 21 November is
 * `2026-11-14..2026-11-20` later. A period that was still running keeps its words, and runs until now.
 *
 * @param writtenAt when the phrase was written, in ms
 * @param now in ms
 * @throws InvalidWord where `resolvePeriod` does
 */
export function fixPhrase(phrase: PeriodPhrase, writtenAt: Millis, now: Millis, zone: Zone): PeriodPhrase {
  const [writtenOn, today] = [dayAt(writtenAt, zone), dayAt(now, zone)];
  if (writtenOn === today) return phrase;
  const { first, last, plan } = resolveRange(phrase, writtenOn, zone);
  if (last >= writtenOn) return phrase;
  const current = resolveRange(phrase, today, zone);
  if (current.first === first && current.last === last) return phrase;
  // Months are compared with months; weeks have as many days as those before.
  const isOfMonths = plan.kind === 'units' && plan.unit !== 'day' && plan.unit !== 'week';
  const [from, to] = isOfMonths ? [first.slice(0, 7), last.slice(0, 7)] : [first, last];
  return parsePeriodText(from === to ? from : `${from}..${to}`);
}
