import { describe, expect, it } from 'vitest';
import type { Day } from '../../src/domain/time/calendar.ts';
import { compareWith, periodOf } from '../../src/domain/time/period.ts';
import { versusChart } from '../../src/slack/block-kit/charts.ts';
import { readSpend } from '../support/read-words.ts';
import { itemsOf, usageOfItems } from '../support/usage.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

/** @param costs returns undefined for an unreported day */
function drawn(text: string, costs: (day: Day) => number | undefined = () => 1) {
  const { phrase, versus } = readSpend(`123 ${text}`);
  if (phrase === undefined || versus === undefined) throw new Error(`${text} names no comparison`);
  const { comparison } = compareWith(periodOf(phrase, NOW, 'UTC'), versus);
  if (comparison === undefined) throw new Error(`${text} is not compared`);
  const usageOf = (days: readonly Day[]) => {
    const items = itemsOf(days, (day) => {
      const cost = costs(day);
      return cost === undefined ? undefined : String(cost);
    });
    return usageOfItems(items, { days, zone: 'UTC' });
  };
  const chart = versusChart(usageOf(comparison.currentDays), usageOf(comparison.days), comparison);
  const { series = [], axis_config } = chart?.chart ?? {};
  return {
    title: chart?.title,
    labels: axis_config?.categories ?? [],
    names: series.map(({ name }) => name),
    values: series.map(({ data }) => data.map(({ value }) => value)),
  };
}

describe('the chart of two periods', () => {
  it.each([
    '2026-11-02..2026-11-12 vs 2026-10-05..2026-10-11',
    'last-7-days vs october',
    'last-300-days vs 2024',
  ])('is left out if the periods have different lengths: %s', (text) => {
    expect(drawn(text).labels).toEqual([]);
  });

  it('shows no zero for the 31st if the other month has only 30 days', () => {
    expect(drawn('october vs september').values.flat()).not.toContain(0);
  });

  it('shows the same weekdays side by side, and names both periods', () => {
    expect(drawn('2026-11-16..2026-11-19 vs 2026-10-05..2026-10-08', (day) => Number(day.slice(8)))).toEqual({
      title: 'Spent per day',
      labels: ['16 / 5', '17 / 6', '18 / 7', '19 / 8'],
      names: ['16–19 Nov', '5–8 Oct'],
      values: [
        [16, 17, 18, 19],
        [5, 6, 7, 8],
      ],
    });
  });

  it('shows daily averages by week for two months, and leaves out today', () => {
    expect(drawn('october vs september')).toMatchObject({
      title: 'Average per day, by week',
      labels: ['1–7', '8–14', '15–21', '22–28', '29–30'],
      names: ['October', 'September'],
    });
    expect(drawn('mtd vs last-month').labels).toHaveLength(20);
    expect(drawn('mtd vs last-month').names).toEqual(['1–20 Nov', 'October']);
  });

  it('compares years month by month, and several weeks week by week', () => {
    const years = drawn('2026 vs 2025');
    expect(years).toMatchObject({
      title: 'Average per day, by month',
      names: ['1 Jan – 20 Nov', '2025'],
    });
    expect(years.labels).toEqual('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov'.split(' '));
    expect(drawn('last-4-weeks vs 2026-08-31..2026-09-27').title).toBe('Average per day, by week');
  });

  it('keeps an empty place for a day without data', () => {
    const gaps = ['2026-11-17', '2026-10-07'];
    expect(
      drawn('2026-11-16..2026-11-19 vs 2026-10-05..2026-10-08', (day) =>
        gaps.includes(day) ? undefined : 3,
      ),
    ).toMatchObject({
      title: 'Spent per day',
      labels: ['16 / 5', 'no data / 6', '18 / no data', '19 / 8'],
      values: [
        [3, 0, 3, 3],
        [3, 3, 0, 3],
      ],
    });
  });

  it('says “no data” only once if both days of a pair lack data', () => {
    const gaps = ['2026-11-17', '2026-10-06'];
    expect(
      drawn('2026-11-16..2026-11-19 vs 2026-10-05..2026-10-08', (day) => (gaps.includes(day) ? undefined : 3))
        .labels,
    ).toEqual(['16 / 5', '17 / 6 no data', '18 / 7', '19 / 8']);
  });

  it.each([
    ['last-300-days vs prior 300 days', 'Month 1', 'Average per day, by 4 weeks'],
    ['2022-01-01..2025-12-31 vs 2018-01-01..2021-12-31', 'Quarter 1', 'Average per day, by quarter'],
    ['last-2000-days vs period before', 'Year 1', 'Average per day, by 52 weeks'],
  ])('labels its bars with numbers if dates would be too long: %s', (text, label, title) => {
    const chart = drawn(text, (day) => (day.endsWith('-07') ? 2 : 1));
    expect(chart).toMatchObject({ title });
    expect(chart.labels[0]).toBe(label);
  });

  it('is left out if there are fewer than four pairs of days, or no data for one period', () => {
    expect(drawn('yesterday vs 2026-11-10').labels).toEqual([]);
    expect(drawn('october vs september', (day) => (day < '2026-10' ? undefined : 1)).labels).toEqual([]);
  });

  it.each([
    'last-20-days vs last-year',
    'october vs february',
    'q3 vs q2',
    'q3 vs last-year',
    'ytd vs last-year',
    'last-year vs 2016..2024',
    'last-2-years vs 2010',
  ])('has unique labels within Slack’s limits, whichever days have no data: %s', (text) => {
    const silences: readonly ((day: Day) => boolean)[] = [
      () => false,
      (day) => day.endsWith('3'),
      (day) => day > '2026-10-05' && day < '2026-11-15',
      (day) => Number(day.slice(8)) < 29,
      (day) => Number(day.slice(5, 7)) % 3 > 0,
    ];
    for (const isSilent of silences) {
      const { labels, names, values, title = '' } = drawn(text, (day) => (isSilent(day) ? undefined : 1));
      expect(new Set(labels).size).toBe(labels.length);
      expect(labels.length).toBeLessThanOrEqual(20);
      for (const label of [...labels, ...names]) expect(label.length).toBeLessThanOrEqual(20);
      expect(names[0] === names[1] && names.length > 0).toBe(false);
      expect(title.length).toBeLessThanOrEqual(50);
      expect(values.every((side) => side.length === labels.length)).toBe(true);
    }
  });
});
