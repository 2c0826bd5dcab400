import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, botOfFile, CHANNEL, DAY, SATURDAY, textOf } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';
import { commandsOf } from '../support/redis.ts';
import { answerQueries, answerWith, itemsJson, november } from '../support/service-replies.ts';

const bot = await botOfFile();
await bot.connect();

// A query may still run after the answer. An equal query of the next test would share its response.
afterEach(() => bot.waitUntilIdle());

/** @returns an item for each of the days before `day` */
const daysBefore = (at: number, count: number, amount: number) =>
  Array.from(
    { length: count },
    (_, n) => [new Date(at - (n + 1) * DAY).toISOString().slice(0, 10), amount] as const,
  );

describe('/balance', () => {
  it('shows the balance first, then how long the balance lasts, then what this estimate is based on', async () => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":"12000"}');
    bot.billing.setItems('5001', itemsJson(...november(14, 15, 30_000), ...november(17, 20, 30_000)));
    const answer = await bot.ask('/balance 5001');
    expect(answer.ephemeral).toBe(true);
    expect(answer.types).toEqual(['header', 'section', 'context', 'actions']);
    expect(answer.lines.slice(0, 3)).toEqual([
      'Project 5001 · 1,234,567.80 left',
      '*About 41 days*, until around 1 Jan 2027',
      expect.stringMatching(
        /^at 30,000\.00 a day \(6 of the last 7 days reported\) · bonuses 12,000\.00 · Cloud platform$/,
      ),
    ]);
  });

  it('sends billing exactly the two documented queries', async () => {
    const queries = await bot.queriesDuring(() => bot.ask('/balance 123'));
    expect(queries.toSorted()).toEqual([
      'query { bill { getSubscriptionBalance(externalSubscriptionId: 123, productId: 1) { balance bonuses } } }',
      'query { bill { reportSubscriptionConsuming(filter: { periodFrom: "2026-11-14T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z", externalSubscriptionId: 123, productId: 1 }) { items { day totalAmount totalBonuses } } } }',
    ]);
  });

  it.for([
    ...['/balance 123', '/spend 123'],
    ...['/billing projects', '/billing help', '/billing status', '/billing schedules'],
  ])('reads the workspace’s record only twice, as other commands also do: %s', async (command) => {
    await bot.ask(command);
    const sent = await commandsOf(bot.redis, () => bot.ask(command));
    // Checking for a repeated request and reading the record take one round trip.
    expect(sent).toEqual(['set', 'hgetall', 'hgetall']);
  });

  it('quotes billing’s error messages about the balance and about the last 7 days', async () => {
    bot.billing.respond(({ query }) => ({
      status: 200,
      body: String(query).includes('reportSubscriptionConsuming')
        ? `{"errors":[{"message":"the week is late"},{"message":"both"}],"data":{"bill":{"reportSubscriptionConsuming":{"items":${itemsJson(['2026-11-14', 1])}}}}}`
        : '{"errors":[{"message":"the balance is late"},{"message":"both"}],"data":{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":0}}}}',
    }));
    const { visibleText } = await bot.ask('/balance 123');
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

  it('names project and product, but no period, if there is no data', async () => {
    bot.billing.setBalance('5007', 'null');
    const { visibleText } = await bot.ask('/balance 5007 storage');
    expect(visibleText).toContain(
      'No Object storage data for project 5007.\nTry another product, or check the project ID.',
    );
    expect(visibleText).not.toContain('period');
  });

  it('names project and product if billing returns errors', async () => {
    bot.billing.respond(() => ({ status: 200, body: '{"errors":[{"message":"no access"}],"data":null}' }));
    const [balance, spend] = [await bot.ask('/balance 123'), await bot.ask('/spend 123 last-month storage')];
    expect(balance.visibleText).toContain(
      'The billing service rejected the query for Cloud platform, project 123.\nThe service said:\nno access',
    );
    expect(spend.visibleText).toContain(
      'The billing service rejected the query for Object storage, project 123, October.\nThe service said:\nno access',
    );
  });

  it('suggests trying again if billing’s response was cut off', async () => {
    answerWith(bot.billing, 'truncated');
    const answer = await bot.ask('/balance 5002');
    expect(answer.visibleText).toContain('it was cut off.\nThis is usually temporary.\nTry again');
  });

  it('shows the balance even if the query for the last 7 days fails', async () => {
    bot.billing.setBalance('5002', '{"balance":10,"bonuses":0}');
    answerQueries(bot.billing, 'reportSubscriptionConsuming', { status: 403, body: '' });
    const answer = await bot.ask('/balance 5002');
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
    ['"100"', 'null', 'Project 5003 · 100.00 left', 'unreadable bonuses (no value)'],
    ['"a lot"', '1', 'Project 5003 · unreadable balance (a lot)', '*No runway*: the balance can’t be read'],
    [
      '123456789012345678901234567890.12',
      '0',
      '123,456,789,012,345,678,901,234,567,890.12 left',
      '*More than 10 years*',
    ],
  ])(
    'explains the result if billing reports a balance of %s and bonuses of %s',
    async (balance, bonuses, title, sentence) => {
      bot.billing.setBalance('5003', `{"balance":${balance},"bonuses":${bonuses}}`);
      bot.billing.setItems('5003', itemsJson(...november(14, 16, 1)));
      const { visibleText } = await bot.ask('/balance 5003');
      expect(visibleText).toContain(title);
      expect(visibleText).toContain(sentence);
    },
  );

  it.each([
    ['/balance 777 last-week', '/balance 777'],
    ['/balance storage 2026-10..2026-11 123', '/balance storage 123'],
    ['/balance mtd', '/balance'],
  ])('refuses %s because of its period, and offers %s instead', async (command, offered) => {
    const { visibleText, commands } = await bot.ask(command);
    expect(visibleText).toContain('A balance is always as of now.');
    expect(commands).toEqual([offered]);
  });

  it('suggests no command for an unknown word', async () => {
    const { visibleText, types } = await bot.ask('/balance yesturday 123');
    expect(visibleText).toContain('“yesturday”');
    expect(types).not.toContain('actions');
  });

  it.each([
    ['/balance banana', 'I don’t recognize “banana”. Which project?'],
    ['/balance 123 456', 'You named two projects without a comma'],
  ])('refuses %s without suggesting a period', async (command, why) => {
    const { visibleText } = await bot.ask(command);
    expect(visibleText).toContain(why);
    expect(visibleText).not.toContain('last-7-days');
  });

  it('doesn’t suggest a shorter period if billing’s response is too large', async () => {
    const huge = { status: 200, body: `"${'x'.repeat(4 * 1024 * 1024)}"` };
    bot.billing.respond(() => huge);
    const [balance, spend] = [await bot.ask('/balance 123'), await bot.ask('/spend 123')];
    expect(balance.visibleText).toContain('sent more than 512 KB');
    expect(balance.visibleText).not.toContain('period');
    expect(spend.visibleText).toContain('Ask about a shorter period.');
  });

  it('warns if the negative bonuses exceed the balance', async () => {
    bot.billing.setItems('5004', itemsJson(...november(14, 16, 1)));
    bot.billing.setBalance('5004', '{"balance":5,"bonuses":-100}');
    const { visibleText } = await bot.ask('/balance 5004');
    expect(visibleText).toContain('5.00 left');
    expect(visibleText).toContain(':warning: *Overdrawn: balance and bonuses together are −95.00*');
    expect(visibleText).toContain('bonuses −100.00 · ');
  });

  it('has a Share button that shares only once if pressed three times at once', async () => {
    const answer = await bot.ask('/balance 456');
    const shared = () => bot.answers(MEMBER).length;
    const before = shared();
    await Promise.all([1, 2, 3].map(() => bot.press(answer, 'Share')));
    await bot.slack.waitFor(() => shared() > before);
    // Long enough for a second answer to arrive.
    const again = await bot.ask('/balance 456');
    expect(shared()).toBe(before + 1);
    await bot.press(again, 'Share');
    await bot.slack.waitFor(() => shared() > before + 1);
    expect(shared()).toBe(before + 2);
  });
});

describe('/spend', () => {
  it('shows total, comparison, chart, days, small print and buttons, in this order', async () => {
    const answer = await bot.ask('/spend 123 last-7-days');
    expect(answer.types.join()).toBe('header,section,data_visualization,container,context,actions');
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

  it('asks billing for the period and for the previous period', async () => {
    const command = '/spend 31415926535897932384626433832795 last-month virtualization';
    expect((await bot.queriesDuring(() => bot.ask(command))).toSorted()).toEqual([
      expect.stringContaining(
        'periodFrom: "2026-09-01T00:00:00.000Z", periodTo: "2026-09-30T23:59:59.999Z", externalSubscriptionId: 31415926535897932384626433832795, productId: 3',
      ),
      expect.stringContaining('periodFrom: "2026-10-01T00:00:00.000Z", periodTo: "2026-10-31T23:59:59.999Z"'),
    ]);
  });

  it('also asks billing for earlier months, as the basis of a forecast for the current month', async () => {
    const queries = await bot.queriesDuring(() => bot.ask('/spend 123 mtd'));
    expect(queries.toSorted()).toEqual([
      expect.stringContaining('periodFrom: "2026-07-04T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z"'),
      expect.stringContaining('periodFrom: "2026-11-01T00:00:00.000Z", periodTo: "2026-11-21T10:15:30.123Z"'),
    ]);
  });

  it('forecasts the current month and says what the forecast is based on', async () => {
    bot.billing.setItems('5030', itemsJson(...daysBefore(SATURDAY, 20, 10)));
    const { visibleText } = await bot.ask('/spend 5030 mtd');
    expect(visibleText).toContain('so far, about 300.00 by 30 Nov\n');
    expect(visibleText).toContain('estimated from the last 20 days');
    expect(await bot.read('/spend 5030 2026-11')).toContain('about 300.00 by');
    for (const period of ['last-month', 'last-7-days', 'today', 'this-week'])
      expect(await bot.read(`/spend 5030 ${period}`)).not.toContain('estimate');
  });

  it('adds amounts exactly, and shows missing days and unreadable amounts', async () => {
    bot.billing.setItems(
      '5010',
      itemsJson(
        ['2026-11-14', 0.1],
        ['2026-11-14', '"0.2"', 'null'],
        ['2026-11-15T00:00:00.000Z', '1000000000000000000000000000.005'],
        ['2026-11-17', '"n/a"'],
        ['2026-11-01', 5],
        ['soon', 7],
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

  it('says why there is no comparison if only the query for the previous period fails', async () => {
    answerQueries(bot.billing, '2026-11-07', { status: 403, body: '' });
    const { visibleText } = await bot.ask('/spend 123');
    expect(visibleText).toContain('spent');
    expect(visibleText).toContain(
      'No comparison with 7–13 Nov: The billing service says the access token doesn’t have permission for this',
    );
  });

  it('quotes billing’s error messages about the previous period', async () => {
    const beside = async (data: string) => {
      const body = `{"errors":[{"message":"November <!here> is late"}],"data":${data}}`;
      answerQueries(bot.billing, '2026-11-07', { status: 200, body });
      return await bot.read('/spend 123');
    };
    const report = `{"bill":{"reportSubscriptionConsuming":{"items":${itemsJson(['2026-11-07', 1])}}}}`;
    const remark =
      'The billing service reported a problem with the figures for 7–13 Nov:\nNovember <!here> is late';
    expect(await beside(report)).toContain(remark);
    const without = await beside('null');
    expect(without).toContain(
      'No comparison with 7–13 Nov: The billing service rejected the query for Cloud platform, project 123, 7–13 Nov.',
    );
    expect(without).toContain(remark);
  });

  const few = (now: number, then: number) =>
    `Too few days reported to compare with 7–13 Nov (14–20 Nov: ${now} of 7 days reported, 7–13 Nov: ${then} of 7 days reported).`;

  it.each([
    [
      'the amounts of the week before are negative',
      [...november(14, 20, 30), ...november(7, 13, -5)],
      ['\nvs −5.00 a day in 7–13 Nov · 30.00 a day'],
    ],
    [
      'each week lacks a day',
      [...november(14, 19, 30), ...november(7, 12, 30)],
      [
        '*unchanged* vs 7–13 Nov (6 of 7 days reported) · 30.00 a day',
        '6 of 7 days reported, no data for Fri 20 Nov',
      ],
    ],
    [
      'one week lacks a day',
      [...november(14, 19, 30), ...november(7, 13, 30)],
      ['*unchanged* vs 7–13 Nov (daily average) · 30.00 a day'],
    ],
    [
      'few days are reported',
      [...november(14, 14, 30), ...november(7, 7, 10)],
      ['· 14–20 Nov · 40.00 spent on 1 of 7 days\n', 'no data for 15–20 Nov · ', few(1, 1)],
    ],
    [
      'no day of the week before is readable',
      [
        ['2026-11-20', 5],
        ['soon', 7],
        ['2026-11-08', '"n/a"'],
      ] as const,
      ['No comparison: 7–13 Nov has no figures.'],
    ],
    [
      'no day of the week is readable',
      [
        ['soon', 5],
        ['2026-11-08', 3],
      ] as const,
      ['No comparison: 14–20 Nov has no figures.'],
    ],
  ])(
    'shows a comparison with the week before, or the reason for its absence, if %s',
    async (_, items, sentences) => {
      bot.billing.setItems('5011', itemsJson(...items));
      const { visibleText } = await bot.ask('/spend 5011');
      for (const sentence of sentences) expect(visibleText).toContain(sentence);
      expect(visibleText).not.toMatch(/[▲▼]/);
    },
  );

  it('says that the total includes items outside the period or without a readable day', async () => {
    bot.billing.setItems(
      '5017',
      `[{"day":"2026-11-14","totalAmount":1,"totalBonuses":0},{},{"day":"soon","totalAmount":"n/a"},{"day":"soon","totalAmount":2},{"day":"2026-11-01","totalAmount":null},{"day":"2026-11-01","totalAmount":4}]`,
    );
    const { visibleText } = await bot.ask('/spend 5017');
    expect(visibleText).toContain('Project 5017 · 14–20 Nov · 7.00 spent on 1 of 7 days (incomplete)');
    expect(visibleText).toContain(
      [
        '1 item outside this period is in the total, but not in any day.',
        '1 item without a readable day is in the total, but not in any day.',
      ].join('\n'),
    );
  });

  it('compares a single day with the same weekday of the week before', async () => {
    bot.billing.setItems('5016', itemsJson(['2026-11-20', 30], ['2026-11-13', 20]));
    const { visibleText } = await bot.ask('/spend 5016 yesterday');
    expect(visibleText).toMatch(/\n\*▲ 50.0 %\* vs Fri 13 Nov( ·|\n)/);
  });

  it('groups days if there are too many for Slack’s tables and charts', async () => {
    const { visibleText, blocks } = await bot.ask('/spend 123 last-12-months');
    const chart = blocks.find(({ type }) => type === 'data_visualization') as {
      chart: { axis_config: { categories: string[] } };
    };
    expect(chart.chart.axis_config.categories).toHaveLength(12);
    expect(visibleText).toContain('By week');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('draws bars as text if Slack rejects a chart or table', async () => {
    const usual = await bot.ask('/spend 123');
    for (const type of ['data_visualization', 'container', 'table']) {
      bot.slack.refuse.clear();
      bot.slack.refuse.add(type);
      const { types, lines, visibleText } = await bot.ask('/spend 123');
      expect(types.join()).toBe('header,section,section,rich_text,context,actions');
      expect(visibleText).toMatch(/\nSat 14 [▁▂▃▄▅▆▇█]{2} [▁▂▃▄▅▆▇█]{4} Fri 20\n/);
      expect(visibleText).toMatch(/\nMon 16 Nov +no data/);
      expect(lines.slice(0, 2)).toEqual(usual.lines.slice(0, 2));
    }
  });

  it('offers the other products if there is no data', async () => {
    const answer = await bot.ask('/spend 789 yesterday');
    expect(answer.visibleText).toContain(
      'No Cloud platform data for project 789, Fri 20 Nov.\nTry another product or period, or check the project ID.',
    );
    await bot.press(answer, 'Try Object storage');
    const retried = await bot.updated(answer, 'spent');
    expect(retried.visibleText).toMatch(/^Project 789 · Fri 20 Nov · .*spent[\s\S]*Object storage/);
  });

  it('suggests first that billing may be late if a named project has no data for yesterday', async () => {
    await addProject(bot, { alias: 'quiet', id: '5031' });
    bot.billing.setItems('5031', '[]');
    const { visibleText } = await bot.ask('/spend quiet yesterday');
    expect(visibleText).toContain(
      'No Cloud platform data for quiet, Fri 20 Nov.\nBilling may not have reported this yet. Otherwise, try another product or period',
    );
    expect(await bot.read('/spend quiet october')).not.toContain('may not have reported');
    await bot.drop('project:quiet');
  });

  it('shows no comparison if the spend of both periods is zero', async () => {
    bot.billing.setItems('5032', itemsJson(...daysBefore(SATURDAY, 14, 0)));
    expect(await bot.read('/spend 5032')).not.toContain('vs ');
  });

  it('also offers the other products if a question in words finds no data', async () => {
    const { visibleText, commands } = await bot.ask('/spend how much did 789 cost yesterday?');
    expect(visibleText).toContain('No Cloud platform data for project 789, Fri 20 Nov.');
    expect(commands[0]).toBe('/spend 789 yesterday storage');
  });

  it('quotes a wrong word, says what is wrong, and offers a correction', async () => {
    const answer = await bot.ask('/spend 123 last-wek');
    expect(answer.visibleText).toContain('I don’t recognize “last-wek”. Did you mean this?');
    await bot.press(answer, '/spend 123 last-week');
    expect((await bot.updated(answer, 'spent')).visibleText).toContain('Project 123 · 9–15 Nov · ');
  });

  it('has a Share button, which posts the same figures and says who shared them', async () => {
    const answer = await bot.ask('/spend 456 mtd');
    const shared = await bot.next(() => bot.press(answer, 'Share'), MEMBER);
    expect(shared).toMatchObject({ ephemeral: false, text: answer.text });
    expect(shared.buttons).not.toContain('Share');
    expect(shared.visibleText).toContain(`shared by <@${OWNER}>`);
  });

  it('formats numbers for the reader’s Slack locale', async () => {
    const { visibleText } = await bot.ask('/spend 123', MEMBER);
    expect(visibleText).toMatch(/Project 123 · 14–20 Nov · \d{3}\.\d{3},\d\d spent/);
  });

  it('says when to try again if billing limits requests', async () => {
    bot.billing.respond(() => ({ status: 429, body: '', headers: { 'retry-after': '0' } }));
    expect(await bot.read('/spend 123')).toContain('You can try again now.');
  });

  it('asks which project is meant if none is named, and answers “help” and “?” with help', async () => {
    expect(await bot.read('/spend mtd')).toContain('Which project?');
    expect(await bot.read('/spend help')).toContain('/spend [projects] [period] [product]');
    expect(await bot.read('/spend ?')).toContain('Periods: yesterday, last-week');
    expect(await bot.read('/balance ?')).toContain('/spend takes periods.');
  });
});

describe('the Share button of an answer from last week', () => {
  const WEEK = 7 * DAY;

  async function sharedLater(answer: Answer): Promise<string> {
    bot.clock.now = SATURDAY + WEEK;
    return (await bot.next(() => bot.press(answer, 'Share'), MEMBER)).visibleText;
  }

  it('shares today’s balance, how long the balance lasts, and when both were fetched', async () => {
    bot.billing.setBalance('5020', '{"balance":1970,"bonuses":0}');
    bot.billing.setItems('5020', itemsJson(...daysBefore(SATURDAY, 7, 10)));
    const answer = await bot.ask('/balance 5020');
    expect(answer.visibleText).toContain('*About 197 days*');
    bot.billing.setBalance('5020', '{"balance":1480,"bonuses":0}');
    bot.billing.setItems('5020', itemsJson(...daysBefore(SATURDAY + WEEK, 7, 5)));
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('*About 296 days*');
    expect(visibleText).toContain('at 5.00 a day · ');
    expect(visibleText).toContain(
      `fetched: <!date^${Math.floor((SATURDAY + WEEK) / 1000)}^{date_short_pretty} {time}|`,
    );
  });

  it('shares the newest figures if the answer is about the current month', async () => {
    bot.billing.setItems('5021', itemsJson(...daysBefore(SATURDAY + DAY, 21, 10)));
    const answer = await bot.ask('/spend 5021 mtd');
    expect(answer.visibleText).toContain('Project 5021 · 1–21 Nov · 210.00 so far');
    bot.billing.setItems('5021', itemsJson(...daysBefore(SATURDAY + WEEK + DAY, 28, 10)));
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('Project 5021 · 1–28 Nov · 280.00 so far');
    expect(visibleText).toContain('Sat 28 Nov (so far)');
    expect(visibleText).not.toContain('21 Nov (so far)');
  });

  it('shares the original days if the answer was about a period in the past', async () => {
    bot.billing.setItems('5022', itemsJson(...daysBefore(SATURDAY, 14, 10)));
    const answer = await bot.ask('/spend 5022');
    expect(answer.visibleText).toContain('Project 5022 · 14–20 Nov · 140.00 spent');
    const visibleText = await sharedLater(answer);
    expect(visibleText).toContain('Project 5022 · 14–20 Nov · 140.00 spent');
  });
});

it.each([
  '/spend 123 12345678-1234-1234-1234-123456789012',
  '/balance qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm',
  '/billing status abCD+efGH/ijKLmn==',
  '/billing d41d8cd9—8f00b204—e9800998—ecf8427e',
  '/spend 123 gAAAAABsandboxSecret0123456789abcdefghij',
])('a pasted secret leads to a warning, and appears in no log or reply: %s', async (command) => {
  const secret = command.split(' ').at(-1);
  const { visibleText } = await bot.ask(command);
  expect(visibleText).toContain('looks like a token');
  expect(visibleText).not.toContain(secret);
  expect(bot.log()).not.toContain(secret);
});

it('a project’s name can be typed, even if it looks like a secret', async () => {
  const alias = 'qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm';
  await addProject(bot, { alias, id: '123' });
  expect(await bot.read(`/spend ${alias}`)).toContain(`${alias} · `);
  const { visibleText } = await bot.ask(`/billing default ${alias}`);
  expect(visibleText).toContain(alias);
  expect(visibleText).not.toContain('looks like a token');
  await bot.ask('/billing default none');
});

it('Slack accepts every message of /balance and /spend', () => {
  expect(bot.slack.complaints).toEqual([]);
  expect(textOf(bot.slack.messages(OWNER, CHANNEL))).not.toContain('undefined');
});
