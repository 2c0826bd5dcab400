/** How much money a project has left, and how long it lasts. */
import { addDays, type Day, formatDays } from '../time/calendar.ts';
import { pluralize } from '../wording.ts';
import {
  type Amount,
  divide,
  divideToInteger,
  type Money,
  type MoneyFormatter,
  parseAmount,
  type WireScalar,
} from './amount.ts';
import { sumReported, type Usage } from './usage.ts';

/** Bonuses may be part of the balance, so Tally never shows the sum of both. */
export interface Account {
  readonly balance: Amount;
  readonly bonuses: Amount;
}

export const parseAccount = ({ balance, bonuses }: Readonly<Record<keyof Account, WireScalar>>): Account => ({
  balance: parseAmount(balance),
  bonuses: parseAmount(bonuses),
});

/** The average daily cost of the `reported` days among the last `of` complete ones. */
interface Basis {
  readonly average: Money;
  readonly reported: number;
  readonly of: number;
}

/** Balance and bonuses, or the balance alone if the bonuses are missing or unreadable. */
interface Funds {
  readonly left: Money;
  readonly bonusesCounted: boolean;
}

export type Runway =
  /** `days` is rounded down. */
  | ({ readonly kind: 'estimate'; readonly days: number; readonly until: Day } & Basis & Funds)
  /** Has no date, because a date that far away would be misleading. */
  | ({ readonly kind: 'beyond'; readonly years: number } & Basis & Funds)
  /** `which` is `sum` if only balance and bonuses together are below zero. */
  | ({
      readonly kind: 'overdrawn';
      readonly which: 'balance' | 'sum';
      readonly balance: Money;
      readonly average?: Money;
    } & Funds)
  | ({ readonly kind: 'no-spend' } & Basis & Funds)
  | { readonly kind: 'unknown'; readonly reason: 'unreadable' }
  | ({
      readonly kind: 'unknown';
      readonly reason: 'too-few-days';
      readonly reported: number;
      readonly of: number;
    } & Funds);

const MIN_REPORTED_DAYS = 3;
const LIMIT = { years: 10, days: 3652 } as const;

/** @param week usage of the last 7 complete days */
export const computeRunway = (account: Account, week: Usage, today: Day): Runway =>
  runwayFrom(account, { of: week.fullDays, ...sumReported(week.amounts, week.reported) }, today);

export function runwayFrom(
  { balance: amount, bonuses }: Account,
  { sum, reported, of }: Pick<Basis, 'reported' | 'of'> & { readonly sum: Money },
  today: Day,
): Runway {
  if ('unreadable' in amount) return { kind: 'unknown', reason: 'unreadable' };
  const balance = amount.value;
  const funds: Funds =
    'value' in bonuses
      ? { left: balance.plus(bonuses.value), bonusesCounted: true }
      : { left: balance, bonusesCounted: false };
  if (balance.lt(0) || funds.left.lt(0)) {
    const average = reported >= MIN_REPORTED_DAYS && sum.gt(0) ? { average: divide(sum, reported) } : {};
    return { kind: 'overdrawn', which: balance.lt(0) ? 'balance' : 'sum', balance, ...average, ...funds };
  }
  if (reported < MIN_REPORTED_DAYS)
    return { kind: 'unknown', reason: 'too-few-days', reported, of, ...funds };
  const basis = { average: divide(sum, reported), reported, of, ...funds };
  if (sum.lte(0)) return { kind: 'no-spend', ...basis };
  // The average is rounded, so dividing by it could add or lose a day.
  const days = divideToInteger(funds.left.times(reported), sum);
  if (days.gt(LIMIT.days)) return { kind: 'beyond', years: LIMIT.years, ...basis };
  return { kind: 'estimate', days: days.toNumber(), until: addDays(today, days.toNumber()), ...basis };
}

/** @returns Infinity for more than ten years; undefined without an estimate */
export function daysLeft(runway: Runway): number | undefined {
  if (runway.kind === 'estimate') return runway.days;
  return runway.kind === 'beyond' ? Number.POSITIVE_INFINITY : undefined;
}

export interface Outlook {
  readonly overdrawn: boolean;
  readonly left: Money | undefined;
  readonly days: number | undefined;
}

/** Compares projects for a sort: overdrawn ones first, then by days left, then by money left. */
export function bySoonestEnd(a: Outlook, b: Outlook): number {
  if (a.overdrawn !== b.overdrawn) return a.overdrawn ? -1 : 1;
  if (!a.overdrawn && a.days !== b.days) return missingLast(a.days, b.days) || (a.days ?? 0) - (b.days ?? 0);
  return a.left && b.left ? a.left.cmp(b.left) : missingLast(a.left, b.left);
}

const missingLast = (a: unknown, b: unknown): number => Number(a === undefined) - Number(b === undefined);

export const WARNING_DAYS = 14;

export const isRunningOut = (runway: Runway): boolean =>
  runway.kind === 'overdrawn' || (runway.kind === 'estimate' && runway.days < WARNING_DAYS);

/** `*About 40 days*, until around 1 Jan 2027`, as Slack markup */
export function formatRunwayLine(runway: Runway, money: MoneyFormatter): string {
  const [lead, rest] = lineOf(runway, money);
  return isRunningOut(runway) ? `:warning: *${lead}${rest}*` : `*${lead}*${rest}`;
}

export const formatRunway = (runway: Runway, money: MoneyFormatter): string => lineOf(runway, money).join('');

function lineOf(runway: Runway, money: MoneyFormatter): readonly [string, string] {
  switch (runway.kind) {
    case 'estimate':
      return [
        runway.days === 0 ? 'Less than a day' : `About ${pluralize(runway.days, 'day')}`,
        `, until around ${formatDays(runway.until, runway.until).slice('Fri '.length)}`,
      ];
    case 'beyond':
      return [`More than ${runway.years} years`, ''];
    case 'no-spend':
      return ['Nothing is being spent', ''];
    case 'overdrawn':
      return runway.which === 'balance'
        ? ['The balance is used up', runway.average ? `: still spending ${money(runway.average)} a day` : '']
        : ['Overdrawn', `: balance and bonuses together are ${money(runway.left)}`];
    case 'unknown':
      return runway.reason === 'unreadable'
        ? ['No runway', ': the balance can’t be read']
        : [
            'No runway yet',
            `: ${runway.reported} of the last ${runway.of} days are reported, and Tally needs at least 3`,
          ];
  }
}

export function formatRunwayBasis(runway: Runway, money: MoneyFormatter): string {
  if (runway.kind === 'overdrawn' || runway.kind === 'unknown') return '';
  const { reported, of, bonusesCounted } = runway;
  const basis = [
    ...(reported < of ? [`${reported} of the last ${of} days reported`] : []),
    ...(bonusesCounted ? [] : ['bonuses not counted']),
  ].join(', ');
  if (runway.kind === 'no-spend') return basis;
  return `at ${money(runway.average)} a day${basis && ` (${basis})`}`;
}

export function formatRunwayShort(runway: Runway): string {
  if (runway.kind === 'estimate') return formatDaysLeft(runway.days);
  if (runway.kind === 'beyond') return `> ${runway.years} years`;
  return runway.kind === 'no-spend' ? 'no spending' : runway.kind;
}

export const formatDaysLeft = (days: number): string => (days === 0 ? '< 1 day' : pluralize(days, 'day'));

/** `1,234.00 left`. An unreadable balance is quoted as billing sent it, so escape the text. */
export function formatBalance(balance: Amount, money: MoneyFormatter): string {
  if ('unreadable' in balance) return `unreadable balance (${balance.unreadable})`;
  return balance.value.lt(0) ? `${money(balance.value.abs())} overdrawn` : `${money(balance.value)} left`;
}

/** `bonuses 12.00`; '' for zero. Unreadable bonuses are quoted as billing sent them, so escape the text. */
export const formatBonuses = (bonuses: Amount, money: MoneyFormatter): string =>
  'unreadable' in bonuses
    ? `unreadable bonuses (${bonuses.unreadable})`
    : bonuses.value.eq(0)
      ? ''
      : `bonuses ${money(bonuses.value)}`;
