/** What an alert says, as data. It is put into words when the alert is drawn, for its readers. */
import * as z from 'zod';
import { type Amount, type Money, parseAmount, toPlainDigits } from '../../domain/money/amount.ts';
import { spikeLimit } from '../../domain/money/watch-evaluation.ts';
import type { WatchFigures, WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { money } from '../../workspace/record/parse-record.ts';

/** What a service wrote in place of an amount is kept as it came. */
const amount = z.codec(
  z.string(),
  z.custom<Amount>((value) => typeof value === 'object'),
  {
    decode: (text) => parseAmount({ text }),
    encode: (of) => ('value' in of ? toPlainDigits(of.value) : of.unreadable),
  },
);

const runway = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('estimate'), days: z.int(), until: z.string(), average: money }),
  z.object({ kind: z.literal('overdrawn'), left: money }),
  z.object({ kind: z.enum(['beyond', 'no-spend', 'unknown']) }),
]);

/** The rule as it was, what was measured then, and what explains it. Fields are absent for what was not known. */
const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('balance'),
    below: money,
    balance: money.exactOptional(),
    /** How long the balance alone lasts. */
    runway: runway.exactOptional(),
    /** The balance of an earlier day. */
    before: z.object({ day: z.string(), balance: money }).exactOptional(),
  }),
  z.object({
    kind: z.literal('runway'),
    days: z.int(),
    runway: runway.exactOptional(),
    account: z.object({ balance: amount, bonuses: amount }).exactOptional(),
    /** What a day costs on average, if enough of the last ones are reported. */
    average: money.exactOptional(),
  }),
  z.object({
    kind: z.literal('budget'),
    amount: money,
    month: z.string(),
    spend: z
      .object({ spent: money, forecast: money.exactOptional(), reported: z.int(), of: z.int() })
      .exactOptional(),
  }),
  z.object({
    kind: z.literal('spike'),
    factor: money,
    floor: money,
    day: z.string(),
    spend: z
      .object({
        amount: money,
        baseline: money.exactOptional(),
        basis: z.enum(['weekday', 'days']).exactOptional(),
        basisDays: z.int().exactOptional(),
      })
      .exactOptional(),
    /** The first day after the spike that was below its own limit. */
    calm: z.object({ day: z.string(), amount: money }).exactOptional(),
  }),
]);
export type AlertFacts = Readonly<z.output<typeof schema>>;
export type FactsOf<Kind extends AlertFacts['kind']> = Extract<AlertFacts, { readonly kind: Kind }>;

/** The facts as an alert's event stores them: amounts as digits. */
export type StoredFacts = Readonly<z.input<typeof schema>>;
export const storedFacts = z.custom<StoredFacts>((value) => schema.safeParse(value).success);
export const parseFacts = (stored: StoredFacts): AlertFacts => schema.decode(stored);

/** What an alert is made from. */
export interface AlertBasis extends Pick<WatchFigures, 'account'> {
  readonly rule: WatchRule;
  /** The measurement for the rule's kind. */
  readonly measurement: WatchMeasurement;
  /** A budget's month, a spike's day. */
  readonly episode: string;
  readonly average?: Money;
  readonly before?: { readonly day: Day; readonly balance: Money };
}

export const factsOf = (judged: AlertBasis): StoredFacts => schema.encode(collectFacts(judged));

function collectFacts({ rule, measurement, episode, account, average, before }: AlertBasis): AlertFacts {
  switch (rule.kind) {
    case 'balance':
      return { ...rule, ...(measurement.kind === rule.kind && measurement), ...(before && { before }) };
    case 'runway':
      return {
        ...rule,
        ...(measurement.kind === rule.kind && measurement),
        ...(account && { account }),
        ...(average && { average }),
      };
    case 'budget': {
      const months = measurement.kind === rule.kind ? measurement.months : [];
      const spend = months.find(({ month }) => month === episode);
      return { ...rule, month: episode, ...(spend && { spend }) };
    }
    case 'spike': {
      const days = measurement.kind === rule.kind ? measurement.days : [];
      const spend = days.find(({ day }) => day === episode);
      const calm = days.find((later) => {
        const limit = spikeLimit(rule, later);
        return later.day > episode && limit !== undefined && later.amount.lt(limit);
      });
      return { ...rule, day: episode, ...(spend && { spend }), ...(calm && { calm }) };
    }
  }
}
