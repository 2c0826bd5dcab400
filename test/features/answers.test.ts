import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';
import { commandsOf } from '../support/redis-commands.ts';
import { answerWith } from '../support/service-replies.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;
let now = NOW;

beforeAll(async () => {
  bot = await startBot({ now: () => now });
  await bot.connect();
});
afterAll(() => bot.stop());
beforeEach(() => {
  now = NOW;
  bot.billing.setMode('healthy');
  bot.slack.refuse.clear();
});

// One of two queries may have failed while the other is still running; the same query again would join it.
afterEach(() => bot.waitUntilIdle());

/** Returns the queries that billing got while `work` ran. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  const before = bot.billing.requests.length;
  await work();
  return bot.billing.requests.slice(before).map(({ query }) => String(query));
}

const items = (...rows: [day: string, amount: string, bonuses?: string][]) =>
  `[${rows.map(([day, amount, bonuses = '0']) => `{"day":${day},"totalAmount":${amount},"totalBonuses":${bonuses}}`).join(',')}]`;

const titles = (answer: { blocks: readonly Record<string, unknown>[] }) =>
  answer.blocks.map(({ type }) => type);

describe('/balance', () => {
  it('shows the balance first, then what it is based on', async () => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":"12000"}');
    bot.billing.setItems(
      '5001',
      items(...[14, 15, 17, 18, 19, 20].map((day): [string, string] => [`"2026-11-${day}"`, '30000'])),
    );
    const answer = await bot.ask('/balance 5001');
    expect(answer.ephemeral).toBe(true);
    expect(titles(answer)).toEqual(['header', 'section', 'context', 'actions']);
    expect(answer.visibleText.split('\n').slice(0, 3)).toEqual([
      'Project 5001 · 1,234,567.80 left',
      '*About 41 days*, until around 1 Jan 2027',
      expect.stringMatching(
        /^at 30,000\.00 a day \(6 of the last 7 days reported\) · bonuses 12,000\.00 · Cloud platform$/,
      ),
    ]);
  });

  it('sends billing two parallel queries, exactly as in the contract', async () => {
    const queries = await asked(() => bot.ask('/balance 123'));
    expect(queries.sort()).toEqual([
      'query { bill { getSubscriptionBalance(externalSubscriptionId: 123, productId: 1) { balance bonuses } } }',
      'query { bill { reportSubscriptionConsuming(filter: { periodFrom: "2026-11-14T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z", externalSubscriptionId: 123, productId: 1 }) { items { day totalAmount totalBonuses } } } }',
    ]);
  });

  it.for([
    ...['/balance 123', '/spend 123'],
    ...['/billing projects', '/billing help', '/billing status', '/billing schedules'],
  ])(
    'takes one round trip to Redis when it is warm, and one for the rights when it is sent: %s',
    async (command) => {
      await bot.ask(command);
      const sent = await commandsOf(bot.redis, () => bot.ask(command));
      // The check for a repeated request runs in parallel with reading the record.
      expect(sent).toEqual(['set', 'hgetall', 'hgetall']);
    },
  );

  it('repeats the service’s remarks beside either answer', async () => {
    bot.billing.respond(({ query }) => ({
      status: 200,
      body: String(query).includes('reportSubscriptionConsuming')
        ? `{"errors":[{"message":"the week is late"},{"message":"both"}],"data":{"bill":{"reportSubscriptionConsuming":{"items":${items(['"2026-11-14"', '1'])}}}}}`
        : '{"errors":[{"message":"the balance is late"},{"message":"both"}],"data":{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":0}}}}',
    }));
    const { visibleText } = await bot.ask('/balance 123');
    bot.billing.respond(undefined);
    const problem = 'The billing service reported a problem with';
    expect(visibleText).toContain(
      [
        `${problem} the balance:`,
        'the balance is late',
        'both',
        `${problem} the last 7 days:`,
        'the week is late',
      ].join('\n'),
    );
  });

  it('names project and product, but no period, when there is no data', async () => {
    bot.billing.setBalance('5007', 'null');
    const { visibleText } = await bot.ask('/balance 5007 storage');
    expect(visibleText).toContain(
      'No Object storage data for project 5007.\nTry another product, or check the project ID.',
    );
    expect(visibleText).not.toContain('period');
  });

  it('names project and product when the service returns errors', async () => {
    bot.billing.respond(() => ({ status: 200, body: '{"errors":[{"message":"no access"}],"data":null}' }));
    const [balance, spend] = [await bot.ask('/balance 123'), await bot.ask('/spend 123 last-month storage')];
    bot.billing.respond(undefined);
    expect(balance.visibleText).toContain(
      'The billing service rejected the query for Cloud platform, project 123.\nIts message:\nno access',
    );
    expect(spend.visibleText).toContain(
      'The billing service rejected the query for Object storage, project 123, 1–31 Oct.\nIts message:\nno access',
    );
  });

  it('that broke off is no reason to doubt the address', async () => {
    answerWith(bot.billing, 'truncated');
    const answer = await bot.ask('/balance 5002');
    bot.billing.setMode('healthy');
    expect(answer.visibleText).toContain(
      'it broke off in the middle.\nThis is usually temporary.\nTry again',
    );
  });

  it('is shown even when the query for the runway fails', async () => {
    bot.billing.setBalance('5002', '{"balance":10,"bonuses":0}');
    bot.billing.respond(({ query }) =>
      String(query).includes('reportSubscriptionConsuming') ? { status: 403, body: '' } : undefined,
    );
    const answer = await bot.ask('/balance 5002');
    bot.billing.respond(undefined);
    expect(answer.visibleText).toContain('Project 5002 · 10.00 left');
    expect(answer.visibleText).toContain('Runway unknown: ');
  });

  it.each([
    [
      '-12.5',
      '"0"',
      'Project 5003 · 12.50 overdrawn',
      ':warning: *The balance is used up: still spending 1.00 a day*',
    ],
    ['"100"', 'null', 'Project 5003 · 100.00 left', 'bonuses not readable (no value)'],
    ['"a lot"', '1', 'Project 5003 · unreadable balance (a lot)', '*No runway* without a readable balance'],
    [
      '123456789012345678901234567890.12',
      '0',
      '123,456,789,012,345,678,901,234,567,890.12 left',
      '*More than 10 years*',
    ],
  ])('says what a balance of %s with bonuses of %s means', async (balance, bonuses, title, sentence) => {
    bot.billing.setBalance('5003', `{"balance":${balance},"bonuses":${bonuses}}`);
    bot.billing.setItems(
      '5003',
      items(...[14, 15, 16].map((day): [string, string] => [`"2026-11-${day}"`, '1'])),
    );
    const { visibleText } = await bot.ask('/balance 5003');
    expect(visibleText).toContain(title);
    expect(visibleText).toContain(sentence);
  });

  it.each([
    ['/balance 777 last-week', 'last-week'],
    ['/balance yesturday 123', 'yesturday'],
    ['/balance storage 2026-10..2026-11 123', '2026-10..2026-11'],
    ['/balance last-7-days including today 123', 'last-7-days'],
    ['/balance mtd', 'mtd'],
  ])('says of %s that a period belongs to /spend, and offers nothing without it', async (command, word) => {
    const { visibleText, blocks } = await bot.ask(command);
    expect(visibleText).toContain(`“${word}”`);
    expect(visibleText).toContain('/spend takes periods');
    const buttons = blocks.filter(({ type }) => type === 'actions').map((block) => textOf(block));
    expect(buttons).toEqual([]);
  });

  it.each([
    ['/balance banana', 'I don’t recognize “banana”. Which project?'],
    ['/balance 123 456', 'You named two projects without a comma'],
  ])('refuses %s without asking for a period', async (command, why) => {
    const { visibleText } = await bot.ask(command);
    expect(visibleText).toContain(why);
    expect(visibleText).not.toContain('last-7-days');
  });

  it('does not ask for a shorter period when the answer is too large', async () => {
    const huge = { status: 200, body: `"${'x'.repeat(4 * 1024 * 1024)}"` };
    bot.billing.respond(() => huge);
    const [balance, spend] = [await bot.ask('/balance 123'), await bot.ask('/spend 123')];
    bot.billing.respond(undefined);
    expect(balance.visibleText).toContain('sent more than 512 KB');
    expect(balance.visibleText).not.toContain('period');
    expect(spend.visibleText).toContain('Ask for a shorter period.');
  });

  it('shows the sum when bonuses are negative, and overdrawn for the balance only', async () => {
    const week = items(...[14, 15, 16].map((day): [string, string] => [`"2026-11-${day}"`, '1']));
    bot.billing.setItems('5004', week);
    bot.billing.setBalance('5004', '{"balance":5,"bonuses":-100}');
    const { visibleText } = await bot.ask('/balance 5004');
    expect(visibleText).toContain('5.00 left');
    expect(visibleText).toContain(':warning: *Overdrawn: balance and bonuses together are −95.00*');
    expect(visibleText).toContain('bonuses −100.00 · ');
  });
});

describe('/spend', () => {
  it('shows the total, the comparison, a chart, the collapsed days, the notes and buttons, in this order', async () => {
    const answer = await bot.ask('/spend 123 last-7-days');
    expect(titles(answer)).toEqual([
      'header',
      'section',
      'data_visualization',
      'container',
      'context',
      'actions',
    ]);
    expect(answer.visibleText).toMatch(
      /^Project 123 · 14–20 Nov · [\d,]+\.\d\d spent\n\*[▲▼] [\d.]+ %\* vs 7–13 Nov \(daily average\) · [\d,.]+ a day · most on Wed 18 Nov, [\d,.]+\n/,
    );
    expect(answer.visibleText).toMatch(
      /\n6 of 7 days reported, no data for Mon 16 Nov · bonuses [\d,.]+ · Cloud platform · UTC\n/,
    );
    expect(answer.blocks.find(({ type }) => type === 'container')).toMatchObject({
      title: { text: 'Each day (7)' },
      default_collapsed: true,
    });
  });

  it('asks billing for the period and the previous one in parallel', async () => {
    const queries = await asked(() =>
      bot.ask('/spend 31415926535897932384626433832795 last-month virtualization'),
    );
    expect(queries.sort()).toEqual([
      expect.stringContaining(
        'periodFrom: "2026-09-01T00:00:00.000Z", periodTo: "2026-09-30T23:59:59.999Z", externalSubscriptionId: 31415926535897932384626433832795, productId: 3',
      ),
      expect.stringContaining('periodFrom: "2026-10-01T00:00:00.000Z", periodTo: "2026-10-31T23:59:59.999Z"'),
    ]);
  });

  it('sends one more query, for earlier months, when it forecasts the current one', async () => {
    const queries = await asked(() => bot.ask('/spend 123 mtd'));
    expect(queries.sort()).toEqual([
      expect.stringContaining('periodFrom: "2026-07-04T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z"'),
      expect.stringContaining('periodFrom: "2026-11-01T00:00:00.000Z", periodTo: "2026-11-21T10:15:30.123Z"'),
    ]);
  });

  it('forecasts the current month and says what the forecast is based on', async () => {
    const each = (first: string, count: number): [string, string][] =>
      Array.from({ length: count }, (_, n) => [
        `"${new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10)}"`,
        '10',
      ]);
    bot.billing.setItems('5030', items(...each('2026-07-04', 140)));
    const { visibleText } = await bot.ask('/spend 5030 mtd');
    expect(visibleText).toContain('Forecast: about 300.00 by 30 Nov, from the last 28 days');
    expect((await bot.ask('/spend 5030 2026-11')).visibleText).toContain('Forecast: about');
    for (const period of ['last-month', 'last-7-days', 'today', 'this-week'])
      expect((await bot.ask(`/spend 5030 ${period}`)).visibleText).not.toContain('Estimate');
  });

  it('adds exactly, keeps gaps, and shows what it cannot parse', async () => {
    bot.billing.setItems(
      '5010',
      items(
        ['"2026-11-14"', '0.1'],
        ['"2026-11-14"', '"0.2"', 'null'],
        ['"2026-11-15T00:00:00.000Z"', '1000000000000000000000000000.005'],
        ['"2026-11-17"', '"n/a"'],
        ['"2026-11-01"', '5'],
        ['"soon"', '7'],
      ),
    );
    const { visibleText, blocks } = await bot.ask('/spend 5010');
    expect(visibleText).toContain(
      'Project 5010 · 14–20 Nov · 1,000,000,000,000,000,000,000,000,012.30 spent on 2 of 7 days (incomplete)',
    );
    expect(visibleText).toContain('Sat 14 Nov (2 items added)\n0.30');
    expect(visibleText).toContain('Tue 17 Nov\nunreadable: n/a');
    expect(visibleText).toContain('Sun 1 Nov (outside this period)\n5.00');
    expect(visibleText).toContain('soon\n7.00');
    expect(visibleText).toContain('no data for Mon 16 Nov and 18–20 Nov');
    expect(JSON.stringify(blocks.find(({ type }) => type === 'data_visualization'))).toContain(
      '"16 no data"',
    );
  });

  it('still answers when only the previous period fails, and says why there is no comparison', async () => {
    bot.billing.respond(({ query }) =>
      String(query).includes('2026-11-07') ? { status: 403, body: '' } : undefined,
    );
    const { visibleText } = await bot.ask('/spend 123');
    bot.billing.respond(undefined);
    expect(visibleText).toContain('spent');
    expect(visibleText).toContain(
      'No comparison with 7–13 Nov: The billing service refused this access token',
    );
  });

  it('repeats the service’s remarks about the previous period, even when they are all it has', async () => {
    const beside = async (data: string) => {
      bot.billing.respond(({ query }) =>
        String(query).includes('2026-11-07')
          ? { status: 200, body: `{"errors":[{"message":"November <!here> is late"}],"data":${data}}` }
          : undefined,
      );
      const { visibleText } = await bot.ask('/spend 123');
      bot.billing.respond(undefined);
      return visibleText;
    };
    const report = `{"bill":{"reportSubscriptionConsuming":{"items":${items(['"2026-11-07"', '1'])}}}}`;
    const remark =
      'The billing service reported a problem with the figures for 7–13 Nov:\nNovember <!here> is late';
    expect(await beside(report)).toContain(remark);
    const without = await beside('null');
    expect(without).toContain(
      'No comparison with 7–13 Nov: The billing service rejected the query for Cloud platform, project 123, 7–13 Nov.',
    );
    expect(without).toContain(remark);
  });

  it('says why there is no comparison when no day of the previous period is usable', async () => {
    bot.billing.setItems('5011', items(['"2026-11-20"', '5'], ['"soon"', '7'], ['"2026-11-08"', '"n/a"']));
    const { visibleText } = await bot.ask('/spend 5011');
    expect(visibleText).toContain(
      'Too few days reported to compare with 7–13 Nov (14–20 Nov: 1 of 7 days reported, 7–13 Nov: 0 of 7 days reported).',
    );
    bot.billing.setItems('5012', items(['"soon"', '5'], ['"2026-11-08"', '3']));
    expect((await bot.ask('/spend 5012')).visibleText).toContain(
      'Too few days reported to compare with 7–13 Nov (14–20 Nov: 0 of 7 days reported, 7–13 Nov: 1 of 7 days reported).',
    );
  });

  it('compares averages with averages and totals with totals when there is no percentage', async () => {
    bot.billing.setItems(
      '5013',
      items(
        ...[14, 15, 16, 17, 18, 19, 20].map((day): [string, string] => [`"2026-11-${day}"`, '30']),
        ...['07', '08', '09', 10, 11, 12, 13].map((day): [string, string] => [`"2026-11-${day}"`, '-5']),
      ),
    );
    const { visibleText } = await bot.ask('/spend 5013');
    expect(visibleText).toContain('\nvs −5.00 a day in 7–13 Nov · 30.00 a day');
  });

  it('says how many days are reported on each side when one is missing', async () => {
    const some = (...days: (string | number)[]) =>
      days.map((day): [string, string] => [`"2026-11-${day}"`, '30']);
    bot.billing.setItems(
      '5014',
      items(...some(14, 15, 16, 17, 18, 19), ...some('07', '08', '09', 10, 11, 12)),
    );
    const even = await bot.ask('/spend 5014');
    expect(even.visibleText).toContain('*unchanged* vs 7–13 Nov (6 of 7 days reported) · 30.00 a day');
    expect(even.visibleText).toContain('6 of 7 days reported, no data for Fri 20 Nov');
    bot.billing.setItems(
      '5014',
      items(...some(14, 15, 16, 17, 18, 19), ...some('07', '08', '09', 10, 11, 12, 13)),
    );
    expect((await bot.ask('/spend 5014')).visibleText).toContain(
      '*unchanged* vs 7–13 Nov (daily average) · 30.00 a day',
    );
  });

  it('says whether items without a day are in the total', async () => {
    bot.billing.setItems(
      '5017',
      `[{"day":"2026-11-14","totalAmount":1,"totalBonuses":0},{},{"day":"soon","totalAmount":"n/a"},{"day":"soon","totalAmount":2},{"day":"2026-11-01","totalAmount":null},{"day":"2026-11-01","totalAmount":4}]`,
    );
    const { visibleText } = await bot.ask('/spend 5017');
    expect(visibleText).toContain('Project 5017 · 14–20 Nov · 7.00 spent on 1 of 7 days (incomplete)');
    expect(visibleText).toContain(
      [
        '1 item outside this period is in the total, not in the days.',
        '1 item without a readable day is in the total, not in the days.',
      ].join('\n'),
    );
  });

  it('shows no percentage when few days are reported, and says why', async () => {
    bot.billing.setItems('5015', items(['"2026-11-14"', '30'], ['"2026-11-07"', '10']));
    const { visibleText } = await bot.ask('/spend 5015');
    expect(visibleText).not.toMatch(/[▲▼]/);
    expect(visibleText).toContain('Project 5015 · 14–20 Nov · 40.00 spent on 1 of 7 days\n');
    expect(visibleText).toContain('no data for 15–20 Nov · ');
    expect(visibleText).toContain(
      'Too few days reported to compare with 7–13 Nov (14–20 Nov: 1 of 7 days reported, 7–13 Nov: 1 of 7 days reported).',
    );
  });

  it('compares a single day with the same weekday of the week before', async () => {
    bot.billing.setItems('5016', items(['"2026-11-20"', '30'], ['"2026-11-13"', '20']));
    const { visibleText } = await bot.ask('/spend 5016 yesterday');
    expect(visibleText).toMatch(/\n\*▲ 50.0 %\* vs Fri 13 Nov( ·|\n)/);
  });

  it('groups days when there are more than Slack’s tables and charts hold', async () => {
    const { visibleText, blocks } = await bot.ask('/spend 123 last-12-months');
    const chart = blocks.find(({ type }) => type === 'data_visualization') as {
      chart: { axis_config: { categories: string[] } };
    };
    expect(chart.chart.axis_config.categories).toHaveLength(12);
    expect(visibleText).toContain('By week');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('has bars in a line and the days as text when Slack rejects chart and table, and keeps the rest', async () => {
    const before = await bot.ask('/spend 123');
    for (const type of ['data_visualization', 'container', 'table']) {
      bot.slack.refuse.clear();
      bot.slack.refuse.add(type);
      const { blocks, visibleText } = await bot.ask('/spend 123');
      expect(titles({ blocks })).toEqual(['header', 'section', 'section', 'rich_text', 'context', 'actions']);
      expect(visibleText).toMatch(/\nSat 14 [▁▂▃▄▅▆▇█]{2} [▁▂▃▄▅▆▇█]{4} Fri 20\n/);
      expect(visibleText).toMatch(/\nMon 16 Nov +no data/);
      expect(visibleText.split('\n').slice(0, 2)).toEqual(before.visibleText.split('\n').slice(0, 2));
    }
  });

  it('offers the other products when there is no data; the button asks again', async () => {
    const answer = await bot.ask('/spend 789 yesterday');
    expect(answer.visibleText).toContain(
      'No Cloud platform data for project 789, Fri 20 Nov.\nTry another product or period, or check the project ID.',
    );
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Try Object storage');
    const retried = await bot.slack.waitFor(() => {
      const last = bot.slack.messages(OWNER, CHANNEL).at(-1)!;
      return last.text.includes('spent') && toAnswer(last);
    });
    expect(retried.visibleText).toContain('Project 789 · Fri 20 Nov · ');
    expect(retried.visibleText).toContain('Object storage');
  });

  it('quotes the bad word with what is wrong, and offers the correction as a button', async () => {
    const answer = await bot.ask('/spend 123 last-wek');
    expect(answer.visibleText).toContain('I don’t recognize “last-wek”. Did you mean this?');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, '/spend 123 last-week');
    const corrected = await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, CHANNEL).find(({ ts, text }) => ts === answer.ts && text.includes('spent')),
    );
    expect(toAnswer(corrected).visibleText).toContain('Project 123 · 9–15 Nov · ');
  });

  it('shares the answer as of the time it was asked, and says who shared it', async () => {
    const answer = await bot.ask('/spend 456 mtd');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Share');
    const shared = await bot.slack.waitFor(() =>
      bot.slack.messages(MEMBER, CHANNEL).find(({ text }) => text.includes('456')),
    );
    expect(shared.ephemeral).toBe(false);
    expect(textOf(shared.blocks)).not.toContain('Share');
    expect(toAnswer(shared).visibleText).toContain(`shared by <@${OWNER}>`);
    expect(shared.text).toBe(answer.text);
  });

  it('shares an answer once, however often the button is pressed at a time', async () => {
    const answer = await bot.ask('/balance 456');
    const shared = () =>
      bot.slack.messages(MEMBER, CHANNEL).filter(({ text }) => text.includes('456') && text.includes('left'));
    const before = shared().length;
    const press = () => bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Share');
    await Promise.all([press(), press(), press()]);
    await bot.slack.waitFor(() => shared().length > before);
    // Takes as long as a second answer would.
    const { ts } = await bot.ask('/balance 456');
    expect(shared()).toHaveLength(before + 1);
    await bot.slack.press(OWNER, { channel: CHANNEL, ts }, 'Share');
    await bot.slack.waitFor(() => shared().length > before + 1);
    expect(shared()).toHaveLength(before + 2);
  });

  it('formats numbers in the reader’s Slack locale', async () => {
    const { visibleText } = await bot.ask('/spend 123', MEMBER);
    expect(visibleText).toMatch(/Project 123 · 14–20 Nov · \d{3}\.\d{3},\d\d spent/);
  });

  it.each([
    ['0', 'You can try again now.'],
    ['1', 'Try again in a second.'],
  ])('says what a Retry-After of %s means', async (after, sentence) => {
    bot.billing.respond(() => ({ status: 429, body: '', headers: { 'retry-after': after } }));
    const { visibleText } = await bot.ask('/spend 123');
    bot.billing.respond(undefined);
    expect(visibleText).toContain(sentence);
  });

  it('asks for a project when there is none, and shows help', async () => {
    expect((await bot.ask('/spend mtd')).visibleText).toContain('Which project?');
    expect((await bot.ask('/spend help')).visibleText).toContain('/spend [projects] [period] [product]');
    expect((await bot.ask('/spend ?')).visibleText).toContain('Periods: yesterday, last-week');
    expect((await bot.ask('/balance ?')).visibleText).toContain('/spend takes periods.');
  });
});

describe('Share on an answer that is a week old', () => {
  const WEEK = 7 * 86_400_000;
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  /** One amount for each of the `count` days before `at`, or including its day. */
  const daily = (at: number, count: number, amount: string, isWithToday = false): [string, string][] =>
    Array.from({ length: count }, (_, n) => [
      `"${dayOf(at - (n + (isWithToday ? 0 : 1)) * 86_400_000)}"`,
      amount,
    ]);

  async function sharedLater(answer: { ts: string }): Promise<string> {
    const before = bot.slack.messages(MEMBER, CHANNEL).length;
    now = NOW + WEEK;
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Share');
    const shared = await bot.slack.waitFor(() => bot.slack.messages(MEMBER, CHANNEL)[before]);
    return toAnswer(shared).visibleText;
  }

  it('divides today’s balance by today’s average, and says as of when', async () => {
    bot.billing.setBalance('5020', '{"balance":1970,"bonuses":0}');
    bot.billing.setItems('5020', items(...daily(NOW, 7, '10')));
    const answer = await bot.ask('/balance 5020');
    expect(answer.visibleText).toContain('*About 197 days*');
    bot.billing.setBalance('5020', '{"balance":1480,"bonuses":0}');
    bot.billing.setItems('5020', items(...daily(NOW + WEEK, 7, '5')));
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('*About 296 days*');
    expect(visibleText).toContain('at 5.00 a day (7 of the last 7 days reported)');
    expect(visibleText).toContain(
      `fetched: <!date^${(NOW + WEEK - (NOW % 1000)) / 1000}^{date_short_pretty} {time}|`,
    );
  });

  it('updates a month that was still running, and calls no other day today', async () => {
    bot.billing.setItems('5021', items(...daily(NOW, 21, '10', true)));
    const answer = await bot.ask('/spend 5021 mtd');
    expect(answer.visibleText).toContain('Project 5021 · 1–21 Nov · 210.00 spent');
    bot.billing.setItems('5021', items(...daily(NOW + WEEK, 28, '10', true)));
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('Project 5021 · 1–28 Nov · 280.00 spent');
    expect(visibleText).toContain('Sat 28 Nov (so far)');
    expect(visibleText).not.toContain('21 Nov (so far)');
  });

  it('keeps the days of a period that was over, and does not call the next day today', async () => {
    bot.billing.setItems('5022', items(...daily(NOW, 14, '10')));
    const answer = await bot.ask('/spend 5022');
    expect(answer.visibleText).toContain('Project 5022 · 14–20 Nov · 140.00 spent');
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('Project 5022 · 14–20 Nov · 140.00 spent');
  });
});

describe('a person', () => {
  it.each(['/balance 123', '/spend 123', '/billing help', '/billing settings'])(
    'who is a guest gets nothing from %s',
    async (command) => {
      const queries = await asked(async () => {
        const { visibleText } = await bot.ask(command, GUEST, 'C0GENERAL1');
        expect(visibleText).toContain('Guests can’t use Tally in this workspace.');
      });
      expect(queries).toEqual([]);
    },
  );

  it.each([
    '/spend 123 12345678-1234-1234-1234-123456789012',
    '/balance qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm',
    '/billing status abCD+efGH/ijKLmn==',
    '/billing d41d8cd9—8f00b204—e9800998—ecf8427e',
  ])('who pastes a secret of any shape gets a warning: %s', async (command) => {
    const { visibleText } = await bot.ask(command);
    expect(visibleText).toContain('looks like a token');
    expect(visibleText).not.toContain(command.split(' ').at(-1));
  });

  it('can type a registered name, whatever it looks like', async () => {
    const alias = 'qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm';
    await addProject(bot, { alias, id: '123' });
    expect((await bot.ask(`/spend ${alias}`)).visibleText).toContain(`${alias} · `);
    const { visibleText } = await bot.ask(`/billing default ${alias}`);
    expect(visibleText).not.toContain('looks like a token');
    expect(visibleText).toContain(alias);
    await bot.ask('/billing default none');
  });

  it('can ask about a project with a 32-digit ID', async () => {
    const { visibleText } = await bot.ask('/spend 12345678901234567890123456789012');
    expect(visibleText).toContain('project 12345678901234567890123456789012');
  });

  it('who pastes a secret gets a warning, and the secret is in no log and no reply', async () => {
    const secret = 'gAAAAABsandboxSecret0123456789abcdefghij';
    const { visibleText } = await bot.ask(`/spend 123 ${secret}`);
    expect(visibleText).toContain('looks like a token');
    expect(visibleText).not.toContain(secret);
    expect(bot.log()).not.toContain(secret);
  });
});

describe('every message', () => {
  it('is accepted by Slack', () => {
    expect(bot.slack.complaints).toEqual([]);
    expect(textOf(bot.slack.messages(OWNER, CHANNEL))).not.toContain('undefined');
  });
});
