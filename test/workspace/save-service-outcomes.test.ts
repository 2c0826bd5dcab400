import { expect, it } from 'vitest';
import { type BillingClient, reportOutcomes } from '../../src/billing/client.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { HOUR } from '../../src/domain/time/calendar.ts';
import { createServiceOutcomes } from '../../src/workspace/save-service-outcomes.ts';
import { NO_BILLING } from '../support/delivery-runner.ts';
import { aFailure } from '../support/failures.ts';
import { changeIn } from '../support/projects.ts';
import { ACCESS, ADDED_AT, HASH, MAIN, PROD, startWorkspaceStore } from '../support/workspace-store.ts';

const NOW = ADDED_AT + 1;
const { redis, workspaces, read } = await startWorkspaceStore();

/** @param store in place of the record */
function noting(store: Parameters<typeof createServiceOutcomes>[0]['workspaces'] = workspaces) {
  const changed: string[] = [];
  const failures: unknown[] = [];
  const outcomes = createServiceOutcomes({
    workspaces: store,
    changed: async (workspace) => void changed.push(workspace),
    clock: () => NOW,
    onFailure: (error) => failures.push(error),
  });
  return { outcomes, changed, failures };
}

/** The record after billing was asked for the balance of project 123. */
async function asked(balance: BillingClient['balance']) {
  const { failures } = await read();
  const access = { workspace: 'T1', connection: 'main', baseUrl: MAIN.baseUrl, token: MAIN.token, failures };
  let writes = 0;
  const writeUnaudited: typeof workspaces.writeUnaudited = (...given) =>
    workspaces.writeUnaudited(...given).finally(() => writes++);
  const { billing } = noting({ ...workspaces, writeUnaudited }).outcomes;
  const client = reportOutcomes({ ...NO_BILLING, balance }, billing);
  const asking = client.balance(access, { project: '123', product: 1 });
  const result = await asking.catch((error: unknown) => error);
  const now = await read();
  const rejectedAt = now.rejectedAt(CONNECTION);
  return { result, writes, failed: now.failures.get('123:1'), rejectedAt };
}

const CONNECTION = { kind: 'connection', name: 'main' } as const;
const save = async () => {
  await workspaces.saveConnection(await changeIn(workspaces, 'T1'), MAIN);
  await workspaces.addProject(await changeIn(workspaces, 'T1'), PROD);
};

it('a token’s rejection is stored together with the failure of the project', async () => {
  await save();
  const error = new Failure('token-rejected', { service: 'billing' });
  expect(await asked(() => Promise.reject(error))).toEqual({
    result: error,
    writes: 2,
    failed: { kind: 'token-rejected', data: { service: 'billing' }, topic: 'balance', since: NOW },
    rejectedAt: NOW,
  });
});

it('the stored failure of a project is deleted when billing answers about the project', async () => {
  await save();
  const answer = async () => ({ balance: { text: '1' }, bonuses: { text: '0' }, remarks: [] });
  const fails = () => Promise.reject(new Failure('service-failed', { service: 'billing', status: 500 }));
  expect(await asked(fails)).toMatchObject({ writes: 1, failed: { kind: 'service-failed' } });
  expect(await asked(fails)).toMatchObject({ writes: 0 });
  expect(await asked(answer)).toMatchObject({ writes: 1, failed: undefined });
  expect(await asked(answer)).toMatchObject({ writes: 0 });
  expect(await asked(() => Promise.reject(new Failure('store-unavailable')))).toMatchObject({ writes: 0 });
});

it('the stored failure of a project keeps the time of the first error if another error follows', async () => {
  await save();
  const before = { kind: 'timed-out', data: {}, topic: 'balance', since: 7 };
  await redis.hset(HASH, 'failed:123:1', JSON.stringify(before));
  const error = new Failure('service-failed', { service: 'billing', status: 500 });
  const { failed } = await asked(() => Promise.reject(error));
  expect(failed).toMatchObject({ kind: 'service-failed', since: 7 });
  await workspaces.removeProject(await changeIn(workspaces, 'T1'), PROD);
  expect(await asked(() => Promise.reject(error))).toMatchObject({ writes: 0 });
});

it.each([
  [new Failure('access-refused', { status: 401 }), NOW],
  [new Failure('access-refused', { status: 403 }), undefined],
  [new Failure('access-not-found'), NOW],
  [new Failure('store-unavailable'), undefined],
])('an application access is stored as rejected only after certain errors: %s', async (error, rejectedAt) => {
  await workspaces.saveAccess(await changeIn(workspaces, 'T1'), ACCESS);
  await noting().outcomes.notIssued({ id: 'another' }, { workspace: 'T1', connection: '123' }, error);
  const access = { kind: 'access', name: '123' } as const;
  expect((await read()).rejectedAt(access)).toBeUndefined();
  await noting().outcomes.notIssued(ACCESS, { workspace: 'T1', connection: '123' }, error);
  expect((await read()).rejectedAt(access)).toBe(rejectedAt);
});

it('a token’s rejection starts the workspace’s background work once, and storage errors are reported', async () => {
  await save();
  const { fingerprint: mark = '' } = (await read()).connections.get('main') ?? {};
  const rejection = { ...CONNECTION, workspace: 'T1', mark };
  const { outcomes, changed } = noting();
  await outcomes.rejected(rejection);
  await outcomes.rejected(rejection);
  expect(changed).toEqual(['T1']);
  const lost = noting({ ...workspaces, load: () => Promise.reject(new Failure('store-unavailable')) });
  await lost.outcomes.rejected(rejection);
  expect([lost.changed, lost.failures]).toEqual([[], [aFailure('store-unavailable')]]);
});

it('estimates keep their own time if they are older than the balance stored with them', async () => {
  await save();
  const balance = { id: '123', product: 1 as const, balance: '90' };
  const forecast = { total: '500', month: '2026-11' };
  const { outcomes } = noting();
  const store = async (at: number, more: object) =>
    outcomes.save(await read(), { connection: 'main', at, balance: { ...balance, ...more } });
  await store(NOW, { days: 30, forecast });
  await store(NOW + 48 * HOUR, { balance: '80' });
  expect((await read()).lastBalance('123', 1)).toMatchObject({ balance: '80', days: 30, forecast, at: NOW });
  await store(NOW + 49 * HOUR, { balance: '70', days: 27 });
  const last = (await read()).lastBalance('123', 1);
  expect(last).toMatchObject({ balance: '70', days: 27, at: NOW + 49 * HOUR });
  expect(last?.forecast).toBeUndefined();
});
