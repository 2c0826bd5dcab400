import { describe, expect, it } from 'vitest';
import { parseAmount } from '../../src/domain/money/amount.ts';
import type { WireCharge } from '../../src/domain/money/charges.ts';
import { balanceAnswer } from '../../src/features/balance/index.ts';
import { spendAnswer } from '../../src/features/spend/index.ts';
import { renderAnswer } from '../../src/slack/reply/render-answer.ts';
import type { Request } from '../../src/slack/request/request.ts';
import { SATURDAY as NOW, textOf } from '../support/bot.ts';
import { resolvePeriodText } from '../support/read-words.ts';
import { answerView, daysFrom, item, usageOfItems } from '../support/usage.ts';

const TARGET = {
  project: '123',
  product: 1 as const,
  label: 'prod',
  word: 'prod',
  alias: 'prod',
  isOwnProduct: true,
  currency: '',
  connection: undefined,
};

function shown(words: string, items: readonly WireCharge[], sharedBy?: Request['sharedBy'], now = NOW) {
  const period = resolvePeriodText(words, now, 'UTC');
  const figures = {
    target: TARGET,
    connection: 'main',
    usage: usageOfItems(items, { ...period, zone: 'UTC' }),
    change: undefined,
    before: undefined,
    forecast: undefined,
    remarks: [],
  };
  const view = { ...answerView(figures, now, { sharedBy }), period, shape: {} };
  const answer = spendAnswer(view);
  const { blocks } = renderAnswer(view, answer);
  const menu = answer.actions.elements.find((element) => element.type === 'static_select');
  const container = blocks.find((block) => block.type === 'container');
  const table = container?.child_blocks.find((block) => block.type === 'table');
  const chart = blocks.find((block) => block.type === 'data_visualization');
  return {
    visibleText: textOf(blocks),
    types: blocks.map(({ type }) => type),
    title: container?.title?.text,
    answerTitle: answer.title,
    chosenPeriod: menu?.initial_option?.text.text,
    chartTitle: chart?.title,
    rows: table?.rows.map((row) => row.map((cell) => ('text' in cell ? String(cell.text) : ''))) ?? [],
    bars: chart?.chart.series[0]?.data ?? [],
    series: chart?.chart.series.map(({ name, data }) => [name, data.map(({ value }) => value)]),
  };
}

describe('the chart of /spend', () => {
  it('shows the same rounded amounts as the table', () => {
    const { bars, rows } = shown('2026-11-14..2026-11-17', [
      item('2026-11-14', '0.125'),
      item('2026-11-15', '0.135'),
      ...[item('2026-11-16'), item('2026-11-17')],
    ]);
    expect(bars.map(({ value }) => value)).toEqual([0.12, 0.14, 1, 1]);
    expect(rows.slice(1).map(([, amount]) => amount)).toEqual(['0.12', '0.14', '1.00', '1.00']);
  });

  it('is left out if nothing was spent', () => {
    const nothing = daysFrom('2026-11-14', 7).map((day) => item(day, '0'));
    expect(shown('last-7-days', nothing).types).not.toContain('data_visualization');
  });

  it('shows a bar for an amount below a cent', () => {
    const { bars } = shown('2026-11-14..2026-11-17', [
      item('2026-11-14', '0.00012'),
      item('2026-11-15', '0'),
      ...[item('2026-11-16'), item('2026-11-17')],
    ]);
    expect(bars.map(({ value }) => value)).toEqual([0.00012, 0, 1, 1]);
  });

  it('is left out if it would have fewer than four bars', () => {
    expect(shown('last-3-days', [item('2026-11-18'), item('2026-11-19'), item('2026-11-20')]).bars).toEqual(
      [],
    );
  });
});

describe('a bar in the chart of /spend', () => {
  it('is as high as the sum of the day’s readable amounts', () => {
    const sent = [...daysFrom('2026-11-14', 4).map((day) => item(day, '2')), item('2026-11-15', 'n/a')];
    const { bars } = shown('2026-11-14..2026-11-17', sent);
    expect(bars.map(({ value }) => value)).toEqual([2, 2, 2, 2]);
  });

  it('for today is labelled “so far” and belongs to a separate series of data', () => {
    const sent = [...daysFrom('2026-11-18', 3).map((day) => item(day, '4')), item('2026-11-21', '1')];
    const { bars, series } = shown('last-4-days including today', sent);
    expect(bars.slice(2)).toEqual([
      { label: 'Fri 20', value: 4 },
      { label: '21: so far', value: 0 },
    ]);
    expect(series).toEqual([
      ['Spent', [4, 4, 4, 0]],
      ['Today so far', [0, 0, 0, 1]],
    ]);
  });

  it('for a week that has only just begun is left out', () => {
    // On a Monday, the running week has no complete day.
    const monday = Date.UTC(2026, 10, 23, 10);
    const sent = [...daysFrom('2026-10-26', 28).map((day) => item(day, '2')), item('2026-11-23', '1')];
    const { bars } = shown('since 2026-10-26', sent, undefined, monday);
    expect(bars.map(({ value }) => value)).toEqual([14, 14, 14, 14]);
    const { bars: running } = shown(
      'since 2026-10-26',
      [...sent, item('2026-11-24', '9')],
      undefined,
      monday,
    );
    expect(running.map(({ value }) => value)).toEqual([14, 14, 14, 14]);
  });

  it('shows a daily average if the period begins or ends in the middle of a week', () => {
    const october = daysFrom('2026-10-01', 31).map((day) => item(day, '2'));
    const { bars, chartTitle } = shown('october', october);
    expect(chartTitle).toBe('Average per day, by week');
    expect(bars.map(({ value }) => value)).toEqual([2, 2, 2, 2, 2]);
  });

  it('shows the total of a week only if all days of all weeks are reported', () => {
    const weeks = daysFrom('2026-10-19', 28).map((day) => item(day, '2'));
    const { bars, chartTitle } = shown('last-4-weeks', weeks);
    expect(chartTitle).toBe('Spent per week');
    expect(bars.map(({ value }) => value)).toEqual([14, 14, 14, 14]);
    expect(shown('last-4-weeks', weeks.slice(1)).chartTitle).toBe('Average per day, by week');
  });

  it.each([
    ['2026-10-27..2026-11-02', '2026-10-27', '2026-10-30', 4, '31 Oct no data'],
    // A chart of thirteen weeks, and a chart of months.
    ['2026-08-17..2026-11-14', '2026-08-17', '2026-08-30', 2, '31 Aug… no data'],
    ['2025', '2025-01-10', '2025-01-30', 1, 'Feb 2025 no data'],
  ])('for a day, week or month without data is labelled “no data”: %s', (words, first, last, at, label) => {
    const all = daysFrom('2025-01-01', 700).filter(
      (day) =>
        (day > '2026-09-06' && day < '2026-10-31') ||
        day > '2026-11-01' ||
        (day >= first && day <= last) ||
        day.startsWith('2025-12'),
    );
    const { bars } = shown(
      words,
      all.map((day) => item(day)),
    );
    expect(bars[at]).toEqual({ label, value: 0 });
    expect(new Set(bars.map((bar) => bar.label)).size).toBe(bars.length);
  });
});

describe('the chart of a year with few reported days', () => {
  const shownOf = (first: string, count: number) =>
    shown(
      '2025',
      daysFrom(first, count).map((day) => item(day)),
    );

  it('has a bar for each week that has data', () => {
    const { bars, chartTitle } = shownOf('2025-10-19', 74);
    expect([bars[0]?.label, bars.at(-1)?.label, bars.length]).toEqual(['13–19 Oct', '29–31 Dec', 12]);
    expect(chartTitle).toBe('Average per day, by week');
  });

  it('has bars for weeks even if all reported days are in one month', () => {
    const { bars } = shownOf('2025-12-01', 31);
    expect(bars).toHaveLength(5);
  });
});

it('the chart of several years has unique labels even if few days are reported', () => {
  const some = ['2017-10-02', '2023-10-02'].flatMap((first) => daysFrom(first, 42));
  const { bars } = shown(
    '2017-01-01..2026-11-20',
    some.map((day) => item(day)),
  );
  expect(new Set(bars.map(({ label }) => label)).size).toBe(bars.length);
  expect(bars.map(({ label }) => label)[1]).toBe('2018 no data');
  expect(bars.at(-1)?.label).toBe('2023');
  for (const { label } of bars) expect(label.length).toBeLessThanOrEqual(20);
});

describe('the chart of /spend by week', () => {
  const october = daysFrom('2026-10-01', 31).map((day) => item(day));
  const weeks = ['1–4 Oct', '5–11 Oct', '12–18 Oct', '19–25 Oct', '26–31 Oct'];

  it('labels each week with its days in the requested month', () => {
    const { bars, rows } = shown('october', october);
    expect(bars.map(({ label }) => label)).toEqual(weeks);
    expect(rows).toHaveLength(32);
  });

  it('labels the week of New Year with its first day, without the year', () => {
    const winter = daysFrom('2025-12-01', 62).map((day) => item(day));
    const { bars } = shown('2025-12-01..2026-01-31', winter);
    expect(bars[4]?.label).toBe('29 Dec…');
  });
});

describe('the table of days in /spend', () => {
  it('has a row for a day without data', () => {
    const { rows, title } = shown('2026-11-14..2026-11-17', [
      item('2026-11-17', '1', '2'),
      item('2026-11-14'),
      item('2026-11-16'),
      item('2026-11-01'),
    ]);
    expect(rows.map(([day, amount, bonuses]) => [day, amount, bonuses])).toEqual([
      ['Day', 'Amount', 'Bonuses'],
      ['Sat 14 Nov', '1.00', '0.00'],
      ['Sun 15 Nov', 'no data', '–'],
      ['Mon 16 Nov', '1.00', '0.00'],
      ['Tue 17 Nov', '1.00', '2.00'],
      ['Sun 1 Nov (outside this period)', '1.00', '0.00'],
    ]);
    expect(title).toBe('Each day (5)');
  });

  it('has no column for bonuses if all bonuses are zero', () => {
    const { rows } = shown('2026-11-14..2026-11-15', [item('2026-11-14'), item('2026-11-15')]);
    expect(rows[0]).toEqual(['Day', 'Amount']);
  });

  it('is grouped by week if there are more than 31 days', () => {
    expect(
      shown(
        'last-31-days',
        daysFrom('2026-10-21', 31).map((day) => item(day)),
      ).title,
    ).toBe('Each day (31)');
    expect(
      shown(
        'last-32-days',
        daysFrom('2026-10-20', 32).map((day) => item(day)),
      ).title,
    ).toBe('Each week (5)');
    expect(
      shown(
        'last-366-days',
        daysFrom('2025-11-20', 366).map((day) => item(day)),
      ).title,
    ).toBe('Each week (53)');
  });

  it('groups the items of the requested days by week, and lists other items separately', () => {
    const sent = daysFrom('2026-03-02', 265).filter((day) => day !== '2026-05-05');
    const { rows } = shown('since 2026-03-03', [
      ...sent.map((day) => item(day, day === '2026-04-08' ? 'n/a' : '1', '1')),
      item('soon', '5'),
    ]);
    const row = (start: string) => rows.find(([label]) => label?.startsWith(start));
    expect(rows[0]).toEqual(['By week', 'Amount', 'Bonuses']);
    expect(row('3–8 Mar')).toEqual(['3–8 Mar', '6.00', '6.00']);
    expect(row('Mon 2 Mar')).toEqual(['Mon 2 Mar (outside this period)', '1.00', '1.00']);
    expect(row('6–12 Apr')).toEqual(['6–12 Apr', '6.00 (incomplete) (6 of 7 days)', '7.00']);
    expect(row('4–10 May')).toEqual(['4–10 May', '6.00 (6 of 7 days)', '6.00']);
    expect(row('16–21 Nov')).toEqual(['16–21 Nov (today so far)', '6.00 (5 of 6 days)', '6.00']);
    expect(row('soon')).toEqual(['soon', '5.00', '0.00']);
  });

  it('comes with a note on how many items have no readable day', () => {
    const { visibleText } = shown('last-7-days', [
      item('2026-11-14'),
      ...Array.from({ length: 120 }, (_, n) => item(`day ${n}`, '2', '1')),
    ]);
    expect(visibleText).toContain('120 items without a readable day are in the total, but not in any day.');
  });
});

it('the answer to /balance escapes special characters in the reason for a missing estimate', () => {
  const figures = {
    target: TARGET,
    connection: 'main',
    balance: parseAmount({ text: '5' }),
    bonuses: parseAmount({ text: '0' }),
    runway: 'The billing service at <!channel> & co. couldn’t be reached.',
    remarks: [],
  };
  const view = answerView(figures, NOW);
  const { blocks } = renderAnswer(view, balanceAnswer(view));
  expect(JSON.stringify(blocks)).toContain(
    'Runway unknown: The billing service at &lt;!channel&gt; &amp; co.',
  );
  expect(JSON.stringify(blocks)).not.toContain('<!channel>');
});

describe('the menu of periods', () => {
  it.each(['today', 'october', 'q3'])(
    'names the typed period in the same words as the title: %s',
    (words) => {
      const { answerTitle, chosenPeriod } = shown(words, [item('2026-11-14')]);
      expect(answerTitle).toContain(`prod · ${chosenPeriod} · `);
    },
  );
});
