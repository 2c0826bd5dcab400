import { describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { createRateLimiter } from '../../src/slack/server/rate-limiter.ts';
import { botOfFile, goodToken, SATURDAY, startBot } from '../support/bot.ts';
import { startOAuthBot } from '../support/oauth-bot.ts';
import { FINANCE } from '../support/people.ts';
import { addConnection, addProjects } from '../support/projects.ts';
import { answerWith, itemsJson, november } from '../support/service-replies.ts';

const bot = await botOfFile();
await addConnection(bot);
await addProjects(bot, {
  prod: '7001',
  files: { id: '7002', product: 2, currency: 'EUR' },
  secret: { id: '7003', channels: [FINANCE] },
});
const items = (amount: string) => itemsJson(...november(14, 15, amount), ...november(17, 20, amount));
bot.billing.setItems('7001', items('200.123456789'));
bot.billing.setBalance('7001', '{"balance":4000.5,"bonuses":12}');
bot.billing.setItems('7002', items('1.5'), 2);
bot.billing.setItems('7003', items('9'));
bot.billing.setBalance('7003', '{"balance":900,"bonuses":0}');

/** Runs the step as Slack does. Resolves when the step has ended. */
async function run(step: string, inputs: Record<string, unknown>, on: Pick<typeof bot, 'slack'> = bot) {
  const { id } = await on.slack.runStep(OWNER, step, inputs);
  return on.slack.waitFor(() => {
    const ran = on.slack.stepRun(OWNER, String(id));
    return ran?.outputs || ran?.error ? ran : undefined;
  }, 20_000);
}
const spend = (inputs: Record<string, unknown>) => run('get_spend', inputs);
const balance = (inputs: Record<string, unknown>) => run('get_balance', inputs);
const errorOf = async (running: ReturnType<typeof run>) => (await running).error;

describe('the workflow step “Get spend”', () => {
  it('returns the amount, the days, and how many days are reported', async () => {
    expect((await spend({ project: 'prod' })).outputs).toEqual({
      amount: '1,200.74',
      period: '14–20 Nov 2026 UTC',
      reported: '6 of 7 days reported, no data for Mon 16 Nov',
    });
  });

  it.each([
    [
      { project: '7002', period: 'Nov 18', product: 'storage' },
      { amount: '9.00\u00a0EUR', period: 'Wed 18 Nov 2026 UTC', reported: 'reported' },
    ],
    [{ project: 'prod', period: 'this month so far' }, { period: '1–21 Nov 2026 UTC, today so far' }],
  ])('understands inputs in the same words as /spend: %o', async (inputs, outputs) => {
    expect((await spend(inputs)).outputs).toMatchObject(outputs);
  });

  it('treats an empty input like a missing one', async () => {
    const empty = { project: 'prod', period: '', product: null };
    expect((await spend(empty)).outputs).toEqual((await spend({ project: ' prod ' })).outputs);
  });

  it.each([
    [
      { project: 'Nonsense' },
      /^I don’t recognize “Nonsense”\. Fill in Project with one name or ID, and Period /,
    ],
    [{ project: 'prod', period: 'lst-week' }, /^I don’t recognize “lst-week”\./],
    [
      { project: 'prod files' },
      /^You named two projects without a comma, “prod files”\. Fill in Project with one name/,
    ],
    [
      { project: 'prod', period: 'next week' },
      /^“next week” is in the future\. Ask about a period up to today/,
    ],
    [{ project: 'Tr0ub4dor3xK9' }, /^I don’t recognize one word \(hidden, because it may be a secret\)/],
    [
      { project: 'prod', period: 'october vs september' },
      /^“vs” doesn’t work in a workflow step\. Enter one project and/,
    ],
    [{ project: 'all' }, /^“all” doesn’t work in a workflow step\./],
    [{ project: 'prod,files' }, /^“prod,files” doesn’t work in a workflow step\./],
    [{ project: 'help' }, /^“help” doesn’t work in a workflow step\./],
    [{ project: 7001 }, /^“number” isn’t text\./],
    [{ project: { a: 1 } }, /^“object” isn’t text\./],
    [{}, /^Which project\? Fill in Project with one name or ID, and Period with days such as last-week\.$/],
    [{ project: 'x'.repeat(4_000) }, /^That’s too long\. Tally reads up to 700 characters\./],
    [{ project: '<!channel>' }, /^(?!.*<!).*$/s],
  ])('explains what is wrong with the input %o', async (inputs, error) => {
    expect(await errorOf(spend(inputs))).toMatch(error);
  });

  it('repeats no secret from an input', async () => {
    const error = await errorOf(spend({ project: goodToken(bot.billing) }));
    expect(error).toContain('Tally didn’t store, log or repeat it');
    expect(bot.log()).not.toContain(goodToken(bot.billing));
  });

  it('fails instead of returning zero when there are no figures', async () => {
    expect(await errorOf(spend({ project: 'prod', product: 'virtualization' }))).toMatch(
      /^No Virtualization data for project 7001, 14–20 Nov\. Try another product or period/,
    );
    answerWith(bot.billing, 'empty');
    expect(await errorOf(spend({ project: '123' }))).toMatch(/^No Cloud platform data for project 123/);
  });
});

describe('the workflow step “Get balance”', () => {
  it('returns the balance, and how long it will last', async () => {
    expect((await balance({ project: 'prod' })).outputs).toEqual({
      amount: '4,000.50',
      bonuses: '12.00',
      runway: 'About 20 days, until around 11 Dec 2026',
    });
  });

  it('says why it can’t estimate how long the balance will last', async () => {
    expect((await balance({ project: '1002' })).outputs).toMatchObject({ runway: 'Nothing is being spent' });
  });

  it('refuses a period in the input “project”, and ignores the input “period”', async () => {
    expect(await errorOf(balance({ project: 'prod last-week' }))).toMatch(/A balance is always as of now/);
    expect((await balance({ project: 'prod', period: 'last-week' })).outputs).toBeDefined();
  });

  it('explains the error if the balance is not a number', async () => {
    bot.billing.setBalance('7004', '{"balance":"<!channel> lots","bonuses":0}');
    expect(await errorOf(balance({ project: '7004' }))).toMatch(
      /Tally can’t read: the balance is not a number/,
    );
  });
});

describe('a project that is limited to certain channels', () => {
  it('can’t be asked about by name or by ID, and billing gets no request', async () => {
    const before = bot.billing.requests.length;
    const refusal =
      'You can’t ask about this project here. Ask in one of its channels, or ask a Tally manager to allow this one.';
    for (const step of ['get_spend', 'get_balance'])
      for (const project of ['secret', '7003'])
        expect(await run(step, { project })).toMatchObject({ error: refusal });
    expect(bot.billing.requests).toHaveLength(before);
  });
});

describe('a workflow step that fails', () => {
  it('ends with an error message after a retry when billing is down', async () => {
    const before = bot.billing.requests.length;
    bot.billing.setMode('failing');
    expect(await errorOf(balance({ project: 'prod' }))).toMatch(
      /^The billing service returned an error \(HTTP 500\)\. This is usually temporary\. Try again\.$/,
    );
    expect(bot.billing.requests.length).toBeGreaterThan(before + 1);
  });

  it('ends with an error when Slack refuses the outputs', async () => {
    bot.slack.failNext('functions.completeSuccess', { error: 'internal_error' });
    expect(await errorOf(balance({ project: '456' }))).toMatch(/^Slack returned an error/);
  });
});

const signed = (event: object) =>
  bot.event({
    type: 'event_callback',
    team_id: 'T0SANDBOX1',
    api_app_id: 'A0TALLYAPP',
    event_id: 'Ev1',
    authorizations: [{ team_id: 'T0SANDBOX1', user_id: 'U0TALLYBOT', is_bot: true }],
    event: { type: 'function_executed', event_ts: '1', ...event },
  });
const completions = () => bot.slack.calls.filter(({ method }) => method.startsWith('functions.complete'));

describe('the event of a workflow step', () => {
  it('ends the step only once even if Slack sends the event twice', async () => {
    const { id } = await bot.slack.runStep(OWNER, 'get_spend', { project: 'prod' });
    await bot.slack.waitFor(() => bot.slack.stepRun(OWNER, String(id))?.outputs);
    const before = completions().length;
    const again = {
      function: { callback_id: 'get_spend' },
      function_execution_id: id,
      inputs: { project: 'prod' },
    };
    // A second event with the same execution ID.
    expect(await signed(again)).toBe(200);
    expect(await signed({ ...again, event_ts: '2' })).toBe(200);
    await bot.waitUntilIdle();
    expect(completions()).toHaveLength(before);
    expect(bot.log()).toContain('"outcome":"duplicate"');
  });
});

it('Tally refuses too many workflow steps from a workspace, but still answers people', async () => {
  const busy = await startBot({ now: () => SATURDAY, limits: createRateLimiter({ clock: () => 0 }) });
  await addConnection(busy);
  const runs = await Promise.all(
    Array.from({ length: 22 }, () => run('get_balance', { project: '456' }, busy)),
  );
  const refused = runs.flatMap(({ error }) => error ?? []);
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatch(/^Too many requests from you\. Try again in /);
  expect((await busy.ask('/balance 456')).visibleText).toContain(' left');
  await busy.stop();
}, 30_000);

it('Tally runs workflow steps in Socket Mode, too', async () => {
  const socket = await startBot({ now: () => SATURDAY, mode: 'socket' });
  await addConnection(socket);
  expect((await run('get_balance', { project: '456' }, socket)).outputs).toHaveProperty('runway');
  await socket.stop();
}, 30_000);

describe('a workspace that has uninstalled Tally', () => {
  it('gets no figures from a workflow step', async () => {
    const oauth = await startOAuthBot();
    const status = await oauth.event({
      type: 'event_callback',
      team_id: 'T0GONE0001',
      api_app_id: 'A0TALLYAPP',
      event_id: 'Ev2',
      authorizations: [{ team_id: 'T0GONE0001', user_id: 'U0TALLYBOT', is_bot: true }],
      event: {
        type: 'function_executed',
        function: { callback_id: 'get_spend' },
        inputs: {},
        function_execution_id: 'Fx0GONE',
        bot_access_token: 'xwfp-gone',
        event_ts: '1',
      },
    });
    expect(status).toBe(200);
    expect(oauth.billing.requests).toEqual([]);
    expect(oauth.log()).not.toContain('xwfp-gone');
    await oauth.stop();
  }, 30_000);
});
