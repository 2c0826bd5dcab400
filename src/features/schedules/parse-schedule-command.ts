/** Reads the words after `/billing schedule`. */
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { parseReportText } from '../../domain/language/parse-command-text.ts';
import type { SeveralProjects } from '../../domain/language/parsed-command.ts';
import { nearestWord, normalizeText } from '../../domain/language/text-cleanup.ts';
import { findReport, NAMED_REPORTS, REPORT_CHOICES, type ReportName } from '../../domain/report.ts';
import { type Cadence, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import type { NamedDays } from '../../domain/time/period.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { clipWord, withoutMatch } from '../../domain/wording.ts';
import type { ProjectReference } from '../../workspace/projects/resolve-project.ts';

export interface ScheduleWords extends ProjectReference {
  readonly report?: ReportName;
  readonly cadence?: Cadence;
  /** `09:00` */
  readonly time?: string;
  /** Set in place of `project` and `alias` if several projects were typed. */
  readonly several?: SeveralProjects;
}

const EXAMPLE = `Use daily, weekdays, weekly or monthly, for example ${commandText('/billing schedule')} prod last-week weekly mon 09:00.`;

export const CADENCE_EXAMPLES = 'daily, weekdays (Monday to Friday), weekly mon, monthly 1 or monthly last';

interface Part<T> {
  readonly rest: string;
  readonly typed: string;
  readonly found?: T;
}

/** Reads `prod last-week weekly mon 8:30` in any order. @throws InvalidWord, with the corrected command; secret-pasted */
export function parseScheduleText(text: string, context: ParseContext): ScheduleWords {
  const timed = takeTime(normalizeText(text));
  const paced = takeCadence(timed.rest, timed.found === undefined);
  const named = takeReport(paced.rest);
  const others = [named.typed, paced.typed, timed.typed];
  const { project, alias, several, product, phrase } = parseReportWords(named.rest, context, others);
  const offered = ['schedule', named.rest, 'monthly 1', timed.typed].filter(Boolean).join(' ');
  return withoutUndefined({
    project,
    alias,
    product,
    several,
    report: named.found ?? (phrase && reportOf(phrase, paced.found, offered)),
    cadence: paced.found,
    time: timed.found ?? paced.time,
  });
}

const TIME = /(?<![^ ])(at )?(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)?(?![^ ])/g;

/** Reads `09:00`, `9.30`, `9 am` or `at 9`, but not a bare number. */
function takeTime(text: string): Part<string> {
  const match = [...text.matchAll(TIME)].find(([, at, , minute, half]) => at ?? minute ?? half);
  if (match === undefined) return { rest: text, typed: '' };
  const [typed, , hours = '', minutes = '00', half] = match;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  const isTime = hour < 24 && Number(minutes) < 60 && (half === undefined || (+hours > 0 && +hours < 13));
  if (!isTime) throw refusal(typed, 'isn’t a time of day', 'Write it like 09:00 or 17:30.');
  const found = `${String(hour).padStart(2, '0')}:${minutes}`;
  return { rest: withoutMatch(text, match), typed, found };
}

const DAY = 'mon|tues?|wed|thu(?:rs)?|fri|sat|sun';
const WEEKDAY = `(?:${DAY}|${WEEKDAY_NAMES.map((day) => day.toLowerCase()).join('|')})`;
const CADENCE = `(?<![^ ])(?:(daily|every-? ?day)|(weekdays|every-? ?weekday|workdays|mon(?:day)?(?:-to-|-| to )fri(?:day)?)|(weekly|every-? ?week)(?: (?:on )?(${WEEKDAY})s?)?|every-? (${WEEKDAY})|(?:monthly|every-? ?month)(?: (?:on )?(?:the )?(?:day )?(?:(\\d{1,3})(?:st|nd|rd|th)?|(last)(?! (?:week|month))(?:-? ?day)?))?)`;
const ALONE = new RegExp(`${CADENCE}(?![^ ])`, 'g');
/** A bare number after the cadence is an hour: `daily 9` */
const WITH_HOUR = new RegExp(`${CADENCE}(?: ([01]?\\d|2[0-3]))?(?![^ ])`, 'g');

/** @param takesHour whether a number can be the hour, because no other time was typed */
function takeCadence(text: string, takesHour: boolean): Part<Cadence> & Pick<ScheduleWords, 'time'> {
  const [match, ...others] = text.matchAll(takesHour ? WITH_HOUR : ALONE);
  if (match === undefined) return { rest: text, typed: '' };
  const [typed, daily, weekdays, weekly, weeklyOn, every, day, last, hour] = match;
  if (others.length > 0) throw refusal(others[0]?.[0] ?? '', `You gave two schedules, “${typed}” and {word}`);
  const rest = withoutMatch(text, match);
  const part = { rest, typed, ...(hour !== undefined && { time: `${hour.padStart(2, '0')}:00` }) };
  if (daily !== undefined) return { ...part, found: { kind: 'daily' } };
  if (weekdays !== undefined) return { ...part, found: { kind: 'weekdays' } };
  if (weekly !== undefined || every !== undefined)
    return { ...part, found: { kind: 'weekly', weekday: numberOf(weeklyOn ?? every ?? 'mon') } };
  if (day === undefined || last !== undefined) return { ...part, found: { kind: 'monthly', day: 'last' } };
  if (Number(day) < 1 || Number(day) > 31)
    throw refusal(typed, 'isn’t a day of the month', 'Use 1 to 31, or “last”, as in “monthly last”.');
  return { ...part, found: { kind: 'monthly', day: Number(day) } };
}

const numberOf = (typed: string): number =>
  1 + WEEKDAY_NAMES.findIndex((day) => day.toLowerCase().startsWith(typed.slice(0, 3)));

const NAMED = new RegExp(`(?<![^ ])(?:${NAMED_REPORTS.join('|')})(?![^ ])`);

function takeReport(text: string): Part<ReportName> {
  const match = NAMED.exec(text);
  if (match === null) return { rest: text, typed: '' };
  return { rest: withoutMatch(text, match), typed: match[0], found: match[0] as ReportName };
}

const OWN_WORDS = ['daily', 'weekdays', 'weekly', 'monthly', ...NAMED_REPORTS];

/** @param others words that are no longer in the text, and that each suggestion repeats */
function parseReportWords(text: string, context: ParseContext, others: readonly string[]) {
  try {
    return parseReportText(text, context);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const { word, why, works } = error;
    const nearest = nearestWord(word, OWN_WORDS);
    const offered = nearest === undefined ? error.offered : [text.replace(word, nearest)];
    const hint = why === UNRECOGNIZED ? EXAMPLE : `${works} ${EXAMPLE}`;
    const whole = (instead: string) => ['schedule', instead, ...others].filter(Boolean).join(' ');
    throw new InvalidWord(word, why, hint, offered.map(whole));
  }
}

/** On day 1, `month-to-date` covers all of last month. @param monthly the command that posts last month's spend */
function reportOf(phrase: NamedDays, cadence: Cadence | undefined, monthly: string): ReportName {
  const report = findReport(phrase.text);
  if (report !== undefined) return report;
  if (phrase.text === 'last-month') {
    if (cadence?.kind === 'monthly' && cadence.day === 1) return 'month-to-date';
    const isMonthly = cadence === undefined || cadence.kind === 'monthly';
    throw new InvalidWord(phrase.typed, 'only goes with monthly 1', '', isMonthly ? monthly : []);
  }
  throw refusal(clipWord(phrase.typed), 'can’t be posted on a schedule', `Use ${REPORT_CHOICES}.`);
}

const refusal = (word: string, why: string, works: string = EXAMPLE): InvalidWord =>
  new InvalidWord(word.trim().slice(0, 40), why, works);
