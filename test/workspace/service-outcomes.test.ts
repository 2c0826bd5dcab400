import { expect, it } from 'vitest';
import { type BillingClient, reportOutcomes } from '../../src/billing/client.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import { createServiceOutcomes } from '../../src/workspace/service-outcomes.ts';
import { NO_BILLING } from '../support/delivery-runner.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const ACCESS = {
  ...{ workspace: 'T1', connection: 'main', baseUrl: 'https://b.example.com', token: 'a-fake-token' },
  failures: new Map([['balance:9:1', { kind: 'service-failed' }]]),
};
const CREDENTIAL = { kind: 'connection', name: 'main' } as const;

/** Notes into a list in place of a record. @param isNew what the record says of a rejection */
function noting(isNew: () => Promise<boolean> = async () => true) {
  const stored: unknown[][] = [];
  const changed: string[] = [];
  const failures: unknown[] = [];
  const notes = createServiceOutcomes({
    workspaces: {
      saveRejection: (...given) => {
        stored.push(['rejected', ...given]);
        return isNew();
      },
      saveFailure: async (...given) => void stored.push(['failed', ...given]),
      clearFailure: async (...given) => void stored.push(['cleared', ...given]),
    },
    changed: async (workspace) => void changed.push(workspace),
    clock: () => NOW,
    onFailure: (error) => failures.push(error),
  });
  return { notes, stored, changed, failures };
}

async function asked(project: string, balance: BillingClient['balance']) {
  const { notes, stored } = noting();
  const client = reportOutcomes({ ...NO_BILLING, balance }, notes.billing);
  const result = await client.balance(ACCESS, { project, product: 1 }).catch((error: unknown) => error);
  return { stored, result };
}

it('notes a rejected token by its fingerprint, and that its project fails', async () => {
  const error = new Failure('token-rejected', { service: 'billing' });
  const rejection = ['rejected', 'T1', CREDENTIAL, { mark: fingerprintOf('a-fake-token'), at: NOW }];
  const target = { topic: 'balance', id: '123', product: 1 };
  expect(await asked('123', () => Promise.reject(error))).toEqual({
    stored: [
      rejection,
      ['failed', 'T1', target, { kind: 'token-rejected', data: { service: 'billing' }, since: NOW }],
    ],
    result: error,
  });
});

it('notes that a project answers again, and writes nothing if the record already says so', async () => {
  const answer = { balance: { text: '1' }, bonuses: { text: '0' }, remarks: [] };
  const answers = async () => answer;
  expect(await asked('9', answers)).toEqual({
    stored: [['cleared', 'T1', 'balance:9:1']],
    result: answer,
  });
  expect((await asked('123', answers)).stored).toEqual([]);
  const failsAsBefore = new Failure('service-failed', { service: 'billing', status: 500 });
  expect((await asked('9', () => Promise.reject(failsAsBefore))).stored).toEqual([]);
  expect((await asked('9', () => Promise.reject(new Failure('store-unavailable')))).stored).toEqual([]);
});

it.each([
  [new Failure('access-refused', { status: 401 }), true],
  [new Failure('access-refused', { status: 403 }), false],
  [new Failure('access-not-found'), true],
  [new Failure('store-unavailable'), false],
])(
  'notes an application access by the end of its ID if the service does not know it: %s',
  async (error, isNoted) => {
    const { notes, stored } = noting();
    await notes.notIssued({ id: 'an-id-abcd' }, { workspace: 'T1', connection: '123' }, error);
    const rejection = ['rejected', 'T1', { kind: 'access', name: '123' }, { mark: 'abcd', at: NOW }];
    expect(stored).toEqual(isNoted ? [rejection] : []);
  },
);

it('plans reminders again after a new rejection, and never fails the request', async () => {
  const rejection = { ...CREDENTIAL, workspace: 'T1', mark: 'a' };
  const known = noting(async () => false);
  await known.notes.rejected(rejection);
  const first = noting();
  await first.notes.rejected(rejection);
  expect([known.changed, first.changed]).toEqual([[], ['T1']]);
  const lost = noting(() => Promise.reject(new Failure('store-unavailable')));
  await lost.notes.rejected(rejection);
  expect([lost.changed, lost.failures]).toEqual([
    [],
    [expect.objectContaining({ kind: 'store-unavailable' })],
  ]);
});
