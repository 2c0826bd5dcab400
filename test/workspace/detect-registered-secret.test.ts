import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/vault/keyring.ts';
import { holdsRegisteredSecret } from '../../src/workspace/credentials/detect-registered-secret.ts';
import { fieldsOf, workspaceOf } from '../support/records.ts';

const TOKEN = 'fake-token.with:punctuation-abcd';
const NUMBER = '123456789';
const SECRET = 'a-secret-for-tests-only';

const other = createKeyring([{ id: 'other', key: randomBytes(32) }]);
/** No configured key opens this record. */
const UNREADABLE = fieldsOf({ connections: [], accesses: [{ project: '1' }] }, other);
const record = workspaceOf({
  projects: [{ alias: 'prod-web' }],
  connections: [TOKEN, NUMBER, 'prod-web', 'fake-connection', 'ab3de'].map((token, n) => ({
    name: n === 0 ? 'fake-connection' : `connection-${n}`,
    token,
  })),
  accesses: [{ secret: SECRET }],
  fields: UNREADABLE,
});

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
  ])('is found to hold a registered secret: “%s”', (text) => {
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
  ])('is found to hold no registered secret: “%s”', (text) => {
    expect(holdsRegisteredSecret(text, record)).toBe(false);
  });
});
