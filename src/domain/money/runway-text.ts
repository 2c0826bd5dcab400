import { pluralize } from '../language/text.ts';
import { formatDays } from '../time/calendar.ts';
import type { Money } from './amount.ts';
import type { Runway } from './runway.ts';

/** How long the money lasts, and what that estimate rests on. Our own words and figures alone: safe as mark-up. */
export function formatRunway(runway: Runway, money: (value: Money) => string): string {
  switch (runway.kind) {
    case 'estimate':
      return runway.days === 0
        ? `*less than a day* at ${money(runway.average)} a day${basis(runway)}`
        : `about *${pluralize(runway.days, 'day')}* at ${money(runway.average)} a day${basis(runway)} → around ${formatDays(runway.until, runway.until)}`;
    case 'beyond':
      return `more than ${runway.years} years at ${money(runway.average)} a day${basis(runway)}`;
    case 'no-spend':
      return `nothing is being spent${basis(runway)}`;
    case 'overdrawn':
      return runway.which === 'balance'
        ? 'no runway: the project is overdrawn'
        : `no runway: balance and bonuses together are ${money(runway.left)}`;
    case 'unknown':
      return runway.reason === 'unreadable'
        ? 'no runway without a readable balance'
        : `no runway yet: ${runway.reported} of the last ${runway.of} days reported, at least 3 are needed`;
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

/** An estimate is worth what it rests on, so that is said with it. */
function basis(estimate: {
  readonly reported: number;
  readonly of: number;
  readonly partial: number;
  readonly bonusesCounted: boolean;
}): string {
  const said = [
    `${estimate.reported} of the last ${estimate.of} days reported`,
    ...(estimate.partial > 0 ? [`${estimate.partial} of them only in part`] : []),
    ...(estimate.bonusesCounted ? [] : ['bonuses not counted']),
  ];
  return ` (${said.join(', ')})`;
}
