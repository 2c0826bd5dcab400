/** The days of an answer, for what people ask below it: the same days later on, and days counted from them. */

import { parseWithOutput } from '../../domain/language/parse-argument.ts';
import { parseCommandText, parsePeriodText } from '../../domain/language/parse-command.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { formatPhrase, LAST_7_DAYS, type PeriodPhrase } from '../../domain/language/periods/period-ast.ts';
import type { QuestionCommand } from '../../domain/language/questions/question-commands.ts';
import { dayAt, type Unit } from '../../domain/time/calendar.ts';
import { fixDays, phraseWithin, unitBefore } from '../../domain/time/rephrase-period.ts';
import { resolvePeriod } from '../../domain/time/resolve-period.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Request } from '../../slack/request/request.ts';
import { FOLLOW_UP_COMMANDS, type ThreadQuestion } from '../../workspace/thread-store.ts';

/** @throws InvalidWord, secret-pasted */
export const parseAnswerWords = (text: string, aliases: ReadonlySet<string>) =>
  parseWithOutput(text, aliases, parseCommandText);

/** The remembered command, whose days stay those that it had then. @throws InvalidWord */
export function withFixedDays(
  { command, text, at }: ThreadQuestion,
  aliases: ReadonlySet<string>,
  { at: now, workspace }: Request,
): QuestionCommand {
  const { words, output } = parseAnswerWords(text, aliases);
  const fix = (phrase: PeriodPhrase) => fixDays(phrase, at, now, workspace.settings.zone);
  if (command === '/balance') return { command, text };
  const { phrase = LAST_7_DAYS, versus } = words;
  const fixed = fix(phrase);
  const days = {
    ...(fixed !== LAST_7_DAYS && { phrase: fixed }),
    ...(versus !== undefined && { versus: versus === 'year-before' ? versus : fix(versus) }),
  };
  return { command, text: formatParsedCommand({ ...words, ...days }, output) };
}

const UNIT_BEFORE =
  /(?<![\w-])(?:(?:the |one )?(day|week|month|quarter|year) before(?: (?:that|it)| this one| that one|(?! (?!please|pls|too|then|as |in detail)\w))|(?:the )?(?:previous|prev|preceding|prior) (day|week|month|quarter|year))(?![\w-])/i;
/** “The first half”, of a month or of a year. */
const HALF = /(?<![\w-])(?:first|second) half(?=$|[?!.,]| (?:please|pls|too|then)(?![\w-]))/i;
/** Words of a comparison: what follows them are the days before those of the answer. */
const COMPARED = /(?<![\w-])(?:vs|versus|than|compar\w+|against)(?![\w-])/i;

/**
 * The text with dates for “the week before”, which is counted from the days of the answer. “The previous week” may also be
 * counted from today, and “the first half” may be that of the answer's month. @throws InvalidWord
 */
export function withDaysOfAnswer(
  text: string,
  { command, text: remembered }: QuestionCommand,
  aliases: ReadonlySet<string>,
  { at, workspace }: Request,
): readonly string[] | undefined {
  const [typed, before, previous] = UNIT_BEFORE.exec(text) ?? [];
  const unit = (before ?? previous)?.toLowerCase() as Unit | undefined;
  if (command === '/balance') return undefined;
  const { phrase = LAST_7_DAYS } = parseAnswerWords(remembered, aliases).words;
  const { zone } = workspace.settings;
  const [half] = HALF.exec(text) ?? [];
  if (half !== undefined) {
    const { days } = resolvePeriod(phrase, at, zone);
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const month = first.slice(0, 7);
    return month === last.slice(0, 7) ? [text.replace(half, `${half} of ${month}`), text] : undefined;
  }
  if (typed === undefined || unit === undefined) return undefined;
  const daysBefore = unitBefore(phrase, unit, at, zone);
  if (daysBefore === undefined) return undefined;
  const ofToday = parsePeriodText(`last-${unit}`);
  const [counted, usual] = [daysBefore, ofToday].map((period) => resolvePeriod(period, at, zone));
  const isSame = counted?.from === usual?.from && counted?.to === usual?.to;
  const isOfDays = phrase.kind === 'last' && phrase.unit === 'day' && unit === 'week';
  const isEither = before === undefined || (isOfDays && !COMPARED.test(text));
  const phrases = isSame ? [ofToday] : isEither ? [daysBefore, ofToday] : [daysBefore];
  return phrases.map((period) => text.replace(typed, formatPhrase(period)));
}

/** “And in December?” after a balance, said in November, hardly means last year's December. */
export function isToCome({ text }: QuestionCommand, { at, workspace }: Request): boolean {
  const { phrase } = parseAnswerWords(text, workspace.aliases).words;
  if (phrase?.kind !== 'at' || 'year' in phrase.at || phrase.at.kind !== 'month') return false;
  const { zone } = workspace.settings;
  return resolvePeriod(phrase, at, zone).days[0]?.slice(0, 4) !== dayAt(at, zone).slice(0, 4);
}

/** “And September?” after October 2025 is the latest September, or that of the answer's year, which is returned. */
export function inDaysOfAnswer(
  { command, text }: QuestionCommand,
  remembered: QuestionCommand,
  aliases: ReadonlySet<string>,
  { at: now, workspace }: Request,
): QuestionCommand | undefined {
  if (command !== remembered.command || !FOLLOW_UP_COMMANDS.has(command)) return undefined;
  const { words, output } = parseAnswerWords(text, aliases);
  const before = parseAnswerWords(remembered.text, aliases).words;
  for (const part of ['phrase', 'versus'] as const) {
    const { [part]: said } = words;
    const { phrase: around } = before;
    if (said === undefined || said === 'year-before' || around === undefined) continue;
    const isTaken = formatParsedCommand({ [part]: said }) === formatParsedCommand({ [part]: before[part] });
    const within = tryParse(() => phraseWithin(said, around, now, workspace.settings.zone));
    if (within !== undefined && !isTaken)
      return { command, text: formatParsedCommand({ ...words, [part]: within }, output) };
  }
  return undefined;
}
