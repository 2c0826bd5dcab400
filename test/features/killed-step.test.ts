import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { OWNER } from '../../sandbox/slack/index.ts';
import { slackEnvironment, startBot } from '../support/bot.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { addConnection } from '../support/projects.ts';
import { waitUntil } from '../support/wait-until.ts';

const OPEN = 'tally:{tally-0}:open-steps';
const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;

it('a workflow’s step is ended by the next process after its own was killed, once', async () => {
  let ahead = 0;
  const on = await startBot({ now: () => Date.now() + ahead, encryptionKeys });
  onTestFinished(() => on.stop());
  await addConnection(on);
  await on.stopBot();
  await buildBot(() => undefined);
  const child = spawn(process.execPath, [BOT_ENTRY, 'start'], {
    env: {
      ...{ PATH: process.env.PATH ?? '', ...slackEnvironment('http', on.slack) },
      ...{ REDIS_URL: on.redis.url, ENCRYPTION_KEYS: encryptionKeys, TRUSTED_API_HOSTS: '127.0.0.1' },
      ...{ BILLING_BASE_URL: on.billing.url, PORT: new URL(on.url).port },
    },
    stdio: 'ignore',
  });
  endWithParent(child);
  const isReady = () =>
    fetch(`${on.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil(isReady, 30_000);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  on.billing.respond(() => released.then(() => undefined));
  const asked = on.billing.requests.length;
  const { id } = await on.slack.runStep(OWNER, 'get_balance', { project: '456' });
  await on.slack.waitFor(() => on.billing.requests.length > asked || undefined, 15_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  release();
  expect(await on.redis.client.hlen(OPEN)).toBe(1);
  expect(on.slack.stepRun(OWNER, String(id))).not.toHaveProperty('outputs');

  ahead = 2 * 60_000;
  await on.startAnotherProcess();
  expect(await on.slack.waitFor(() => on.slack.stepRun(OWNER, String(id))?.outputs, 20_000)).toHaveProperty(
    'amount_exact',
  );
  await waitUntil(async () => (await on.redis.client.hlen(OPEN)) === 0);
  const ends = on.slack.calls.filter(
    ({ method, args }) => method.startsWith('functions.complete') && args.function_execution_id === id,
  );
  expect(ends).toHaveLength(1);
}, 90_000);
