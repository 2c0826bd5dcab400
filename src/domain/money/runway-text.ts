import { pluralize } from '../language/text.ts';
import { type Day, formatDays } from '../time/calendar.ts';
import type { Amount, MoneyFormatter } from './amount.ts';
import type { Runway } from './runway.ts';

/** Under this many days people act at once. */
export const WARNING_DAYS = 14;

/** Whether the money runs out in less than two weeks, or has run out. */
export const isRunningOut = (runway: Runway): boolean =>
  runway.kind === 'overdrawn' || (runway.kind === 'estimate' && runway.days < WARNING_DAYS);

/** `*About 40 days*, until around 1 Jan 2027`: how long the money lasts. It contains no outside text, so it is safe as mrkdwn. */
export function formatRunwayLine(runway: Runway, money: MoneyFormatter): string {
  const [lead, rest] = lineOf(runway, money);
  return isRunningOut(runway) ? `:warning: *${lead}${rest}*` : `*${lead}*${rest}`;
}

/** The same without mark-up. */
export const formatRunway = (runway: Runway, money: MoneyFormatter): string => lineOf(runway, money).join('');

/** The part that matters, and what follows it. */
function lineOf(runway: Runway, money: MoneyFormatter): readonly [string, string] {
  switch (runway.kind) {
    case 'estimate':
      return [
        runway.days === 0 ? 'Less than a day' : `About ${pluralize(runway.days, 'day')}`,
        `, until around ${dateOf(runway.until)}`,
      ];
    case 'beyond':
      return [`More than ${runway.years} years`, ''];
    case 'no-spend':
      return ['Nothing is being spent', ''];
    case 'overdrawn':
      return runway.which === 'balance'
        ? ['The project is overdrawn', '']
        : ['Overdrawn', `: balance and bonuses together are ${money(runway.left)}`];
    case 'unknown':
      return runway.reason === 'unreadable'
        ? ['No runway', ' without a readable balance']
        : [
            'No runway yet',
            `: ${runway.reported} of the last ${runway.of} days reported, Tally needs at least 3`,
          ];
  }
}

/** `1 Jan 2027` */
const dateOf = (day: Day): string => formatDays(day, day).slice(4);

/** `at 30,535.61 a day (6 of the last 7 days reported)`: what the estimate is based on; '' when there is no estimate. */
export function formatRunwayBasis(runway: Runway, money: MoneyFormatter): string {
  switch (runway.kind) {
    case 'estimate':
    case 'beyond':
      return `at ${money(runway.average)} a day (${basis(runway)})`;
    case 'no-spend':
      return basis(runway);
    case 'overdrawn':
    case 'unknown':
      return '';
  }
}

/** The same for a table's cell. */
export function formatRunwayShort(runway: Runway): string {
  switch (runway.kind) {
    case 'estimate':
      return runway.days === 0 ? '< 1 day' : pluralize(runway.days, 'day');
    case 'beyond':
      return `> ${runway.years} years`;
    case 'no-spend':
      return 'no spending';
    case 'overdrawn':
      return 'overdrawn';
    case 'unknown':
      return 'unknown';
  }
}

function basis(estimate: {
  readonly reported: number;
  readonly of: number;
  readonly partial: number;
  readonly bonusesCounted: boolean;
}): string {
  return [
    `${estimate.reported} of the last ${estimate.of} days reported`,
    ...(estimate.partial > 0 ? [`${estimate.partial} only in part`] : []),
    ...(estimate.bonusesCounted ? [] : ['bonuses not counted']),
  ].join(', ');
}

/** `1,234.00 left`. What could not be read is quoted: outside text, no mark-up. */
export function formatBalance(balance: Amount, money: MoneyFormatter): string {
  if ('unreadable' in balance) return `unreadable balance (${balance.unreadable})`;
  return balance.value.lt(0) ? `${money(balance.value.abs())} overdrawn` : `${money(balance.value)} left`;
}

/** `bonuses 12.00`, with outside text as above; '' if they are zero. */
export const formatBonuses = (bonuses: Amount, money: MoneyFormatter): string =>
  'unreadable' in bonuses
    ? `bonuses not readable (${bonuses.unreadable})`
    : bonuses.value.eq(0)
      ? ''
      : `bonuses ${money(bonuses.value)}`;
