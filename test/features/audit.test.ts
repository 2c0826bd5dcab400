import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { formatAuditCsv } from '../../src/features/audit/blocks.ts';
import { SCHEDULES, type Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { WATCHES } from '../../src/workspace/owned/watch-record.ts';
import { type AuditEntry, createAudit } from '../../src/workspace/record/audit.ts';
import {
  BOT_TOKEN,
  type Bot,
  CHANNEL,
  goodToken,
  SIGNING_SECRET,
  startBot,
  textOf,
  toAnswer,
} from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { WATCH } from '../support/workspace-store.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const TEAM = 'T0SANDBOX1';
const DIRECT = OWNER.replace(/^U/, 'D');
const projectOf = (alias: string, id = '7') => ({ kind: 'project', alias, id }) as const;
const channelOf = (channel: string, alias = 'prod') => ({ kind: 'channel', channel, alias }) as const;
const scheduleOf = (given: Partial<Schedule> = {}) =>
  ({ kind: 'schedule', item: SCHEDULES.serialize(schedule(given)) }) as const;
const ENTRY: AuditEntry = { at: NOW, who: OWNER, action: 'project added', about: projectOf('prod') };
let bot: Bot;

beforeEach(async () => {
  bot = await startBot({ now: () => NOW });
});
afterEach(() => bot.stop());

async function record(entry: Partial<AuditEntry> = {}, workspace = TEAM): Promise<void> {
  // Nothing is audited for an unknown workspace.
  await bot.redis.client.hset(`tally:{${workspace}}:record`, 'served', 'here');
  await createAudit(bot.redis.client).record(workspace, { ...ENTRY, ...entry });
}

async function recordMany(count: number) {
  for (let i = 1; i <= count; i += 1) await record({ about: projectOf(`project-${i}`) });
}

const newest = (person = OWNER, channel = CHANNEL) =>
  toAnswer(bot.slack.messages(person, channel).findLast(({ from }) => from === 'bot')!);
const shown = () => [...newest().visibleText.matchAll(/project-(\d+)/g)].map(([, number]) => Number(number));
const press = (ts: string, label: string, person = OWNER) =>
  bot.slack.press(person, { channel: CHANNEL, ts }, label);

describe('/billing audit', () => {
  it('says when there are no entries', async () => {
    const { visibleText, blocks } = await bot.ask('/billing audit');
    expect(visibleText).toContain('No entries yet');
    expect(blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  it('shows the time in the reader’s zone, the person without notifying them, the action and its subject', async () => {
    await record({ action: 'connection replaced', about: { kind: 'connection', name: 'main' } });
    const { visibleText, blocks, ephemeral } = await bot.ask('/billing audit');
    expect(ephemeral).toBe(true);
    expect(visibleText.replace(/\s+/g, ' ')).toContain('replaced the token of the connection main');
    expect(visibleText).toContain('Sat 21 Nov 2026');
    const drawn = JSON.stringify(blocks);
    expect(drawn).toContain(`"type":"date","timestamp":${Math.floor(NOW / 1000)}`);
    expect(drawn).toContain(`{"type":"user","user_id":"${OWNER}"}`);
  });

  it('shows a channel by name, not by the stored ID', async () => {
    await record({ action: 'channel default changed', about: channelOf(CHANNEL) });
    const drawn = JSON.stringify((await bot.ask('/billing audit')).blocks);
    expect(drawn).toContain(
      `{"type":"channel","channel_id":"${CHANNEL}"},{"type":"text","text":": prod","style":{"bold":true}}`,
    );
  });

  it('groups the entries by the reader’s days, newest first, in sentences without IDs', async () => {
    await record({ at: NOW - 86_400_000, action: 'project removed', about: projectOf('old', '77') });
    await record({
      at: NOW - 60_000,
      action: 'watch removed',
      about: { kind: 'watch', item: WATCHES.serialize(WATCH) },
    });
    await record({ action: 'schedule created', about: scheduleOf() });
    const visibleText = (await bot.ask('/billing audit')).visibleText
      .replace(/\s+/g, ' ')
      .replace(/ :/g, ':');
    expect(visibleText).toMatch(
      /Sat 21 Nov 2026[\s\S]*scheduled a post: Yesterday’s spend for project 123 [\s\S]*deleted a watch: project 123[\s\S]*Fri 20 Nov 2026[\s\S]*removed the project old \(project 77\)/,
    );
    expect(visibleText).not.toMatch(/schedul1|watchid1/);
  });

  it('shows all channels and people of an entry by name', async () => {
    const people = ['U0MEMBER01', 'U0ADMIN001'];
    await record({ action: 'schedule created', about: scheduleOf({ channel: 'C0FINANCE1' }) });
    await record({
      action: 'watch created',
      about: { kind: 'watch', item: WATCHES.serialize({ ...WATCH, channel: undefined, people }) },
    });
    const { blocks, visibleText } = await bot.ask('/billing audit');
    expect(visibleText).not.toMatch(/C0FINANCE1|U0MEMBER01|U0ADMIN001/);
    const drawn = JSON.stringify(blocks);
    expect(drawn).toContain('{"type":"channel","channel_id":"C0FINANCE1"}');
    for (const id of ['U0MEMBER01', 'U0ADMIN001'])
      expect(drawn).toContain(`{"type":"user","user_id":"${id}"}`);
  });

  it('is private even when answers are public', async () => {
    await bot.redis.client.hset(`tally:{${TEAM}}:record`, 'settings', '{"visibility":"channel"}');
    await record();
    expect((await bot.ask('/billing audit')).ephemeral).toBe(true);
  });

  it('escapes names that people have chosen', async () => {
    const about = '<!channel> *bold* <@U0MEMBER0> `code`';
    await record({ about: { kind: 'connection', name: about } });
    const { blocks } = await bot.ask('/billing audit');
    const [list] = blocks.filter(({ type }) => type === 'rich_text');
    expect(textOf(list)).toContain(about);
    expect(JSON.stringify(blocks.filter(({ type }) => type !== 'rich_text'))).not.toContain('channel');
  });

  it('shows twenty, newest first, and pages to older ones and back', async () => {
    await recordMany(45);
    const { ts } = await bot.ask('/billing audit');
    expect(shown()).toEqual(Array.from({ length: 20 }, (_, i) => 45 - i));
    await press(ts, 'Older');
    await bot.slack.waitFor(() => shown()[0] === 25);
    await press(ts, 'Older');
    await bot.slack.waitFor(() => shown()[0] === 5);
    expect(shown()).toEqual([5, 4, 3, 2, 1]);
    expect(newest().visibleText).not.toContain('Older');
    await press(ts, 'Newest');
    await bot.slack.waitFor(() => shown()[0] === 45);
    expect(bot.slack.messages(OWNER, CHANNEL).filter(({ from }) => from === 'bot')).toHaveLength(1);
  });

  it('shows no entries of another workspace, whatever the button contains', async () => {
    await record({ about: projectOf('project-1') });
    await record({ about: projectOf('project-666') }, 'T0NEIGHBOUR');
    await bot.ask('/billing audit');
    for (const value of ['9999999999999-0', '../T0NEIGHBOUR', '0-0', 'x'.repeat(1999)]) {
      await bot.slack.act(OWNER, { channel: CHANNEL, ts: newest().ts }, { action_id: 'audit:older', value });
      expect(JSON.stringify(bot.slack.messages(OWNER, CHANNEL))).not.toContain('project-666');
    }
    expect(bot.log()).not.toContain('"outcome":"unknown"');
  });

  it.each([MEMBER, GUEST])('is not for %s, neither as a command nor as a button', async (person) => {
    await recordMany(25);
    const answer = await bot.ask('/billing audit', person, 'C0GENERAL1');
    expect(answer.visibleText).toMatch(/Only Tally managers can do this|Guests can’t use Tally/);
    for (const action_id of ['audit:older', 'audit:newest', 'audit-csv']) {
      const body = `payload=${encodeURIComponent(
        JSON.stringify({
          type: 'block_actions',
          team: { id: TEAM },
          user: { id: person, team_id: TEAM },
          channel: { id: 'C0GENERAL1' },
          trigger_id: 'x',
          actions: [{ type: 'button', action_id, block_id: 'b', value: '9999999999999-0' }],
        }),
      )}`;
      const before = bot.slack.messages(person, 'C0GENERAL1').length;
      await fetch(`${bot.url}/slack/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) },
        body,
      });
      await bot.slack.waitFor(() => bot.slack.messages(person, 'C0GENERAL1').length > before);
    }
    const seen = bot.slack.snapshot(person).messages;
    expect(JSON.stringify(seen)).not.toContain('project-');
    expect(bot.slack.calls.some(({ method }) => method.startsWith('files.'))).toBe(false);
  });
});

describe('the CSV', () => {
  it('is sent as a file to the DM of the person who asked', async () => {
    await recordMany(25);
    const { ts } = await bot.ask('/billing audit');
    await press(ts, 'CSV');
    const file = await bot.slack.waitFor(() => bot.slack.messages(OWNER, DIRECT).at(-1)?.files?.[0]);
    expect(file.name).toBe('tally-audit-2026-11-21.csv');
    const content = await (await fetch(file.url)).text();
    expect(content).toMatch(/^time,person,action,about,person id,about ids\r\n/);
    expect(content).toContain(
      `2026-11-21T10:15:30.123Z,olivia,project added,project-25 (project 7),${OWNER},\r\n`,
    );
    expect(content.trimEnd().split('\r\n')).toHaveLength(26);
    await bot.slack.waitFor(() => newest().visibleText.includes('as a direct message'));
    expect(bot.slack.messages(OWNER, CHANNEL).filter(({ from }) => from === 'bot')).toHaveLength(2);
  });

  const csv = async () => {
    const before = bot.slack.messages(OWNER, DIRECT).length;
    await bot.ask('/billing audit csv');
    const file = await bot.slack.waitFor(() => bot.slack.messages(OWNER, DIRECT)[before]?.files?.[0]);
    return (await fetch(file.url)).text();
  };
  const lookUps = () =>
    bot.slack.calls.filter(
      ({ method, args }) =>
        (method === 'users.info' && args.user !== OWNER) || method === 'conversations.info',
    );

  it('names people and public channels, with their IDs in columns of their own', async () => {
    await record({ action: 'channel default changed', about: channelOf(CHANNEL) });
    await record({ action: 'channel default changed', about: channelOf('C0FINANCE1') });
    await record({ who: 'U0GONE00001', about: projectOf('prod') });
    const lines = (await csv()).split('\r\n').slice(1);
    expect(lines).toEqual([
      '2026-11-21T10:15:30.123Z,U0GONE00001,project added,prod (project 7),U0GONE00001,',
      // Tally is not in this private channel.
      `2026-11-21T10:15:30.123Z,olivia,channel default changed,C0FINANCE1: prod,${OWNER},C0FINANCE1`,
      `2026-11-21T10:15:30.123Z,olivia,channel default changed,#cloud-costs: prod,${OWNER},${CHANNEL}`,
      '',
    ]);
  });

  it('asks Slack once for each person and channel', async () => {
    for (let i = 0; i < 10; i += 1) await record({ who: MEMBER, about: channelOf(CHANNEL, `p${i}`) });
    await csv();
    expect(lookUps()).toHaveLength(2);
  });

  it('asks about 100 people and channels at most, and about nobody else once Slack refuses', async () => {
    for (let i = 100; i < 250; i += 1) await record({ about: channelOf(`C0NOWHERE${i}`) });
    expect(await csv()).toContain('C0NOWHERE100: prod');
    expect(lookUps()).toHaveLength(99);
    bot.slack.failNext('conversations.info', { error: 'internal_error' }, 50);
    expect(await csv()).toContain('C0NOWHERE100: prod');
    expect(lookUps().length).toBeLessThan(120);
  });

  it('can be asked for by a word, too', async () => {
    await recordMany(1);
    expect((await bot.ask('/billing audit CSV')).visibleText).toContain('as a direct message');
    expect(bot.slack.messages(OWNER, DIRECT).at(-1)?.files?.[0]?.name).toBe('tally-audit-2026-11-21.csv');
    expect((await bot.ask('/billing audit csv', MEMBER)).visibleText).not.toContain('as a direct message');
  });

  it('is sent as text, in whole lines as far as they fit, when Tally cannot send files', async () => {
    await recordMany(100);
    bot.slack.failNext('files.getUploadURLExternal', { error: 'missing_scope' });
    const { ts } = await bot.ask('/billing audit');
    await press(ts, 'CSV');
    await bot.slack.waitFor(() => newest().visibleText.includes('files:write'));
    const [, count] = /the newest (\d+) of 100 entries/.exec(newest().visibleText)!;
    const lines = newest()
      .visibleText.split('\r\n')
      .filter((line) => line.includes('project-'));
    expect(lines).toHaveLength(Number(count));
    expect(lines.at(-1)).toMatch(new RegExp(`project-${101 - Number(count)} \\(`));
    expect(newest().ephemeral).toBe(true);
  });

  it('says that Slack failed when the upload fails', async () => {
    await record();
    bot.slack.failNext('files.completeUploadExternal', { error: 'internal_error' }, 3);
    const { ts } = await bot.ask('/billing audit');
    await press(ts, 'CSV');
    await bot.slack.waitFor(() =>
      newest().visibleText.includes('Slack returned an error for files.uploadV2'),
    );
  });

  it.each([
    ['=HYPERLINK("https://x.example")', `"'=HYPERLINK(""https://x.example"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['a "b", c', '"a ""b"", c"'],
    ['two\nlines', '"two\nlines"'],
    ['prod', 'prod'],
    ['a=b', 'a=b'],
  ])('makes a formula plain text and keeps it in one cell: %s', (about, cell) => {
    const [, rest] = formatAuditCsv([{ ...ENTRY, about }], new Map()).split('project added,');
    expect(rest).toBe(`${cell},${OWNER},\r\n`);
  });
});

describe('what is secret', () => {
  it('is in no entry after every kind of change', async () => {
    await bot.connect();
    await bot.connect();
    const stream = JSON.stringify(await bot.redis.client.xrange(`tally:{${TEAM}}:audit`, '-', '+'));
    expect(stream).toContain('connection registered');
    expect(stream).toContain('connection replaced');
    for (const secret of [goodToken(bot.billing), BOT_TOKEN, SIGNING_SECRET])
      expect(stream).not.toContain(secret);
  });
});
