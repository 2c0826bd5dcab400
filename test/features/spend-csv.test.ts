import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const DIRECT = OWNER.replace(/^U/, 'D');
let bot: Bot;

beforeAll(async () => {
  bot = await startBot({ now: () => NOW });
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '7001' });
  bot.billing.setItems(
    '7001',
    `[{"day":"2026-11-19","totalAmount":1.10,"totalBonuses":"0.50"},
      {"day":"2026-11-20","totalAmount":"-5e-1","totalBonuses":0},
      {"day":"=HYPERLINK(\\"x\\"),1","totalAmount":"n/a","totalBonuses":0},
      {"day":"2026-11-18","totalAmount":"123456789012345678901234567890.123","totalBonuses":0},
      {"day":"2026-11-18","totalAmount":"0.001","totalBonuses":0}]`,
  );
});
afterAll(() => bot.stop());

const files = (channel = DIRECT) =>
  bot.slack.messages(OWNER, channel).flatMap((message) => message.files ?? []);
const contentOf = async (file: { readonly url: string }) => (await fetch(file.url)).text();
const csv = [
  'project,product,day,amount,bonuses,items,note',
  '7001,cloud,2026-11-17,,,0,no data',
  '7001,cloud,2026-11-18,123456789012345678901234567890.124,0,2,2 items added',
  '7001,cloud,2026-11-19,1.10,0.50,1,',
  '7001,cloud,2026-11-20,-5e-1,0,1,',
  `7001,cloud,"'=HYPERLINK(""x""),1",,0,1,not a readable day; amount unreadable: n/a`,
  '',
].join('\r\n');

/** Sends a command whose answer is not a message. */
async function asked<T>(text: string, seen: () => T | undefined): Promise<T> {
  await bot.slack.say(OWNER, CHANNEL, text);
  return bot.slack.waitFor(seen);
}

describe('/spend … csv', () => {
  it('is a file with the exact digits, the missing days, and no formulas', async () => {
    const file = await asked('/spend prod last-4-days csv', () => files()[0]);
    expect(file.name).toBe('spend-prod-2026-11-17_2026-11-20.csv');
    expect(await contentOf(file)).toBe(csv);
    const [first, second, third] = new Uint8Array(await (await fetch(file.url)).arrayBuffer());
    expect([first, second, third]).toEqual([0xef, 0xbb, 0xbf]);
    await bot.slack.waitFor(() =>
      textOf(bot.slack.messages(OWNER, CHANNEL)).includes('The CSV is in your direct messages with Tally.'),
    );
  });

  it('is in the ⋯ menu of an answer, which stays', async () => {
    const answer = await bot.ask('/spend prod last-4-days');
    const before = files().length;
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts: answer.ts }, 'rerun:more', 'CSV');
    expect(await contentOf(await bot.slack.waitFor(() => files()[before]))).toBe(csv);
    expect(bot.slack.messages(OWNER, CHANNEL).find(({ ts }) => ts === answer.ts)?.text).toBe(answer.text);
  });

  it('has the lines of several projects', async () => {
    const before = files().length;
    const file = await asked('/spend csv 123,prod yesterday', () => files()[before]);
    expect((await contentOf(file)).split('\r\n').map((line) => line.split(',')[0])).toEqual(
      expect.arrayContaining(['project', '123', '7001']),
    );
  });

  it('has semicolons and decimal commas for a reader who writes them', async () => {
    const sent = () =>
      bot.slack.messages(MEMBER, MEMBER.replace(/^U/, 'D')).flatMap(({ files = [] }) => files);
    await bot.slack.say(MEMBER, CHANNEL, '/spend prod last-4-days csv');
    const text = await contentOf(await bot.slack.waitFor(() => sent()[0]));
    expect(text).toContain('project;product;day;amount;bonuses;items;note\r\n');
    expect(text).toContain('7001;cloud;2026-11-18;123456789012345678901234567890,124;0;2;2 items added\r\n');
  });

  it('comes without a window between', async () => {
    const { ts } = await bot.ask('/spend prod last-4-days');
    const before = files().length;
    bot.billing.setMode('slow');
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts }, 'rerun:more', 'CSV');
    const said = () =>
      bot.slack.messages(OWNER, CHANNEL).filter(({ text }) => text.endsWith(' with Tally.')).length;
    const answers = said();
    await bot.slack.waitFor(() => files()[before] && said() > answers, 10_000);
    bot.billing.setMode('healthy');
    expect(bot.slack.modal(OWNER)).toBeUndefined();
  });

  it.each([
    ['missing_scope', 'it was installed without the files:write permission.'],
    ['file_uploads_disabled', 'this workspace doesn’t allow it.'],
  ])('says why Tally cannot send files: %s', async (error, why) => {
    bot.slack.failNext('files.getUploadURLExternal', { error });
    const { visibleText } = await bot.ask('/spend prod last-4-days csv');
    expect(visibleText).toBe(`Tally can’t send files here: ${why}`);
  });

  it('is kept in a suggestion', async () => {
    expect((await bot.ask('/spend prod lst-week csv')).visibleText).toContain('/spend prod last-week csv');
  });
});

describe('/balance … csv and details', () => {
  it('is a file with exact amounts, also for several projects', async () => {
    bot.billing.setBalance('7001', '{"balance":"1234.5678","bonuses":"n/a"}');
    const before = files().length;
    const file = await asked('/balance prod,123 csv', () => files()[before]);
    expect(file.name).toBe('balance-prod-123-2026-11-21.csv');
    const lines = (await contentOf(file)).split('\r\n');
    expect(lines[0]).toBe('project,product,balance,bonuses,average a day,days left,note');
    expect(lines[1]).toMatch(/^7001,cloud,1234\.5678,,.*bonuses unreadable: n\/a$/);
    expect(lines[2]).toMatch(/^123,cloud,\d/);
    await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, CHANNEL)
        .at(-1)
        ?.text.endsWith(' The CSV is in your direct messages with Tally.'),
    );
  });

  it('are in the ⋯ menu of an answer, which stays', async () => {
    for (const command of ['/balance prod', '/balance prod,123']) {
      const answer = await bot.ask(command);
      await bot.slack.choose(OWNER, { channel: CHANNEL, ts: answer.ts }, 'rerun:more', 'Details');
      await bot.slack.waitFor(() => /Balance +1234\.5678/.test(textOf(bot.slack.modal(OWNER)?.view)));
      await bot.slack.dismiss(OWNER);
      expect(bot.slack.messages(OWNER, CHANNEL).find(({ ts }) => ts === answer.ts)?.text).toBe(answer.text);
    }
  });
});

/** One amount for each of the days of November from `first` to `last`. */
const november = (first: number, last: number, amount: string): string =>
  `[${Array.from(
    { length: last - first + 1 },
    (_, n) => `{"day":"2026-11-${first + n}","totalAmount":${amount},"totalBonuses":0}`,
  ).join(',')}]`;

describe('a CSV of several projects, of which some fail', () => {
  beforeAll(async () => {
    for (const [alias, id] of [
      ['web', '7101'],
      ['broken', '7102'],
      ['empty', '7103'],
    ] as const)
      await addProject(bot, { alias, id });
    await addProject(bot, { alias: 'disks', id: '7104', product: 2 });
    bot.billing.setItems(
      '7101',
      november(14, 18, '97.75').replace(']', `,${november(19, 19, '97.80').slice(1)}`),
    );
    bot.billing.setItems('7103', 'null');
    bot.billing.setBalance('7101', '{"balance":"3000.10","bonuses":"+7"}');
    bot.billing.setItems('7104', november(14, 19, '97.75'), 2);
    bot.billing.setBalance('7104', '{"balance":400,"bonuses":0.125}', 2);
    bot.billing.setBalance('7105', '{"balance":55,"bonuses":0}', 2);
    bot.billing.setBalance('7103', 'null');
    bot.billing.respond(({ query }) =>
      String(query).includes('7102')
        ? { status: 200, body: '{"errors":[{"message":"no, thanks"}],"data":null}' }
        : undefined,
    );
  });
  afterAll(() => bot.billing.respond(undefined));

  const linesOf = async (file: { readonly url: string }) =>
    (await contentOf(file)).split('\r\n').filter(Boolean);

  it('has a row for each of them, with the reason, and says so beside the file', async () => {
    const before = files().length;
    const file = await asked('/spend web,broken,empty last-7-days csv', () => files()[before]);
    expect(await linesOf(file)).toEqual([
      'project,product,day,amount,bonuses,items,note',
      ...[14, 15, 16, 17, 18].map((day) => `7101,cloud,2026-11-${day},97.75,0,1,`),
      '7101,cloud,2026-11-19,97.80,0,1,',
      '7101,cloud,2026-11-20,,,0,no data',
      '7102,cloud,,,,,"The billing service rejected the query for Cloud platform, project 7102, 14–20 Nov."',
      '7103,cloud,,,,,"No Cloud platform data for project 7103, 14–20 Nov."',
    ]);
    const said =
      '1 of 3 projects · 14–20 Nov · 586.55 spent. The file has a row for each day (UTC) of web. No figures for broken (query rejected) and empty (no data). web: 6 of 7 days reported, no data for Fri 20 Nov.';
    expect(bot.slack.messages(OWNER, DIRECT).find(({ files: [one] = [] }) => one?.id === file.id)?.text).toBe(
      said,
    );
    await bot.slack.waitFor(() =>
      textOf(bot.slack.messages(OWNER, CHANNEL)).includes(`${said} The CSV is in your direct messages`),
    );
  });

  it('lists failed projects among the balances too, with an average of as many decimals as the amounts', async () => {
    const before = files().length;
    const file = await asked('/balance web,disks,broken,empty csv', () => files()[before]);
    expect(await linesOf(file)).toEqual([
      'project,product,balance,bonuses,average a day,days left,note',
      '7101,cloud,3000.10,+7,97.76,30,',
      '7104,storage,400,0.125,97.750,4,',
      '7102,cloud,,,,,"The billing service rejected the query for Cloud platform, project 7102."',
      '7103,cloud,,,,,No Cloud platform data for project 7103.',
    ]);
    expect(bot.slack.messages(OWNER, DIRECT).at(-1)?.text).toBe(
      '2 of 4 projects · 3,400.10 left. The file has a row for the balance of web and disks. No figures for broken (query rejected) and empty (no data).',
    );
  });

  it('is the same in the details', async () => {
    const text = await asked('/balance web,empty details', () => {
      const shown = textOf(bot.slack.modal(OWNER)?.view);
      return shown.includes('7103') ? shown : undefined;
    });
    expect(text).toContain('No figures  No Cloud platform data for project 7103.');
    await bot.slack.dismiss(OWNER);
  });

  it('is about the product of the answer whose menu it was in', async () => {
    const answer = await bot.ask('/balance 7105 storage');
    const before = files().length;
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts: answer.ts }, 'rerun:more', 'CSV');
    const [, line] = await linesOf(await bot.slack.waitFor(() => files()[before]));
    expect(line).toMatch(/^7105,storage,55,/);
  });

  it('is in the thread of the channel that asked', async () => {
    const before = files(CHANNEL).length;
    const file = await asked('@Tally balance web,empty csv', () => files(CHANNEL)[before]);
    const messages = bot.slack.messages(OWNER, CHANNEL);
    const answer = messages.find((one) => one.files?.[0]?.id === file.id);
    const question = messages.find(({ text }) => text.includes('balance web,empty csv'));
    expect(answer?.threadTs).toBe(question?.ts);
    expect(answer?.text).toMatch(
      /^1 of 2 projects · 3,000\.10 left\. The file has a row for the balance of web\. No figures for empty \(no data\)\.$/,
    );
  });
});

describe('/spend … details', () => {
  it('shows what to reconcile with: exact times, total, items and the connection', async () => {
    const text = await asked('/spend prod last-4-days details', () => {
      const view = bot.slack.modal(OWNER);
      const shown = view && textOf(view);
      return shown?.includes('Details') ? shown : undefined;
    });
    for (const line of [
      'Project     7001',
      'Product     Cloud platform (1)',
      'Start       2026-11-17T00:00:00.000Z',
      'End         2026-11-20T23:59:59.999Z',
      'Total       123456789012345678901234567890.724 (incomplete)',
      'Bonuses     0.5',
      'Items       5',
      'Connection  main',
      'Asked at    2026-11-21T10:15:30.123Z',
    ])
      expect(text).toContain(line);
  });
});
