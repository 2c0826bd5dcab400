import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, botOfFile, CHANNEL } from '../support/bot.ts';
import { directOf } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { answerQueries, itemsJson, november } from '../support/service-replies.ts';

const bot = await botOfFile();
await bot.connect();
await addProjects(bot, { prod: '7001' });
bot.billing.setItems(
  '7001',
  itemsJson(
    ['2026-11-19', '1.10', '"0.50"'],
    ['2026-11-20', '"-5e-1"'],
    ['=HYPERLINK(\\"x\\"),1', '"n/a"'],
    ['2026-11-18', '"123456789012345678901234567890.123"'],
    ['2026-11-18', '"0.001"'],
  ),
);

/** Waits for a file, in direct messages or in the channel, and for the reply in the channel. */
async function fileAfter(work: () => Promise<unknown>, person = OWNER, channel = directOf(person)) {
  const sent = () => bot.answers(person, channel).filter(({ files = [] }) => files.length > 0);
  const before = sent().length;
  const said = await bot.next(work, person);
  const message = await bot.slack.waitFor(() => sent()[before], 10_000);
  const { name, url } = message.files![0]!;
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  return { said: said.text, message, name, bytes, text, rows: text.split('\r\n').filter(Boolean) };
}
const asked = (text: string, person = OWNER) => fileAfter(() => bot.slack.say(person, CHANNEL, text), person);
const chosen = (answer: Answer) => fileAfter(() => bot.choose(answer, 'rerun:more', 'CSV'));
const unchanged = ({ ts }: Answer) => bot.answers().find((one) => one.ts === ts)?.text;

const csv = [
  'project,product,day,amount,bonuses,items,note',
  'prod,cloud,2026-11-17,,,0,no data',
  'prod,cloud,2026-11-18,123456789012345678901234567890.124,0,2,2 items added',
  'prod,cloud,2026-11-19,1.10,0.50,1,',
  'prod,cloud,2026-11-20,-5e-1,0,1,',
  `prod,cloud,"'=HYPERLINK(""x""),1",,0,1,"unreadable day; amount unreadable: n/a"`,
  '',
].join('\r\n');

describe('/spend … csv', () => {
  it('sends a file with exact amounts, a row for each missing day, and no formulas', async () => {
    const { name, text, bytes, said } = await asked('/spend prod last-4-days csv');
    expect(name).toBe('spend-prod-2026-11-17_2026-11-20.csv');
    expect(text).toBe(csv);
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(said).toMatch(/ The CSV is in your direct messages with Tally\.$/);
  });

  it('can be chosen in an answer’s ⋯ menu, and neither opens a window nor changes the answer', async () => {
    const answer = await bot.ask('/spend prod last-4-days');
    bot.billing.setMode('slow');
    expect((await chosen(answer)).text).toBe(csv);
    expect([unchanged(answer), bot.modal()]).toEqual([answer.text, undefined]);
  });

  it('sends one file with the rows of several projects', async () => {
    const { rows } = await asked('/spend csv 123,prod yesterday');
    expect(rows.map((row) => row.split(',')[0])).toEqual(expect.arrayContaining(['project', '123', 'prod']));
  });

  it('separates fields with semicolons if the reader’s locale has decimal commas', async () => {
    const { rows } = await asked('/spend prod last-4-days csv', MEMBER);
    expect(rows[0]).toBe('project;product;day;amount;bonuses;items;note');
    expect(rows).toContain('prod;cloud;2026-11-18;123456789012345678901234567890,124;0;2;2 items added');
  });

  it.each([
    ['missing_scope', 'it was installed without the files:write permission.'],
    ['file_uploads_disabled', 'this workspace doesn’t allow it.'],
  ])('says why Tally can’t send files: %s', async (error, why) => {
    bot.slack.failNext('files.getUploadURLExternal', { error });
    const { visibleText } = await bot.ask('/spend prod last-4-days csv');
    expect(visibleText).toBe(`Tally can’t send files here: ${why}`);
  });

  it('keeps “csv” in the suggested correction of a command', async () => {
    expect(await bot.read('/spend prod lst-week csv')).toContain('/spend prod last-week csv');
  });
});

describe('/balance … csv', () => {
  it('sends a file with the exact amounts of several projects', async () => {
    bot.billing.setBalance('7001', '{"balance":"1234.5678","bonuses":"n/a"}');
    const { name, rows } = await asked('/balance prod,123 csv');
    expect(name).toBe('balance-prod-123-2026-11-21.csv');
    expect(rows[0]).toBe('project,product,balance,bonuses,average a day,days left,note');
    expect(rows[1]).toMatch(/^prod,cloud,1234\.5678,,.*bonuses unreadable: n\/a$/);
    expect(rows[2]).toMatch(/^123,cloud,\d/);
  });

  it('has a note if a project is overdrawn or spends nothing', async () => {
    bot.billing.setBalance('7002', '{"balance":-5,"bonuses":0}');
    bot.billing.setBalance('7003', '{"balance":5,"bonuses":0}');
    bot.billing.setItems('7003', itemsJson(...november(14, 20, 0)));
    const { rows } = await asked('/balance 7002,7003 csv');
    expect(rows.slice(1).map((row) => row.split(',').at(-1))).toEqual(['overdrawn', 'no spending']);
  });

  it('isn’t needed for exact amounts: the “Details” window shows them, and keeps the answer', async () => {
    for (const command of ['/balance prod', '/balance prod,123']) {
      const answer = await bot.ask(command);
      await bot.choose(answer, 'rerun:more', 'Details');
      await bot.modalSays(/Balance +1234\.5678/);
      await bot.closeForm();
      expect(unchanged(answer)).toBe(answer.text);
    }
  });

  it('is about the answer’s product if it is chosen in the answer’s menu', async () => {
    bot.billing.setBalance('7105', '{"balance":55,"bonuses":0}', 2);
    const { rows } = await chosen(await bot.ask('/balance 7105 storage'));
    expect(rows[1]).toMatch(/^7105,storage,55,/);
  });
});

describe('a CSV file of several projects', () => {
  beforeAll(() =>
    addProjects(bot, { web: '7101', broken: '7102', empty: '7103', disks: { id: '7104', product: 2 } }),
  );
  beforeEach(() => {
    bot.billing.setItems('7101', itemsJson(...november(14, 18, '97.75'), ['2026-11-19', '97.80']));
    bot.billing.setItems('7103', 'null');
    bot.billing.setBalance('7101', '{"balance":"3000.10","bonuses":"+7"}');
    bot.billing.setItems('7104', itemsJson(...november(14, 19, '97.75')), 2);
    bot.billing.setBalance('7104', '{"balance":400,"bonuses":0.125}', 2);
    bot.billing.setBalance('7103', 'null');
    const body = '{"errors":[{"message":"no, thanks"}],"data":null}';
    answerQueries(bot.billing, '7102', { status: 200, body });
  });

  it('of spend has a row with the reason for each project without figures', async () => {
    const { said, message, rows } = await asked('/spend web,broken,empty last-7-days csv');
    expect(rows).toEqual([
      'project,product,day,amount,bonuses,items,note',
      ...[14, 15, 16, 17, 18].map((day) => `web,cloud,2026-11-${day},97.75,0,1,`),
      'web,cloud,2026-11-19,97.80,0,1,',
      'web,cloud,2026-11-20,,,0,no data',
      'broken,cloud,,,,,"The billing service rejected the query for Cloud platform, broken, 14–20 Nov."',
      'empty,cloud,,,,,"No Cloud platform data for empty, 14–20 Nov."',
    ]);
    const sentence =
      '1 of 3 projects · 14–20 Nov · 586.55 spent. The file has a row for each day (UTC) of web. No figures for broken (query rejected) and empty (no data). web: 6 of 7 days reported, no data for Fri 20 Nov.';
    expect(message.text).toBe(sentence);
    expect(said).toBe(`${sentence} The CSV is in your direct messages with Tally.`);
  });

  it('of balances has a row with the reason for each project without figures', async () => {
    const { message, rows } = await asked('/balance web,disks,broken,empty csv');
    expect(rows).toEqual([
      'project,product,balance,bonuses,average a day,days left,note',
      'web,cloud,3000.10,+7,97.76,30,',
      'disks,storage,400,0.125,97.750,4,',
      'broken,cloud,,,,,"The billing service rejected the query for Cloud platform, broken."',
      'empty,cloud,,,,,No Cloud platform data for empty.',
    ]);
    expect(message.text).toBe(
      '2 of 4 projects · 3,400.10 left. The file has a row for the balance of web and disks. No figures for broken (query rejected) and empty (no data).',
    );
  });

  it('gives the same reason for missing figures as the answer’s details', async () => {
    await bot.openForm('/balance web,empty details');
    expect(await bot.modalSays('7103')).toContain('No figures  No Cloud platform data for empty.');
  });

  it('is sent to the thread where the question was asked', async () => {
    const question = '@Tally balance web,empty csv';
    const { message } = await fileAfter(() => bot.slack.say(OWNER, CHANNEL, question), OWNER, CHANNEL);
    const [asking] = bot.slack
      .messages(OWNER, CHANNEL)
      .filter(({ text }) => text.includes('balance web,empty csv'));
    expect(message.threadTs).toBe(asking?.ts);
    expect(message.text).toMatch(
      /^1 of 2 projects · 3,000\.10 left\. The file has a row for the balance of web\. No figures for empty \(no data\)\.$/,
    );
  });
});

it('/spend … details shows the exact times and total, the number of items and the connection', async () => {
  await bot.openForm('/spend prod last-4-days details');
  const text = await bot.modalSays('Details');
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
