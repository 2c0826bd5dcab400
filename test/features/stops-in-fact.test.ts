/** For each change of a workspace: what its confirmation listed is what the worker then stops, and nothing else. */
import { afterEach, describe, expect, it } from 'vitest';
import { startIdentity } from '../../sandbox/identity.ts';
import { FINOPS, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { createBillingClient } from '../../src/billing/client.ts';
import { makeReport } from '../../src/delivery/reports/reports.ts';
import { createGuardedHttp } from '../../src/http/request.ts';
import { recordKey } from '../../src/redis/keys.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { BOT_TOKEN, type Bot, CHANNEL, goodToken, startBot, textOf, toAnswer } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { createDeliveryParts, save, schedule } from '../support/delivery.ts';
import { createFormActions } from '../support/forms.ts';
import { addConnection, addProject } from '../support/projects.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const DAY = 86_400_000;
const GENERAL = 'C0GENERAL1';
const PROD = { id: '123', product: 1 } as const;
const WEB = { id: '456', product: 1 } as const;
let now = NOW;
let bot: Bot;
afterEach(() => bot.stop());

/** Each item: how a confirmation lists it, and where and how it shows that it runs. */
const ITEMS = {
  'spend of prod': [/\*Yesterday’s spend\* for prod →/, CHANNEL, /^(?:prod|Project 123) · .* spent/],
  'balance of web': [/\*Balance\* for web →/, GENERAL, /^(?:web|Project 456) · .* left/],
  'balance of both': [/\*Balance\* for prod, web →/, CHANNEL, /^(?:1 of )?2 projects · .* left/],
  'alert about prod': [/\*prod\*: balance below/, CHANNEL, /^(?:prod|Project 123) has .* below/],
  'alert about web': [/\*web\*: balance below/, GENERAL, /^(?:web|Project 456) has .* below/],
  'alert to a person': [
    /\*prod\*: runway under/,
    MEMBER.replace(/^U/, 'D'),
    /^(?:prod|Project 123): about .* fewer/,
  ],
} as const;
type Item = keyof typeof ITEMS;
const ALL = Object.keys(ITEMS) as Item[];

async function start(): Promise<void> {
  now = NOW;
  bot = await startBot({ now: () => now });
  const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
  for (const name of ['main', 'second'])
    await workspaces.saveConnection(
      await changeIn(workspaces, TEAM),
      {
        ...{ name, baseUrl: bot.billing.url, token: goodToken(bot.billing) },
        ...{ registeredBy: OWNER, registeredAt: now },
      },
      'main',
    );
  await addProject(bot, { alias: 'prod', id: '123' });
  await addProject(bot, { alias: 'web', id: '456', connection: 'second' });
  const timing = { cadence: { kind: 'daily' }, time: '09:00', zone: 'UTC' } as const;
  const plan = (id: string, parts: Partial<Schedule>) =>
    save(bot.redis.client, TEAM, schedule({ id, owner: OWNER, timing, since: now, waitHours: 0, ...parts }));
  await plan('s0000001', { projects: [PROD], report: 'yesterday', channel: CHANNEL });
  await plan('s0000002', { projects: [WEB], report: 'balance', channel: GENERAL });
  await plan('s0000003', { projects: [PROD, WEB], report: 'balance', channel: CHANNEL });
  await watch('w0000001', PROD, { channel: CHANNEL }, BELOW);
  await watch('w0000002', WEB, { channel: GENERAL }, BELOW);
  await watch('w0000003', PROD, { people: [MEMBER] }, { kind: 'runway', days: 900 });
}
const BELOW = { kind: 'balance', below: '9000000' };

const watch = (id: string, project: object, target: object, rule: object) =>
  bot.redis.client.hset(
    recordKey(TEAM),
    `watch:${id}`,
    JSON.stringify({
      id,
      projects: [project],
      rule,
      ...target,
      owner: OWNER,
      createdBy: OWNER,
      createdAt: 0,
      since: now,
    }),
  );
const settings = (values: object) =>
  bot.redis.client.hset(recordKey(TEAM), 'settings', JSON.stringify({ connection: 'main', ...values }));
const limit = async (channels: readonly string[]) => {
  const project = JSON.parse((await bot.redis.client.hget(recordKey(TEAM), 'project:prod')) ?? '');
  await bot.redis.client.hset(recordKey(TEAM), 'project:prod', JSON.stringify({ ...project, channels }));
};

const { modalText, openForm } = createFormActions(() => bot);

/** Changes through a form. @returns what the form says that this stops; '' if it saved at once */
const form =
  (command: string, fields: Record<string, string | readonly string[]>) => async (): Promise<string> => {
    await openForm(command);
    await bot.slack.submit(OWNER, fields);
    await bot.slack.waitFor(() => /Nothing is saved yet|Saved|No changes/.test(modalText()));
    const warning = modalText();
    if (!warning.includes('Nothing is saved yet')) return '';
    await bot.slack.submit(OWNER, {});
    await bot.slack.waitFor(() => modalText().includes('Saved'));
    return warning;
  };

/** Changes by a button below a question. @returns the question */
const question = (command: string, label: string, done: string) => async (): Promise<string> => {
  const asked = await bot.ask(command);
  await bot.slack.press(OWNER, { channel: CHANNEL, ts: asked.ts }, label);
  await bot.slack.waitFor(() => {
    const found = bot.slack.messages(OWNER, CHANNEL).find(({ ts }) => ts === asked.ts);
    return found !== undefined && toAnswer(found).visibleText.includes(done);
  });
  return asked.visibleText;
};

const linesIn = (text: string, title: string): readonly Item[] => {
  const [, list = ''] = new RegExp(`\\*${title}[^*]*\\*\\n((?:• .*\\n?)*)`).exec(text) ?? [];
  return ALL.filter((item) => ITEMS[item][0].test(list));
};

/** What the worker has sent for this item. */
function postOf(item: Item): string | undefined {
  const [, channel, words] = ITEMS[item];
  const person = channel.startsWith('D') ? MEMBER : OWNER;
  return bot.slack
    .messages(person, channel)
    .filter(({ from, ephemeral }) => from === 'bot' && !ephemeral)
    .map(({ blocks }) => textOf(blocks))
    .find((shown) => words.test(shown));
}

/** What the worker sends until a day later. */
async function sentBy(): Promise<readonly Item[]> {
  await bot.stopBot();
  const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
  const { runner, close } = createDeliveryParts({
    ...{ redis: bot.redis.client, redisUrl: bot.redis.url, slackUrl: `${bot.slack.url}/api/` },
    ...{ clock: () => now, botToken: BOT_TOKEN, keyring: bot.keyring },
    ...{ billing: createBillingClient({ http }), report: makeReport },
  });
  const end = now + DAY;
  let next: number | undefined = now;
  while (next !== undefined && next <= end) {
    now = Math.max(now, next);
    ({ next } = await runner.run(TEAM));
  }
  await Promise.all([close(), http.close()]);
  return ALL.filter((item) => postOf(item) !== undefined);
}

const disconnect = (name: string) => question(`/billing disconnect ${name}`, 'Disconnect', 'Disconnected.');

describe('what a confirmation lists is what stops', () => {
  it.each<[string, (() => unknown) | undefined, () => Promise<string>]>([
    ['a change that stops nothing', undefined, form('/billing settings', { currency: 'EUR' })],
    ['disconnecting the default, with an heir', undefined, disconnect('main')],
    ['disconnecting another connection', undefined, disconnect('second')],
    ['removing a project', undefined, question('/billing projects remove web', 'Remove', 'Removed web.')],
    ['limiting a project', undefined, form('/billing projects edit prod', { channels: [GENERAL] })],
    [
      'limiting a project to where it is posted',
      undefined,
      form('/billing projects edit prod', { channels: [CHANNEL] }),
    ],
    [
      'naming another project',
      () => limit([CHANNEL]),
      form('/billing projects edit prod', { id: '789', product: '2' }),
    ],
    [
      'taking managing from a person',
      async () => [await limit([CHANNEL]), await settings({ managers: [MEMBER] })],
      form('/billing settings', { managers: [] }),
    ],
    [
      'taking managing from a group',
      async () => [await limit([CHANNEL]), await settings({ managerGroups: [FINOPS] })],
      form('/billing settings', { managerGroups: [] }),
    ],
  ])(
    '%s',
    async (_, prepare, change) => {
      await start();
      await prepare?.();
      const text = await change();
      const sent = await sentBy();
      const isLess = postOf('balance of both')?.startsWith('1 of') === true;
      expect({
        stopped: ALL.filter((item) => !sent.includes(item)),
        reduced: isLess ? ['balance of both'] : [],
      }).toEqual({ stopped: linesIn(text, 'This stops'), reduced: linesIn(text, 'Continues with less') });
    },
    60_000,
  );

  it.each<[string, () => Promise<string>]>([
    ['turning guests off', form('/billing settings', { others: [] })],
    ['taking tokens from a person', form('/billing projects access prod', { people: [OWNER, GUEST] })],
  ])('of tokens, by %s', async (_, change) => {
    now = NOW;
    const identity = await startIdentity({ now: () => now, slowFor: 300 });
    bot = await startBot({ now: () => now, identityUrl: identity.authUrl });
    await addConnection(bot);
    await settings({ guests: true });
    await addProject(bot, { alias: 'prod', id: '123' });
    const people = [OWNER, MEMBER, GUEST];
    const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
    const { id, secret } = identity.accesses.good;
    await workspaces.saveAccess(await changeIn(workspaces, TEAM), {
      ...{ project: '123', authUrl: identity.authUrl, id, secret, registeredBy: OWNER, registeredAt: now },
      issuers: { people, groups: [] },
    });
    const text = await change();
    await bot.slack.dismiss(OWNER);
    const lost: string[] = [];
    for (const person of people) {
      await bot.slack.say(person, person.replace(/^U/, 'D'), '/os-token prod');
      const said = () =>
        textOf([bot.slack.modal(person)?.view, bot.slack.messages(person, person.replace(/^U/, 'D'))]);
      await bot.slack.waitFor(() => /gAAAAA|can’t/i.test(said()), 10_000);
      if (!said().includes('gAAAAA')) lost.push(person);
    }
    expect(lost).toEqual(people.filter((person) => text.includes(`not for <@${person}>`)));
    expect(lost).toHaveLength(1);
    await identity.close();
  });
});
