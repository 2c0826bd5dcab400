/** At which exact values watches alert and recover. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Runway } from '../../../src/domain/money/balance-and-runway.ts';
import {
  type AlertedLevel,
  type EvaluationOptions,
  evaluateRule,
  spikeLimit,
} from '../../../src/domain/money/watch-evaluation.ts';
import type { DaySpend, MonthSpend } from '../../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../../src/domain/money/watch-rule.ts';
import { addDays } from '../../../src/domain/time/calendar.ts';

const OPTIONS = { episode: 'now', since: '2026-01-01' };
const NOW: AlertedLevel = { episode: 'now', level: 'threshold' };
const BEFORE: AlertedLevel = { episode: 'before', level: 'threshold' };
const NOTHING_NEW = { crossings: [], recoveries: [] };

describe('a watch on a runway below 14 days', () => {
  const RULE: WatchRule = { kind: 'runway', days: 14 };
  const funds = { left: new Big(1), bonusesCounted: true };
  const basis = { average: new Big(1), reported: 7, of: 7, partial: 0, ...funds };
  const lasting = (days: number): Runway => ({ kind: 'estimate', days, until: '2026-12-01', ...basis });
  const judge = (runway: Runway | undefined, alerted: readonly AlertedLevel[] = []) =>
    evaluateRule(RULE, { kind: 'runway', ...(runway && { runway }) }, alerted, OPTIONS);

  it.each<[string, Runway]>([
    ['13 days', lasting(13)],
    ['used up', { kind: 'overdrawn', which: 'balance', balance: new Big(-1), ...funds }],
  ])('alerts once if the runway is %s', (_, runway) => {
    expect(judge(runway)).toMatchObject({ isKnown: true, crossings: [NOW], recoveries: [], alerted: [NOW] });
    expect(judge(runway, [BEFORE])).toMatchObject({ isKnown: true, ...NOTHING_NEW, alerted: [BEFORE] });
  });

  it('neither alerts nor reports a recovery if the runway is exactly 14 days', () => {
    expect(judge(lasting(14))).toMatchObject({ isKnown: true, ...NOTHING_NEW, alerted: [] });
    expect(judge(lasting(14), [BEFORE])).toMatchObject({ recoveries: [], alerted: [BEFORE] });
  });

  it.each<[string, Runway]>([
    ['15 days', lasting(15)],
    ['more than ten years', { kind: 'beyond', years: 10, ...basis }],
    ['unlimited', { kind: 'no-spend', ...basis }],
  ])('reports a recovery if the new runway is %s', (_, runway) => {
    expect(judge(runway, [BEFORE])).toMatchObject({
      isKnown: true,
      crossings: [],
      recoveries: [BEFORE],
      alerted: [],
    });
  });

  it.each<[string, Runway | undefined]>([
    ['unknown', undefined],
    ['based on too few days', { kind: 'unknown', reason: 'too-few-days', reported: 2, of: 7, ...funds }],
  ])('does nothing if the runway is %s', (_, runway) => {
    expect(judge(runway, [BEFORE])).toMatchObject({ isKnown: false, ...NOTHING_NEW, alerted: [BEFORE] });
  });
});

describe('a watch on a budget of 1,000', () => {
  const RULE: WatchRule = { kind: 'budget', amount: new Big(1000) };
  const month = (spent: number | string, forecast?: number | string, name = '2026-11'): MonthSpend => ({
    month: name,
    spent: new Big(spent),
    reported: 10,
    of: 20,
    ...(forecast !== undefined && { forecast: new Big(forecast) }),
  });
  const judge = (
    months: readonly MonthSpend[],
    alerted: readonly AlertedLevel[] = [],
    since = '2026-11-15',
  ) => evaluateRule(RULE, { kind: 'budget', months }, alerted, { ...OPTIONS, since });
  const levelsOf = (levels: readonly AlertedLevel[]) =>
    levels.map(({ episode, level }) => `${episode} ${level}`);
  const all = (...levels: readonly AlertedLevel['level'][]) =>
    levels.map((level): AlertedLevel => ({ episode: '2026-11', level }));

  it.each([
    ['800', '1000.01', ['50', '80', 'forecast']],
    ['499.99', undefined, []],
    ['500', undefined, ['50']],
    ['799.99', undefined, ['50']],
    ['800', undefined, ['50', '80']],
    ['800', '1000', ['50', '80']],
    ['10', '1000.01', ['forecast']],
    ['999.99', undefined, ['50', '80']],
    ['1000', undefined, ['50', '80', 'forecast', '100']],
    ['1000', '500', ['50', '80', 'forecast', '100']],
  ])('with %s spent (forecast: %s) has reached the alert levels %j', (spent, forecast, reached) => {
    const { crossings, alerted } = judge([month(spent, forecast)]);
    expect(alerted.map(({ level }) => level)).toEqual(reached);
    expect(crossings).toEqual(alerted.slice(-1));
    expect(judge([month(spent, forecast)], alerted)).toMatchObject({ ...NOTHING_NEW, alerted });
  });

  it.each([
    ['900', '979.99', ['forecast', '100']],
    ['490', undefined, ['80', '100']],
    ['489.99', undefined, ['50', '80', '100']],
    ['784', undefined, ['100']],
    ['783.99', undefined, ['80', '100']],
    ['900', '980', ['100']],
    ['980', '1', ['forecast']],
    ['979.99', '1', ['forecast', '100']],
    ['1000', '1', []],
  ])(
    'with %s spent (forecast: %s) reports a recovery from the alert levels %j',
    (spent, forecast, recovered) => {
      const alerted = all('50', '80', 'forecast', '100');
      const { recoveries } = judge([month(spent, forecast)], alerted);
      expect(recoveries.map(({ level }) => level)).toEqual(recovered);
    },
  );

  it('alerts about each month separately, and forgets months that are no longer checked', () => {
    const alerted: readonly AlertedLevel[] = [
      { episode: '2026-10', level: '100' },
      { episode: '2026-11', level: '50' },
    ];
    const both = judge([month(850, undefined, '2026-10'), month(850)], alerted, '2026-10-31');
    expect(levelsOf(both.crossings)).toEqual(['2026-10 80', '2026-11 80']);
    expect(levelsOf(both.recoveries)).toEqual(['2026-10 100']);
    expect(levelsOf(both.alerted).toSorted()).toEqual([
      ...['2026-10 50', '2026-10 80', '2026-11 50', '2026-11 80'],
    ]);
    const later = judge([month(850)], alerted);
    expect(levelsOf(later.alerted)).toEqual(['2026-11 50', '2026-11 80']);
  });

  it('does nothing if no day of the month is reported', () => {
    const nothing = { ...month(2000), reported: 0 };
    const alerted = all('50');
    expect(judge([nothing], alerted)).toMatchObject({ isKnown: false, ...NOTHING_NEW, alerted });
    expect(judge([nothing, month(1)], alerted).isKnown).toBe(true);
    expect(judge([], alerted)).toMatchObject({ isKnown: false, alerted: [] });
  });
});

describe('a watch on days that cost twice as much as usual', () => {
  const RULE = { kind: 'spike', factor: new Big(2), floor: new Big(50) } as const;
  const TODAY = '2026-11-21';
  const day = (ago: number) => addDays(TODAY, -ago);
  /** Days up to yesterday, whose usual cost is 100; null for an unreported day. */
  const daysOf = (amounts: readonly (number | null)[], baseline: number | undefined = 100): DaySpend[] =>
    amounts.flatMap((amount, n) =>
      amount === null
        ? []
        : [
            {
              day: day(amounts.length - n),
              amount: new Big(amount),
              ...(baseline !== undefined && { baseline: new Big(baseline), basis: 'weekday' as const }),
            },
          ],
    );
  type Options = Partial<EvaluationOptions>;
  const judgeWithAmounts = (
    days: readonly DaySpend[],
    alerted: readonly AlertedLevel[] = [],
    options: Options = {},
    rule: WatchRule = RULE,
  ) => evaluateRule(rule, { kind: 'spike', today: TODAY, days }, alerted, { ...OPTIONS, ...options });
  const judge = (...given: Parameters<typeof judgeWithAmounts>) => {
    const judged = judgeWithAmounts(...given);
    const alerted = judged.alerted.map(({ amount: _, ...one }) => one);
    return { ...judged, alerted };
  };
  const toldOf = (ago: number, isOver?: boolean): AlertedLevel => ({
    episode: day(ago),
    level: 'threshold',
    ...(isOver && { isOver }),
  });
  const episodes = (levels: readonly AlertedLevel[]) => levels.map(({ episode }) => episode);

  it.each([
    [200, []],
    [200.01, [1]],
  ])('alerts above 200, not at 200, if a usual day costs 100: %s', (amount, ago) => {
    expect(episodes(judge(daysOf([100, amount])).crossings)).toEqual(ago.map(day));
  });

  it.each([
    [100, 499.99, []],
    [100, 500, [1]],
    [300, 600, []],
    [300, 600.01, [1]],
  ])(
    'alerts only if a day costs at least the minimum of 500: usual cost %s, this day %s',
    (baseline, amount, ago) => {
      const rule = { ...RULE, floor: new Big(500) };
      expect(episodes(judge(daysOf([1, amount], baseline), [], {}, rule).crossings)).toEqual(ago.map(day));
      expect(spikeLimit(rule, { baseline: new Big(baseline) })?.toFixed()).toBe(
        baseline === 100 ? '500' : '600',
      );
    },
  );

  it.each([0, -1, undefined])('does nothing if the usual cost is %s', (baseline) => {
    const days = daysOf([1, 1000], 100).map(({ day, amount }) => ({
      day,
      amount,
      ...(baseline !== undefined && { baseline: new Big(baseline) }),
    }));
    expect(judge(days)).toMatchObject({ isKnown: false, ...NOTHING_NEW, alerted: [] });
    expect(judge([...days.slice(0, 1), ...daysOf([1])]).isKnown).toBe(true);
  });

  it.each([
    [198, 1],
    [196, 1],
    [195.99, 2],
    [null, 1],
  ])(
    'sends one alert for two spikes unless the day between them costs less than 196: %s',
    (between, count) => {
      expect(judge(daysOf([100, 300, between, 300])).crossings).toHaveLength(count);
    },
  );

  it('alerts about a spike up to a week after it', () => {
    expect(episodes(judge(daysOf([300, 100, 100, 100, 100, 100, 100])).crossings)).toEqual([day(7)]);
    expect(judge(daysOf([300, 100, 100, 100, 100, 100, 100, 100])).crossings).toEqual([]);
    expect(episodes(judge(daysOf([300, 300, 100, 100, 100, 100, 100, 100])).crossings)).toEqual([day(7)]);
  });

  it('alerts only about days since the watch was set up', () => {
    const days = daysOf([100, 300, 300, 300]);
    expect(episodes(judge(days, [], { since: day(2) }).crossings)).toEqual([day(2)]);
    expect(episodes(judge(days, [], { since: day(3) }).crossings)).toEqual([day(3)]);
    expect(judge(daysOf([300, 100]), [], { since: day(1) }).crossings).toEqual([]);
  });

  it('remembers that a spike is over if a usual day has followed', () => {
    const days = daysOf([100, 300, 100, 300]);
    const always = judge(days);
    expect(always.crossings).toEqual([toldOf(3), toldOf(1)]);
    expect(always.alerted).toEqual([toldOf(3, true), toldOf(1)]);
    expect(judge(days, always.alerted)).toMatchObject({ ...NOTHING_NEW, alerted: always.alerted });
  });

  it('reports a recovery once, on the first usual day after a spike', () => {
    const first = judge(daysOf([100, 300, 300]));
    expect(first.alerted).toEqual([toldOf(2)]);
    const days = daysOf([300, 300, 100]);
    const second = judge(days, [toldOf(3)]);
    expect(second).toMatchObject({
      isKnown: true,
      crossings: [],
      recoveries: [toldOf(3)],
      alerted: [toldOf(3, true)],
    });
    expect(judge(days, second.alerted)).toMatchObject({ recoveries: [], alerted: second.alerted });
  });

  it('reports a recovery if the spike is corrected to a usual amount', () => {
    expect(judge(daysOf([100, 100]), [toldOf(1)])).toMatchObject({ recoveries: [toldOf(1)], alerted: [] });
    expect(judge(daysOf([100, 198]), [toldOf(1)])).toMatchObject({ recoveries: [], alerted: [toldOf(1)] });
    expect(judge(daysOf([198, 300]), [toldOf(2)])).toMatchObject({ crossings: [], alerted: [toldOf(2)] });
  });

  it('alerts again if a spike is corrected to a usual amount and later back to a large amount', () => {
    const first = judgeWithAmounts(daysOf([100, 300]));
    const corrected = judgeWithAmounts(daysOf([100, 30]), first.alerted);
    expect(corrected).toMatchObject({ crossings: [], recoveries: [toldOf(1)], corrections: [] });
    const again = judgeWithAmounts(daysOf([100, 310]), corrected.alerted);
    expect(again).toMatchObject({ crossings: [toldOf(1)], recoveries: [], corrections: [] });
    expect(judgeWithAmounts(daysOf([100, 310]), again.alerted)).toMatchObject({
      ...NOTHING_NEW,
      corrections: [],
      alerted: again.alerted,
    });
  });

  it('does not alert again if a past spike is corrected to a larger amount', () => {
    const over = judgeWithAmounts(daysOf([100, 300, 100]));
    const more = judgeWithAmounts(daysOf([100, 400, 100]), over.alerted);
    expect(more).toMatchObject({ ...NOTHING_NEW });
    expect(episodes(more.corrections)).toEqual([day(2)]);
  });

  it('reports once that a day’s amount was corrected after the alert', () => {
    const { alerted } = judgeWithAmounts(daysOf([300, 100, 300]));
    const changed = judgeWithAmounts(daysOf([310, 100, 197]), alerted);
    expect(changed).toMatchObject({ ...NOTHING_NEW });
    expect(episodes(changed.corrections)).toEqual([day(3), day(1)]);
    expect(judgeWithAmounts(daysOf([310, 100, 197]), changed.alerted).corrections).toEqual([]);
    expect(judgeWithAmounts(daysOf([310, 100, null]), changed.alerted).corrections).toEqual([]);
  });

  it('reports no recovery while billing does not report the spike’s day', () => {
    expect(judge(daysOf([100, null]), [toldOf(1)])).toMatchObject({ recoveries: [], alerted: [toldOf(1)] });
  });

  it('counts further expensive days after an alert as the same spike', () => {
    const alerted = [toldOf(5)];
    expect(judge(daysOf([300, 300]), alerted)).toMatchObject({ ...NOTHING_NEW, alerted });
    expect(judge(daysOf([300, 100]), alerted)).toMatchObject({
      crossings: [],
      recoveries: alerted,
      alerted: [toldOf(5, true)],
    });
    const over = [toldOf(5, true)];
    expect(episodes(judge(daysOf([300, 300]), over).crossings)).toEqual([day(2)]);
    expect(judge([], alerted)).toMatchObject({ isKnown: false, ...NOTHING_NEW, alerted });
  });

  it('forgets a spike that ended more than sixty days ago', () => {
    const alerted = [toldOf(61, true), toldOf(60, true), toldOf(62)];
    expect(judge(daysOf([198]), alerted).alerted).toEqual([toldOf(60, true), toldOf(62)]);
  });
});

describe('a watch that can’t send alerts', () => {
  const suspended = { ...OPTIONS, isSuspended: true };
  const RULE: WatchRule = { kind: 'balance', below: new Big(100) };
  const balance = (value: number) => ({ kind: 'balance', balance: new Big(value) }) as const;

  it('does not count an alert about a balance as sent, so that the alert can follow later', () => {
    expect(evaluateRule(RULE, balance(90), [], suspended)).toMatchObject({ crossings: [], alerted: [] });
    expect(evaluateRule(RULE, balance(90), [BEFORE], suspended)).toMatchObject({ alerted: [BEFORE] });
    expect(evaluateRule(RULE, balance(110), [BEFORE], suspended)).toMatchObject({
      recoveries: [BEFORE],
      alerted: [],
    });
  });

  it('does not count alerts about budgets and spikes as sent, so that the alerts can follow later', () => {
    const month = { month: '2026-11', spent: new Big(85), reported: 1, of: 20 };
    const budget = { kind: 'budget', amount: new Big(100) } as const;
    const alerted = [{ episode: '2026-11', level: '50' as const }];
    expect(evaluateRule(budget, { kind: 'budget', months: [month] }, alerted, suspended)).toMatchObject({
      isKnown: true,
      crossings: [],
      alerted,
    });
    const day = { day: '2026-11-20', amount: new Big(300), baseline: new Big(100) };
    const spike = { kind: 'spike', factor: new Big(2), floor: new Big(0) } as const;
    const measured = { kind: 'spike', today: '2026-11-21', days: [day] } as const;
    expect(evaluateRule(spike, measured, [], suspended)).toMatchObject({ crossings: [], alerted: [] });
    expect(evaluateRule(spike, measured, [], OPTIONS).crossings).toHaveLength(1);
  });
});
