/** What alerts and reminders say, show and offer. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type AlertView, alertMessage, alertReply, sourceText } from '../../src/delivery/alert-blocks.ts';
import { alertChart } from '../../src/delivery/alert-chart.ts';
import {
  type AlertFacts,
  alertText,
  recoveryText,
  watchLabel,
  watchMoney,
} from '../../src/delivery/alert-wording.ts';
import { dependentsOf, reminderNotice } from '../../src/delivery/reminder-blocks.ts';
import type { Credential, ReminderStep } from '../../src/delivery/reminder-plan.ts';
import type { AlertEvent, AlertMessage } from '../../src/delivery/watch-state.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { addDays } from '../../src/domain/time/calendar.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import type { Watch } from '../../src/workspace/watches.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { textOf } from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { workspaceOf } from '../support/delivery-records.ts';

const TODAY = '2026-11-20';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const big = (digits: string | number) => new Big(digits);
const BALANCE: WatchRule = { kind: 'balance', below: big(50) };
const RUNWAY: WatchRule = { kind: 'runway', days: 7 };
const BUDGET: WatchRule = { kind: 'budget', amount: big(100) };
const SPIKE: WatchRule = { kind: 'spike', factor: big(2), floor: big(10) };
const estimate = (days: number) => ({
  ...{ kind: 'estimate', days, until: '2026-11-25', average: big(10), reported: 6, of: 7, partial: 0 },
  ...{ left: big(45), bonusesCounted: true },
});

type Texts = Omit<AlertFacts, 'label' | 'money' | 'level'> & {
  readonly level?: string;
  readonly episode?: string;
};
const facts = ({ level = 'threshold', episode = 'e', ...given }: Texts): AlertFacts => ({
  ...{ level: { episode, level } as AlertFacts['level'], label: 'prod', money: (value) => `${value} EUR` },
  ...given,
});
const says = (given: Texts) => {
  const { title, why } = alertText(facts(given));
  return [title, why];
};
const recovers = (given: Texts) => recoveryText(facts(given));

describe('an alert of a balance', () => {
  const measured = (digits?: number) =>
    ({ kind: 'balance', ...(digits !== undefined && { balance: big(digits) }) }) as const;

  it('says what is left, what it was and how long it lasts', () => {
    expect(says({ rule: BALANCE, measurement: measured(48) })).toEqual([
      'prod · 48 EUR left — below 50 EUR',
      '',
    ]);
    expect(says({ rule: BALANCE, measurement: measured(0) })[0]).toBe('prod · 0 EUR left — below 50 EUR');
    expect(says({ rule: BALANCE, measurement: measured(-3) })[0]).toBe(
      'prod · 3 EUR overdrawn — below 50 EUR',
    );
    expect(says({ rule: BALANCE, measurement: measured() })[0]).toBe('prod · the balance — below 50 EUR');
    const before = { day: '2026-11-18', balance: big(70) };
    const runway = estimate(4) as never;
    expect(says({ rule: BALANCE, measurement: measured(48), before })[1]).toBe('70 EUR on Wed 18 Nov.');
    expect(says({ rule: BALANCE, measurement: measured(48), before, runway })[1]).toBe(
      '70 EUR on Wed 18 Nov; at 10 EUR a day it reaches zero around 25 Nov 2026.',
    );
    expect(says({ rule: BALANCE, measurement: measured(48), runway: { kind: 'no-spend' } as never })[1]).toBe(
      '',
    );
    expect(recovers({ rule: BALANCE, measurement: measured(70) })).toBe('Recovered: 70 EUR left.');
    expect(recovers({ rule: BALANCE, measurement: measured() })).toBe('Recovered.');
  });
});

describe('an alert of a runway', () => {
  const measured = (runway?: object) =>
    ({ kind: 'runway', ...(runway && { runway }) }) as AlertFacts['measurement'];

  it('says how long the money lasts, and of what', () => {
    const [title, why] = says({ rule: RUNWAY, measurement: measured(estimate(4)) });
    expect(title).toBe('prod · about 4 days left — under 7');
    expect(why).toMatch(/^45 EUR .* lasts until around 25 Nov 2026\.$/);
    expect(says({ rule: RUNWAY, measurement: measured(estimate(1)) })[0]).toBe(
      'prod · about 1 day left — under 7',
    );
    expect(says({ rule: RUNWAY, measurement: measured(estimate(0)) })[0]).toBe(
      'prod · less than a day left — under 7',
    );
    const overdrawn = { kind: 'overdrawn', which: 'sum', left: big(-3) };
    expect(says({ rule: RUNWAY, measurement: measured(overdrawn) })).toEqual([
      'prod · overdrawn — runway under 7 days',
      'Balance and bonuses are -3 EUR.',
    ]);
    expect(says({ rule: RUNWAY, measurement: measured() })[1]).toBe('');
    expect(recovers({ rule: RUNWAY, measurement: measured(estimate(30)) })).toBe(
      'Recovered: the money lasts about 30 days.',
    );
    expect(recovers({ rule: RUNWAY, measurement: measured({ kind: 'no-spend' }) })).toBe(
      'Recovered: nothing is being spent.',
    );
    expect(recovers({ rule: RUNWAY, measurement: measured({ kind: 'beyond' }) })).toBe('Recovered.');
    expect(recovers({ rule: RUNWAY, measurement: measured() })).toBe('Recovered.');
  });
});

describe('an alert of a budget', () => {
  const month = (given: object = {}) => ({
    month: '2026-11',
    spent: big(81),
    reported: 19,
    of: 20,
    forecast: big(120),
    ...given,
  });
  const measured = (...months: object[]) =>
    ({ kind: 'budget', months }) as unknown as AlertFacts['measurement'];
  const of = (level: string, given: object = {}) => ({
    ...{ rule: BUDGET, level, episode: '2026-11' },
    measurement: measured(month({ month: '2026-10', spent: big(7), forecast: big(8) }), month(given)),
  });

  it('says what was spent of it, in which month, and what is expected', () => {
    expect(says(of('80'))).toEqual([
      'prod · 81 EUR spent in November 2026 — 80 % of 100 EUR',
      '19 of 20 days reported; about 120 EUR by the end of the month, an estimate.',
    ]);
    expect(says(of('50', { of: 1, reported: 1, forecast: undefined }))).toEqual([
      'prod · 81 EUR spent in November 2026 — 50 % of 100 EUR',
      '1 of 1 day reported.',
    ]);
    expect(says(of('100', { spent: big(101) }))[0]).toBe(
      'prod · 101 EUR spent in November 2026 — the budget is 100 EUR',
    );
    expect(says(of('forecast'))).toEqual([
      'prod · about 120 EUR expected in November 2026 — over 100 EUR',
      '81 EUR spent so far (19 of 20 days reported); the rest of the month is an estimate.',
    ]);
    expect(says(of('forecast', { forecast: undefined }))[0]).toContain('about 81 EUR expected');
    expect(says({ ...of('80'), episode: '2026-09' })).toEqual(['prod · threshold crossed', '']);
  });

  it('says what billing reports since', () => {
    expect(recovers(of('80'))).toBe('Recovered: billing now reports 81 EUR for November 2026.');
    expect(recovers(of('forecast'))).toBe('Recovered: about 120 EUR expected in November 2026.');
    expect(recovers(of('forecast', { forecast: undefined }))).toBe(
      'Recovered: about 81 EUR expected in November 2026.',
    );
    expect(recovers({ ...of('80'), episode: '2026-09' })).toBe('Recovered.');
  });
});

describe('an alert of a spike', () => {
  const day = (given: object = {}) => ({
    day: '2026-11-18',
    amount: big(50),
    baseline: big(20),
    basis: 'weekday',
    ...given,
  });
  const measured = (...days: object[]) =>
    ({ kind: 'spike', today: TODAY, days }) as unknown as AlertFacts['measurement'];
  const of = (...days: object[]) => ({ rule: SPIKE, episode: '2026-11-18', measurement: measured(...days) });

  it('says what the day cost, how much more that is, and than what', () => {
    expect(says(of(day({ day: '2026-11-17', amount: big(1) }), day()))).toEqual([
      'prod · 50 EUR on Wed 18 Nov — 2.5 times the usual',
      '20 EUR is the median of the last 4 Wednesdays; 2 times that is 40 EUR.',
    ]);
    expect(says(of(day({ basis: 'average', baseline: big(3) })))[1]).toBe(
      '3 EUR is the average of the 14 reported days before; the floor of 10 EUR.',
    );
    expect(says(of(day({ baseline: undefined })))).toEqual(['prod · 50 EUR on Wed 18 Nov', '']);
    expect(says({ ...of(day()), episode: '2026-11-01' })).toEqual(['prod · threshold crossed', '']);
    expect(says({ ...of(day()), rule: BUDGET })).toEqual(['prod · threshold crossed', '']);
  });

  it('says that the day was corrected, or which later one was calm', () => {
    expect(recovers(of(day({ amount: big(39) })))).toBe(
      'Corrected: billing now reports 39 EUR for Wed 18 Nov.',
    );
    const calm = day({ day: '2026-11-19', amount: big(39) });
    expect(recovers(of(day({ day: '2026-11-17', amount: big(1) }), day(), calm))).toBe(
      'Recovered: 39 EUR on Thu 19 Nov.',
    );
    expect(recovers(of(day(), { ...calm, amount: big(40) }))).toBe('Recovered.');
    expect(recovers(of(day(), { ...calm, baseline: undefined }))).toBe('Recovered.');
    expect(recovers(of(day({ baseline: undefined })))).toBe('Recovered.');
  });
});

describe('amounts and names in an alert', () => {
  const workspace = workspaceOf([], {
    settings: { ...DEFAULT_SETTINGS, currency: 'EUR', locale: 'de-DE' },
    projects: [
      { alias: 'logs', id: '123', product: 2, currency: 'CHF' },
      { alias: 'other', id: '7', product: 1, currency: 'USD' },
    ],
  } as unknown as Partial<Workspace>);

  it('are the workspace’s, or the project’s own', () => {
    const money = (id: string, product: 1 | 2) =>
      watchMoney({ project: { id, product } }, workspace)(big('1234.5'));
    expect(money('123', 2)).toContain('CHF');
    expect(money('123', 1)).toBe(money('9', 1));
    expect(money('9', 1)).toMatch(/^1\.234,50.EUR$/);
    expect(watchLabel({ project: { id: '123', product: 2 } }, workspace)).toBe('logs');
    expect(sourceText({ project: { id: '123', product: 2 } } as Watch, 'UTC')).toBe(
      'Object storage · project 123 · UTC',
    );
  });
});

const CROSSED: AlertEvent = {
  kind: 'crossed',
  level: 'threshold',
  at: NOW,
  title: 'Low <1>',
  why: 'Because',
};
const RECOVERED: AlertEvent = { kind: 'recovered', at: NOW, text: 'Recovered: fine.' };

describe('the message of an alert', () => {
  const WATCH: Watch = {
    ...{ id: 'watch001', project: { id: '123', product: 1 }, rule: BALANCE, target: { channel: 'C1' } },
    ...{ owner: 'U1', createdBy: 'U1', createdAt: 0, since: 0 },
  };
  const view = (
    events: readonly AlertEvent[],
    given: Partial<AlertView> = {},
    message: Partial<AlertMessage> = {},
  ): AlertView => ({
    ...{
      watch: WATCH,
      alert: { episode: 'e1', events, messages: [] } as never,
      chart: undefined,
      source: 'a & b',
      isAgain: false,
    },
    message: { to: 'C1', event: 0, state: 'due', at: NOW, tries: 0, drawn: 0, ...message },
    ...given,
  });
  const shown = (...given: Parameters<typeof view>) => {
    const { text, blocks } = alertMessage(view(...given));
    type Element = {
      readonly action_id?: string;
      readonly value?: string;
      readonly options?: readonly { readonly value?: string }[];
    };
    const elements = (blocks.at(-1) as unknown as { readonly elements: readonly Element[] }).elements;
    return {
      text,
      blocks,
      lines: textOf(blocks).split('\n'),
      values: elements.flatMap((one) => one.options?.map(({ value }) => value) ?? [one.value]),
    };
  };

  const BUTTONS = [
    ...['Acknowledge', 'Change threshold', 'Manage'],
    ...['Snooze for 1 day', 'Snooze for 7 days', 'Snooze until next month'],
  ];

  it('says what happened, why, and who set it up', () => {
    const { text, lines, values } = shown([CROSSED]);
    expect(text).toBe('Low <1>');
    expect(lines.slice(0, 3)).toEqual(['Low <1>', 'Because', 'a &amp; b · set up by <@U1>']);
    expect(values).toEqual([
      'watch001 e1',
      'watch001',
      'watch001',
      'day watch001 e1',
      'week watch001 e1',
      'month watch001 e1',
    ]);
    expect(shown([{ ...CROSSED, why: '' }]).lines[1]).toContain('set up by');
    expect(lines.slice(3)).toEqual(BUTTONS);
    expect(shown([CROSSED]).blocks).toHaveLength(4);
    const none = alertMessage(view([RECOVERED]));
    expect(none).toMatchObject({ text: '' });
  });

  it('shows the newest threshold above, and what happened around it below, twelve lines at most', () => {
    const events: AlertEvent[] = [
      { ...CROSSED, title: 'First <' },
      { kind: 'acknowledged', at: NOW, by: 'U2' },
      { kind: 'snoozed', at: NOW, by: 'U3', until: NOW + 1 },
      RECOVERED,
      { kind: 'replaced', at: NOW },
      CROSSED,
    ];
    const { text, lines } = shown(events);
    expect(text).toBe('Low <1>');
    const history = lines.slice(2, 7);
    expect(history.map((line) => line.replaceAll(/<!date[^>]*>/g, 'AT'))).toEqual([
      'AT · First &lt;',
      ':eyes: AT · Acknowledged by <@U2>',
      ':zzz: AT · Snoozed by <@U3> until AT',
      ':white_check_mark: AT · Recovered: fine.',
      'AT · The threshold was changed. This alert is about the one before.',
    ]);
    const many = shown([CROSSED, ...Array<AlertEvent>(14).fill(RECOVERED)]);
    expect(many.lines.filter((line) => line.includes('fine'))).toHaveLength(12);
  });

  it('offers to acknowledge and to snooze as long as there is something to', () => {
    const offers = (...more: AlertEvent[]) => shown([CROSSED, ...more]).values.length;
    expect(offers()).toBe(6);
    expect(offers({ kind: 'acknowledged', at: NOW, by: 'U2' })).toBe(5);
    expect(offers(RECOVERED)).toBe(2);
    expect(offers({ kind: 'replaced', at: NOW })).toBe(2);
    expect(offers(RECOVERED, CROSSED)).toBe(6);
    expect(offers({ kind: 'snoozed', at: NOW, by: 'U2', until: NOW })).toBe(6);
  });

  it('says for whom it was meant, and that it may be there twice', () => {
    const instead = (to: string) =>
      shown([CROSSED], {}, { insteadOf: { to, cause: 'Gone <.', tried: [] } }).lines[2];
    expect(instead('U5')).toBe(
      'This was meant for <@U5>. Gone &lt;. Choose another channel or person with *Manage*.',
    );
    expect(instead('C5')).toContain('meant for <#C5>');
    expect(shown([CROSSED], { isAgain: true }).lines.join()).toContain('This may be a duplicate');
    expect(shown([CROSSED]).lines.join()).not.toContain('duplicate');
    const chart = { type: 'data_visualization' } as never;
    expect(shown([CROSSED], { chart }).blocks).toContain(chart);
  });

  it('is answered with what came after', () => {
    const reply = (event: number, isAgain = false) => {
      const { text, blocks } = alertReply(
        view([CROSSED, RECOVERED, { ...CROSSED, why: '' }], { isAgain }, { event }),
      );
      return [text, ...textOf(blocks).split('\n')];
    };
    expect(reply(0)).toEqual(['Low <1>', '*Low &lt;1&gt;*', 'Because']);
    expect(reply(1)).toEqual(['Recovered: fine.', '✓ Recovered: fine.']);
    expect(reply(2)).toEqual(['Low <1>', '*Low &lt;1&gt;*']);
    expect(reply(0, true)[3]).toContain('This may be a duplicate');
    expect(reply(1, true)[2]).toContain('This may be a duplicate');
  });
});

describe('the chart of an alert', () => {
  const amounts = (days: Record<number, number>) =>
    new Map(Object.entries(days).map(([ago, digits]) => [addDays(TODAY, -Number(ago)), big(digits)]));
  const figures = (days: Record<number, number>, balance?: number) => ({
    ...{ today: TODAY, zone: 'UTC', amounts: amounts(days) },
    ...(balance !== undefined && {
      account: { balance: { value: big(balance), raw: String(balance) }, bonuses: { unreadable: '' } },
    }),
  });
  function drawn(rule: WatchRule, of: ReturnType<typeof figures>, balances = new Map<string, Big>()) {
    const chart = JSON.parse(JSON.stringify(alertChart(rule, of as never, balances) ?? null)) as {
      readonly title: string;
      readonly chart: {
        readonly series: readonly {
          readonly name: string;
          readonly data: readonly { readonly label: string; readonly value: number }[];
        }[];
      };
    } | null;
    return (
      chart && {
        title: chart.title,
        series: chart.chart.series.map(({ name, data }) => [
          name,
          data.map(({ label, value }) => `${label} ${value}`),
        ]),
      }
    );
  }

  it('draws a balance, worked out backwards from today as far as every day is known', () => {
    const chart = drawn(BALANCE, figures({ 1: 5, 2: 7, 3: 9 }, 40));
    expect(chart?.title).toBe('Balance by day');
    expect(chart?.series[0]).toEqual([
      'Left',
      ['Mon 16 61', 'Tue 17 52', 'Wed 18 45', 'Thu 19 40', 'Fri 20 40'],
    ]);
    expect(chart?.series[1]?.[0]).toBe('Alert below');
    expect(chart?.series[1]?.[1]).toEqual(expect.arrayContaining(['Fri 20 50']));
    const known = drawn(
      BALANCE,
      figures({ 1: 5 }),
      new Map([
        ['2026-11-15', big(9)],
        ['2026-11-18', big(30)],
      ]),
    );
    expect(known?.series[0]?.[1]).toEqual([
      'Sun 15 9',
      '16 Nov: no data 0',
      '17 Nov: no data 0',
      'Wed 18 30',
      '19 Nov: no data 0',
      '20 Nov: no data 0',
    ]);
    expect(drawn(BALANCE, figures({}, 40))).not.toBeNull();
    expect(drawn(BALANCE, figures({}))).toBeNull();
  });

  it('draws what was spent of the month, of 20 days at most', () => {
    const chart = drawn(BUDGET, figures({ 1: 5, 3: 7, 30: 100 }));
    expect(chart?.title).toBe('Spent this month');
    expect(chart?.series[0]?.[0]).toBe('Spent');
    expect(chart?.series[0]?.[1]).toHaveLength(19);
    expect(chart?.series[0]?.[1]?.slice(-3)).toEqual(['Tue 17 7', '18 Nov: no data 0', 'Thu 19 12']);
    expect(chart?.series[1]).toEqual(['Budget', expect.arrayContaining(['Thu 19 100'])]);
    expect(drawn(BUDGET, figures({ 1: 5 }))).toBeNull();
  });

  it('draws what each day may cost for the money to last', () => {
    const chart = drawn(RUNWAY, figures({ 1: 5, 2: 5, 3: 5 }, 70));
    expect([chart?.title, chart?.series[0]?.[0], chart?.series[1]?.[0]]).toEqual([
      'Spent per day',
      'Spent',
      'Lasts 7 days',
    ]);
    expect(chart?.series[0]?.[1]).toHaveLength(14);
    expect(chart?.series[1]?.[1]?.at(-1)).toBe('Thu 19 10');
    expect(drawn(RUNWAY, figures({ 1: 5, 2: 5 }))?.series[1]?.[1]?.at(-1)).toBe('Thu 19 0');
  });

  it('draws the limit of each day', () => {
    const chart = drawn(
      SPIKE,
      figures(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n + 1, 10]))),
    );
    expect([chart?.title, chart?.series[1]?.[0]]).toEqual(['Spent per day', 'Alert above']);
    expect(chart?.series[0]?.[1]?.at(-1)).toBe('Thu 19 10');
    expect(chart?.series[1]?.[1]?.at(-1)).toBe('Thu 19 20');
  });
});

describe('a reminder', () => {
  const credential = (kind: 'connection' | 'access', given: Partial<Credential> = {}): Credential => ({
    ...{ kind, name: kind === 'connection' ? 'main' : '123', id: 'x', registeredBy: 'U1', registeredAt: 0 },
    expiresAt: NOW + 3 * 86_400_000,
    ...given,
  });
  const WATCH = { id: 'watch001', project: { id: '123', product: 1 } };
  const workspace = (given: Partial<Workspace> = {}) =>
    workspaceOf([], {
      settings: { ...DEFAULT_SETTINGS, managers: ['U9'] },
      projects: [
        { alias: 'prod', id: '123', product: 1 },
        { alias: 'eu', id: '7', product: 1, connection: 'eu' },
      ] as never,
      connections: new Map([['main', { lastFour: 'abcd', fingerprint: '0123' }]]) as never,
      accesses: new Map([['123', { lastFour: '·wxyz' }]]) as never,
      ...given,
    });
  const reads = (
    step: ReminderStep,
    of: Credential,
    given: Partial<Workspace> = {},
    to = 'U1',
    isAgain = false,
  ) =>
    textOf(reminderNotice({ credential: of, step, to, isAgain, at: NOW }, workspace(given)).blocks).split(
      '\n',
    );

  it('says when a token expires, what needs it, and how to replace it', () => {
    expect(reads('3', credential('connection'))).toEqual([
      '*The access token of connection main expires Mon 23 Nov 2026 (3 days)*',
      'Replace it before then, and everything keeps working.',
      'Replace token…',
      'token ending abcd · fingerprint 0123',
    ]);
    const needs = (schedules: number, watches: number) =>
      reads('3', credential('connection'), {
        schedules: Array(schedules).fill(schedule()),
        watches: Array(watches).fill(WATCH),
      })[2];
    expect([needs(1, 0), needs(2, 1), needs(0, 2)]).toEqual([
      'What needs it: 1 scheduled post.',
      'What needs it: 2 scheduled posts and 1 watch.',
      'What needs it: 2 watches.',
    ]);
    expect(reads('3', credential('connection', { expiresAt: undefined }))[0]).toBe(
      '*The access token of connection main expires*',
    );
  });

  it('says that a token was rejected, and what waits for another one', () => {
    expect(reads('rejected', credential('connection')).slice(0, 3)).toEqual([
      '*The billing service rejected the access token of connection main*',
      'It may have expired or been revoked.',
      'Replace token…',
    ]);
    expect(reads('rejected', credential('connection'), { schedules: [schedule()] })[2]).toBe(
      'Waiting for another token: 1 scheduled post. Everything resumes once it is replaced.',
    );
  });

  it('says the same of an application access, by the name of its project', () => {
    expect(reads('3', credential('access'))).toEqual([
      '*The application access of prod expires Mon 23 Nov 2026 (3 days)*',
      'Nobody can get an OS_TOKEN with it after that.',
      'Replace access…',
      'access ending wxyz · project 123',
    ]);
    expect(reads('rejected', credential('access', { name: '9' }))).toEqual([
      '*The identity service rejected the application access of project 9*',
      'Nobody can get an OS_TOKEN with it. It may have expired or been revoked.',
      'Replace access…',
    ]);
  });

  it('offers to replace it to whoever may, and says to others whom to ask', () => {
    const buttons = (to: string) => reads('3', credential('connection'), {}, to).includes('Replace token…');
    expect([buttons('U1'), buttons('U9'), buttons('U2')]).toEqual([true, true, false]);
    expect(reads('3', credential('connection'), {}, 'U2')[2]).toBe(
      'Only Tally managers can replace it. Ask one of them.',
    );
    expect(reads('3', credential('connection'), {}, 'U1', true).at(-1)).toContain('This may be a duplicate');
  });

  it('counts what asks by that token alone', () => {
    const eu = { ...schedule({ id: 'schedul2' }), projects: [{ id: '7', product: 1 as const }] };
    const record = workspace({
      schedules: [schedule(), eu],
      watches: [WATCH, { id: 'w2', project: { id: '7', product: 1 } }] as never,
    });
    const { schedules, watches } = dependentsOf(credential('connection'), record);
    expect([schedules.map(({ id }) => id), watches.map(({ id }) => id)]).toEqual([
      ['schedul1'],
      ['watch001'],
    ]);
    expect(dependentsOf(credential('access'), record)).toEqual({ schedules: [], watches: [] });
  });
});
