import { type Failure, NO_PUBLIC_ADDRESS } from '../../domain/failure/index.ts';
import { listNames, pluralize } from '../../domain/language/text.ts';
import { type Amount, clipWireValue, parseAmount, type WireScalar } from '../../domain/money/amount.ts';
import type { DayCharges, RowAmount } from '../../domain/money/charges.ts';
import { addDays, type Day } from '../../domain/time/calendar.ts';
import type { BalanceRecord, Consumption } from '../client.ts';
import type { PointId } from './points.ts';

/** What the answers show about each point. */

/**
 * Records whether an answer meets a point. Both texts may contain outside text.
 * @param problem how it fails the point; undefined if it meets it
 * @param good what the answer was, if it meets the point
 */
export type AddFinding = (id: PointId, problem: string | undefined, good?: string) => void;

export type Outcome<T> = { readonly value: T } | { readonly failure: Failure };

const listedText = (what: string, names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `${what}: ${listNames(names)}`;

/** What to check if the service answers other projects, but not this one. */
const CHOICE =
  'Is it the project’s ID and product, may this token read it, and did it cost something lately?';

export function describe(failure: Failure): string {
  if (failure.kind === 'query-rejected')
    return `${failure.message} HTTP ${failure.status}: ${failure.messages.join(' / ')}`;
  if (failure.kind === 'rate-limited')
    return `${failure.message} Retry-After: ${failure.retryAfter === undefined ? 'missing' : `${failure.retryAfter} s`}`;
  if (failure.kind === 'redirect-refused') return `HTTP ${failure.status} to ${failure.target}`;
  if (!('detail' in failure)) return failure.message;
  // Only this check shows the address; people in Slack may not learn the names of a private network.
  const hidden =
    failure.kind === 'service-unreachable' && failure.code === NO_PUBLIC_ADDRESS && failure.cause;
  return `${failure.message} ${failure.detail}${hidden instanceof Error ? `: ${hidden.message}` : ''}`;
}

const addFailedDocument = (id: PointId, failure: Failure, add: AddFinding): void =>
  add(id, failure.kind === 'no-data' ? `${failure.message} ${CHOICE}` : describe(failure));

const balanceText = ({ balance, bonuses }: BalanceRecord): string =>
  `balance ${clipWireValue(balance, 'missing')}, bonuses ${clipWireValue(bonuses, 'missing')}`;

export function judgeBalance(answer: Outcome<BalanceRecord>, add: AddFinding) {
  if ('failure' in answer) return addFailedDocument('balance', answer.failure, add);
  const { balance, bonuses, remarks } = answer.value;
  const came = balanceText(answer.value);
  const sent = [balance, bonuses].filter((value: WireScalar) => !('missing' in value));
  add('balance', sent.length === 2 ? undefined : came, came);
  judgeRemarks(remarks, add);
  judgeAmounts(
    sent.map((value) => ({ amount: parseAmount(value) })),
    add,
  );
}

/** @param days those that were asked for */
export function judgeSpend(answer: Outcome<Consumption>, days: readonly Day[], add: AddFinding) {
  if ('failure' in answer) return addFailedDocument('spend', answer.failure, add);
  const { charges, remarks } = answer.value;
  const reported = new Set(charges.map(({ day }) => day));
  const missing = days.filter((day) => !reported.has(day));
  const count = `${days.length - missing.length} of ${pluralize(days.length, 'day')}`;
  const unplaced = charges.filter(({ day }) => day === undefined).map(({ shown }) => shown);
  const repeated = charges.filter(({ day, merged }) => day !== undefined && merged > 1);
  add('spend', undefined, [count, listedText('not reported', missing)].filter(Boolean).join('; '));
  judgeRemarks(remarks, add);
  judgeAmounts(
    charges.flatMap(({ shown: day, ...amounts }) => [
      { day, amount: amounts.amount },
      { day, amount: amounts.bonuses },
    ]),
    add,
  );
  add('days', listedText('as days', unplaced), 'all readable');
  const twice = repeated.map(({ shown }) => shown);
  add('each-day-once', listedText('more than once', twice), 'one item each');
  judgeOutside(charges, days, add);
}

const judgeRemarks = (remarks: readonly string[], add: AddFinding): void =>
  add('errors', remarks.length > 0 ? remarks.join(' / ') : undefined, 'no errors');

interface SentAmount {
  readonly amount: Amount | RowAmount;
  /** Absent for a balance. */
  readonly day?: string;
}

function judgeAmounts(amounts: readonly SentAmount[], add: AddFinding) {
  const unreadable = amounts.flatMap(({ amount, day }) => {
    const on = day === undefined ? '' : ` on ${day}`;
    if ('unreadable' in amount) return `${amount.unreadable}${on}`;
    return 'incomplete' in amount && amount.incomplete ? `one of the items${on}` : [];
  });
  const binary = amounts.flatMap(({ amount }) =>
    'raw' in amount && looksBinary(amount.raw) ? amount.raw : [],
  );
  add('amounts', listedText('unreadable', unreadable), 'all readable');
  add('digits', listedText('of a binary number', binary), 'as written');
}

const ZONE_HINT = 'Do the service’s days begin in another time zone?';

function judgeOutside(charges: readonly DayCharges[], days: readonly Day[], add: AddFinding) {
  const outside = charges.flatMap(({ day }) => (day === undefined || days.includes(day) ? [] : day));
  const problem = listedText('other days', outside);
  add('bounds', problem && `${problem}. ${ZONE_HINT}`, 'no other day');
}

/** @returns the newest day with a readable amount; if possible between two others, which an answer about more days would include */
export function chooseDay(charges: readonly DayCharges[], days: readonly Day[]): DayCharges | undefined {
  const usable = charges
    .filter(({ day, amount }) => day !== undefined && days.includes(day) && 'value' in amount)
    .sort((a, b) => (a.shown < b.shown ? 1 : -1));
  const shown = new Set(usable.map(({ day }) => day));
  const isBetween = ({ day = '' }: DayCharges) => shown.has(addDays(day, 1)) && shown.has(addDays(day, -1));
  return usable.find(isBetween) ?? usable[0];
}

const amountOn = (day: Day, { charges }: Consumption) => charges.find((charge) => charge.day === day)?.amount;

/** @param known the same day in a longer period */
export function judgeOneDay(answer: Outcome<Consumption>, day: Day, known: RowAmount, add: AddFinding) {
  if ('failure' in answer) return add('one-day', describe(answer.failure));
  const amount = amountOn(day, answer.value);
  add('one-day', amount === undefined ? `items, but none of ${day}` : undefined, day);
  judgeOutside(answer.value.charges, [day], add);
  if (amount && 'value' in amount && 'value' in known && !amount.value.eq(known.value))
    add('bounds', `${amount.raw} on ${day}, which is ${known.raw} in a longer period. ${ZONE_HINT}`);
}

export function judgeUntilNow(answer: Outcome<Consumption>, day: Day, add: AddFinding) {
  if ('failure' in answer) return add('until-now', describe(answer.failure));
  const problem = amountOn(day, answer.value) === undefined ? `items, but none of ${day}` : undefined;
  add('until-now', problem, pluralize(answer.value.charges.length, 'day'));
}

/** A day that is listed with zero is no charge. */
export function judgeEmptyPeriod(answer: Outcome<Consumption>, asked: Day, add: AddFinding) {
  if ('failure' in answer) {
    const { failure } = answer;
    return add('empty-period', failure.kind === 'no-data' ? undefined : describe(failure), failure.message);
  }
  const strange = answer.value.charges.filter(
    ({ day, amount }) => day !== asked || !('value' in amount && amount.value.eq(0)),
  );
  const days = strange.map(({ shown }) => shown);
  add('empty-period', listedText('charges of', days), 'an item of 0');
}

/** Neither 401, after which Tally asks for another token, nor 5xx, which Tally retries. */
const isAboutSubscription = (failure: Failure): boolean =>
  ['no-data', 'query-rejected', 'forbidden'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.status < 500);

/** Which failures each probe should be answered with. */
const REFUSALS = {
  'unknown-project': isAboutSubscription,
  'wrong-product': isAboutSubscription,
  'wrong-token': ({ kind }: Failure) => kind === 'token-rejected',
  'no-token': () => true,
} as const;

export function judgeRefusal(
  id: keyof typeof REFUSALS,
  answer: Outcome<BalanceRecord | Consumption>,
  add: AddFinding,
) {
  if ('failure' in answer) {
    const came = describe(answer.failure);
    return add(id, REFUSALS[id](answer.failure) ? undefined : came, came);
  }
  const { value } = answer;
  add(id, `figures: ${'charges' in value ? pluralize(value.charges.length, 'day') : balanceText(value)}`);
}

/** No price list has so many decimal places: from here on, digits may be those of a binary number. */
const PLACES = 8;

/**
 * Whether a decimal is how a binary number prints: 0.30000000000000004, its shortest form, or 0.1000000000000000055511…,
 * all of its digits. A guess: no other amount of so many digits does so but by chance.
 *
 * @param raw as the service sent it
 */
export function looksBinary(raw: string): boolean {
  const digits = raw.includes('.') ? raw.replace(/0+$/, '') : raw;
  const places = digits.split('.')[1]?.length ?? 0;
  const significant = digits.replace(/\D/g, '').replace(/^0+/, '').length;
  if (places < PLACES || significant < 16) return false;
  return significant <= 17
    ? String(Number(digits)) === digits
    : places <= 100 && Number(digits).toFixed(places) === digits;
}
