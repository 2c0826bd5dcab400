/** Saved schedules and watches: their lists, buttons and rights are the same code. */
import { describe, expect, it } from 'vitest';
import { ADMIN, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { MINUTE, startAutomationBot } from '../support/automation-bot.ts';
import { type Answer, CHANNEL } from '../support/bot.ts';
import { FINANCE, GENERAL, SHARED, TEAM } from '../support/people.ts';

const KEY = recordKey(TEAM);
const bot = await startAutomationBot();
const { around, add, ask, audit, forgedClick, modal, openForm, save, stored, updated } = bot;

const EXAMPLES = [
  {
    kind: 'schedule',
    list: 'schedules',
    words: 'prod',
    another: 'dev',
    max: 100,
    title: 'Schedules',
    counted: /^(\d+) schedules?/,
    none: 'No schedules here yet',
    deleted: 'Deleted *Yesterday’s spend* for prod',
    tooMany: '100 schedules',
    paused: 'Paused. Nothing is posted or corrected',
    resumed: 'Posts missed while paused won’t be sent',
    titleOf: (name: string) => `*Yesterday’s spend* for ${name}`,
  },
  {
    kind: 'watch',
    ...{ list: 'watches', words: 'prod balance 50000', another: 'dev balance 50000', max: 500 },
    ...{ title: 'Watches', counted: /^(\d+) watch(es)?/, none: 'No watches here yet' },
    ...{ deleted: 'Deleted *prod*', tooMany: '500 watches' },
    ...{ paused: 'No alerts until you resume', resumed: 'Resumed.' },
    titleOf: (name: string) => `*${name}*: balance below 50`,
  },
] as const;

describe.each(EXAMPLES)('a $kind', ({ kind, list, words, another, max, ...said }) => {
  const setUp = (person = OWNER, channel = CHANNEL, text: string = words) =>
    bot.setUp(kind, text, person, channel);
  const row = (answer: Answer, action: string, id: string, person = OWNER) =>
    bot.row(kind, answer, action, id, person);
  const saved = () => stored(kind);
  const write = (item: { readonly id: string; readonly owner: string; readonly createdBy: string }) =>
    bot.redis.client.hset(KEY, `${kind}:${item.id}`, JSON.stringify(item));
  const listed = async (person = OWNER, channel = CHANNEL) => {
    const { visibleText } = await ask(list, person, channel);
    return Number(said.counted.exec(visibleText)?.[1] ?? 0);
  };
  const addDamaged = (many: number) => {
    const ids = Array.from({ length: many }, (_, n) => `w${String(n).padStart(7, '0')}`);
    return bot.redis.client.hset(KEY, Object.fromEntries(ids.map((id) => [`${kind}:${id}`, '{}'])));
  };

  it('belongs to its creator, is audited, and is announced to nobody', async () => {
    const before = bot.messageTexts(CHANNEL, OWNER).length;
    const item = await setUp(MEMBER);
    expect(bot.messageTexts(CHANNEL, OWNER)).toHaveLength(before);
    expect(item).toMatchObject({
      owner: MEMBER,
      createdBy: MEMBER,
      createdAt: around.now,
      since: around.now,
    });
    expect(around.planned).toBe(1);
    expect(await audit()).toEqual([`${MEMBER} created a ${kind}:`]);
  });

  it.each([
    ['prod', 'ok-name'],
    ['ok-name', 'prod'],
  ])(
    'names its project %s, as its creator did, although the project is also called %s',
    async (name, other) => {
      await add('ok-name', '123');
      const item = JSON.stringify(await setUp(OWNER, CHANNEL, words.replace('prod', name)));
      expect(item).toContain(`{"id":"123","product":1,"alias":"${name}"}`);
      const { visibleText } = await ask(list);
      expect(visibleText).toContain(said.titleOf(name));
      expect(visibleText).not.toContain(other);
    },
  );

  it('is not saved while Redis is down, and can be saved later', async () => {
    await openForm(`${kind} ${words}`);
    around.isStoreAway = true;
    expect(await save()).toContain('check first whether it was saved');
    // The operator sees the failure in the log.
    await bot.slack.waitFor(() => /"via":"form".*"outcome":"store-unavailable"/.test(bot.log()));
    expect(await saved()).toEqual([]);
    around.isStoreAway = false;
    expect(await save()).toContain('Saved: ');
  });

  it('can be paused and resumed', async () => {
    const { id } = await setUp(MEMBER);
    const answer = await ask(list, MEMBER);
    await row(answer, 'pause', id, MEMBER);
    const { visibleText } = await updated(answer, said.paused, MEMBER);
    expect(visibleText).toContain(`*paused* by <@${MEMBER}>`);
    expect((await saved())[0]?.paused).toMatchObject({ at: around.now, by: MEMBER });
    around.now += MINUTE;
    await row(answer, 'resume', id, MEMBER);
    await updated(answer, said.resumed, MEMBER);
    expect((await saved())[0]?.paused).toBeUndefined();
    expect(await audit()).toEqual(
      ['resumed', 'paused', 'created'].map((what) => `${MEMBER} ${what} a ${kind}:`),
    );
  });

  it('is deleted only after a confirmation', async () => {
    const item = await setUp();
    const first = await ask(list);
    await row(first, 'delete', item.id);
    await updated(first, 'This can’t be undone.');
    await bot.press(first, 'Keep');
    await expect.poll(() => bot.answers().at(-1)?.visibleText).not.toContain('undone');
    expect(await saved()).toEqual([item]);
    const answer = await ask(list);
    await row(answer, 'delete', item.id);
    await updated(answer, 'This can’t be undone.');
    await bot.press(answer, 'Delete');
    await updated(answer, said.deleted);
    expect(await saved()).toEqual([]);
    expect(await audit()).toEqual(['deleted', 'created'].map((did) => `${OWNER} ${did} a ${kind}:`));
    expect(around.planned).toBe(2);
  });

  it('is refused if the workspace already has as many as allowed', async () => {
    await openForm(`${kind} ${another}`);
    await addDamaged(max);
    expect(await save()).toContain(`This workspace has ${said.tooMany}`);
    expect((await ask(`${kind} ${words}`)).visibleText).toContain(`This workspace has ${said.tooMany}`);
  });

  it('is listed with 21 others on two pages', async () => {
    const item = await setUp();
    for (let n = 1; n <= 21; n++) await write({ ...item, id: `w${String(n).padStart(7, '0')}` });
    expect(await listed()).toBe(22);
    expect((await ask(list)).visibleText).toContain('page 1 of 2');
    expect((await ask(`${list} page 2`)).visibleText).toContain('page 2 of 2');
  });

  it('is paused or deleted only once if two managers press the same button at the same time', async () => {
    const { id } = await setUp(MEMBER);
    const answers = [await ask(list), await ask(list, ADMIN)] as const;
    const both = (action: string) =>
      Promise.all([row(answers[0], action, id), row(answers[1], action, id, ADMIN)]);
    const read = async (text: string) => {
      await updated(answers[0], text);
      await updated(answers[1], text, ADMIN);
    };
    await both('pause');
    await read(said.paused);
    await Promise.all([OWNER, ADMIN].map((person) => forgedClick(person, `${kind}-row`, `remove ${id}`)));
    await expect.poll(saved).toEqual([]);
    expect((await audit()).map((line) => line.split(' ').slice(1).join(' '))).toEqual(
      ['deleted', 'paused', 'created'].map((what) => `${what} a ${kind}:`),
    );
  });

  it('is listed for members in its channel, and for its owner and managers everywhere', async () => {
    await setUp(OWNER, CHANNEL);
    await setUp(OWNER, GENERAL, another);
    expect((await ask(list, MEMBER, CHANNEL)).visibleText).toContain(said.titleOf('prod'));
    expect((await ask(list, MEMBER, GENERAL)).visibleText).toContain(said.titleOf('dev'));
    expect((await ask(list, MEMBER, SHARED)).visibleText).toContain(said.none);
    expect(await listed(ADMIN, GENERAL)).toBe(2);
    await setUp(MEMBER, SHARED);
    expect(await listed(MEMBER, 'D0MEMBER01')).toBe(1);
    await add('prod', '123', { channels: [FINANCE] });
    expect(await listed(MEMBER, CHANNEL)).toBe(1);
  });

  it('can be set up only by full members', async () => {
    await bot.redis.client.hset(KEY, 'settings', JSON.stringify({ guests: true, externals: true }));
    for (const text of [`${kind} ${words}`, list])
      expect((await ask(text, GUEST, GENERAL)).visibleText).toContain('Only full members');
    expect(await forgedClick(GUEST, `${kind}-list`, '', GENERAL)).toContain('Only full members');
    expect(modal(GUEST)).toBeUndefined();
  });

  it('can’t be changed by a member who isn’t its owner, even with forged clicks', async () => {
    const { id } = await setUp();
    const before = await bot.redis.client.hgetall(KEY);
    expect(JSON.stringify((await ask(list, MEMBER)).blocks)).not.toContain(`${kind}-row`);
    for (const action of ['pause', 'resume', 'delete', 'remove', 'edit', 'now'])
      if (kind === 'schedule' || action !== 'now')
        expect(await forgedClick(MEMBER, `${kind}-row`, `${action} ${id}`)).toContain('Only the owner');
    expect(await bot.redis.client.hgetall(KEY)).toEqual(before);
  });
});
