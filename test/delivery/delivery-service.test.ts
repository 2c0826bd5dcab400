/** What the bot’s deliveries do where a change cannot be scheduled. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createDeliveryService } from '../../src/delivery/delivery-service.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { createAnswerStore } from '../../src/workspace/service-outcomes.ts';
import { createThreadStore } from '../../src/workspace/thread-store.ts';
import { NO_BILLING } from '../support/delivery.ts';
import { KEYRING } from '../support/records.ts';
import { disconnectedRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';

it('a change whose runs can’t be planned is left to the next check and logged, and does not fail', async () => {
  const logged: string[] = [];
  const clock = () => Date.parse('2026-11-20T08:00:01Z');
  const redis = disconnectedRedis();
  const workspaces = createWorkspaces({ redis, keyring: KEYRING });
  const { scheduling, watching, stop } = createDeliveryService({
    ...{ redis, queue: redis, workspaces, billing: NO_BILLING, clock },
    answerStore: createAnswerStore(workspaces, () => undefined),
    ...{ users: createUserDirectory(clock), threads: createThreadStore(redis) },
    clientFor: () => Promise.reject(new Error('no Slack')),
    log: pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) }),
    onFinished: () => undefined,
  });
  await scheduling.changed(TEAM);
  await watching.changed(TEAM);
  await stop(1_000);
  const WARNING = 'Could not reschedule a workspace; the next check for lost runs will';
  expect(logged).toEqual([WARNING, WARNING]);
});
