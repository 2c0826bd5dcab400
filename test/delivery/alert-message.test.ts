/** What alerts and reminders say, show and offer. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type ReminderView, reminderNotice } from '../../src/delivery/reminder-kind.ts';
import { alertMessage } from '../../src/delivery/watches/alert-kind.ts';
import {
  type AlertBasis,
  alertText,
  correctionText,
  recoveryText,
} from '../../src/delivery/watches/alert-sentences.ts';
import { type Alert, alertName } from '../../src/delivery/watches/watch-alerts.ts';
import type { Runway } from '../../src/domain/money/balance-and-runway.ts';
import type { DaySpend, MonthSpend, WatchMeasurement } from '../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { fingerprintOf } from '../../src/workspace/credentials/credential-records.ts';
import {
  type ProjectMoneyFormatter,
  projectMoneyFormatter,
} from '../../src/workspace/projects/chosen-project.ts';
import type { Watch } from '../../src/workspace/record/automation-records.ts';
import { textOf } from '../support/bot.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';
import { MAIN, WATCH as RUNWAY_WATCH } from '../support/workspace-store.ts';

const TODAY = '2026-11-20';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const big = (digits: string | number) => new Big(digits);
const BALANCE: WatchRule = { kind: 'balance', below: big(50) };
const RUNWAY: WatchRule = { kind: 'runway', days: 7 };
const BUDGET: WatchRule = { kind: 'budget', amount: big(100) };
const SPIKE: WatchRule = { kind: 'spike', factor: big(2), floor: big(10) };
const BASIS = { average: big(10), reported: 6, of: 7, left: big(45), bonusesCounted: true };
const estimate = (days: number): Runway => ({ kind: 'estimate', days, until: '2026-11-25', ...BASIS });

type Known<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
const known = <T>(given: Known<T>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
const writer = (write: (value: Big) => string, locale = 'en-US'): ProjectMoneyFormatter =>
  Object.assign(write, { locale });
type Texts = Omit<AlertBasis, 'episode' | 'today'> & {
  readonly level?: string;
  readonly episode?: string;
  readonly today?: string;
};
const WATCH: Watch = { ...RUNWAY_WATCH, id: 'watch001', rule: BALANCE };
const EUR = writer((value) => `${value} EUR`);
const basisOf = ({ level = 'threshold', episode = 'e', today = TODAY, ...given }: Texts) =>
  [level as Alert['level'], { episode, today, ...given }] as const;
const says = (given: Texts, money = EUR) => {
  const { title, why } = alertText(...basisOf(given), money);
  return [`prod${title}`, why];
};
const recovers = (given: Texts) => `prod${recoveryText(...basisOf(given), EUR)}.`;

describe('an alert about a balance', () => {
  const measured = (digits?: number, runway?: Runway): WatchMeasurement => ({
    kind: 'balance',
    ...(digits !== undefined && { balance: big(digits), ...(runway && { runway }) }),
  });
  const title = (rule: WatchRule, digits?: number) => says({ rule, measurement: measured(digits) })[0];

  it('names the threshold, and the amount that is left or overdrawn', () => {
    expect(says({ rule: BALANCE, measurement: measured(48) })).toEqual([
      'prod has 48 EUR left, below 50 EUR',
      '',
    ]);
    expect(title(BALANCE, 0)).toBe('prod has 0 EUR left, below 50 EUR');
    expect(title(BALANCE, -3)).toBe('prod is overdrawn by 3 EUR, below 50 EUR');
    expect(title({ kind: 'balance', below: big(0) }, -0.01)).toBe('prod is overdrawn by 0.01 EUR');
    expect(title(BALANCE)).toBe('prod crossed its threshold');
    const all = big('-12345678901234567890.12345678901234567890');
    expect(says({ rule: BALANCE, measurement: { kind: 'balance', balance: all } })[0]).toBe(
      'prod is overdrawn by 12345678901234567890.1234567890123456789 EUR, below 50 EUR',
    );
  });

  it('says when the balance will reach zero, or how much is left after a recovery', () => {
    const why = (runway: Runway) => says({ rule: BALANCE, measurement: measured(48, runway) })[1];
    expect(why(estimate(4))).toBe(
      'At 10 EUR a day (average of the last 7 days), the balance reaches zero around 25 Nov 2026.',
    );
    expect(why({ kind: 'no-spend', ...BASIS })).toBe('');
    expect(recovers({ rule: BALANCE, measurement: measured(70) })).toBe('prod recovered: 70 EUR left.');
    expect(recovers({ rule: BALANCE, measurement: measured() })).toBe('prod recovered.');
  });
});

describe('an alert about how long the money lasts', () => {
  const measured = (runway?: Runway): WatchMeasurement => ({ kind: 'runway', ...(runway && { runway }) });
  const account = (balance: number, bonuses: number | undefined = 0) => ({
    balance: { value: big(balance), raw: '' },
    bonuses: bonuses === undefined ? { unreadable: 'x' } : { value: big(bonuses), raw: '' },
  });
  const of = (runway: Runway | undefined, more: Partial<Texts> = {}): Texts => ({
    rule: RUNWAY,
    measurement: measured(runway),
    average: big(10),
    ...more,
  });

  it('says how long the money lasts, and shows the balance and any bonuses', () => {
    expect(says(of(estimate(4), { account: account(40, 5) }))).toEqual([
      'prod: about 4 days left, under 7',
      'Balance 40 EUR, bonuses 5 EUR, at 10 EUR a day (average of the last 7 days), until around 25 Nov 2026.',
    ]);
    expect(says(of(estimate(1), { account: account(15) }))).toEqual([
      'prod: about 1 day left, under 7',
      'Balance 15 EUR, at 10 EUR a day (average of the last 7 days), until around 25 Nov 2026.',
    ]);
    expect(says(of(estimate(0), { account: account(4, 1) }))).toEqual([
      'prod: less than a day left',
      'Balance 4 EUR, bonuses 1 EUR, at 10 EUR a day (average of the last 7 days).',
    ]);
    expect(says(of(undefined))[1]).toBe('');
  });

  it('says that the project is overdrawn, or that its bonuses last less than a day', () => {
    const overdrawn = (left: number): Runway => ({
      kind: 'overdrawn',
      which: 'balance',
      balance: big(-5),
      left: big(left),
      bonusesCounted: true,
    });
    expect(says(of(overdrawn(5), { account: account(-5, 10) }))).toEqual([
      'prod: less than a day left',
      'Balance -5 EUR, bonuses 10 EUR, at 10 EUR a day (average of the last 7 days).',
    ]);
    expect(says(of(overdrawn(50), { account: account(-5, 55) }))[0]).toBe('prod is overdrawn');
    const { average: _, ...unknown } = of(overdrawn(-3), { account: account(-3) });
    expect(says(unknown)).toEqual(['prod is overdrawn', 'Balance -3 EUR.']);
  });

  it('says how long the money lasts after a recovery, and whether bonuses are included', () => {
    expect(recovers(of(estimate(30), { account: account(300) }))).toBe(
      'prod recovered: the balance lasts about 30 days.',
    );
    expect(recovers(of(estimate(30), { account: account(290, 10) }))).toBe(
      'prod recovered: balance and bonuses last about 30 days.',
    );
    expect(recovers(of({ kind: 'no-spend', ...BASIS }))).toBe('prod recovered: nothing is being spent.');
    expect(recovers(of({ kind: 'beyond', years: 10, ...BASIS }))).toBe('prod recovered.');
    expect(recovers(of(undefined))).toBe('prod recovered.');
  });
});

describe('an alert about a budget', () => {
  const month = (given: Known<MonthSpend> = {}) =>
    known<MonthSpend>({
      month: '2026-11',
      spent: big(81),
      reported: 19,
      of: 20,
      forecast: big(120),
      ...given,
    });
  const measured = (...months: readonly MonthSpend[]): WatchMeasurement => ({ kind: 'budget', months });
  const of = (level: string, given: Known<MonthSpend> = {}) => ({
    rule: BUDGET,
    level,
    episode: '2026-11',
    measurement: measured(month({ month: '2026-10', spent: big(7), forecast: big(8) }), month(given)),
  });

  it('says how much of a month’s budget is spent, and how much spending is expected', () => {
    expect(says(of('80'))).toEqual([
      'prod passed 80 % of its November budget: 81 EUR of 100 EUR',
      '19 of 20 days reported; estimated 120 EUR by the end of the month.',
    ]);
    expect(says(of('50', { of: 1, reported: 1, forecast: undefined }))).toEqual([
      'prod passed 50 % of its November budget: 81 EUR of 100 EUR',
      '',
    ]);
    expect(says(of('100', { spent: big(101) }))[0]).toBe(
      'prod passed its November budget: 101 EUR of 100 EUR',
    );
    expect(says(of('80', { spent: big(80) }))[0]).toBe(
      'prod reached 80 % of its November budget: 80 EUR of 100 EUR',
    );
    expect(says(of('100', { spent: big(100) }))[0]).toBe(
      'prod reached its November budget: 100 EUR of 100 EUR',
    );
    expect(says({ ...of('80'), today: '2027-01-03' })[0]).toContain('its November 2026 budget');
    const year = { rule: BUDGET, level: '80', episode: '2025-12' };
    const turn = measured(month({ month: '2025-12' }), month({ month: '2026-01' }));
    expect(says({ ...year, measurement: turn })[0]).toContain('80 % of its December 2025 budget');
    expect(says(of('forecast'))).toEqual([
      'prod is expected to pass its November budget: about 120 EUR of 100 EUR',
      '81 EUR spent so far (19 of 20 days reported); the rest of the month is an estimate.',
    ]);
    expect(says(of('forecast', { forecast: undefined }))[0]).toContain('budget: about 81 EUR of');
    expect(says({ ...of('80'), episode: '2026-09' })).toEqual(['prod crossed its threshold', '']);
  });

  it('says that spending is within the budget again, and how much is spent or expected', () => {
    expect(recovers(of('80'))).toBe('prod recovered: billing now reports 81 EUR for November.');
    expect(recovers(of('forecast'))).toBe('prod recovered: about 120 EUR expected in November.');
    expect(recovers(of('forecast', { forecast: undefined }))).toBe(
      'prod recovered: about 81 EUR expected in November.',
    );
    expect(recovers({ ...of('80'), episode: '2026-09' })).toBe('prod recovered.');
  });
});

describe('an alert about an unusually expensive day', () => {
  const day = (given: Known<DaySpend> = {}) =>
    known<DaySpend>({
      day: '2026-11-18',
      amount: big(50),
      baseline: big(20),
      basis: 'weekday',
      basisDays: 4,
      ...given,
    });
  const measured = (...days: readonly DaySpend[]): WatchMeasurement => ({
    kind: 'spike',
    today: TODAY,
    days,
  });
  const of = (...days: readonly DaySpend[]) => ({
    rule: SPIKE,
    episode: '2026-11-18',
    measurement: measured(...days),
  });

  it('says what the day cost, and how many times as much as usual', () => {
    expect(says(of(day({ day: '2026-11-17', amount: big(1) }), day()))).toEqual([
      'prod cost 50 EUR on Wed 18 Nov, 2.5 times the usual',
      'Usual: 20 EUR, the median of the last 4 Wednesdays; the watch alerts from 40 EUR.',
    ]);
    expect(says(of(day({ basisDays: 3 })))[1]).toContain('the median of 3 of the last 4 Wednesdays');
    expect(says(of(day({ basis: 'days', basisDays: 14, baseline: big(3) })))[1]).toBe(
      'Usual: 3 EUR, the average of the 14 reported days before; the watch alerts from 10 EUR.',
    );
    expect(says(of(day({ baseline: undefined })))).toEqual(['prod cost 50 EUR on Wed 18 Nov', '']);
    expect(says({ ...of(day()), episode: '2026-11-01' })).toEqual(['prod crossed its threshold', '']);
  });

  it('writes each number in the workspace’s number format', () => {
    const money = writer((value) => `${value.toFixed(2).replace('.', ',')} EUR`, 'de-DE');
    const rule = { ...SPIKE, factor: big('1.75') };
    expect(says({ ...of(day()), rule }, money)).toEqual([
      'prod cost 50,00 EUR on Wed 18 Nov, 2,5 times the usual',
      'Usual: 20,00 EUR, the median of the last 4 Wednesdays; the watch alerts from 35,00 EUR.',
    ]);
  });

  it('says that the day’s cost was corrected, or names a later day that cost less', () => {
    expect(recovers(of(day({ amount: big(39) })))).toBe(
      'prod recovered: billing now reports 39 EUR for Wed 18 Nov.',
    );
    const calm = day({ day: '2026-11-19', amount: big(39) });
    expect(recovers(of(day({ day: '2026-11-17', amount: big(1) }), day(), calm))).toBe(
      'prod recovered: 39 EUR on Thu 19 Nov.',
    );
    const later = (given: Known<DaySpend>) => day({ day: '2026-11-19', amount: big(39), ...given });
    expect(recovers(of(day(), later({ amount: big(40) })))).toBe('prod recovered.');
    const [almost, usual] = [later({ amount: big('39.5') }), day({ day: '2026-11-20', amount: big(20) })];
    expect(recovers(of(day(), almost, usual))).toBe('prod recovered: 20 EUR on Fri 20 Nov.');
    expect(recovers(of(day(), later({ baseline: undefined })))).toBe('prod recovered.');
    expect(recovers(of(day({ baseline: undefined })))).toBe('prod recovered.');
    const [, corrected] = basisOf(of(day({ amount: big(45) })));
    expect(correctionText(corrected, EUR)).toBe(': billing now reports 45 EUR for Wed 18 Nov');
  });
});

describe('amounts in an alert', () => {
  const workspace = workspaceOf({
    settings: { currency: 'EUR', locale: 'de-DE' },
    projects: [
      { alias: 'logs', product: 2, currency: 'CHF' },
      { alias: 'other', id: '7', currency: 'USD' },
    ],
  });

  it('have the workspace’s number format, and the project’s own currency, if any', () => {
    const money = (id: string, product: 1 | 2) =>
      projectMoneyFormatter({ id, product }, workspace, workspace.settings.locale)(big('1234.5'));
    expect(money('123', 2)).toContain('CHF');
    expect(money('123', 1)).toBe(money('9', 1));
    expect(money('9', 1)).toMatch(/^1\.234,50.EUR$/);
    const { text, blocks } = alertMessage(
      ALERT,
      { ...WATCH, projects: [{ id: '123', product: 2 }] },
      workspace,
    );
    expect(text).toMatch(/^logs has 40 EUR left/);
    expect(textOf(blocks)).toContain('Object storage · project 123 · UTC · 6 of the last 7 days reported');
  });
});

const ALERT: Alert = {
  episode: 'e1',
  level: 'threshold',
  at: NOW,
  source: 'main abc',
  state: 'open',
  title: ' has 40 EUR left, below 50 EUR',
  why: '70 EUR on Wed 18 Nov.',
  covers: '6 of the last 7 days reported',
};
const LATER = NOW + 1;
const recovered = (alert: Alert): Alert => ({
  ...alert,
  state: 'recovered',
  now: { at: LATER, says: ' recovered: 60 EUR left' },
});
const corrected = (alert: Alert): Alert => ({ ...alert, now: { at: LATER, says: ' corrected: 3 EUR' } });
const acknowledged = (alert: Alert): Alert => ({ ...alert, acknowledged: { by: 'U2', at: NOW } });
const snoozed = (alert: Alert): Alert => ({ ...alert, snoozed: { by: 'U3', at: NOW, until: NOW + 1 } });

describe('the message of an alert', () => {
  const record = workspaceOf({ projects: [{ alias: 'prod' }] });
  const shown = (alert: Alert, watch = WATCH) => {
    const { text, blocks } = alertMessage(alert, watch, record);
    const last = blocks.at(-1);
    const elements = last?.type === 'actions' ? last.elements : [];
    const values = elements.flatMap((element) => {
      if ('options' in element) return element.options?.map(({ value }) => value) ?? [];
      return 'value' in element ? [element.value] : [];
    });
    const lines = textOf(blocks).split('\n');
    return { text, values, lines: lines.map((line) => line.replaceAll(/<!date[^>]*>/g, 'AT')) };
  };
  const NAME = alertName(ALERT);
  const BUTTONS = [
    ...['Acknowledge', 'See the days', 'What changed'],
    ...['Snooze for 1 day', 'Snooze for 7 days', 'Snooze until next month'],
    ...['Change threshold…', 'Manage'],
  ];

  it('says what happened, why, what to do, and who set up the alert', () => {
    const { text, lines, values } = shown(ALERT);
    expect(text).toBe('prod has 40 EUR left, below 50 EUR. 70 EUR on Wed 18 Nov.');
    expect(lines).toEqual([
      'prod has 40 EUR left, below 50 EUR',
      '70 EUR on Wed 18 Nov.',
      'Top up the project, or see what changed.',
      'Cloud platform · project 123 · UTC · 6 of the last 7 days reported · set up by <@U1>',
      ...BUTTONS,
    ]);
    expect(values).toEqual([
      `watch001 ${NAME}`,
      '/spend 123 cloud last-7-days including today',
      '/spend 123 cloud last-7-days including today vs same-days-last-week why',
      `day watch001 ${NAME}`,
      `week watch001 ${NAME}`,
      `month watch001 ${NAME}`,
      'threshold watch001',
      'manage watch001',
    ]);
    expect(shown({ ...ALERT, why: '', covers: '' })).toMatchObject({
      text: 'prod has 40 EUR left, below 50 EUR',
      lines: expect.arrayContaining(['Cloud platform · project 123 · UTC · set up by <@U1>']),
    });
  });

  it('has buttons to see what the days in question cost, and to change the threshold', () => {
    const projects = [{ id: '9', product: 2 }] as const;
    const budget = shown({ ...ALERT, episode: '2026-11' }, { ...WATCH, projects, rule: BUDGET });
    expect(budget.values).toContain('/spend 9 storage 2026-11');
    expect(budget.lines).toContain('Change budget…');
    const spike = shown({ ...ALERT, episode: '2026-11-02' }, { ...WATCH, rule: SPIKE });
    expect(spike.values).toContain('/spend 123 cloud 2026-10-27..2026-11-02');
    expect(spike.values).toContain('/spend 123 cloud 2026-11-02 why');
  });

  const ALERTED = 'AT · Alert · prod has 40 EUR left, below 50 EUR';
  const TITLE = 'prod has 40 EUR left, below 50 EUR';
  const ACKNOWLEDGED = ':eyes: AT · Acknowledged by <@U2>';
  const ADVICE = 'Top up the project, or see what changed.';
  it.each<[string, Alert, readonly string[]]>([
    ['acknowledged', acknowledged(ALERT), [TITLE, ALERT.why, ADVICE, ACKNOWLEDGED]],
    ['snoozed', snoozed(ALERT), [TITLE, ALERT.why, ADVICE, ':zzz: AT · Snoozed by <@U3> until: AT']],
    [
      'recovered',
      recovered(ALERT),
      ['prod recovered: 60 EUR left', ALERTED, ':white_check_mark: AT · Recovered'],
    ],
    ['corrected', corrected(ALERT), ['prod corrected: 3 EUR', ADVICE, ALERTED, 'AT · Corrected']],
    [
      'acknowledged and recovered',
      recovered(acknowledged(ALERT)),
      ['prod recovered: 60 EUR left', ALERTED, ACKNOWLEDGED, ':white_check_mark: AT · Recovered'],
    ],
    [
      'recovered and corrected',
      corrected(recovered(ALERT)),
      ['prod corrected: 3 EUR', ALERTED, ':white_check_mark: AT · Recovered'],
    ],
  ])('shows the latest amount first, then what happened to the alert: %s', (_, alert, expected) => {
    const { lines } = shown(alert);
    expect(
      lines.slice(
        0,
        lines.findIndex((line) => line.startsWith('Cloud platform')),
      ),
    ).toEqual(expected);
  });

  it('loses the Acknowledge button when somebody presses it, and Snooze when the project recovers', () => {
    const offers = (alert: Alert) => shown(alert).values.length;
    expect(offers(ALERT)).toBe(8);
    expect(offers(acknowledged(ALERT))).toBe(7);
    expect(offers(snoozed(ALERT))).toBe(8);
    expect(offers(corrected(ALERT))).toBe(8);
    expect(offers(recovered(ALERT))).toBe(4);
  });
});

describe('a reminder', () => {
  const credential = (kind: 'connection' | 'access', given: Partial<ReminderView> = {}) => ({
    kind,
    name: kind === 'connection' ? 'main' : '123',
    state: 'open' as const,
    at: NOW,
    expiresAt: NOW + 3 * 86_400_000,
    ...given,
  });
  const workspace = (given: RecordParts = {}) =>
    workspaceOf({
      settings: { managers: ['U9'] },
      projects: [{}, { alias: 'eu', id: '7', connection: 'eu' }],
      accesses: [{}],
      ...given,
    });
  const reads = (
    step: ReminderView['step'],
    of: Omit<ReminderView, 'step'>,
    given: RecordParts = {},
    canReplace = true,
  ) => textOf(reminderNotice({ ...of, step }, workspace(given), canReplace).blocks).split('\n');

  it('says when a token expires, what will stop working, and how to replace the token', () => {
    expect(reads('3', credential('connection'))).toEqual([
      '*The access token for connection main expires Mon 23 Nov 2026 (3 days)*',
      'After that, posts and watches that need it stop.',
      'Replace token…',
      `token ending abcd · fingerprint ${fingerprintOf(MAIN.token)}`,
    ]);
    expect(reads('3', credential('connection', { expiresAt: undefined }))[0]).toBe(
      '*The access token for connection main expires*',
    );
  });

  it('says that a token was rejected, and what is waiting for a new token', () => {
    expect(reads('rejected', credential('connection')).slice(0, 3)).toEqual([
      '*The billing service rejected the access token for connection main*',
      'It may have expired or been revoked. Posts and watches that need it resume when it’s replaced.',
      'Replace token…',
    ]);
  });

  it('names the project whose application access expires or is rejected', () => {
    expect(reads('3', credential('access'))).toEqual([
      '*The application access for prod expires Mon 23 Nov 2026 (3 days)*',
      'After that, nobody can get an OS_TOKEN with it.',
      'Replace access…',
      'access ending abcd · project 123',
    ]);
    expect(reads('rejected', credential('access', { name: '9' }))).toEqual([
      '*The identity service rejected the application access for project 9*',
      'It may have expired or been revoked. Until it’s replaced, nobody can get an OS_TOKEN with it.',
      'Replace access…',
    ]);
  });
});
