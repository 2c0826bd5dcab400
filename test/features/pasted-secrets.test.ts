import { describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { botOfFile, CHANNEL, goodToken } from '../support/bot.ts';
import { TEAM } from '../support/people.ts';
import { addProjects, changeIn } from '../support/projects.ts';

/** Two secrets that look like ordinary words. */
const ACCESS_SECRET = 'correct-horse-battery';
const SECOND_TOKEN = 'Staple_Of.Words';

const bot = await botOfFile({ now: Date.now });
await bot.connect();
await addProjects(bot, { prod: '123' });
const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
const by = { registeredBy: OWNER, registeredAt: 0 };
await workspaces.saveConnection(await changeIn(workspaces, TEAM), {
  ...by,
  name: 'second',
  baseUrl: bot.billing.url,
  token: SECOND_TOKEN,
  role: 'read-only',
  lifetime: 'none',
});
await workspaces.saveAccess(await changeIn(workspaces, TEAM), {
  ...by,
  project: '123',
  authUrl: 'https://identity.example.com/v3',
  id: 'an-access-id',
  secret: ACCESS_SECRET,
  issuers: { people: [OWNER], groups: [] },
});

/** @returns a function that gives everything that Tally has sent or logged since `watch` was called */
function watch() {
  const [calls, logged] = [bot.slack.calls.length, bot.log().length];
  return () =>
    JSON.stringify([
      bot.slack.calls.slice(calls).map(({ args }) => args),
      bot.slack.messages(OWNER, CHANNEL).filter(({ from }) => from !== OWNER && from !== MEMBER),
      bot.log().slice(logged),
    ]);
}

describe.each([
  ['a token', () => goodToken(bot.billing)],
  ['a token of another connection', () => SECOND_TOKEN],
  ['the secret of an application access', () => ACCESS_SECRET],
])('a pasted secret (%s)', (_, secretOf) => {
  it.each([
    ...['/spend 123 S', '/spend S', '/balance S', '/balance prod S', '/os-token S', '/os-token prod S'],
    ...['/spend “S”', '/spend 123 `S`', '/spend 123 (S).', '/spend key=S', '/spend key:S', '/billing S'],
    ...['/billing connect S', '/billing disconnect S', '/billing projects S', '/billing projects add S 123'],
    ...[
      '/billing projects edit S',
      '/billing projects remove S',
      '/billing default S',
      '/billing schedule S',
    ],
    ...['/billing schedule prod S daily', '/billing schedules S', '/billing status S', '/billing conect S'],
    ...['@Tally S', '@Tally spend S', '@Tally spnd 123 S', '@Tally connect S', '@Tally hello S'],
  ])('is neither repeated nor logged by Tally if it replaces the S in “%s”', async (command) => {
    const secret = secretOf();
    const shown = watch();
    const { visibleText } = await bot.ask(command.replace('S', secret));
    expect(visibleText).toContain('That looks like a token or a password.');
    expect(bot.modal()).toBeUndefined();
    expect(shown().toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it('is not accepted as a project’s name, and not shown in the form again', async () => {
    const secret = secretOf().toLowerCase();
    if (secret !== secretOf() || secret.length > 32) return;
    await bot.openForm('/billing projects add');
    const shown = watch();
    await bot.slack.submit(OWNER, { alias: secret, id: '77' });
    await bot.modalSays('looks like a token');
    expect(shown()).not.toContain(secret);
    expect((await workspaces.load(TEAM)).aliases.has(secret)).toBe(false);
  });
});

describe('the form of a connection', () => {
  it('refuses a name or an account that contains the token', async () => {
    await bot.openForm('/billing connect');
    const token = 'mytoken-in-words';
    await bot.slack.submit(OWNER, { token, project: '123', name: token, account: `Account ${token}` });
    expect(Object.keys(bot.errors()).sort()).toEqual(['account', 'name']);
  });

  it('refuses a registered secret as the connection’s name, and doesn’t show it again', async () => {
    await bot.openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: 'another-one', project: '123', name: ACCESS_SECRET });
    await bot.modalSays('looks like a token');
    expect(bot.view()).not.toContain(ACCESS_SECRET);
    expect((await workspaces.load(TEAM)).connectionNames).toEqual(['main', 'second']);
  });
});

describe('an unregistered word that looks like a secret', () => {
  it.each([
    ['/billing connect q7x2k9v4', 'That looks like a token or a password.'],
    ['/billing disconnect q7x2k9v4', 'That looks like a token or a password.'],
    ['/spend prod q7x2k9v4', 'I don’t recognize one word (hidden, because it may be a secret).'],
    ['/billing default q7x2k9v4', 'I don’t recognize one word (hidden, because it may be a secret).'],
    ['/billing conect q7x2k9v4', 'Unknown command “conect”'],
    ['/billing projects q7x2k9v4', 'Unknown command one word (hidden, because it may be a secret).'],
    ['@Tally q7x2k9v4', 'I don’t recognize one word (hidden, because it may be a secret).'],
    ['@Tally spnd q7x2k9v4', 'I don’t recognize one word (hidden, because it may be a secret).'],
  ])('is not repeated in the answer to %s', async (command, answer) => {
    const shown = watch();
    expect(await bot.read(command)).toContain(answer);
    expect(shown()).not.toContain('q7x2k9v4');
  });

  it('does not appear in any button', async () => {
    const shown = watch();
    expect(await bot.read('@Tally projects add q7x2k9v4 77')).toContain('Open the form');
    bot.slack.failNext('users.info', { error: 'internal_error' });
    await bot.ask('/billing connect q7x2k9v4');
    expect(shown()).not.toContain('q7x2k9v4');
    expect(shown()).toContain('/billing projects add 77');
  });

  it('is not filled in as the project’s name in a form', async () => {
    const shown = watch();
    await bot.openForm('/billing projects add q7x2k9v4 77');
    expect(shown()).toContain('"initial_value":"77"');
    expect(shown()).not.toContain('q7x2k9v4');
  });
});
