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
  type WatchKind,
  type WatchRule,
} from '../../domain/money/watch-rule.ts';

const THRESHOLDS = ['below', 'days', 'amount', 'factor', 'floor'] as const;

/** Plain digits, or what a person typed. */
export type ThresholdFields = { readonly [Name in (typeof THRESHOLDS)[number]]?: string };

interface RuleFields extends ThresholdFields {
  readonly kind: WatchKind;
}

/** What the form's fields hold for a rule. */
export function fieldsOfRule(rule: WatchRule): RuleFields {
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

export const pickThresholds = (fields: ThresholdFields): ThresholdFields =>
  Object.fromEntries(
    THRESHOLDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );

/** Whether any threshold of the kind was typed. */
export const hasThreshold = ({ kind, ...draft }: RuleFields): boolean =>
  ({ balance: draft.below, runway: draft.days, budget: draft.amount, spike: draft.floor })[kind] !==
  undefined;

/** The rule that the thresholds make, or what is wrong with each of them: block ID → sentence. */
export type DraftRule = { readonly rule: WatchRule } | { readonly errors: Readonly<Record<string, string>> };

/** @param label the currency label of the project */
export function ruleOfDraft({ kind, ...fields }: RuleFields, label: string): DraftRule {
  switch (kind) {
    case 'balance': {
      const below = parseAmountField(fields.below, label);
      return 'error' in below ? { errors: { below: below.error } } : { rule: { kind, below: below.value } };
    }
    case 'runway': {
      const days = parseRunwayDays(fields.days ?? '');
      return days === undefined ? { errors: { days: DAYS } } : { rule: { kind, days } };
    }
    case 'budget': {
      const amount = parseAmountField(fields.amount, label, ABOVE_ZERO);
      return 'error' in amount
        ? { errors: { amount: amount.error } }
        : { rule: { kind, amount: amount.value } };
    }
    case 'spike': {
      const factor = parseFactor(fields.factor ?? '');
      const floor = parseAmountField(fields.floor || '0', label);
      if (factor !== undefined && !('error' in floor)) return { rule: { kind, factor, floor: floor.value } };
      const wrong = {
        ...(factor ? {} : { factor: FACTOR }),
        ...('error' in floor && { floor: floor.error }),
      };
      return { errors: wrong };
    }
  }
}

const DAYS = `Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days.`;
const FACTOR = 'Type a factor above 1, such as 2 or 1.5.';
const ABOVE_ZERO = 'Type an amount above zero.';
const PROBLEMS: Readonly<Record<Exclude<ThresholdProblem['problem'], 'ambiguous'>, string>> = {
  'no-amount': 'Type an amount, such as 50000, 50,000 or 50000.50.',
  'below-zero': 'That’s below zero. Type an amount of zero or more.',
  'too-long': `That has more than ${MAX_THRESHOLD_DIGITS} digits. Type a shorter amount.`,
};

/** @param isZeroWrong the sentence for zero when it makes no sense */
function parseAmountField(
  typed = '',
  label: string,
  isZeroWrong?: string,
): { readonly value: Money } | { readonly error: string } {
  const amount = parseThreshold(typed, label);
  if ('value' in amount)
    return isZeroWrong !== undefined && amount.value.lte(ZERO) ? { error: isZeroWrong } : amount;
  return {
    error:
      amount.problem === 'ambiguous'
        ? `That can mean two amounts. Type ${amount.readings?.join(' or ')}.`
        : PROBLEMS[amount.problem],
  };
}
