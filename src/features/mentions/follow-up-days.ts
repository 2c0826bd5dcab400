/** The days of an answer for what people ask below it later: those that they were then. */

import type { Reader } from '../../domain/language/items.ts';
import { absoluteText } from '../../domain/language/named-days.ts';
import type { LastAnswer } from '../../domain/language/questions/query.ts';
import { parseCommandText, parsePeriodText } from '../../domain/language/read-command.ts';
import { endOfUnit } from '../../domain/time/calendar.ts';
import type { NamedDays } from '../../domain/time/period.ts';
import type { ThreadQuestion } from '../../workspace/thread-store.ts';

/**
 * The remembered command, whose days stay those that it had when it was asked.
 * @param reader of now, that knows the names of then too @throws InvalidWord, secret-pasted
 */
export function answeredIn({ command, text }: ThreadQuestion, askedOn: string, reader: Reader): LastAnswer {
  const then = { ...reader, today: askedOn, writtenOn: askedOn };
  const { phrase, versus, ...words } = parseCommandText(text, then);
  const days = phrase && { phrase: fixDays(phrase, askedOn, reader) };
  const others = versus && { versus: 'text' in versus ? fixDays(versus, askedOn, reader) : versus };
  return { command: command === '/balance' ? command : '/spend', words: { ...words, ...days, ...others } };
}

/** Days that were over stay; those that ran until then run until now, or to the end of their unit. */
function fixDays(days: NamedDays, askedOn: string, reader: Reader): NamedDays {
  const { first, last, text, rule } = days;
  if (askedOn >= reader.today) return days;
  const isRunning = last >= askedOn;
  const again = parsePeriodText(text, reader);
  if (again.first === first && (isRunning || again.last === last)) return again;
  const unit = 'unit' in rule && rule.kind !== 'weekend' ? rule.unit : undefined;
  const end = isRunning && unit ? endOfUnit(unit, first) : last;
  const [until = end] = [end, reader.today].sort();
  const count = rule.kind === 'units' ? rule.count : 1;
  const named =
    unit && until === end ? absoluteText({ first, last: end, unit, count }) : `${first}..${until}`;
  return { ...parsePeriodText(first === until ? first : named, reader), typed: days.typed };
}
