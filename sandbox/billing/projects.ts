/** The sandbox's projects and how much each one spends. */
export type ProductId = 1 | 2 | 3;

export interface Project {
  id: string;
  product: ProductId;
  name: string;
}

/**
 * Amounts are whole numbers of the project's smallest unit, 10^-scale. Days are counted back from the sandbox's
 * first day.
 */
export interface SimulatedProject extends Project {
  scale: number;
  perDay: number;
  /** The cost of a weekend day, as a share of a working day's. */
  weekend: number;
  /** The largest random difference from day to day, as a share of a day's cost. */
  wobble: number;
  /** Linear growth per day, as a share of the first day's cost. */
  growth: number;
  bonusDays: number;
  bonusesLeft: number;
  /** The balance: enough for `days` at the first week's average, or a fixed amount. */
  left: { days: number } | { units: number };
  missing?: number;
  spike?: number;
  credit?: number;
}

const project = (
  id: string,
  product: ProductId,
  name: string,
  perDay: number,
  left: SimulatedProject['left'],
  rest: Partial<SimulatedProject> = {},
): SimulatedProject => ({
  id,
  product,
  name,
  perDay,
  left,
  scale: 2,
  weekend: 1,
  wobble: 0.05,
  growth: 0,
  bonusDays: 0,
  bonusesLeft: 0,
  ...rest,
});

export const PROJECTS: readonly SimulatedProject[] = [
  project(
    '123',
    1,
    'prod',
    29_800_00,
    { days: 41.4 },
    {
      weekend: 0.86,
      wobble: 0.04,
      growth: 0.0009,
      bonusDays: 0.4,
      bonusesLeft: 12_000_00,
      missing: 5,
      spike: 3,
      credit: 18,
    },
  ),
  project('456', 1, 'staging', 842_50, { days: 120 }, { weekend: 0.4 }),
  project('789', 2, 'backups', 96_12, { days: 260 }, { wobble: 0.01, growth: 0.002 }),
  project(
    '31415926535897932384626433832795',
    3,
    'virtualization',
    512_345_678,
    { days: 75 },
    { scale: 6, bonusDays: 0.2, bonusesLeft: 250_000_001 },
  ),
  project('1001', 1, 'overdrawn', 118_40, { units: -1_532_40 }),
  project('1002', 1, 'parked', 0, { units: 5_000_00 }),
];
