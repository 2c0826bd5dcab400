/** What managers answered reaches the person who asked, whatever ends in between. */
import { beforeEach, expect, it } from 'vitest';
import { auditedChange } from '../../src/workspace/record/change.ts';
import {
  createManagerRequests,
  type ManagerRequest,
  requestId,
} from '../../src/workspace/short-lived/manager-requests.ts';
import { directMessage } from '../support/minimal-slack.ts';
import { storedProject } from '../support/projects.ts';
import { startDelivery, TEAM } from '../support/start-delivery.ts';

const [ANNA, BEN] = ['U0ANNA0001', 'U0BEN00001'];
const DAY = 86_400_000;
const BEGIN = Date.parse('2026-11-20T08:00:00Z');
const delivery = await startDelivery(BEGIN);
const { redis, slack, load, run } = delivery;
beforeEach(async () => {
  await delivery.save({ settings: { managers: [BEN] } });
  const asked: ManagerRequest = {
    ...{ person: ANNA, isGuest: false, reason: 'manager', command: '/billing' },
    ...{ text: 'projects add prod 1', opensForm: true, at: delivery.now, state: 'open', messages: [] },
  };
  const entry = {
    at: delivery.now,
    who: ANNA,
    action: 'manager asked',
    about: { kind: 'project', alias: 'x' },
  } as const;
  await requests().open(TEAM, asked, entry);
  await requests().update(TEAM, ID, delivery.now, (found) => ({
    next: { ...found, state: 'taken', by: BEN },
  }));
});

const ID = requestId({ person: ANNA, command: '/billing', text: 'projects add prod 1' });
const requests = () => createManagerRequests(redis);
const toldTo = () =>
  slack.posts
    .filter(({ channel }) => [ANNA, directMessage(ANNA)].includes(channel ?? ''))
    .map(({ text }) => text);

/** Saves a project with Ben's form, as it was opened for Anna's request. Nothing runs afterwards. */
async function saveForm(): Promise<void> {
  const workspace = await load();
  const managerRequest = await requests().findTaken(TEAM, ID, delivery.now);
  const user = { teamId: TEAM, id: BEN };
  const change = auditedChange({ at: delivery.now, user, workspace, managerRequest }, [
    'project added',
    { kind: 'project', alias: 'prod' },
  ]);
  await delivery.parts.workspaces.addProject(change, storedProject({ alias: 'prod', id: '1' }));
}

it('tells the person of what was saved, although the process ended right after it', async () => {
  await saveForm();
  await run();
  expect(toldTo()).toEqual([expect.stringContaining('did what you asked for')]);
  expect((await requests().find(TEAM, ID, delivery.now))?.state).toBe('done');
  await run();
  expect(toldTo()).toHaveLength(1);
});

it('tells nothing of a change that comes after somebody said no', async () => {
  const taken = await requests().findTaken(TEAM, ID, delivery.now);
  const refused = (found: ManagerRequest) =>
    ({ ...found, state: 'refused', answeredAt: delivery.now }) as const;
  await requests().update(TEAM, ID, delivery.now, (found) => ({ next: refused(found), notifiesAsker: true }));
  const workspace = await load();
  const asked = { at: delivery.now, user: { teamId: TEAM, id: BEN }, workspace, managerRequest: taken };
  await delivery.parts.workspaces.saveSettings(
    auditedChange(asked, ['settings changed', { kind: 'settings', changed: ['zone'] }]),
    { zone: 'UTC' },
  );
  await run();
  expect(toldTo()).toEqual([expect.stringContaining('said no')]);
});

it('forgets an answer after a day', async () => {
  await saveForm();
  await run();
  delivery.now += DAY;
  await run();
  const left = await redis.hkeys(`tally:{${TEAM}}:delivery-log`);
  expect(left.filter((field) => field.startsWith('answer/'))).toEqual([]);
});
