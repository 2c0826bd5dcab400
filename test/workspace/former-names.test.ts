import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryLog } from '../../src/delivery/log/delivery-log.ts';
import { auditKey, deliveryLogKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { parseAccess, serializeAccess } from '../../src/workspace/credentials/accesses.ts';
import { parseConnection, serializeConnection } from '../../src/workspace/credentials/connections.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { readSettings, serializeSettings } from '../../src/workspace/settings.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const AT = Date.UTC(2026, 10, 21);
const keyring = createKeyring([{ id: 'first', key: randomBytes(32) }]);

describe('what an earlier version stored under other names', () => {
  let redis: TestRedis;
  let client: Redis;
  beforeAll(async () => {
    redis = await testRedis();
    client = redis.client;
  });
  afterAll(() => redis.close());

  it('still says when a token expires', () => {
    const { json } = serializeConnection(keyring, 'T1', {
      ...{ name: 'main', baseUrl: 'https://billing.example.com', token: 'a-token-for-tests' },
      ...{ role: 'read-only', lifetime: '90-days', type: 'for-oneself' },
      ...{ test: { project: '123', product: 1 }, registeredBy: 'U1', registeredAt: AT, expiresAt: AT + 9 },
    });
    const before = json.replace('"expiresAt"', '"lapsesAt"');
    expect(before).not.toBe(json);
    expect(parseConnection(keyring, 'T1', 'main', before).expiresAt).toBe(AT + 9);
  });

  it('still says when an application access expires', () => {
    const { json } = serializeAccess(keyring, 'T1', {
      ...{ project: '123', authUrl: 'https://identity.example.com/v3', id: 'an-id', secret: 'a-secret' },
      ...{ issuers: { people: [], groups: [] }, registeredBy: 'U1', registeredAt: AT, expiresAt: AT + 9 },
    });
    const before = json.replace('"expiresAt"', '"lapsesAt"');
    expect(parseAccess(keyring, 'T1', '123', before).expiresAt).toBe(AT + 9);
  });

  it('still lets people of other organizations ask', () => {
    const settings = readSettings(undefined);
    if (settings === undefined) throw new Error('There are no default settings.');
    const json = serializeSettings({ ...settings, externals: true });
    expect(readSettings(json.replace('"externals"', '"strangers"'))?.externals).toBe(true);
  });

  it('still says what was done', async () => {
    await client.xadd(auditKey('T1'), '*', 'at', AT, 'who', 'U1', 'deed', 'project added', 'about', 'prod');
    const [entry] = await createAudit(client).list('T1', 1);
    expect(entry).toEqual({ at: AT, who: 'U1', action: 'project added', about: 'prod' });
  });

  it('still counts the checks of a post, and the notices that are due', async () => {
    const post = {
      channel: 'C1',
      ts: '1.2',
      at: AT,
      isLate: false,
      isAgain: false,
      earlier: [],
      figures: {},
    };
    const entry = { state: 'posted', due: AT, at: AT, began: AT, tries: 0, untold: 'unanswered' };
    const line = JSON.stringify({ ...entry, post: { ...post, looks: 2 } });
    await client.hset(deliveryLogKey('T1'), 'abcd1234/2026-11-21', line);
    const { lines } = await createDeliveryLog(client).read('T1');
    expect(lines[0]?.entry).toMatchObject({
      state: 'posted',
      pendingNotice: 'unanswered',
      post: { checks: 2 },
    });
  });
});
