import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/vault/keyring.ts';
import { parseAccess, serializeAccess } from '../../src/workspace/credentials/access-record.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import { holdsRegisteredSecret } from '../../src/workspace/credentials/registered-secrets.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';

const TOKEN = 'fake-token.with:punctuation-abcd';
const NUMBER = '123456789';
const SECRET = 'a-secret-for-tests-only';
const keyring = createKeyring([{ id: 'k', key: randomBytes(32) }]);

function accessOf(project: string, secret: string, opens = keyring) {
  const { json } = serializeAccess(keyring, 'T1', {
    ...{ project, authUrl: 'https://identity.example.com/v3', id: 'an-id', secret },
    ...{ issuers: { people: [], groups: [] }, registeredBy: 'U1', registeredAt: 0 },
  });
  return [project, parseAccess(opens, 'T1', project, json)] as const;
}
const record = {
  aliases: new Set(['prod-web']),
  connectionNames: ['main', 'fake-connection'],
  connections: new Map(
    [TOKEN, NUMBER, 'prod-web', 'fake-connection', 'ab3de'].map((token) => [
      token,
      { fingerprint: fingerprintOf(token) },
    ]),
  ),
  accesses: new Map([
    accessOf('1', 'unreadable', createKeyring([{ id: 'other', key: randomBytes(32) }])),
    accessOf('123', SECRET),
  ]),
} as unknown as Workspace;

describe('a text', () => {
  it.each([
    TOKEN,
    `my token is ${TOKEN}`,
    `«${TOKEN}»`.replace(/[«»]/g, '"'),
    `(${TOKEN}).`,
    `${TOKEN}.`,
    `${TOKEN}!`,
    `<https://example.com|${TOKEN}>`,
    `‘${TOKEN}’`,
    `[${TOKEN}]`,
    `{"a":"b","secret":"${SECRET}"}`,
    `secret=${SECRET}`,
    `secret:${SECRET}`,
    `*${SECRET}*, please`,
    `spend ${NUMBER}`,
    `${SECRET};`,
  ])('with a registered secret is recognized: %s', (text) => {
    expect(holdsRegisteredSecret(text, record)).toBe(true);
  });

  it.each([
    '',
    'spend prod-web last-week',
    'fake-connection',
    `${TOKEN}x`,
    TOKEN.slice(0, -1),
    `x${SECRET}`,
    '12345678',
    `x${NUMBER}`,
    `${NUMBER}x`,
    'ab3de',
  ])('without one is not: %s', (text) => {
    expect(holdsRegisteredSecret(text, record)).toBe(false);
  });
});
