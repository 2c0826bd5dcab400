/** The thresholds of a watch as the fields of its form hold them, and the rule that they make. */
import { type Money, ZERO } from '../../domain/money/amount.ts';
import {
  MAX_RUNWAY_DAYS,
  MAX_THRESHOLD_DIGITS,
  parseFactor,
  parseRunwayDays,
  parseThreshold,
  type ThresholdProblem,
  thresholdDigits,
  type WatchRule,
} from '../../domain/money/watch-rule.ts';
import { FieldRefusal, refuseField } from '../../slack/forms/fields.ts';
import type { FormFields } from '../../slack/request/form-fields.ts';
import { WATCH_KINDS } from './parse.ts';

/** What the form's fields hold for a rule. */
export function fieldsOfRule(rule: WatchRule): FormFields {
  const { kind } = rule;
  switch (kind) {
    case 'balance':
      return { kind, below: thresholdDigits(rule.below) };
    case 'runway':
      return { kind, days: String(rule.days) };
    case 'budget':
      return { kind, amount: thresholdDigits(rule.amount) };
    case 'spike':
      return { kind, factor: thresholdDigits(rule.factor), floor: thresholdDigits(rule.floor) };
  }
}

const PROBLEMS: Readonly<Record<Exclude<ThresholdProblem['problem'], 'ambiguous'>, string>> = {
  'no-amount': 'Type an amount, such as 50000, 50,000 or 50000.50.',
  'below-zero': 'That’s below zero. Type an amount of zero or more.',
  'too-long': `That has more than ${MAX_THRESHOLD_DIGITS} digits. Type a shorter amount.`,
};

/** What each threshold means. @param label the currency label of the project */
export const THRESHOLDS = {
  below: parseAmount,
  days: (typed: string) =>
    parseRunwayDays(typed) ?? refuseField(`Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days.`),
  amount(typed: string, label: string): Money | FieldRefusal {
    const amount = parseAmount(typed, label);
    return amount instanceof FieldRefusal || amount.gt(ZERO)
      ? amount
      : refuseField('Type an amount above zero.');
  },
  factor: (typed: string) => parseFactor(typed) ?? refuseField('Type a factor above 1, such as 2 or 1.5.'),
  floor: (typed: string, label: string) => parseAmount(typed || '0', label),
};

function parseAmount(typed: string, label: string): Money | FieldRefusal {
  const amount = parseThreshold(typed, label);
  if ('value' in amount) return amount.value;
  return refuseField(
    amount.problem === 'ambiguous'
      ? `That can mean two amounts. Type ${amount.readings?.join(' or ')}.`
      : PROBLEMS[amount.problem],
  );
}

/** The rule that the fields make, or the first thing that is wrong with them. @param label the currency label of the project */
export function ruleOf(values: FormFields, label: string): WatchRule | FieldRefusal {
  const kind = WATCH_KINDS.find((known) => known === values.kind) ?? 'balance';
  const read = <Name extends keyof typeof THRESHOLDS>(name: Name) =>
    THRESHOLDS[name](values[name] ?? '', label) as ReturnType<(typeof THRESHOLDS)[Name]>;
  switch (kind) {
    case 'balance': {
      const below = read('below');
      return below instanceof FieldRefusal ? below : { kind, below };
    }
    case 'runway': {
      const days = read('days');
      return days instanceof FieldRefusal ? days : { kind, days };
    }
    case 'budget': {
      const amount = read('amount');
      return amount instanceof FieldRefusal ? amount : { kind, amount };
    }
    case 'spike': {
      const [factor, floor] = [read('factor'), read('floor')];
      if (factor instanceof FieldRefusal) return factor;
      return floor instanceof FieldRefusal ? floor : { kind, factor, floor };
    }
  }
}
