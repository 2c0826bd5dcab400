/**
 * Simulates a project for 400 days: weekends, growth, spikes, credits, top-ups, and days that are late, missing or
 * corrected.
 */
type Day = string;
const DAY = 86_400_000;
const HOUR = 3_600_000;
const START = 2_000_000;
const REPORTED_DAYS = 130;

export interface SimulatedProject {
  reported(at: number): Map<Day, number>;
  balance(at: number): number | undefined;
}

interface SimulatedDay {
  readonly day: Day;
  readonly begins: number;
  readonly cost: number;
  readonly reports: readonly { readonly from: number; readonly cost: number }[];
}

export function simulateProject(seed: number, first: number, count: number): SimulatedProject {
  const random = seededRandom(seed);
  const days = Array.from({ length: count }, (_, n): SimulatedDay => {
    const begins = first + n * DAY;
    const date = new Date(begins);
    const isWeekend = date.getUTCDay() % 6 === 0;
    const cost = costOf(random, 100_000 + n * 200, isWeekend);
    return {
      day: date.toISOString().slice(0, 10),
      begins,
      cost,
      reports: reportsOf(random, cost, begins + DAY),
    };
  });
  const topUps = topUpsOf(random, days);
  const silences = new Set(days.filter(() => random() < 0.03).map(({ begins }) => begins));
  return {
    reported: (at) =>
      new Map(
        days.flatMap(({ day, begins, reports }) => {
          if (begins > at || begins < at - REPORTED_DAYS * DAY) return [];
          const report = reports.findLast(({ from }) => from <= at);
          return report === undefined ? [] : [[day, report.cost] as const];
        }),
      ),
    balance(at) {
      let left = START;
      for (const { begins, cost } of days) {
        if (begins > at) break;
        if (at < begins + DAY && silences.has(begins)) return undefined;
        const share = Math.min(1, (at - begins) / DAY);
        left += (topUps.get(begins) ?? 0) - Math.round(cost * share);
      }
      return left;
    },
  };
}

/** Money is added when little is left, sometimes too late. */
function topUpsOf(random: () => number, days: readonly SimulatedDay[]): ReadonlyMap<number, number> {
  let left = START;
  return new Map(
    days.map(({ begins, cost }) => {
      const topUp = left < (random() - 0.2) * 1_500_000 ? 2_500_000 : 0;
      left += topUp - cost;
      return [begins, topUp];
    }),
  );
}

function costOf(random: () => number, usual: number, isWeekend: boolean): number {
  const luck = random();
  if (luck < 0.02) return -Math.round(usual * random());
  if (luck < 0.06) return Math.round(usual * (2 + 2 * random()));
  return Math.round(usual * (isWeekend ? 0.3 : 1) * (0.8 + 0.4 * random()));
}

/** A day is reported some hours after its end, days later, or never. It may be corrected once or twice. */
function reportsOf(random: () => number, cost: number, ends: number): SimulatedDay['reports'] {
  const luck = random();
  if (luck < 0.04) return [];
  const from = ends + (luck < 0.1 ? 3 * DAY * random() : 10 * HOUR * random());
  if (random() > 0.1) return [{ from, cost }];
  const draft = Math.round(cost * (0.3 + 1.5 * random()));
  const corrected = from + 3 * DAY * random();
  const steps = [
    { from, cost: draft },
    { from: corrected, cost },
  ];
  if (random() > 0.5) return steps;
  // First down and then up again, or the other way round.
  return [
    ...steps,
    { from: corrected + 2 * DAY * random(), cost: draft },
    { from: corrected + 2 * DAY + DAY * random(), cost },
  ];
}

export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
