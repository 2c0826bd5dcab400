import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { WORKFLOW_FUNCTIONS } from '../../src/features/workflow-steps/functions.ts';
import { createRateLimiter } from '../../src/slack/server/rate-limiter.ts';
import { type Bot, CHANNEL, goodToken, startBot } from '../support/bot.ts';
import { startOAuthBot } from '../support/oauth-bot.ts';
import { addConnection, addProject } from '../support/projects.ts';
import { answerWith } from '../support/service-replies.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const FINANCE = 'C0FINANCE1';
const HASH = 'tally:{T0SANDBOX1}:record';
const DAYS = ['14', '15', '17', '18', '19', '20'];

let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ now: () => NOW });
  await addConnection(bot);
  await addProject(bot, { alias: 'prod', id: '7001' });
  await addProject(bot, { alias: 'files', id: '7002', product: 2, currency: 'EUR' });
  await addProject(bot, { alias: 'secret', id: '7003', channels: [FINANCE] });
  const items = (amount: string) =>
    `[${DAYS.map((day) => `{"day":"2026-11-${day}","totalAmount":${amount},"totalBonuses":0}`)}]`;
  bot.billing.setItems('7001', items('200.123456789'));
  bot.billing.setBalance('7001', '{"balance":4000.5,"bonuses":12}');
  bot.billing.setItems('7002', items('1.5'), 2);
  bot.billing.setItems('7003', items('9'));
  bot.billing.setBalance('7003', '{"balance":900,"bonuses":0}');
});
afterAll(() => bot.stop());
afterEach(() => {
  bot.billing.setMode('healthy');
  bot.billing.respond(undefined);
});

/** Runs the step as Slack does; resolves when it is over. */
async function run(step: string, inputs: Record<string, unknown>, on = bot) {
  const { id } = await on.slack.runStep(OWNER, step, inputs);
  return on.slack.waitFor(() => {
    const ran = on.slack.stepRun(OWNER, String(id));
    return ran?.outputs || ran?.error ? ran : undefined;
  }, 20_000);
}
const spend = (inputs: Record<string, unknown>) => run('get_spend', inputs);
const balance = (inputs: Record<string, unknown>) => run('get_balance', inputs);
const errorOf = async (running: ReturnType<typeof run>) => (await running).error;

describe('Get spend', () => {
  it('gives the amount both formatted and with all digits, the days, and how many are reported', async () => {
    expect((await spend({ project: 'prod' })).outputs).toEqual({
      amount: '1,200.74',
      amount_exact: '1200.740740734',
      period: '14–20 Nov 2026 UTC',
      reported: '6 of 7 days reported, no data for Mon 16 Nov',
      reported_days: 6,
      period_days: 7,
      project: 'prod',
      product: 'Cloud platform',
      link: `${bot.slack.url}/app_redirect?app=A0TALLYAPP&team=T0SANDBOX1`,
    });
  });

  it('takes a period and a product in the words of /spend', async () => {
    const { outputs } = await spend({ project: '7002', period: 'Nov 18', product: 'storage' });
    expect(outputs).toMatchObject({
      period_days: 1,
      reported_days: 1,
      reported: 'reported',
      project: 'files',
    });
    expect((await spend({ project: 'prod', period: 'this month so far' })).outputs).toMatchObject({
      period: '1–21 Nov 2026 UTC, today so far',
      period_days: 20,
    });
  });

  it('writes the workspace’s label beside the amount', async () => {
    const { outputs } = await spend({ project: 'files', period: '2026-11-14..2026-11-20' });
    expect(outputs).toMatchObject({ amount: '9.00\u00a0EUR', amount_exact: '9', product: 'Object storage' });
  });

  it('takes empty and missing inputs alike', async () => {
    const empty = { project: 'prod', period: '', product: null, channel: '' };
    expect((await spend(empty)).outputs).toEqual((await spend({ project: ' prod ' })).outputs);
  });

  it('asks about the default project of the channel', async () => {
    expect(await errorOf(spend({ channel: CHANNEL }))).toBe(
      'Which project? Enter one in the step, or choose a channel that has a default project.',
    );
    await bot.redis.client.hset(HASH, `default:${CHANNEL}`, JSON.stringify({ project: 'files' }));
    await bot.ask('/billing default files');
    expect((await spend({ channel: CHANNEL })).outputs).toMatchObject({ project: 'files' });
    expect(await errorOf(spend({}))).toMatch(/^Which project\?/);
  });

  it.each([
    [
      { project: 'Nonsense' },
      /^I don’t recognize “Nonsense”\. Edit the step: Project takes a project’s name or ID\.$/,
    ],
    [
      { project: 'prod', period: 'lst-week' },
      /^I don’t recognize “lst-week”\. Edit the step: Period takes .* 2026-10\.$/,
    ],
    [{ project: 'prod', period: 'next week' }, /“next week”/],
    [
      { project: 'prod', product: 'printers' },
      /^I don’t recognize “printers”\. Edit the step: Product takes cloud, storage or virtualization\.$/,
    ],
    [
      { project: 'Tr0ub4dor3xK9' },
      /^I don’t recognize one word \(not repeated, as it may be a secret\)\. Edit the step: Project takes .*storage/,
    ],
    [{ project: 'prod', period: 'october vs september' }, /compares two periods\. A step gives one figure/],
    [{ project: 'all' }, /^“all” means several projects\. A step gives the figures of one/],
    [{ project: 'prod,files' }, /^“prod,files” means several projects\./],
    [{ project: 'top 3' }, /means several projects\./],
    [{ project: 'help' }, /^“help” isn’t a project\./],
    [{ project: 7001 }, /^“number” isn’t text\./],
    [{ project: { a: 1 } }, /^“object” isn’t text\./],
    [{ project: 'prod', channel: 'finance' }, /^“finance” isn’t a channel\. Choose a channel in the step\.$/],
    [{ project: 'x'.repeat(4_000) }, /^That text is too long\. Tally reads up to 1,000 characters\.$/],
    [{ project: '<!channel>' }, /^(?!.*<!).*$/s],
  ])('says what is wrong with %o', async (inputs, error) => {
    expect(await errorOf(spend(inputs))).toMatch(error);
  });

  it('repeats no secret that was put into an input', async () => {
    const error = await errorOf(spend({ project: goodToken(bot.billing) }));
    expect(error).toContain('Tally didn’t store, log or repeat it');
    expect(bot.log()).not.toContain(goodToken(bot.billing));
  });

  it('says that there are no figures instead of a zero', async () => {
    expect(await errorOf(spend({ project: 'prod', product: 'virtualization' }))).toMatch(
      /^No Virtualization data for project 7001, 14–20 Nov\. Try another product or period/,
    );
    answerWith(bot.billing, 'empty');
    expect(await errorOf(spend({ project: '123' }))).toMatch(/^No Cloud platform data for project 123/);
  });
});

describe('Get balance', () => {
  it('gives what is left, and for how long', async () => {
    expect((await balance({ project: 'prod' })).outputs).toEqual({
      amount: '4,000.50',
      amount_exact: '4000.5',
      bonuses: '12.00',
      runway: 'About 20 days, until around 11 Dec 2026',
      runway_days: 20,
      basis: 'at 200.12 a day (6 of the last 7 days reported)',
      project: 'prod',
      product: 'Cloud platform',
      link: expect.stringContaining('/app_redirect?app='),
    });
  });

  it('counts no day when the project is overdrawn, and none at all without an estimate', async () => {
    expect((await balance({ project: '1001' })).outputs).toMatchObject({ runway_days: 0 });
    const { outputs } = await balance({ project: '1002' });
    expect(outputs).toMatchObject({ runway: 'Nothing is being spent' });
    expect(outputs).not.toHaveProperty('runway_days');
  });

  it('takes no period', async () => {
    expect(await errorOf(balance({ project: 'prod last-week' }))).toMatch(/a balance is always as of now/);
    expect((await balance({ project: 'prod', period: 'last-week' })).outputs).toBeDefined();
  });

  it('ends with a sentence when the balance is no number', async () => {
    bot.billing.setBalance('7004', '{"balance":"<!channel> lots","bonuses":0}');
    expect(await errorOf(balance({ project: '7004' }))).toMatch(
      /Tally can’t read: the balance is not a number/,
    );
  });
});

describe('a project that is limited to channels', () => {
  it('is given where everyone in the channel may see it', async () => {
    expect((await balance({ project: 'secret', channel: FINANCE })).outputs).toMatchObject({
      amount: '900.00',
    });
  });

  it.each([
    ['another channel', { channel: CHANNEL }],
    ['no channel', {}],
    ['a direct message', { channel: 'D0OWNER001' }],
  ])('is not given in %s, by its name or its ID, and billing is not asked', async (_, where) => {
    const before = bot.billing.requests.length;
    const refusal =
      'This step can’t ask about this project. Choose one of the project’s channels in the step, or ask a Tally manager to allow its channel.';
    for (const step of ['get_spend', 'get_balance'])
      for (const project of ['secret', '7003'])
        expect(await run(step, { project, ...where })).toMatchObject({ error: refusal });
    expect(bot.billing.requests).toHaveLength(before);
  });
});

describe('when the service is down', () => {
  it('ends the step with a sentence, after it was tried again', async () => {
    const before = bot.billing.requests.length;
    bot.billing.setMode('500');
    expect(await errorOf(balance({ project: 'prod' }))).toMatch(
      /^The billing service returned an error \(HTTP 500\)\. This is usually temporary\. Try again\.$/,
    );
    expect(bot.billing.requests.length).toBeGreaterThan(before + 1);
  });

  it('says nothing in the service’s words', async () => {
    answerWith(bot.billing, 'query-rejected');
    const error = await errorOf(spend({ project: 'files' }));
    expect(error).toMatch(/^The billing service rejected the query for /);
    expect(error).not.toContain('maintained');
    expect(error).not.toContain(':');
  });

  it('ends it when Slack refuses the outputs', async () => {
    bot.slack.failNext('functions.completeSuccess', { error: 'internal_error' });
    expect(await errorOf(balance({ project: '456' }))).toMatch(/^Slack returned an error/);
  });
});

const signed = (event: object) => {
  const body = JSON.stringify({
    ...{ type: 'event_callback', team_id: 'T0SANDBOX1', api_app_id: 'A0TALLYAPP', event_id: 'Ev1' },
    authorizations: [{ team_id: 'T0SANDBOX1', user_id: 'U0TALLYBOT', is_bot: true }],
    event: { type: 'function_executed', event_ts: '1', ...event },
  });
  return fetch(`${bot.url}/slack/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bot.slack.signed(body) },
    body,
  });
};
const completions = () => bot.slack.calls.filter(({ method }) => method.startsWith('functions.complete'));

describe('the event', () => {
  it('is acknowledged before billing is asked', async () => {
    let isAcknowledged = false;
    let wasAcknowledged = false;
    bot.billing.respond(async () => {
      await bot.slack.waitFor(() => isAcknowledged);
      wasAcknowledged = true;
      return undefined;
    });
    const { id } = await bot.slack.runStep(OWNER, 'get_balance', { project: '789', product: 'storage' });
    isAcknowledged = true;
    bot.slack.changed();
    await bot.slack.waitFor(() => bot.slack.stepRun(OWNER, String(id))?.outputs);
    expect(wasAcknowledged).toBe(true);
  });

  it('ends the step once, however often Slack sends it', async () => {
    const { id } = await bot.slack.runStep(OWNER, 'get_spend', { project: 'prod' });
    await bot.slack.waitFor(() => bot.slack.stepRun(OWNER, String(id))?.outputs);
    const before = completions().length;
    const again = {
      function: { callback_id: 'get_spend' },
      function_execution_id: id,
      inputs: { project: 'prod' },
    };
    // The same execution in another event.
    expect((await signed(again)).status).toBe(200);
    expect((await signed({ ...again, event_ts: '2' })).status).toBe(200);
    await bot.waitUntilIdle();
    expect(completions()).toHaveLength(before);
    expect(bot.log()).toContain('"outcome":"duplicate"');
  });

  it('of a step that Tally doesn’t have ends it', async () => {
    const before = completions().length;
    const event = {
      function: { callback_id: 'constructor' },
      function_execution_id: 'Fx0UNKNOWN',
      inputs: {},
    };
    expect((await signed(event)).status).toBe(200);
    const { args } = await bot.slack.waitFor(() => completions()[before]);
    expect(args).toMatchObject({
      function_execution_id: 'Fx0UNKNOWN',
      error: '“constructor” isn’t a step of this version of Tally. Remove it from the workflow.',
    });
  });

  it.each([
    {},
    { function: null, function_execution_id: 'Fx1' },
    { function: { callback_id: 7 }, function_execution_id: 'Fx1' },
    { function: { callback_id: 'get_spend' }, function_execution_id: null, inputs: null },
    { function: { callback_id: 'get_spend' }, function_execution_id: 'F'.repeat(300) },
  ])('without its parts is acknowledged and dropped: %o', async (event) => {
    const before = completions().length;
    expect((await signed(event)).status).toBe(200);
    expect(completions()).toHaveLength(before);
  });

  it('has a line in the log, which names no project', async () => {
    await spend({ project: 'prod' });
    const lines = bot
      .log()
      .split('\n')
      .filter((text) => text.includes('"via":"step","route":"get_spend"'));
    const ok = lines.map((text) => JSON.parse(text)).find(({ outcome }) => outcome === 'ok');
    expect(ok).toMatchObject({ event: 'request', workspace: 'T0SANDBOX1', ms: expect.any(Number) });
    expect(ok).not.toHaveProperty('user');
    expect(lines.join()).not.toContain('prod');
  });
});

describe('the definitions', () => {
  it('are those of the steps that run', () => {
    expect(Object.keys(bot.registry.listeners().steps)).toEqual(Object.keys(WORKFLOW_FUNCTIONS));
  });

  it('are what docs/workflow-steps.md lists', async () => {
    const page = await readFile('docs/workflow-steps.md', 'utf8');
    const types: Record<string, string> = {
      string: 'text',
      integer: 'number',
      'slack#/types/channel_id': 'channel',
    };
    for (const { title, input_parameters, output_parameters } of Object.values(WORKFLOW_FUNCTIONS)) {
      const [, section = ''] = page.split(`## ${title}\n`);
      const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+?) +\| `(\w+)` +\| (\w+) /gm)];
      const defined = [input_parameters, output_parameters].flatMap((parameters) =>
        Object.entries(parameters).map(([name, it]) => [it.title, name, types[it.type]]),
      );
      expect(rows.map(([, ...row]) => row)).toEqual(defined);
    }
  });

  it('stay within Slack’s limits', () => {
    for (const { title, input_parameters, output_parameters } of Object.values(WORKFLOW_FUNCTIONS)) {
      expect(title.length).toBeLessThanOrEqual(35);
      for (const parameters of [input_parameters, output_parameters])
        expect(Object.keys(parameters).length).toBeLessThanOrEqual(20);
    }
  });
});

describe('many steps at once', () => {
  let busy: Bot;
  beforeEach(async () => {
    busy = await startBot({ now: () => NOW, limits: createRateLimiter({ clock: () => 0 }) });
    await addConnection(busy);
  });
  afterEach(() => busy.stop());

  it('are refused above the limit, and leave people theirs', async () => {
    const runs = await Promise.all(
      Array.from({ length: 22 }, () => run('get_balance', { project: '456' }, busy)),
    );
    const refused = runs.flatMap(({ error }) => error ?? []);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatch(
      /^Your workspace is running steps faster than Tally can answer\. Try again in /,
    );
    expect((await busy.ask('/balance 456')).visibleText).toContain(' left');
  }, 30_000);
});

describe('a step whose process does not end it', () => {
  const OPEN = 'tally:{tally-0}:open-steps';
  const SECRET_INPUT = 'hunter2-hunter2-hunter2';
  const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
  let ahead = 0;
  let on: Bot;
  beforeEach(async () => {
    ahead = 0;
    on = await startBot({ now: () => Date.now() + ahead, encryptionKeys });
    await addConnection(on);
  });
  afterEach(() => on.stop());

  const runOf = (id: unknown) => on.slack.stepRun(OWNER, String(id));
  const ended = (id: unknown) => () => (runOf(id)?.outputs || runOf(id)?.error ? runOf(id) : undefined);
  const endings = (id: unknown) =>
    on.slack.calls.filter(
      ({ method, args }) => method.startsWith('functions.complete') && args.function_execution_id === id,
    );
  /** Billing answers nothing until `release` is called. */
  const hold = () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    on.billing.respond(() => released.then(() => undefined));
    return release;
  };

  it('is ended by the other process while it hangs, and its own late answer changes nothing', async () => {
    const release = hold();
    const { id } = await on.slack.runStep(OWNER, 'get_balance', { project: '456' });
    ahead = 2 * 60_000;
    on.billing.respond(undefined);
    await on.startAnotherProcess();
    const { outputs } = await on.slack.waitFor(ended(id), 20_000);
    release();
    await on.waitUntilIdle();
    await waitUntil(async () => (await on.redis.client.hlen(OPEN)) === 0);
    await on.stopBot();
    expect(runOf(id)).toMatchObject({ outputs });
    expect(on.log()).not.toContain('Could not deliver a reply');
  }, 60_000);

  it('is left to its process for as long as that may take, and is not kept once it ended', async () => {
    const release = hold();
    const { id } = await on.slack.runStep(OWNER, 'get_balance', { project: '456' });
    ahead = 60_000;
    const other = await on.startAnotherProcess();
    await other.stop();
    expect(runOf(id)).not.toHaveProperty('outputs');
    release();
    await on.slack.waitFor(ended(id), 20_000);
    await waitUntil(async () => (await on.redis.client.hlen(OPEN)) === 0);
    expect(endings(id)).toHaveLength(1);
  }, 60_000);

  it('is tried again when Slack did not take its end', async () => {
    on.slack.failNext('functions.completeSuccess', { error: 'internal_error' });
    on.slack.failNext('functions.completeError', { error: 'internal_error' });
    const { id } = await on.slack.runStep(OWNER, 'get_balance', { project: '456' });
    await waitUntil(() => on.log().includes('Could not deliver a reply'));
    ahead = 2 * 60_000;
    await on.startAnotherProcess();
    expect(await on.slack.waitFor(ended(id), 20_000)).toHaveProperty('outputs');
  }, 60_000);

  it('ends with a sentence when the key that sealed it is gone', async () => {
    const release = hold();
    const { id } = await on.slack.runStep(OWNER, 'get_balance', { project: '456' });
    ahead = 2 * 60_000;
    await on.startAnotherProcess(`other:${randomBytes(32).toString('base64')}`);
    const { error } = await on.slack.waitFor(ended(id), 20_000);
    expect(error).toMatch(/^Tally can’t read the stored record/);
    release();
  }, 60_000);

  it('keeps its inputs sealed, and nothing of a workspace that leaves', async () => {
    const release = hold();
    await on.slack.runStep(OWNER, 'get_balance', { project: '456', note: SECRET_INPUT });
    const kept = Object.values(await on.redis.client.hgetall(OPEN));
    expect(kept).toHaveLength(1);
    expect(kept.join()).not.toMatch(/hunter2|"456|get_balance/);
    await on.registry.forget('T0OTHER001');
    expect(await on.redis.client.hlen(OPEN)).toBe(1);
    await on.registry.forget('T0SANDBOX1');
    expect(await on.redis.client.exists(OPEN)).toBe(0);
    release();
  }, 30_000);
});

describe('Socket Mode', () => {
  it('runs steps too', async () => {
    const socket = await startBot({ now: () => NOW, mode: 'socket' });
    await addConnection(socket);
    expect((await run('get_balance', { project: '456' }, socket)).outputs).toHaveProperty('runway_days');
    await socket.stop();
  }, 30_000);
});

describe('a workspace that has uninstalled Tally', () => {
  it('gets no figures and no error of the bot’s own', async () => {
    const oauth = await startOAuthBot();
    const status = await oauth.event({
      ...{ type: 'event_callback', team_id: 'T0GONE0001', api_app_id: 'A0TALLYAPP', event_id: 'Ev2' },
      authorizations: [{ team_id: 'T0GONE0001', user_id: 'U0TALLYBOT', is_bot: true }],
      event: {
        ...{ type: 'function_executed', function: { callback_id: 'get_spend' }, inputs: {} },
        ...{ function_execution_id: 'Fx0GONE', bot_access_token: 'xwfp-gone', event_ts: '1' },
      },
    });
    expect(status).toBe(200);
    expect(oauth.billing.requests).toEqual([]);
    expect(oauth.log()).not.toContain('xwfp-gone');
    await oauth.stop();
  }, 30_000);
});
