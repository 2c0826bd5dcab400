import { beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, FINOPS, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { botOfEachTest } from '../support/bot.ts';
import { directOf, type Fields } from '../support/people.ts';
import { addConnection } from '../support/projects.ts';

const bot = botOfEachTest();

/** Opens, fills in and submits the form. @returns the window's text afterwards */
async function save(fields: Fields): Promise<string> {
  await bot.openForm('/billing settings');
  const said = await bot.save(fields);
  await bot.closeForm();
  return said;
}

const stored = () => bot.stored('settings');
const CHANGED = `${OWNER} changed the settings:`;

describe('/billing settings', () => {
  it('saves the changed fields, and lists their names in the audit log', async () => {
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
    expect(await bot.audit()).toEqual([
      `${CHANGED} default visibility, currency label, number format, Tally managers, questions from guests, questions from external people`,
    ]);
  });

  it('shows the current values, each of which can be cleared', async () => {
    await save({ currency: '€', managers: [MEMBER], managerGroups: [FINOPS], others: ['guests'] });
    await bot.openForm('/billing settings');
    expect(bot.initial('currency')).toBe('€');
    expect(bot.initial('managers')).toEqual([MEMBER]);
    expect(bot.initial('managerGroups')).toMatchObject([{ text: { text: '@finops' }, value: FINOPS }]);
    expect(bot.initial('others')).toMatchObject([{ value: 'guests' }]);
    await bot.closeForm();
    await save({ currency: '', managers: [], managerGroups: [], others: [] });
    expect(await stored()).toMatchObject({ currency: '', managers: [], managerGroups: [], guests: false });
  });

  it('saves and audits nothing if nothing was changed', async () => {
    expect(await save({})).toContain('No changes to save.');
    expect(await stored()).toBeNull();
    expect(await bot.audit()).toEqual([]);
  });

  it.each(['EUR EUR', '<b>', '*', '12', 'a_b', 'EUR.', 'kr,', ',000.00', '\u3164'])(
    'refuses the currency label %j with an error next to the field',
    async (label) => {
      await bot.openForm('/billing settings');
      await bot.slack.submit(OWNER, { currency: label });
      expect(bot.errors()).toEqual({
        currency: 'At most 8 letters or currency signs, such as EUR or €.',
      });
      expect(await stored()).toBeNull();
    },
  );

  it('sets the currency label that is shown next to amounts', async () => {
    await addConnection(bot);
    await save({ currency: 'CHF' });
    expect(await bot.read('/balance 123')).toMatch(/left\n/);
    expect(await bot.read('/balance 123')).toMatch(/[\d,]+\.\d\d\u00a0CHF left/);
  });

  it('offers number formats, each with an example', async () => {
    await bot.openForm('/billing settings');
    const visibleText = bot.modalText().replaceAll(/[\u00a0\u202f]/g, ' ');
    expect(visibleText).toContain('Number format in public answers and posts');
    for (const line of [
      '1,234,567.80 · English (United States)',
      '12,34,567.80 · English (India)',
      '1.234.567,80 · Deutsch',
      '1 234 567,80 · suomi',
      '1 234 567,80 · français',
    ])
      expect(visibleText.split('\n')).toContain(line);
    expect(bot.initial('locale')).toMatchObject({ value: 'en-US' });
  });
});

describe('two managers with the settings form open', () => {
  const opened = async () => {
    await bot.openForm('/billing settings', ADMIN);
    await bot.openForm('/billing settings', OWNER);
  };
  const submitted = async (fields: Fields, person: string, said: string) =>
    expect(await bot.save(fields, person)).toContain(said);

  it('don’t overwrite each other’s changes without a warning', async () => {
    await opened();
    await submitted({ currency: 'EUR', visibility: 'channel' }, ADMIN, 'Saved.');
    await submitted(
      { currency: 'USD' },
      OWNER,
      'Someone else just changed this. Press Save again to do it anyway.',
    );
    expect(await stored()).toMatchObject({ currency: 'EUR' });
    expect(bot.initial('currency')).toBe('USD');
    await submitted({ visibility: 'channel' }, OWNER, 'Saved.');
    expect(await stored()).toMatchObject({ currency: 'USD', visibility: 'channel' });
  });

  it('get the result in a message if they have closed the form', async () => {
    await opened();
    await submitted({ currency: 'EUR' }, ADMIN, 'Saved.');
    bot.slack.failNext('views.update', { error: 'not_found' });
    await bot.slack.submit(OWNER, { currency: 'USD' });
    const said = await bot.slack.waitFor(() => bot.answers(OWNER, directOf(OWNER)).at(-1));
    expect(said.visibleText).toBe('Someone else just changed this. Nothing was saved.');
  });
});

describe('user groups in the settings form', () => {
  it('are found by part of their name', async () => {
    await bot.openForm('/billing settings');
    expect(await bot.suggested('settings-form:managerGroups', '@Fin')).toEqual([FINOPS]);
    expect(await bot.suggested('settings-form:managerGroups', 'sales')).toEqual([]);
  });

  it('can’t be chosen without a Slack permission, but the rest of the form works', async () => {
    bot.slack.failNext('usergroups.list', { error: 'missing_scope' }, 3);
    await bot.openForm('/billing settings');
    expect(bot.modalText()).toContain('You can’t choose user groups');
    expect(bot.modalText()).toContain('usergroups:read');
    expect(bot.modalText()).not.toContain('User groups of Tally managers');
    expect(await bot.save({ currency: 'EUR' })).toContain('Saved.');
    expect(await stored()).toMatchObject({ currency: 'EUR' });
  });

  it('are rejected if they belong to another workspace', async () => {
    expect(await save({ managerGroups: ['S0ELSEWHERE'] })).toContain('isn’t a user group of this workspace');
    expect(await stored()).toBeNull();
  });
});

describe('damaged settings', () => {
  beforeEach(async () => {
    await addConnection(bot);
    await bot.store({ settings: { zone: 'Nowhere/Land' } });
  });

  it('are reported instead of figures, with a button that opens the form', async () => {
    const { visibleText, ephemeral } = await bot.ask('/spend 123');
    expect(visibleText).toContain('This workspace’s settings are damaged.');
    expect(visibleText).toContain('Open settings…');
    expect(ephemeral).toBe(true);
  });

  it('are replaced when a manager saves the form', async () => {
    await bot.openForm('/billing settings');
    expect(bot.modalText()).toContain('The saved settings are damaged.');
    expect(bot.modalText()).toContain('UTC');
    expect(await bot.save()).toContain('Saved.');
    expect(await bot.audit()).toContain(`${CHANGED} damaged settings replaced`);
    await bot.closeForm();
    expect(await bot.read('/spend 123')).toContain('spent');
  });
});

describe('a workspace with public answers', () => {
  beforeEach(async () => {
    await addConnection(bot);
    await save({ visibility: 'channel' });
  });

  it.each(['/balance 123', '/spend 123'])(
    'shows everyone the answer to %s, with the name of the person who asked',
    async (text) => {
      const answer = await bot.ask(text, MEMBER);
      expect(answer.ephemeral).toBe(false);
      expect(answer.visibleText).toContain(`asked by <@${MEMBER}>`);
      expect(JSON.stringify(answer.blocks)).toContain('"rerun:more"');
      expect(answer.labels).not.toContain('Share');
      expect(bot.answers().map(({ ts }) => ts)).toContain(answer.ts);
    },
  );

  it('uses its own number format for every reader', async () => {
    bot.billing.setBalance('5001', '{"balance":1234567.80,"bonuses":"12000"}');
    await save({ locale: 'en-IN' });
    expect(await bot.read('/balance 5001', MEMBER)).toContain('12,34,567.80 left');
    await save({ visibility: 'asker' });
    expect(await bot.read('/balance 5001', MEMBER)).toContain('1.234.567,80 left');
  });

  it.each(['/balance', '/balance help', '/spend help', '/spend 123 7m', '/billing help'])(
    'keeps the answer to %s private',
    async (text) => {
      const before = bot.answers().length;
      expect((await bot.ask(text, MEMBER)).ephemeral).toBe(true);
      expect(bot.answers()).toHaveLength(before);
    },
  );
});
