import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, FINOPS, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { auditEntries } from '../support/audit.ts';
import { type Bot, CHANNEL, startBot, toAnswer } from '../support/bot.ts';
import { createFormActions } from '../support/forms.ts';
import { addConnection } from '../support/projects.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const TEAM = 'T0SANDBOX1';
const HASH = `tally:{${TEAM}}:record`;
const GROUPS = 'settings-form:managerGroups';
let bot: Bot;

beforeEach(async () => {
  bot = await startBot({ now: () => NOW });
});
afterEach(() => bot.stop());

const { initial, modalText, openForm } = createFormActions(() => bot);
const place = (person = OWNER) => ({ viewId: bot.slack.modal(person)!.id });

/** Opens, fills and submits the form; resolves with its text afterwards. */
async function save(fields: Record<string, string | readonly string[]>, person = OWNER): Promise<string> {
  await openForm('/billing settings', person);
  await bot.slack.submit(person, fields);
  await bot.slack.waitFor(() => !modalText(person).includes('Saving…'));
  const said = modalText(person);
  await bot.slack.dismiss(person);
  return said;
}

const stored = async () => JSON.parse((await bot.redis.client.hget(HASH, 'settings')) ?? 'null');
const audited = async () => (await auditEntries(bot)).map(({ who, action, about }) => [who, action, about]);

describe('/billing settings', () => {
  it('saves what was changed, and audits the names of the fields', async () => {
    const said = await save({
      visibility: 'channel',
      currency: 'EUR',
      locale: 'de',
      managers: [MEMBER],
      managerGroups: [FINOPS],
      others: ['guests', 'externals'],
    });
    expect(said.split('\n')[0]).toBe('Saved.');
    expect(await stored()).toEqual({
      zone: 'UTC',
      visibility: 'channel',
      currency: 'EUR',
      locale: 'de',
      managers: [MEMBER],
      managerGroups: [FINOPS],
      guests: true,
      externals: true,
      connection: 'main',
    });
    expect(await audited()).toEqual([
      [
        OWNER,
        'changed the settings:',
        'default visibility, currency label, number format, who manages, whether guests may ask, whether external people may ask',
      ],
    ]);
  });

  it('shows the current values, groups by name, and can clear each', async () => {
    await save({ currency: '€', managers: [MEMBER], managerGroups: [FINOPS], others: ['guests'] });
    await openForm('/billing settings');
    expect(initial('currency')).toBe('€');
    expect(initial('managers')).toEqual([MEMBER]);
    expect(initial('managerGroups')).toMatchObject([{ text: { text: '@finops' }, value: FINOPS }]);
    expect(initial('others')).toMatchObject([{ value: 'guests' }]);
    await bot.slack.dismiss(OWNER);
    await save({ currency: '', managers: [], managerGroups: [], others: [] });
    expect(await stored()).toMatchObject({ currency: '', managers: [], managerGroups: [], guests: false });
  });

  it('changes and audits nothing when nothing differs', async () => {
    expect(await save({})).toContain('No changes to save.');
    expect(await stored()).toBeNull();
    expect(await audited()).toEqual([]);
  });

  it.each(['EUR EUR', '<b>', '*', '12', 'a_b', 'EUR.', 'kr,', ',000.00', '\u3164'])(
    'refuses the label %j at its field',
    async (label) => {
      await openForm('/billing settings');
      await bot.slack.submit(OWNER, { currency: label });
      expect(bot.slack.modal(OWNER)!.errors).toEqual({
        currency: 'At most 8 letters or currency signs, such as EUR or €.',
      });
      expect(await stored()).toBeNull();
    },
  );

  it('is shown beside amounts', async () => {
    await addConnection(bot);
    await save({ currency: 'CHF' });
    expect((await bot.ask('/balance 123')).visibleText).toMatch(/left\n/);
    expect((await bot.ask('/balance 123')).visibleText).toMatch(/[\d,]+\.\d\d\u00a0CHF left/);
  });

  it('offers number formats, each with an example', async () => {
    await openForm('/billing settings');
    const visibleText = modalText().replaceAll(/[\u00a0\u202f]/g, ' ');
    expect(visibleText).toContain('Numbers in public answers and posts');
    for (const line of [
      '1,234,567.80 · English (United States)',
      '12,34,567.80 · English (India)',
      '1.234.567,80 · Deutsch',
      '1 234 567,80 · suomi',
      '1 234 567,80 · français',
    ])
      expect(visibleText.split('\n')).toContain(line);
    expect(initial('locale')).toMatchObject({ value: 'en-US' });
  });
});

describe('two managers with the form open', () => {
  const opened = async () => {
    await openForm('/billing settings', ADMIN);
    await openForm('/billing settings', OWNER);
  };
  const submitted = async (fields: Record<string, string>, person: string, said: string) => {
    await bot.slack.submit(person, fields);
    await bot.slack.waitFor(() => modalText(person).includes(said));
  };

  it('read that somebody else was first, and nothing is lost', async () => {
    await opened();
    await submitted({ currency: 'EUR', visibility: 'channel' }, ADMIN, 'Saved.');
    await submitted(
      { currency: 'USD' },
      OWNER,
      'Someone else changed this first. Save again to replace that.',
    );
    expect(await stored()).toMatchObject({ currency: 'EUR' });
    expect(initial('currency')).toBe('USD');
    await submitted({ visibility: 'channel' }, OWNER, 'Saved.');
    expect(await stored()).toMatchObject({ currency: 'USD', visibility: 'channel' });
  });

  it('read it in a message if the form was closed', async () => {
    await opened();
    await submitted({ currency: 'EUR' }, ADMIN, 'Saved.');
    bot.slack.failNext('views.update', { error: 'not_found' });
    await bot.slack.submit(OWNER, { currency: 'USD' });
    const said = await bot.slack.waitFor(() => bot.slack.messages(OWNER, 'D0OWNER001').map(toAnswer).at(-1));
    expect(said.visibleText).toBe('Someone else changed this first. Nothing was saved.');
  });
});

describe('user groups', () => {
  it('are found by what is typed', async () => {
    await openForm('/billing settings');
    const found = await bot.slack.suggest(OWNER, place(), GROUPS, '@Fin');
    expect(found).toMatchObject({ options: [{ text: { text: '@finops' }, value: FINOPS }] });
    expect(await bot.slack.suggest(OWNER, place(), GROUPS, 'sales')).toMatchObject({ options: [] });
  });

  it('show the missing scope instead of a field, and the form works without them', async () => {
    bot.slack.failNext('usergroups.list', { error: 'missing_scope' }, 3);
    await openForm('/billing settings');
    expect(modalText()).toContain('You can’t choose user groups');
    expect(modalText()).toContain('usergroups:read');
    expect(modalText()).not.toContain('User groups that manage Tally');
    await bot.slack.submit(OWNER, { currency: 'EUR' });
    await bot.slack.waitFor(() => modalText().includes('Saved.'));
    expect(await stored()).toMatchObject({ currency: 'EUR' });
  });

  it('of another workspace are rejected, whatever the form contains', async () => {
    expect(await save({ managerGroups: ['S0ELSEWHERE'] })).toContain('isn’t a user group of this workspace');
    expect(await stored()).toBeNull();
  });
});

describe('damaged settings', () => {
  beforeEach(async () => {
    await addConnection(bot);
    await bot.redis.client.hset(HASH, 'settings', '{"zone":"Nowhere/Land"}');
  });

  it('stop figures, and say what to do', async () => {
    const { visibleText, ephemeral } = await bot.ask('/spend 123');
    expect(visibleText).toContain('This workspace’s settings are damaged.');
    expect(visibleText).toContain('Open settings…');
    expect(ephemeral).toBe(true);
  });

  it('open the form with the defaults, which it says, and are replaced by saving', async () => {
    await openForm('/billing settings');
    expect(modalText()).toContain('The saved settings are damaged.');
    expect(modalText()).toContain('UTC');
    await bot.slack.submit(OWNER, {});
    await bot.slack.waitFor(() => modalText().includes('Saved.'));
    expect(await audited()).toContainEqual([OWNER, 'changed the settings:', 'damaged settings replaced']);
    await bot.slack.dismiss(OWNER);
    expect((await bot.ask('/spend 123')).visibleText).toContain('spent');
  });
});

describe('answers for everyone', () => {
  beforeEach(async () => {
    await addConnection(bot);
    await save({ visibility: 'channel' });
  });

  const seenBy = (person: string) =>
    bot.slack
      .messages(person, CHANNEL)
      .filter(({ from }) => from === 'bot')
      .map(toAnswer);

  it.each(['/balance 123', '/spend 123'])(
    '%s is seen by others, with who asked, without Share: everybody sees it already',
    async (text) => {
      const answer = await bot.ask(text, MEMBER);
      expect(answer.ephemeral).toBe(false);
      expect(answer.visibleText).toContain(`asked by <@${MEMBER}>`);
      const ids = answer.blocks
        .flatMap(({ elements }) => (elements ?? []) as { action_id?: string }[])
        .flatMap(({ action_id }) => action_id ?? []);
      expect(ids).toContain('rerun:more');
      expect(ids).not.toContain('share');
      expect(seenBy(OWNER).map(({ ts }) => ts)).toContain(answer.ts);
    },
  );

  it('use the workspace’s number format for every reader', async () => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":"12000"}');
    await save({ locale: 'en-IN' });
    expect((await bot.ask('/balance 5001', MEMBER)).visibleText).toContain('12,34,567.80 left');
    await save({ visibility: 'asker' });
    expect((await bot.ask('/balance 5001', MEMBER)).visibleText).toContain('1.234.567,80 left');
  });

  it.each(['/balance', '/balance help', '/spend help', '/spend 123 7m', '/billing help'])(
    'keeps %s with the person who typed it',
    async (text) => {
      const before = seenBy(OWNER).length;
      expect((await bot.ask(text, MEMBER)).ephemeral).toBe(true);
      expect(seenBy(OWNER)).toHaveLength(before);
    },
  );
});
