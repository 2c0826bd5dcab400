import { describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import type { AuditEntry } from '../../src/workspace/record/workspace-store.ts';
import { BOT_TOKEN, botOfEachTest, CHANNEL, goodToken, SATURDAY, SIGNING_SECRET } from '../support/bot.ts';
import { clickOf, GENERAL, TEAM } from '../support/people.ts';

const ENTRY: AuditEntry = { at: SATURDAY, who: OWNER, action: 'added the project', about: 'prod' };
const bot = botOfEachTest();

async function record(entry: Partial<AuditEntry> = {}, workspace = TEAM): Promise<void> {
  // Nothing is audited for an unknown workspace.
  await bot.redis.client.hset(`tally:{${workspace}}:record`, 'served', 'here');
  await createAudit(bot.redis.client).record(workspace, { ...ENTRY, ...entry });
}

async function recordMany(count: number) {
  for (let i = 1; i <= count; i += 1) await record({ about: `project-${i}` });
}

const newest = () => bot.answers().at(-1)!;
const shown = () => [...newest().visibleText.matchAll(/project-(\d+)/g)].map(([, number]) => Number(number));

describe('/billing audit', () => {
  it('says that there are no entries yet', async () => {
    const { visibleText, blocks } = await bot.ask('/billing audit');
    expect(visibleText).toContain('No entries.');
    expect(blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  it('shows the time, the person, the action and its subject, and notifies nobody', async () => {
    await record({ action: 'replaced the token of the connection', about: 'main' });
    const { lines, ephemeral } = await bot.ask('/billing audit');
    expect(ephemeral).toBe(true);
    expect(lines[1]).toMatch(
      /^<!date\^1795256130\^[^>]*> · <@U0OWNER001> replaced the token of the connection \*main\*$/,
    );
  });

  it('shows the names of all channels and people in an entry', async () => {
    await record({ action: 'created a watch:', about: 'prod for U0MEMBER01, U0ADMIN001 in C0FINANCE1' });
    expect(await bot.read('/billing audit')).toContain(
      'created a watch: *prod for <@U0MEMBER01>, <@U0ADMIN001> in <#C0FINANCE1>*',
    );
  });

  it('is private even when answers are public', async () => {
    await bot.store({ settings: { visibility: 'channel' } });
    await record();
    expect((await bot.ask('/billing audit')).ephemeral).toBe(true);
  });

  it('shows mark-up inside a name as plain text', async () => {
    await record({ about: '<!channel> *bold* <@U0MEMBER0> `code`' });
    expect((await bot.read('/billing audit')).replaceAll('\u200b', '·')).toContain(
      '*&lt;!channel&gt; ·*bold·* &lt;@U0MEMBER0&gt; ·`code·`*',
    );
  });

  it('shows the twenty newest entries first, and older ones on further pages', async () => {
    await recordMany(45);
    const page = await bot.ask('/billing audit');
    expect(shown()).toEqual(Array.from({ length: 20 }, (_, i) => 45 - i));
    await bot.press(page, 'Older');
    await bot.slack.waitFor(() => shown()[0] === 25);
    await bot.press(page, 'Older');
    await bot.slack.waitFor(() => shown()[0] === 5);
    expect(shown()).toEqual([5, 4, 3, 2, 1]);
    expect(newest().visibleText).not.toContain('Older');
    expect(bot.answers()).toHaveLength(1);
  });

  it('shows no entries from another workspace, even after a forged click on the button “Older”', async () => {
    await record({ about: 'project-1' });
    await record({ about: 'project-666' }, 'T0NEIGHBOUR');
    await bot.ask('/billing audit');
    for (const value of ['9999999999999-0', '../T0NEIGHBOUR', '0-0', 'x'.repeat(1999)]) {
      await bot.slack.act(OWNER, { channel: CHANNEL, ts: newest().ts }, { action_id: 'audit:older', value });
      expect(JSON.stringify(bot.slack.messages(OWNER, CHANNEL))).not.toContain('project-666');
    }
    expect(bot.log()).not.toContain('"outcome":"unknown"');
  });

  it.each([
    ['a member', MEMBER],
    ['a guest', GUEST],
  ])('is refused to %s, as a command and as a button', async (_, person) => {
    await recordMany(25);
    const answer = await bot.ask('/billing audit', person, GENERAL);
    expect(answer.visibleText).toMatch(/Only Tally managers can do this|Guests can’t use Tally/);
    for (const action_id of ['audit:older', 'audit:x']) {
      const click = clickOf(person, { action_id, value: '9999999999999-0' }, GENERAL);
      await bot.next(() => bot.interact(click), person, GENERAL);
    }
    const seen = bot.slack.snapshot(person).messages;
    expect(JSON.stringify(seen)).not.toContain('project-');
  });
});

describe('a secret', () => {
  it('never appears in the audit entries about a new or replaced token', async () => {
    await bot.connect();
    await bot.connect();
    const stream = JSON.stringify(await bot.redis.client.xrange(`tally:{${TEAM}}:audit`, '-', '+'));
    expect(stream).toContain('added the connection');
    expect(stream).toContain('replaced the token of the connection');
    for (const secret of [goodToken(bot.billing), BOT_TOKEN, SIGNING_SECRET])
      expect(stream).not.toContain(secret);
  });
});
