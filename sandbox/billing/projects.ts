/** The projects of the sandbox, and the temper of each. */

export type ProductId = 1 | 2 | 3;

export interface Project {
  id: string;
  product: ProductId;
  name: string;
}

/** Amounts count the smallest unit, of which a whole has 10^scale. Days are counted back from the opening. */
export interface SimulatedProject extends Project {
  scale: number;
  perDay: number;
  /** A weekend day's share of a working day. */
  weekend: number;
  /** Up or down by this share at most, from day to day. */
  wobble: number;
  /** The share by which a day lies below the next one, counted from the opening day. */
  growth: number;
  /** The share of days that draw bonuses. */
  bonusDays: number;
  bonusesLeft: number;
  /** Enough for so many days at the week's average, or a fixed amount. */
  left: { days: number } | { units: number };
  missing?: number;
  spike?: number;
  credit?: number;
}

const QUIET = { scale: 2, weekend: 1, wobble: 0.05, growth: 0, bonusDays: 0, bonusesLeft: 0 } as const;

export const PROJECTS: readonly SimulatedProject[] = [
  {
    id: '123',
    product: 1,
    name: 'prod',
    scale: 2,
    perDay: 29_800_00,
    weekend: 0.86,
    wobble: 0.04,
    growth: 0.0009,
    bonusDays: 0.4,
    bonusesLeft: 12_000_00,
    left: { days: 41.4 },
    missing: 5,
    spike: 3,
    credit: 18,
  },
  { ...QUIET, id: '456', product: 1, name: 'staging', perDay: 842_50, weekend: 0.4, left: { days: 120 } },
  {
    ...QUIET,
    id: '789',
    product: 2,
    name: 'backups',
    perDay: 96_12,
    wobble: 0.01,
    growth: 0.002,
    left: { days: 260 },
  },
  {
    ...QUIET,
    id: '31415926535897932384626433832795',
    product: 3,
    name: 'virtualization',
    scale: 6,
    perDay: 512_345_678,
    bonusDays: 0.2,
    bonusesLeft: 250_000_001,
    left: { days: 75 },
  },
  { ...QUIET, id: '1001', product: 1, name: 'overdrawn', perDay: 118_40, left: { units: -1_532_40 } },
  { ...QUIET, id: '1002', product: 1, name: 'parked', perDay: 0, left: { units: 5_000_00 } },
];
