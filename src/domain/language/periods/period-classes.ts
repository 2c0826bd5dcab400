/** The classes of tokens of the productions that name periods. */
import type { Unit } from '../../time/calendar.ts';
import type { Parser } from '../parse.ts';
import type { DateExpression, DateMeaning } from './date-expression.ts';
import { monthly, parseDateExpression } from './date-grammar.ts';
import { END, memoized, type TokenClass } from './grammar.ts';
import type { Count } from './period-phrase.ts';
import { DATE_CLASSES, type DateClasses, isDayNumber, isWeekNumber, ofRole } from './token-classes.ts';

export interface PeriodClasses extends DateClasses {
  /** A date, named in any way. */
  DATE: DateExpression;
  /** A count with its unit, where neither is more likely something else. */
  COUNTED: { readonly count: Count; readonly unit: Unit };
  /** `mtd` */
  TO_DATE: Unit;
  /** A number of a day, not as an ordinal. */
  NUMBER: number;
  /** A year where it may be a project as well. */
  YEAR_ALONE: number;
  /** The first one of several weeks, `weeks 40`. */
  WEEKS: number;
  /** The number of a week alone. */
  WEEK_NUMBER: number;
  /** `last month`, `this month`, `the month` */
  MONTHLY: DateMeaning;
  /** Where the text ends. */
  END: true;
}

const plainDayNumber: Parser<number> = ({ tokens }, at) => {
  const token = tokens[at];
  return isDayNumber(token) ? { value: Number(token.digits), next: at + 1 } : undefined;
};

/** The year of `in 2026`, which in `in 2026-q3` is part of a date. */
const yearAlone: Parser<number> = (source, at) => {
  const found = parseDateExpression(source, at, true);
  return found?.value.kind === 'year' && found.next === at + 1
    ? { value: found.value.year, next: found.next }
    : undefined;
};

const weekNumber: Parser<number> = ({ tokens }, at) => {
  const token = tokens[at];
  return token?.kind === 'number' && isWeekNumber(token.digits)
    ? { value: Number(token.digits), next: at + 1 }
    : undefined;
};

const weeks: Parser<number> = (source, at, bareYear) => {
  const isPlural = DATE_CLASSES.PLURAL_UNIT.parse(source, at, bareYear)?.value === 'week';
  return isPlural ? weekNumber(source, at + 1, bareYear) : DATE_CLASSES.WEEK.parse(source, at, bareYear);
};

export const PERIOD_CLASSES: {
  readonly [Name in Exclude<keyof PeriodClasses, 'COUNTED'>]: TokenClass<PeriodClasses[Name]>;
} = {
  ...DATE_CLASSES,
  DATE: { begins: undefined, parse: memoized(parseDateExpression) },
  TO_DATE: ofRole('to-date', ({ unit }) => unit),
  NUMBER: { begins: ['number'], isToken: true, parse: plainDayNumber },
  YEAR_ALONE: { begins: undefined, parse: yearAlone },
  WEEKS: { begins: DATE_CLASSES.WEEK.begins, parse: weeks },
  WEEK_NUMBER: { begins: ['number'], isToken: true, parse: weekNumber },
  MONTHLY: { begins: undefined, parse: monthly },
  END: {
    begins: [END],
    parse: ({ tokens }, at) => (at === tokens.length ? { value: true, next: at } : undefined),
  },
};
