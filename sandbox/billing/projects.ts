/** The sandbox's projects and how each one spends. */

export type ProductId = 1 | 2 | 3;

export interface Project {
  id: string;
  product: ProductId;
  name: string;
}

/** Amounts are in the smallest unit, 10^-scale of a whole. Days are counted back from the start of the sandbox. */
export interface SimulatedProject extends Project {
  scale: number;
  perDay: number;
  /** Cost of a weekend day as a share of a working day. */
  weekend: number;
  /** Random variation from day to day, up or down, as a share. */
  wobble: number;
  /** Linear growth per day, as a share of the last day. */
  growth: number;
  /** The share of days that use bonuses. */
  bonusDays: number;
  bonusesLeft: number;
  /** The balance: enough for this many days at the last week's average, or a fixed amount. */
  left: { days: number } | { units: number };
  /** The day without data. */
  missing?: number;
  /** The day that costs much more. */
  spike?: number;
  /** The day with a credit instead of a charge. */
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
