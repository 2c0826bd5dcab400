/** Projects whose figures billing doesn't return, as Home and `/billing status` list them. */
import { expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { deliveryLogKey, recordKey } from '../../src/redis/keys.ts';
import { botOfEachTest, SATURDAY } from '../support/bot.ts';
import { lastPost, schedule } from '../support/delivery.ts';
import { FINANCE, TEAM } from '../support/people.ts';
import { addConnection, addProject, addProjects } from '../support/projects.ts';

const HOUR = 3_600_000;
const bot = botOfEachTest(async (bot) => {
  await addConnection(bot, SATURDAY);
  await addProjects(bot, { fine: '123', teapot: '456', secret: { id: '1001', channels: [FINANCE] } });
  bot.billing.respond(({ query }) =>
    /\b(456|1001)\b/.test(query) ? { status: 418, body: 'tea' } : undefined,
  );
});

const status = async (person = OWNER) => await bot.read('/billing status', person);
const failedFields = async () =>
  Object.entries(await bot.redis.client.hgetall(recordKey(TEAM)))
    .filter(([field]) => field.startsWith('failed:'))
    .map(([field, json]) => [field, JSON.parse(json)]);

it('projects with billing errors are listed, with cause and time, until billing answers again', async () => {
  expect(await bot.home()).toMatch(/^teapot +– +– +–$/m);
  expect(await status()).toContain('No problems');
  for (const name of ['fine', 'teapot', 'secret']) await bot.ask(`/balance ${name}`);
  bot.clock.now += 2 * HOUR;
  for (const name of ['fine', 'teapot', 'secret']) await bot.ask(`/balance ${name}`);

  const page = await bot.home();
  expect(page).toMatch(/^teapot +no answer/m);
  expect(page).toMatch(
    /No figures for \*secret\* and \*teapot\*: the billing service returned an error \(HTTP 418\)\. First failed: <!date\^\d+\^\{date_short_pretty\} \{time\}\|2026-11-21 10:15 UTC>\.$/m,
  );
  expect(page).toMatch(/^fine +[\d,.]+/m);
  const found = await status();
  expect(found).toContain('1 problem');
  expect(found).toMatch(
    /No figures for \*secret\* and \*teapot\*: the billing service .* \(HTTP 418\)\. First failed: <!date[^\n]+\nTry again\n/,
  );

  bot.billing.respond(undefined);
  for (const name of ['teapot', 'secret']) await bot.ask(`/balance ${name}`);
  await expect.poll(() => bot.home()).toMatch(/^teapot +[\d,.]+/m);
  expect(await bot.home()).not.toContain('no answer');
  expect(await status()).toContain('No problems');
  expect(await failedFields()).toEqual([]);
});

it('projects with the same billing error share a line, which also counts the schedules of these projects', async () => {
  bot.billing.respond(() => ({ status: 500 }));
  for (const id of ['123', '456']) await bot.ask(`/balance ${id}`);
  const projects = [{ id: '456', product: 1 as const }];
  await bot.store({ 'schedule:schedul1': schedule({ projects, since: SATURDAY }) });
  const cause = { kind: 'service-failed', data: { service: 'billing', status: 500 } };
  const tried = { due: SATURDAY, result: 'trying', cause, next: SATURDAY } as const;
  await bot.redis.client.hset(deliveryLogKey(TEAM), lastPost('schedul1', tried));
  for (const page of [await status(MEMBER), await bot.home(MEMBER)]) {
    expect(page.match(/HTTP 500/g)).toHaveLength(1);
    expect(page).toContain('No figures for *fine* and *teapot*:');
    expect(page).toContain('1 schedule uses them.');
  }
});

it('a project is also listed with a billing error if a question about its spend failed', async () => {
  await bot.ask('/spend teapot last-7-days');
  expect(await status()).toContain('1 problem');
  const failure = { kind: 'service-failed', data: { service: 'billing', status: 418 } };
  const note = { ...failure, topic: 'consumption', since: SATURDAY };
  expect(await failedFields()).toContainEqual(['failed:456:1', note]);
});

it('the list of billing errors doesn’t tell members why Tally refuses the billing service’s address', async () => {
  const failure = { kind: 'address-refused', data: { why: 'isn’t a public address' } };
  const note = JSON.stringify({ ...failure, topic: 'balance', since: SATURDAY });
  await bot.store({ 'failed:456:1': note });
  for (const page of [await bot.home(MEMBER), await status(MEMBER)]) {
    expect(page).toContain('Tally doesn’t connect to the service’s address. First failed: ');
    expect(page).not.toContain('public');
  }
});

it('projects with billing errors are listed only for people who may ask about these projects', async () => {
  await bot.ask('/balance secret');
  const plain = await status(MEMBER);
  expect(plain).not.toContain('secret');
  expect(plain).not.toContain('418');
  expect(await bot.home(MEMBER)).not.toContain('secret');
});

it('projects with billing errors are listed only if they have a name in the workspace', async () => {
  await bot.ask('/balance 77777');
  bot.billing.respond(undefined);
  await bot.ask('/spend fine 2019-01');
  expect(await failedFields()).toEqual([]);
  await addProject(bot, { alias: 'empty', id: '77777' });
  await bot.ask('/balance empty');
  expect(await failedFields()).toEqual([
    [
      'failed:77777:1',
      {
        kind: 'no-data',
        data: { question: { project: '77777', product: 1 } },
        topic: 'balance',
        since: SATURDAY,
      },
    ],
  ]);
  expect(await bot.home()).toMatch(/No figures for \*empty\*: .*\nEdit…\n/);
});

it('projects with billing errors are no longer listed after a new token is stored', async () => {
  await bot.ask('/balance teapot');
  await expect.poll(failedFields).toHaveLength(1);
  await addConnection(bot, SATURDAY);
  expect(await failedFields()).toEqual([]);
});
