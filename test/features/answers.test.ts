import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, readable, startBot, textOf } from '../support/bot.ts';
import { addProject } from '../support/projects.ts';

/** Saturday */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

beforeAll(async () => {
  bot = await startBot({ now: () => NOW });
  await bot.connect();
});
afterAll(() => bot.stop());
beforeEach(() => {
  bot.billing.setMode('healthy');
  bot.slack.refuse.clear();
});

/** The queries that billing got while `work` ran. */
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
  it('puts what is left first, then what that rests on', async () => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":"12000"}');
    bot.billing.setItems(
      '5001',
      items(...[14, 15, 17, 18, 19, 20].map((day): [string, string] => [`"2026-11-${day}"`, '30000'])),
    );
    const answer = await bot.ask('/balance 5001');
    expect(answer.ephemeral).toBe(true);
    expect(answer.reads.split('\n').slice(0, 2)).toEqual([
      'Project 5001 · 1,234,567.80 left',
      'Bonuses 12,000.00 · about *41 days* at 30,000.00 a day (6 of the last 7 days reported) → around Fri 1 Jan 2027',
    ]);
  });

  it('asks billing two questions side by side, exactly as the contract writes them', async () => {
    const queries = await asked(() => bot.ask('/balance 123'));
    expect(queries.sort()).toEqual([
      'query { bill { getSubscriptionBalance(externalSubscriptionId: 123, productId: 1) { balance bonuses } } }',
      'query { bill { reportSubscriptionConsuming(filter: { periodFrom: "2026-11-14T00:00:00.000Z", periodTo: "2026-11-20T23:59:59.999Z", externalSubscriptionId: 123, productId: 1 }) { items { day totalAmount totalBonuses } } } }',
    ]);
  });

  it.for([
    '/balance 123',
    '/spend 123',
    '/billing projects',
    '/billing status',
    '/billing schedules',
    '/billing help',
  ])('takes one round trip to Redis when it is warm: %s', async (command, { skip }) => {
    skip(bot.redis.kind === 'embedded', 'the embedded Redis shows nobody its commands');
    await bot.ask(command);
    const monitor = await bot.redis.client.monitor();
    const seen: string[] = [];
    // The queue of schedules has a connection of its own, on which it waits all the time.
    monitor.on('monitor', (_: string, [name = '', ...args]: string[]) => {
      if (!args.join(' ').includes('tally:jobs') && name !== 'ping') seen.push(name.toLowerCase());
    });
    await bot.ask(command);
    // What was sent before it has been shown once this is.
    await bot.redis.client.echo('the end');
    await expect.poll(() => seen).toContain('echo');
    monitor.disconnect();
    // That the request is new is noted while the record is read: nothing waits for it alone.
    expect(seen).toEqual(['set', 'hgetall', 'echo']);
  });

  it('repeats what the service says beside either answer', async () => {
    bot.billing.respond(({ query }) => ({
      status: 200,
      body: String(query).includes('reportSubscriptionConsuming')
        ? `{"errors":[{"message":"the week is late"},{"message":"both"}],"data":{"bill":{"reportSubscriptionConsuming":{"items":${items(['"2026-11-14"', '1'])}}}}}`
        : '{"errors":[{"message":"the balance is late"},{"message":"both"}],"data":{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":0}}}}',
    }));
    const { reads } = await bot.ask('/balance 123');
    bot.billing.respond(undefined);
    expect(reads.match(/the balance is late|the week is late|both/g)).toEqual([
      'the balance is late',
      'both',
      'the week is late',
    ]);
  });

  it('is shown even when the week behind the runway fails', async () => {
    bot.billing.setBalance('5002', '{"balance":10,"bonuses":0}');
    bot.billing.respond(({ query }) =>
      String(query).includes('reportSubscriptionConsuming') ? { status: 403, body: '' } : undefined,
    );
    const answer = await bot.ask('/balance 5002');
    bot.billing.respond(undefined);
    expect(answer.reads).toContain('Project 5002 · 10.00 left');
    expect(answer.reads).toContain('runway unknown');
  });

  it.each([
    ['-12.5', '"0"', 'Project 5003 · 12.50 overdrawn', 'no runway: the project is overdrawn'],
    ['"100"', 'null', 'Project 5003 · 100.00 left', 'Bonuses not readable (nothing)'],
    ['"a lot"', '1', 'Project 5003 · unreadable balance (a lot)', 'no runway without a readable balance'],
    [
      '123456789012345678901234567890.12',
      '0',
      '123,456,789,012,345,678,901,234,567,890.12 left',
      'more than 10 years',
    ],
  ])('says what a balance of %s with bonuses of %s means', async (balance, bonuses, title, sentence) => {
    bot.billing.setBalance('5003', `{"balance":${balance},"bonuses":${bonuses}}`);
    bot.billing.setItems(
      '5003',
      items(...[14, 15, 16].map((day): [string, string] => [`"2026-11-${day}"`, '1'])),
    );
    const { reads } = await bot.ask('/balance 5003');
    expect(reads).toContain(title);
    expect(reads).toContain(sentence);
  });

  it.each([
    ['/balance 777 last-week', 'last-week', '/balance 777'],
    ['/balance yesturday 123', 'yesturday', '/balance 123'],
    ['/balance storage 2026-10..2026-11 123', '2026-10..2026-11', '/balance storage 123'],
    ['/balance last-7-days including today 123', 'last-7-days', '/balance 123'],
    ['/balance mtd', 'mtd', '/balance'],
  ])('says of %s that a period belongs to /spend, and offers what works', async (command, word, works) => {
    const { reads, blocks } = await bot.ask(command);
    expect(reads).toContain(`“${word}” `);
    expect(reads).toContain('/spend takes periods');
    const buttons = blocks.filter(({ type }) => type === 'actions').map((block) => textOf(block));
    expect(buttons).toEqual([works]);
  });

  it.each([
    ['/balance banana', 'is no project or product that Tally knows'],
    ['/balance 123 456', 'is a second project'],
  ])('refuses %s without asking for a period', async (command, why) => {
    const { reads } = await bot.ask(command);
    expect(reads).toContain(why);
    expect(reads).not.toContain('last-7-days');
  });

  it('is not asked for a shorter period when its answer is too much', async () => {
    const huge = { status: 200, body: `"${'x'.repeat(4 * 1024 * 1024)}"` };
    bot.billing.respond(() => huge);
    const [balance, spend] = [await bot.ask('/balance 123'), await bot.ask('/spend 123')];
    bot.billing.respond(undefined);
    expect(balance.reads).toContain('sent more than 4 MB');
    expect(balance.reads).not.toContain('period');
    expect(spend.reads).toContain('Ask for a shorter period.');
  });

  it('says what is there in all when bonuses are negative, and overdrawn of the balance alone', async () => {
    const week = items(...[14, 15, 16].map((day): [string, string] => [`"2026-11-${day}"`, '1']));
    bot.billing.setItems('5004', week);
    bot.billing.setBalance('5004', '{"balance":5,"bonuses":-100}');
    const { reads } = await bot.ask('/balance 5004');
    expect(reads).toContain('5.00 left');
    expect(reads).toContain('Bonuses -100.00 · no runway: balance and bonuses together are -95.00');
    expect(reads).not.toContain('overdrawn');
  });
});

describe('/spend', () => {
  it('shows total, period, average with comparison, chart, days, what is missing, actions and source, in this order', async () => {
    const answer = await bot.ask('/spend 123 last-7-days');
    expect(titles(answer)).toEqual([
      'header',
      'section',
      'section',
      'data_visualization',
      'table',
      'section',
      'section',
      'actions',
      'context',
    ]);
    expect(answer.reads).toMatch(
      /^Project 123 · [\d,]+\.\d\d spent\n14–20 Nov 2026 UTC · 7 full days · today excluded\n/,
    );
    expect(answer.reads).toMatch(
      /\*[\d,.]+\* a day, [▲▼] [\d.]+ % on 7–13 Nov · highest Wed 18 Nov, [\d,.]+ · bonuses [\d,.]+/,
    );
    expect(answer.reads).toContain('6 of 7 days reported: nothing for Mon 16 Nov yet (not counted as zero).');
    expect(answer.reads).toContain('project 123 · Cloud platform (1) · fetched');
  });

  it('asks billing for the period and for the one before, side by side', async () => {
    const queries = await asked(() => bot.ask('/spend 31415926535897932384626433832795 mtd virtualization'));
    expect(queries.sort()).toEqual([
      expect.stringContaining(
        'periodFrom: "2026-10-01T00:00:00.000Z", periodTo: "2026-10-20T23:59:59.999Z", externalSubscriptionId: 31415926535897932384626433832795, productId: 3',
      ),
      expect.stringContaining('periodFrom: "2026-11-01T00:00:00.000Z", periodTo: "2026-11-21T10:15:30.123Z"'),
    ]);
  });

  it('adds exactly, keeps a gap a gap, and shows what it cannot read', async () => {
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
    const { reads, blocks } = await bot.ask('/spend 5010');
    expect(reads).toContain('Project 5010 · 1,000,000,000,000,000,000,000,000,012.30 spent (incomplete)');
    expect(reads).toContain('Sat 14 Nov (2 items added)\n0.30');
    expect(reads).toContain('Tue 17 Nov\nunreadable: n/a');
    expect(reads).toContain('Sun 1 Nov (not asked about)\n5.00');
    expect(reads).toContain('soon\n7.00');
    expect(reads).toContain(
      '2 of 7 days reported: nothing for Mon 16 Nov, Wed 18 Nov, Thu 19 Nov and Fri 20 Nov yet',
    );
    expect(JSON.stringify(blocks.find(({ type }) => type === 'data_visualization'))).not.toContain(
      'Mon 16 Nov',
    );
  });

  it('still answers when only the window before fails, and says why there is no comparison', async () => {
    bot.billing.respond(({ query }) =>
      String(query).includes('2026-11-07') ? { status: 403, body: '' } : undefined,
    );
    const { reads } = await bot.ask('/spend 123');
    bot.billing.respond(undefined);
    expect(reads).toContain('spent');
    expect(reads).toContain(
      'No comparison with 7–13 Nov: The billing service does not let this access token read that',
    );
  });

  it('repeats what the service says beside the window before, also when it has nothing else', async () => {
    const beside = async (data: string) => {
      bot.billing.respond(({ query }) =>
        String(query).includes('2026-11-07')
          ? { status: 200, body: `{"errors":[{"message":"November <!here> is late"}],"data":${data}}` }
          : undefined,
      );
      const { reads } = await bot.ask('/spend 123');
      bot.billing.respond(undefined);
      return reads;
    };
    const report = `{"bill":{"reportSubscriptionConsuming":{"items":${items(['"2026-11-07"', '1'])}}}}`;
    expect(await beside(report)).toContain('November <!here> is late');
    const without = await beside('null');
    expect(without).toContain('No comparison with 7–13 Nov: The billing service refused the question.');
    expect(without).toContain('November <!here> is late');
  });

  it('says why nothing is compared when no day of the window before can be used', async () => {
    bot.billing.setItems('5011', items(['"2026-11-20"', '5'], ['"soon"', '7'], ['"2026-11-08"', '"n/a"']));
    const { reads } = await bot.ask('/spend 5011');
    expect(reads).toContain('No comparison with 7–13 Nov: none of its days has a readable amount.');
    bot.billing.setItems('5012', items(['"soon"', '5'], ['"2026-11-08"', '3']));
    expect((await bot.ask('/spend 5012')).reads).toContain(
      'No comparison with 7–13 Nov: none of the days asked about has a readable amount.',
    );
  });

  it('compares averages with averages and totals with totals where there is no percentage', async () => {
    bot.billing.setItems(
      '5013',
      items(
        ...[14, 15].map((day): [string, string] => [`"2026-11-${day}"`, '30']),
        ['"2026-11-07"', '-8'],
        ['"2026-11-08"', '-2'],
        ['"2026-10-30"', '1'],
      ),
    );
    const { reads } = await bot.ask('/spend 5013');
    expect(reads).toContain('*30.00* a day, -5.00 a day in 7–13 Nov');
    expect(reads).toContain('Compared with the 7 days before (7–13 Nov): 60.00 now, -10.00 then.');
  });

  it('puts days together where there are more than Slack’s tables and charts take', async () => {
    const { reads, blocks } = await bot.ask('/spend 123 last-12-months');
    const chart = blocks.find(({ type }) => type === 'data_visualization') as {
      chart: { axis_config: { categories: string[] } };
    };
    expect(chart.chart.axis_config.categories).toHaveLength(12);
    expect(reads).toContain('By month');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('leaves chart and table out where Slack refuses them, and keeps every figure', async () => {
    bot.slack.refuse.add('data_visualization').add('table');
    const { blocks, reads } = await bot.ask('/spend 123');
    expect(titles({ blocks })).not.toContain('table');
    expect(reads).toMatch(/Wed 18 Nov +[\d,.]+/);
  });

  it('offers the other products when there is no data, and the button asks again', async () => {
    const answer = await bot.ask('/spend 789 yesterday');
    expect(answer.reads).toContain('Project 789 gave no data as Cloud platform (1).');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Try Object storage');
    const retried = await bot.slack.waitFor(() => {
      const last = bot.slack.messages(OWNER, CHANNEL).at(-1)!;
      return last.text.includes('spent') && readable(last);
    });
    expect(retried.reads).toContain('Fri 20 Nov 2026 UTC');
    expect(retried.reads).toContain('Object storage (2)');
  });

  it('names the bad word, why, and what would work, with the correction as a button', async () => {
    const answer = await bot.ask('/spend 123 last-wek');
    expect(answer.reads).toContain('“last-wek” is no project, period or product that Tally knows.');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, '/spend 123 last-week');
    const corrected = await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, CHANNEL).find(({ ts, text }) => ts === answer.ts && text.includes('spent')),
    );
    expect(readable(corrected).reads).toContain('9–15 Nov 2026 UTC');
  });

  it('shares for everyone what was asked at that instant, without buttons, and says who did', async () => {
    const answer = await bot.ask('/spend 456 mtd');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Share');
    const shared = await bot.slack.waitFor(() =>
      bot.slack.messages(MEMBER, CHANNEL).find(({ text }) => text.includes('456')),
    );
    expect(shared.ephemeral).toBe(false);
    expect(titles(readable(shared))).not.toContain('actions');
    expect(readable(shared).reads).toContain(`shared by <@${OWNER}>`);
    expect(shared.text).toBe(answer.text);
  });

  it('asks billing once for identical questions asked at once', async () => {
    bot.billing.setMode('healthy');
    const queries = await asked(async () => {
      const before = bot.slack.messages(OWNER, CHANNEL).length;
      await Promise.all(Array.from({ length: 10 }, () => bot.slack.say(OWNER, CHANNEL, '/spend 123 today')));
      await bot.slack.waitFor(() => bot.slack.messages(OWNER, CHANNEL).length === before + 10);
    });
    expect(queries.length).toBeLessThan(10);
  });

  it('writes numbers as the reader’s Slack does', async () => {
    const { reads } = await bot.ask('/spend 123', MEMBER);
    expect(reads).toMatch(/Project 123 · \d{3}\.\d{3},\d\d spent/);
  });

  it.each([
    ['0', 'It no longer asks to wait: try again.'],
    ['1', 'It asks to wait a second, then try again.'],
  ])('says what a Retry-After of %s means', async (after, sentence) => {
    bot.billing.respond(() => ({ status: 429, body: '', headers: { 'retry-after': after } }));
    const { reads } = await bot.ask('/spend 123');
    bot.billing.respond(undefined);
    expect(reads).toContain(sentence);
  });

  it('asks for a project when there is none, and explains itself', async () => {
    expect((await bot.ask('/spend mtd')).reads).toContain('Which project?');
    expect((await bot.ask('/spend help')).reads).toContain('/spend [project] [period] [product]');
    expect((await bot.ask('/spend ?')).reads).toContain('Periods: yesterday, last-week');
    expect((await bot.ask('/balance ?')).reads).toContain('/spend takes periods.');
  });
});

describe('a person', () => {
  it.each(['/balance 123', '/spend 123', '/billing help', '/billing settings'])(
    'who is a guest gets nothing from %s',
    async (command) => {
      const queries = await asked(async () => {
        const { reads } = await bot.ask(command, GUEST, 'C0GENERAL1');
        expect(reads).toContain('Guests of this workspace cannot ask Tally.');
      });
      expect(queries).toEqual([]);
    },
  );

  it.each([
    '/spend 123 12345678-1234-1234-1234-123456789012',
    '/balance qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm',
    '/billing status abCD+efGH/ijKLmn==',
    '/billing d41d8cd9—8f00b204—e9800998—ecf8427e',
  ])('who pastes a secret of any shape is told so: %s', async (command) => {
    const { reads } = await bot.ask(command);
    expect(reads).toContain('looks like a token');
    expect(reads).not.toContain(command.split(' ').at(-1));
  });

  it('may type a registered name, whatever it looks like', async () => {
    const alias = 'qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm';
    await addProject(bot, { alias, id: '123' });
    expect((await bot.ask(`/spend ${alias}`)).reads).toContain(`${alias} · `);
    const { reads } = await bot.ask(`/billing default ${alias}`);
    expect(reads).not.toContain('looks like a token');
    expect(reads).toContain(alias);
    await bot.ask('/billing default none');
  });

  it('may ask about a project of 32 digits', async () => {
    const { reads } = await bot.ask('/spend 12345678901234567890123456789012');
    expect(reads).toContain('Project 12345678901234567890123456789012');
  });

  it('who pastes a secret is told so, and it is in no log and no reply', async () => {
    const secret = 'gAAAAABsandboxSecret0123456789abcdefghij';
    const { reads } = await bot.ask(`/spend 123 ${secret}`);
    expect(reads).toContain('looks like a token');
    expect(reads).not.toContain(secret);
    expect(bot.log()).not.toContain(secret);
  });
});

describe('every message', () => {
  it('was one that Slack takes', () => {
    expect(bot.slack.complaints).toEqual([]);
    expect(textOf(bot.slack.messages(OWNER, CHANNEL))).not.toContain('undefined');
  });
});
