import { describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { botOfFile, CHANNEL } from '../support/bot.ts';
import { addConnection, addProjects } from '../support/projects.ts';
import { answerQueries, itemsJson } from '../support/service-replies.ts';

const bot = await botOfFile();
await addConnection(bot);
await addProjects(bot, { prod: '7001', closed: { id: '7002', channels: ['C0FINANCE1'] } });
for (const id of ['7001', '7002']) {
  bot.billing.setItems(id, itemsJson(['2026-11-20', 5]));
  bot.billing.setBalance(id, '{"balance":5,"bonuses":0}');
}

describe('the Share button', () => {
  it.each([
    ['/spend closed', OWNER, CHANNEL, false],
    ['/balance closed', OWNER, CHANNEL, false],
    ['/spend 7002 last-month', OWNER, CHANNEL, false],
    ['/spend closed', OWNER, 'C0FINANCE1', true],
    ['/spend prod', OWNER, CHANNEL, true],
    ['/spend prod,closed', OWNER, CHANNEL, true],
    ['/spend prod', MEMBER, CHANNEL, true],
  ])(
    'is offered only if the answer may be shared in the channel: %s, asked by %s in %s',
    async (text, person, channel, isOffered) => {
      const { visibleText, labels } = await bot.ask(text, person, channel);
      expect(visibleText).toMatch(/spent|left|No .* data/);
      expect(labels.includes('Share')).toBe(isOffered);
    },
  );
});

it.each(['/spend', '/balance'])(
  'a shared answer to %s names only projects that are allowed in the channel',
  async (command) => {
    const shared = await bot.next(
      async () => bot.press(await bot.ask(`${command} prod,closed`), 'Share'),
      MEMBER,
    );
    expect(shared).toMatchObject({ ephemeral: false });
    expect(JSON.stringify(shared)).toMatch(/prod(?!.*closed)/);
  },
);

describe('formatting marks around words', () => {
  it.each([
    '/spend ~prod~ last-7-days',
    '/spend *prod*',
    '/spend ~prod last-7-days~',
    '/spend > prod',
    '/spend &gt; prod',
  ])('are ignored in a command: %s', async (text) => {
    expect(await bot.read(text)).toMatch(/^prod · .*spent/);
  });
  it.each(['> spend prod', '&gt; spend prod', '~spend prod~', '>>> spend prod'])(
    'are ignored in a mention: %s',
    async (text) => {
      expect(await bot.read(`@Tally ${text}`)).toMatch(/^prod · .*spent/);
    },
  );
});

describe('an error from billing', () => {
  const maintain = () =>
    answerQueries(bot.billing, '7001', {
      status: 200,
      body: '{"errors":[{"message":"Billing is being maintained until 12:00"}],"data":null}',
    });

  it('is quoted in the answer', async () => {
    maintain();
    for (const text of ['/spend prod', '/spend prod,closed'])
      expect(await bot.read(text)).toContain('Billing is being maintained until 12:00');
  });

  it('is reported in /billing status without advice to check the project ID', async () => {
    maintain();
    await bot.ask('/balance prod');
    const { visibleText } = await bot.ask('/billing status');
    expect(visibleText).toContain('No figures for');
    expect(visibleText).not.toContain('Check its ID');
  });

  it('leads to an answer that says “Try again” only once', async () => {
    bot.billing.respond(() => ({ status: 500, body: '' }));
    const { visibleText } = await bot.ask('/spend prod');
    expect(visibleText.match(/try again/gi)).toHaveLength(1);
  });
});

describe('the project picker of a question without a project', () => {
  it.each([
    ['/spend last-month', ['/spend prod last-month', '/spend closed last-month', '/spend all last-month']],
    ['/balance csv', ['/balance all csv']],
  ])('keeps the words of the question, and also offers “All projects”: %s', async (text, values) => {
    const { options, commands } = await bot.ask(text);
    expect(commands).toEqual(expect.arrayContaining(values));
    expect(options.at(-1)?.label).toBe('All projects');
  });

  it.each(['/os-token', '/spend blork october by week'])(
    'has no “All projects” for %s, which accepts only one project',
    async (text) => {
      const { options } = await bot.ask(text);
      expect(options.length).toBeGreaterThan(1);
      expect(options.map(({ label }) => label)).not.toContain('All projects');
    },
  );
});
