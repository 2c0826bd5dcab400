/** Reads words as of Saturday, 21 November 2026 in UTC, unless a test names another time and zone. */
import { type FailureOf, InvalidWord, isFailure } from '../../src/domain/failure/index.ts';
import { type Aliases, NO_ALIASES, type ParseContext } from '../../src/domain/language/command-items.ts';
import {
  parseBalanceText,
  parseCommandText,
  parsePeriodText,
  parseSingleProjectText,
} from '../../src/domain/language/parse-command-text.ts';
import { dayAt } from '../../src/domain/time/calendar.ts';
import { type Period, periodOf } from '../../src/domain/time/period.ts';

const SATURDAY = Date.parse('2026-11-21T10:15:30.123Z');

export const contextAt = (
  at = SATURDAY,
  zone = 'UTC',
  writtenAt = at,
  aliases = NO_ALIASES,
): ParseContext => ({
  aliases,
  zone,
  today: dayAt(at, zone),
  writtenOn: dayAt(writtenAt, zone),
});

export const contextWith = (aliases: Aliases = NO_ALIASES): ParseContext =>
  contextAt(SATURDAY, 'UTC', SATURDAY, aliases);

export const readSpend = (text: string, aliases?: Aliases) => parseCommandText(text, contextWith(aliases));
export const readBalance = (text: string, aliases?: Aliases) => parseBalanceText(text, contextWith(aliases));
export const readSingleProject = (text: string, aliases?: Aliases) =>
  parseSingleProjectText(text, contextWith(aliases));
export const readPeriod = (text: string) => parsePeriodText(text, contextWith());

/** @param writtenAt when the text was written, if before `at` */
export const resolvePeriodText = (text: string, at = SATURDAY, zone = 'UTC', writtenAt = at): Period =>
  periodOf(parsePeriodText(text, contextAt(at, zone, writtenAt)), at, zone);

/** `2026-11-14..2026-11-20` */
export const span = ({ days }: Period): string => `${days[0]}..${days.at(-1)}`;

/** @returns the result, or the refusal */
export const attempt = <T>(read: () => T): T | InvalidWord | FailureOf<'period-just-began'> => {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidWord || isFailure(error, 'period-just-began')) return error;
    throw error;
  }
};
