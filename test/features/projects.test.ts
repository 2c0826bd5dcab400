import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { problemsOfBlocks } from '../../sandbox/slack/blocks.ts';
import { MEMBER, OWNER } from '../../sandbox/slack/people.ts';
import { WORDS } from '../../src/domain/language/generated.js';
import { normalizeText } from '../../src/domain/language/text-cleanup.ts';
import { validateAlias } from '../../src/features/projects/parse-project-command.ts';
import { projectListMessage } from '../../src/features/projects/project-messages.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { projectPicker } from '../../src/slack/commands/project-picker.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { botOfFile, SATURDAY } from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { CHANNEL, clickOf, directOf, FINANCE, type Fields, GENERAL, TEAM } from '../support/people.ts';
import { storedProject } from '../support/projects.ts';
import { readSpend } from '../support/read-words.ts';
import { requestOf, workspaceOf } from '../support/records.ts';
import { runs } from '../support/test-run.ts';

const MINUTE = 60_000;
const KEY = recordKey(TEAM);
const bot = await botOfFile();
await bot.connect();
beforeEach(async () => {
  const fields = await bot.redis.client.hkeys(KEY);
  await bot.drop('settings', ...fields.filter((one) => !one.startsWith('connection:')));
});

const { modalText, openForm, save, updated, errors } = bot;

async function add(alias: string, id: string, fields: Fields = {}): Promise<void> {
  await openForm('/billing projects add');
  expect(await save({ alias, id, ...fields })).toContain('Saved.');
  await bot.closeForm();
}

const named = (alias: string, given: Partial<Project> = {}): Project =>
  storedProject({ id: '123', addedAt: SATURDAY, ...given, alias });
const stored = (alias: string): Promise<Project | null> => bot.stored(`project:${alias}`);
const defaultOf = (channel: string) => bot.redis.client.hget(KEY, `channel:${channel}`);
const lastChange = async () => (await bot.audit())[0];
/** The answer to a click on a button that this person doesn't see. */
const forged = async (person: string, action: object, channel: string): Promise<string> =>
  (await bot.next(() => bot.interact(clickOf(person, action, channel)), person, channel)).visibleText;

describe('naming a project', () => {
  it('opens a form with the typed words filled in', async () => {
    await openForm('/billing projects add storage Web_Shop 123');
    const view = bot.view();
    for (const filled of [
      '"initial_value":"web-shop"',
      '"initial_value":"123"',
      '"initial_user":"U0OWNER001"',
    ])
      expect(view).toContain(filled);
    expect(modalText()).toContain('Default (main)');
    expect(await save({ channels: [CHANNEL], currency: 'EUR' })).toContain('Choose another product…');
    await bot.closeForm();
    expect(await stored('web-shop')).toEqual(
      named('web-shop', { product: 2, currency: 'EUR', channels: [CHANNEL] }),
    );
    expect(await lastChange()).toBe(`${OWNER} added the project web-shop (project 123)`);
  });

  it.each([
    ['add may 123', '“may” already has a meaning', '/billing projects add may-prod 123'],
    ['add last week 123', '“last week” already has a meaning', '/billing projects add last-week-prod 123'],
    ['add total 123', '“total” already has a meaning', '/billing projects add total-prod 123'],
    ['add web shop 123', '“shop” is a second name.', '/billing projects add web-shop 123'],
    ['add prod 123 456', 'You named two projects without a comma, “123 456”.'],
    ['add prod 0123', '“0123” starts with a zero'],
    ['add prod 123 csv', '“csv” doesn’t belong there.'],
  ])('fails if a word fits no field of the form: “%s”', async (words, sentence, instead?) => {
    const answer = await bot.ask(`/billing projects ${words}`);
    expect(answer.visibleText).toContain(sentence);
    if (instead !== undefined) expect(answer.visibleText).toContain(instead);
    expect(bot.modal()).toBeUndefined();
  });

  it('lets people ask about the project by its name, in upper or lower case', async () => {
    await add('prod', '123', { currency: 'EUR' });
    const { visibleText } = await bot.ask('/spend PROD yesterday', MEMBER);
    expect(visibleText).toMatch(/^prod · Fri 20 Nov · [\d.,]+\sEUR spent/);
    expect(await bot.read('/spend 123 yesterday')).toMatch(/^prod · /);
  });

  it('leads to an error next to each invalid field', async () => {
    await openForm('/billing projects add');
    await bot.slack.submit(OWNER, {
      alias: 'q3',
      id: '0123',
      currency: '<a b>',
      channels: [directOf(OWNER)],
    });
    expect(Object.keys(errors()).sort()).toEqual(['alias', 'channels', 'currency', 'id']);
    expect(errors().alias).toContain('“q3”');
    for (const currency of [',000.00', '1', '\u3164', 'د']) {
      await bot.slack.submit(OWNER, { alias: 'web', id: '7', currency });
      expect(errors()).toEqual({
        currency: 'At most 8 letters or currency signs, such as EUR or €.',
      });
    }
    await bot.closeForm();
  });

  it('fails if the name is taken, and the form keeps what was typed', async () => {
    await add('prod', '123');
    await openForm('/billing projects add');
    const text = await save({ alias: 'Prod', id: '456', product: '2', channels: [GENERAL], currency: '€' });
    expect(text).toContain('“prod”.');
    const view = bot.view();
    for (const kept of ['"456"', `"initial_conversations":["${GENERAL}"]`, '"€"', 'Object storage (2)'])
      expect(view).toContain(kept);
    expect(await save({ alias: 'prod-logs' })).toContain('Saved.');
    await bot.closeForm();
    expect((await stored('prod'))?.id).toBe('123');
    expect(await stored('prod-logs')).toMatchObject({ id: '456', product: 2, currency: '€' });
  });

  it('is possible for up to two hundred projects', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`project:many-${n}`, named(`many-${n}`)]),
    );
    await bot.store(many);
    await openForm('/billing projects add');
    expect(await save({ alias: 'one-more', id: '1' })).toContain('You have 200 projects');
    await bot.closeForm();
    expect(await stored('one-more')).toBeNull();
  });

  it('fails if the name is invalid, and leads to the suggestion of a valid name', async () => {
    await openForm('/billing projects add');
    for (const typed of ['a_b!', 'Web_Shop', 'prod.', 'pr\u00ADod', '“prod”']) {
      await bot.slack.submit(OWNER, { alias: typed, id: '123' });
      expect(errors().alias).toMatch(/^Names can only have letters, digits and hyphens/);
    }
    await bot.slack.submit(OWNER, { alias: 'a_b!', id: '123' });
    expect(errors().alias).toContain('“a-b”');
    expect(await bot.redis.client.hkeys(KEY)).not.toContain('project:a-b');
    await bot.slack.submit(OWNER, { alias: 'A-B', id: '123' });
    await bot.modalSays('/balance a-b');
  });

  it('leads to an offer of another product if the chosen one has no data', async () => {
    await openForm('/billing projects add backups 789');
    expect(await save({})).toContain('Saved. Billing has no Cloud platform data for 789.');
    expect(modalText()).not.toContain('Now try');
    await bot.pressInForm('Choose another product…');
    await bot.modalSays('Edit a project');
    expect(await save({ product: '2' })).toContain('Now try `/balance backups`');
    await bot.closeForm();
  });

  it('works even while billing returns errors', async () => {
    bot.billing.setMode('failing');
    await openForm('/billing projects add prod 123');
    expect(await save({})).toContain('Now try `/balance prod`');
    await bot.closeForm();
  });

  it('leads to a note if the project already has another name', async () => {
    await add('staging', '456');
    await openForm('/billing projects add web-shop 456');
    expect(await save({})).toContain('Saved. 456 is also called staging.');
    await bot.closeForm();
    await openForm('/billing projects edit web-shop');
    expect(await save({ currency: 'EUR' })).toMatch(/^Saved\.\n/);
    await bot.closeForm();
    await openForm('/billing projects add logs 456 storage');
    expect(await save({})).not.toContain('also called');
    await bot.closeForm();
  });

  it('is offered to managers in answers about a project that has no name', async () => {
    for (const command of ['/spend 456 yesterday', '/balance 456']) {
      const answer = await bot.ask(command);
      await bot.press(answer, 'Name…');
      await bot.slack.waitFor(() => bot.modal());
      expect(bot.view()).toContain('"initial_value":"456"');
      await bot.closeForm();
      expect(await bot.read(command, MEMBER)).not.toContain('Name…');
    }
    await add('named', '456');
    expect(await bot.read('/balance 456')).not.toContain('Name…');
  });
});

describe('a project’s name', () => {
  const VERBS = ['/spend', '/balance', '/os-token', '/billing', 'connect', 'projects', 'default', 'settings'];
  const problem = (typed: string) => validateAlias(normalizeText(typed), VERBS);

  it.each('prod web-shop Web_Shop a1 help-desk today-app q3-sales vm2x'.split(' '))('may be “%s”', (typed) =>
    expect(problem(typed)).toBeUndefined(),
  );

  it.each([
    ['starts with a letter', ['', 'p', '9lives', '-prod', 'x'.repeat(33), 'two words', 'prod.eu']],
    ['That is a project ID', ['123']],
    [
      'in commands or questions',
      [
        ...'may MAY cloud object-storage q3 q9 last-week lastweek october2026 to project help'.split(' '),
        ...'we total overall everything our just burn'.split(' '),
      ],
    ],
    ['a Tally command', 'spend os-token ostoken con-nect none add'.split(' ')],
  ])('is refused with a message that contains “%s”', (why, names) => {
    for (const typed of names) expect(problem(typed), typed).toContain(why);
  });

  it('is refused without being repeated if it looks like a secret', () => {
    const secret = 'a3f9c1d27b4e8f60a3f9c1d27b4e';
    expect(problem(secret)).toContain('looks like a token');
    expect(problem(secret)).not.toContain(secret);
    expect(problem('bearer')).toContain('looks like a token');
  });

  it('is suggested only if it would be accepted', () => {
    for (const word of ['may', 'q3', 'spend', 'last-week', 'virtualization', 'previous-quarter-to-date'])
      expect(problem(problem(word)!.match(/for example (\S+)\.$/)![1]!)).toBeUndefined();
  });

  it('is recognized next to the other words of a command', () => {
    const piece = fc.oneof(
      fc.constantFrom(...WORDS, 'web', 'app', '-', '--', 'q', '3', '7', '2026', '10'),
      fc.string({ unit: fc.constantFrom(...'abcdefmqwxyz0123456789-_ '), maxLength: 6 }),
    );
    const typed = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    const beside = fc.constantFrom('', 'mtd', 'last-month storage', '2026-10-01 to 2026-10-15', 'since may');
    let taken = 0;
    fc.assert(
      fc.property(typed, beside, fc.boolean(), (text, words, first) => {
        const alias = normalizeText(text);
        fc.pre(validateAlias(alias, VERBS) === undefined);
        taken++;
        expect(() => readSpend(alias)).toThrow();
        const order = first ? [alias, words] : [words, alias];
        const read = readSpend(order.join(' '), new Set([alias]));
        expect(read).toMatchObject({ help: false, alias });
        expect(read.project).toBeUndefined();
        expect(read.phrase === undefined).toBe(words === '');
      }),
      {
        numRuns: runs(400),
        examples: [
          ['first-aid', 'since may', false],
          ['onward-app', 'mtd', false],
          ['object-store', 'last-month storage', false],
        ],
      },
    );
    expect(taken).toBeGreaterThanOrEqual(runs(400));
  });

  it('may contain “help” without being read as a request for help', async () => {
    await add('help-desk', '123');
    expect(await bot.read('/billing default help-desk')).toContain(
      `The default project of <#${CHANNEL}> is help-desk`,
    );
    expect(await bot.read('/balance help-desk')).toMatch(/^help-desk · /);
  });
});

describe('/billing projects', () => {
  it('shows how to begin if no project has a name yet', async () => {
    const owners = await bot.ask('/billing projects');
    expect(owners.visibleText).toContain('No project has a name yet.');
    await bot.press(owners, 'Add a project…');
    await bot.slack.waitFor(() => bot.modal());
    await bot.closeForm();
    const members = await bot.ask('/billing projects', MEMBER);
    expect(members.visibleText).toContain('for example /spend 123');
    const { visibleText: pictured } = await bot.ask('/spend 😀 yesterday', MEMBER);
    expect(pictured).toContain('for example /spend 123 yesterday');
    expect(pictured).not.toContain('😀');
    expect(members.visibleText).not.toContain('Add a project…');
  });

  it('lists the projects that may be asked about in the channel, with actions for managers', async () => {
    await add('prod', '123', { product: '2', currency: 'EUR', channels: [CHANNEL] });
    await add('dev', '456', { owner: MEMBER });
    const here = await bot.ask('/billing projects', MEMBER);
    expect(here.visibleText).toContain(
      `*prod*\nproject 123 · Object storage (2) · EUR · owner <@${OWNER}> · only in <#${CHANNEL}>`,
    );
    expect(here.visibleText).toContain(
      `*dev*\nproject 456 · Cloud platform (1) · owner <@${MEMBER}> · everywhere`,
    );
    expect(here.visibleText).not.toMatch(/Edit…|Remove…|Add a project/);
    const elsewhere = await bot.ask('/billing projects', MEMBER, GENERAL);
    expect(elsewhere.visibleText).toContain('*dev*');
    expect(elsewhere.visibleText).not.toContain('prod');
    const managers = await bot.ask('/billing projects', OWNER, GENERAL);
    expect(managers.visibleText).toMatch(/\*prod\*.*Edit…\nApplication access…\nRemove….*Add a project…/s);
  });

  it('counts a project with two names once', async () => {
    for (const [alias, id] of [
      ['prod', '123'],
      ['jan-prod', '123'],
      ['dev', '456'],
    ] as const)
      await add(alias, id);
    expect(await bot.read('/billing projects')).toMatch(/^2 projects · 3 names\n/);
  });

  it('shows many projects on several pages', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 45 }, (_, n) => n + 10).map((n) => [
        `project:team-${n}`,
        JSON.stringify(named(`team-${n}`, { id: `77${n}` })),
      ]),
    );
    await bot.store(many);
    const first = await bot.ask('/billing projects');
    expect(first.visibleText).toContain('45 projects');
    expect(first.visibleText).toContain('page 1 of 3');
    await bot.press(first, 'Next');
    const second = await updated(first, 'page 2 of 3');
    expect(second.visibleText).toContain('*team-30*');
    await bot.press(first, 'Previous');
    await updated(first, 'page 1 of 3');
    expect(await bot.read('/billing projects page 99')).toContain('page 3 of 3');
  });

  it('answers with a message that Slack accepts, whatever names and projects are registered', () => {
    const digit = fc.integer({ min: 0, max: 9 });
    const project = fc.record({
      alias: fc.stringMatching(/^[a-z][a-z0-9]{1,31}$/),
      id: fc.array(digit, { minLength: 1, maxLength: 32 }).map((digits) => digits.join('')),
      product: fc.constantFrom(1 as const, 2 as const, 3 as const),
      connection: fc.constantFrom('main', '<!channel>', '_*~`'.repeat(8)),
      currency: fc.constantFrom('EUR', '¤'),
      channels: fc.array(fc.stringMatching(/^C[A-Z0-9]{10}$/), { maxLength: 50 }),
    });
    const projects = fc.array(
      project.map((given) => named(given.alias, given)),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(projects, fc.boolean(), fc.nat(12), (all, manager, page) => {
        const names = all.map(({ alias }) => alias);
        const access = { id: 'access-1<!he', name: '<!here>', lifetime: 'none' as const };
        const workspace = workspaceOf({
          projects: all,
          accesses: all.slice(0, 20).map(({ id }) => ({ ...access, project: id })),
          fields: {
            [`channel:${CHANNEL}`]: names[0] ?? '',
            ...(manager && { 'project:damaged': '{', 'access:1': '{' }),
          },
        });
        const request = requestOf({
          channel: CHANNEL,
          at: SATURDAY,
          user: { canManage: manager },
          workspace,
        });
        const message = projectListMessage(page, request);
        expect(problemsOfBlocks(message.blocks, 'message')).toEqual([]);
        expect(JSON.stringify(message.blocks)).not.toContain('<!');
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('a command without a known project', () => {
  it.each([
    ['edit', 'Which project?'],
    ['remove', 'Which project?'],
    ['edit banana', 'I don’t recognize “banana”.'],
    ['remove prdo', 'I don’t recognize “prdo”.'],
  ])('is answered with a list of projects: /billing projects %s', async (words, sentence) => {
    await add('prod', '123');
    await add('dev', '456');
    const answer = await bot.ask(`/billing projects ${words}`);
    expect(answer.visibleText).toContain(sentence);
    const verb = words.split(' ')[0];
    expect(answer.commands).toEqual(
      expect.arrayContaining([`/billing projects ${verb} dev`, `/billing projects ${verb} prod`]),
    );
    await bot.choose(answer, 'rerun:project', 'dev');
    if (verb === 'edit') await bot.slack.waitFor(() => bot.modal());
    else await updated(answer, 'Remove dev?');
  });
});

describe('an existing project', () => {
  it('is edited in a form with its current values, and the audit log names the changed fields', async () => {
    await add('prod', '123', { currency: 'EUR', channels: [CHANNEL] });
    bot.clock.now += MINUTE;
    await openForm('/billing projects edit prod');
    expect(bot.view()).toContain(`"initial_conversations":["${CHANNEL}"]`);
    await save({ id: '456', channels: [] });
    expect(await save({})).toContain('Saved.');
    await bot.closeForm();
    expect(await stored('prod')).toEqual(named('prod', { id: '456', currency: 'EUR' }));
    expect(await lastChange()).toBe(`${OWNER} changed the project prod: id, channels`);
  });

  it('stays the default project of its channels when it is renamed', async () => {
    await add('prod', '123');
    await bot.ask('/billing default prod');
    await bot.ask('/billing default prod', OWNER, GENERAL);
    const list = await bot.ask('/billing projects');
    await bot.choose(list, 'run:project', 'Edit…');
    await bot.slack.waitFor(() => bot.modal());
    expect(await save({ alias: 'live' })).toContain('prod is now named live.');
    await bot.closeForm();
    expect(await stored('prod')).toBeNull();
    expect([await defaultOf(CHANNEL), await defaultOf(GENERAL)]).toEqual(['live', 'live']);
    expect(await bot.read('/balance')).toMatch(/^live · /);
    expect(await lastChange()).toBe(`${OWNER} renamed the project prod to live`);
  });

  it('that was removed while its form was open is added again only after a second save', async () => {
    await add('prod', '123');
    await openForm('/billing projects edit prod');
    await bot.drop('project:prod');
    expect(await save({ id: '456' })).toContain(
      'Someone else just removed or renamed this. Press Save again to create it anew.',
    );
    expect(await stored('prod')).toBeNull();
    expect(await save({})).toContain('Now try');
    await bot.closeForm();
    expect(await stored('prod')).toMatchObject({ id: '456' });
  });
});

describe('the removal of a project', () => {
  it('also ends the project’s use as a channel’s default', async () => {
    await add('prod', '123', { currency: 'EUR', channels: [CHANNEL] });
    await bot.ask('/billing default prod');
    const asked = await bot.ask('/billing projects remove prod');
    await bot.press(asked, 'Remove');
    await updated(asked, 'Removed prod. You can still ask about project 123 by its ID.');
    expect(await stored('prod')).toBeNull();
    expect(await defaultOf(CHANNEL)).toBeNull();
    expect(await lastChange()).toBe(`${OWNER} removed the project prod (project 123)`);
  });

  it('doesn’t happen if the person cancels, or if the project has changed in the meantime', async () => {
    await add('prod', '123');
    const asked = await bot.ask('/billing projects remove prod');
    await openForm('/billing projects edit prod');
    await save({ id: '456' });
    await bot.closeForm();
    await bot.press(asked, 'Remove');
    await updated(asked, 'Someone else just changed prod. Nothing was removed.');
    await bot.press(asked, 'All projects');
    await updated(asked, '1 project');
    const again = await bot.ask('/billing projects remove prod');
    await bot.press(again, 'Keep');
    await updated(again, '1 project');
    expect((await stored('prod'))?.id).toBe('456');
  });
});

describe('a project whose record is damaged', () => {
  const damage = async (json: string): Promise<void> => {
    await add('prod', '123');
    await add('live', '456');
    await bot.ask('/billing default prod');
    await bot.store({ 'project:prod': json });
  };

  it.each(['{', 'null', '[]', '{"alias":"prod"}'])(
    'can be removed by a manager (record: “%s”)',
    async (json) => {
      await damage(json);
      expect(await bot.read('/billing projects')).toContain('live');
      const edit = await bot.ask('/billing projects edit prod');
      expect(edit.visibleText).toContain('Remove prod?');
      expect(edit.visibleText).toContain('Its record is damaged. The project may have channel limits.');
      await bot.press(edit, 'Remove');
      await updated(edit, 'Removed prod.');
      expect(await stored('prod')).toBeNull();
      expect(await defaultOf(CHANNEL)).toBeNull();
      expect(await lastChange()).toBe(`${OWNER} removed the damaged record of the project prod`);
      expect(await bot.read('/balance 456')).toContain('left');
    },
  );

  it('blocks questions by project ID, but not questions by another project’s name', async () => {
    await damage('{');
    expect(await bot.read('/balance 123')).toContain('Tally can’t read the stored project.');
    expect(await bot.read('/balance live')).toContain('live');
  });
});

describe('/billing default', () => {
  it('sets, shows and clears the channel’s default project', async () => {
    await add('prod', '123');
    await add('dev', '456');
    expect(await bot.read('/billing default', MEMBER)).toContain('This channel has no default project');
    const choice = await bot.ask('/billing default');
    await bot.choose(choice, 'rerun:default', 'dev');
    const replacement = await updated(choice, `The default project of <#${CHANNEL}> is dev`);
    expect(replacement.blocks[0]).toMatchObject({ text: { type: 'mrkdwn' } });
    await bot.ask('/billing default prod');
    expect(await bot.read('/billing default', MEMBER)).toContain(
      `The default project of <#${CHANNEL}> is prod`,
    );
    expect(await bot.read('/spend mtd', MEMBER)).toMatch(/^prod · /);
    expect(await bot.read('/billing projects', MEMBER)).toContain('*prod* · default in this channel');
    expect(await bot.read('/billing default none')).toContain('Removed the default project');
    expect(await defaultOf(CHANNEL)).toBeNull();
    expect(await bot.read('/spend mtd', MEMBER)).toContain('Which project?');
    const changes = ['none', 'prod', 'dev'].map(
      (name) => `${OWNER} changed the default project of ${CHANNEL}: ${name}`,
    );
    expect((await bot.audit()).slice(0, 3)).toEqual(changes);
  });

  it('is not available in direct messages', async () => {
    await add('prod', '123');
    for (const words of ['', ' prod', ' none'])
      expect(await bot.read(`/billing default${words}`, OWNER, directOf(OWNER))).toContain(
        'Direct messages have no default project.',
      );
    expect(await defaultOf(directOf(OWNER))).toBeNull();
  });

  it('accepts only a registered project that people can ask about in the channel', async () => {
    await add('prod', '123', { channels: [GENERAL] });
    expect(await bot.read('/billing default nowhere')).toContain('I don’t recognize “nowhere”.');
    expect(await bot.read('/billing default 999')).toContain('I don’t recognize “999”.');
    expect(await bot.read('/billing default prod')).toContain('is limited to other channels');
    expect(await defaultOf(CHANNEL)).toBeNull();
    expect(await bot.read('/billing default 123', OWNER, GENERAL)).toContain(
      `default project of <#${GENERAL}> is prod`,
    );
  });
});

describe('a command without a project', () => {
  it('leads to a list of projects allowed in the channel, and keeps its other words', async () => {
    await add('prod', '123', { channels: [CHANNEL] });
    await add('dev', '789');
    const asked = await bot.ask('/spend Last Month storage', MEMBER);
    expect(asked.visibleText).toContain('Which project?');
    await bot.choose(asked, 'rerun:project', 'dev', MEMBER);
    const { visibleText } = await updated(asked, 'dev · ', MEMBER);
    expect(visibleText).toContain(' · October · ');
    expect(visibleText).toContain('Object storage');
    expect(await bot.read('/spend', MEMBER, GENERAL)).not.toContain('prod');
  });

  it('leads to a list of two hundred projects, within Slack’s limits', () => {
    const projects = Array.from({ length: 200 }, (_, n) =>
      named(`p${String(n).padStart(3, '0')}${'x'.repeat(28)}`),
    );
    const workspace = workspaceOf({ projects });
    for (const manager of [true, false]) {
      const text = '2026-10-01 to 2026-10-15 including today object storage';
      const request = requestOf({ workspace, channel: CHANNEL, user: { canManage: manager } });
      const blocks = projectPicker({ command: '/spend', text }, request);
      expect(problemsOfBlocks(blocks, 'message')).toEqual([]);
      expect(JSON.stringify(blocks).match(/"value":"\/spend /g)).toHaveLength(201);
    }
  });
});

const REFUSED = 'You can’t ask about this project here.';
const LIMITED = `is limited to <#${CHANNEL}>. Ask there.`;

describe('a project’s limit to certain channels', () => {
  it('applies to questions by name or ID, buttons and sharing, but not to managers', async () => {
    await add('prod', '123', { channels: [CHANNEL] });
    const before = bot.billing.requests.length;
    for (const command of [
      '/spend prod',
      '/spend 123',
      '/balance prod',
      '/balance 123 storage',
      '/spend prod 2',
    ])
      expect(await bot.read(command, MEMBER, GENERAL)).toContain(LIMITED);
    expect(await bot.read('/balance 123', MEMBER, directOf(MEMBER))).toContain(LIMITED);

    for (const action of [
      { action_id: 'rerun:more', value: '/spend 123 yesterday' },
      { action_id: 'run:project', value: '/spend prod yesterday' },
      { action_id: 'share', value: `${SATURDAY} /balance prod cloud` },
    ])
      expect(await forged(MEMBER, action, GENERAL)).toContain(LIMITED);
    expect(bot.billing.requests.length).toBe(before);

    expect(await bot.read('/balance prod', MEMBER)).toMatch(/^prod · /);
    expect(await bot.read('/balance 123', OWNER, GENERAL)).toMatch(/^prod · /);
  });

  it('is explained without the names of channels that the reader cannot see', async () => {
    await add('prod', '123', { channels: [CHANNEL] });
    expect(await bot.read('/spend prod', MEMBER, GENERAL)).toContain(`prod ${LIMITED}`);
    expect(await bot.read('/spend 123', MEMBER, GENERAL)).toContain(`Project 123 ${LIMITED}`);
    await add('web', '456', { channels: [FINANCE] });
    expect(await bot.read('/spend web', MEMBER, GENERAL)).toContain(REFUSED);
  });

  it('is saved only after a warning about the schedules that it would stop', async () => {
    await add('prod', '123');
    await bot.store({ 'schedule:schedul1': schedule({ channel: CHANNEL }) });
    await openForm('/billing projects edit prod');
    expect(await save({ channels: [GENERAL] })).toContain(
      '1 schedule uses it in other channels, and will stop there. Save again to save it anyway.',
    );
    expect((await stored('prod'))?.channels).toEqual([]);
    const saved = await save({});
    expect(saved).toMatch(/^Saved\./);
    expect(saved).not.toContain('Now try');
    await bot.closeForm();
    expect((await stored('prod'))?.channels).toEqual([GENERAL]);
  });

  it('can be lifted by a new project ID only after a warning', async () => {
    await add('payroll', '777', { channels: [CHANNEL] });
    await openForm('/billing projects edit payroll');
    expect(await save({ id: '778' })).toContain('This lifts the channel limits of project 777.');
    expect((await stored('payroll'))?.id).toBe('777');
    expect(await save({})).toContain('Saved.');
    await bot.closeForm();
  });

  it('applies to all names of the project', async () => {
    bot.billing.setBalance('777', '{"balance":10,"bonuses":0}');
    await add('payroll', '777', { channels: [CHANNEL] });
    await add('ok-name', '777');
    await add('web', '456');
    const before = bot.billing.requests.length;
    for (const command of [
      '/spend ok-name',
      '/balance 777',
      '/balance ok-name,payroll',
      '/spend ok-name 3 csv',
    ])
      expect(await bot.read(command, MEMBER, GENERAL)).toContain(LIMITED);
    const share = { action_id: 'share', value: `${SATURDAY} /balance ok-name cloud` };
    expect(await forged(MEMBER, share, GENERAL)).toContain(LIMITED);
    expect(bot.billing.requests.length).toBe(before);
    for (const command of [
      '/balance all',
      '/balance',
      '/billing projects',
      '/billing default',
      '/balance payrol',
    ])
      expect(await bot.read(command, MEMBER, GENERAL)).not.toMatch(/payroll|ok-name|777/);
    expect(await bot.read('/balance ok-name', MEMBER)).toMatch(/^ok-name · /);
    expect(await bot.read('/balance all', MEMBER)).toMatch(/^2 projects/);
    expect(await bot.read('/billing projects', OWNER)).toContain(`only in <#${CHANNEL}>`);
  });
});

it('Slack accepts every message and form about projects', () => {
  expect(bot.slack.complaints).toEqual([]);
  expect(bot.log()).not.toContain('"outcome":"unknown"');
  expect(bot.log()).not.toContain('nothing listens to');
});
