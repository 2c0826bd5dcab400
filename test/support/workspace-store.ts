/** Workspace T1's record in its own Redis, and default values to save. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach } from 'vitest';
import { createKeyring, type SealingKey } from '../../src/vault/keyring.ts';
import type { NewAccess, NewConnection } from '../../src/workspace/credentials/credential-records.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import type { Watch } from '../../src/workspace/record/automation-records.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createServiceOutcomes } from '../../src/workspace/save-service-outcomes.ts';
import { testRedis } from './redis.ts';

export const HASH = 'tally:{T1}:record';
/** When all defaults were added: Saturday, 21 November 2026, 10:15 UTC. */
export const ADDED_AT = Date.UTC(2026, 10, 21, 10, 15);

export const PROD: Project = {
  alias: 'prod',
  id: '123',
  product: 1,
  channels: [],
  owner: 'U1',
  addedBy: 'U1',
  addedAt: ADDED_AT,
};

export const MAIN: NewConnection = {
  name: 'main',
  baseUrl: 'https://api.example.com',
  token: 'fake-user-access-token-abcd',
  role: 'read-only',
  lifetime: 'none',
  registeredBy: 'U1',
  registeredAt: ADDED_AT,
};

export const ACCESS: NewAccess = {
  project: '123',
  authUrl: 'https://identity.example.com/v3',
  id: '5a9db0c0000000000000000000000abcd',
  secret: 'a-secret-for-tests-only',
  issuers: { people: ['U1'], groups: [] },
  registeredBy: 'U1',
  registeredAt: ADDED_AT,
};

export const WATCH: Watch = {
  id: 'watchid1',
  projects: [{ id: '123', product: 1 }],
  rule: { kind: 'runway', days: 7 },
  channel: 'C1',
  owner: 'U1',
  createdBy: 'U1',
  createdAt: ADDED_AT,
  since: ADDED_AT,
};

/** Stores the services' answers as of this time. @param changed called when something no longer has to wait */
export const outcomesOf = (
  workspaces: Pick<Workspaces, 'load' | 'writeUnaudited'>,
  at: number,
  changed: (workspace: string) => unknown = () => undefined,
) =>
  createServiceOutcomes({
    workspaces,
    clock: () => at,
    changed: async (workspace) => void changed(workspace),
    onFailure(error) {
      throw error;
    },
  });

export async function startWorkspaceStore(key: SealingKey = { id: 'k', key: randomBytes(32) }) {
  const store = await testRedis();
  const redis = store.client;
  const workspaces = createWorkspaces({ redis, keyring: createKeyring([key]) });
  beforeEach(() => redis.flushdb());
  afterAll(() => store.close());
  return { store, redis, workspaces, read: () => workspaces.load('T1') };
}
