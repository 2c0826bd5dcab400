import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_WATCH_PEOPLE,
  serializeWatch,
  type Watch,
  watchSchema,
} from '../../src/workspace/record/automation-records.ts';
import { parseNamedRecord } from '../../src/workspace/record/record-schemas.ts';

const WATCH: Watch = {
  id: 'abcd1234',
  projects: [{ id: '123', product: 1 }],
  rule: { kind: 'balance', below: new Big('50000') },
  channel: 'C123',
  owner: 'U1',
  createdBy: 'U1',
  createdAt: 1,
  since: 1,
};
const parseWatch = (id: string, json: string): Watch => parseNamedRecord(watchSchema, json, 'id', id);
const read = (watch: Watch): Watch => parseWatch(watch.id, serializeWatch(watch));
const withRule = (rule: object): string => JSON.stringify({ ...WATCH, rule });

describe('the record of a watch', () => {
  test('keeps every digit of a threshold', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,20}(\.\d{1,9})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const { rule } = read({ ...WATCH, rule: { kind: 'balance', below: new Big(text) } });
        expect(rule.kind === 'balance' && rule.below.toFixed()).toBe(new Big(text).toFixed());
      }),
    );
  });

  test.each([
    { kind: 'runway', days: 14 },
    { kind: 'budget', amount: new Big('1000000000000000000000000000') },
    { kind: 'spike', factor: new Big('2.5'), floor: new Big(0) },
  ] as const)('is read exactly as it was written if it has a $kind rule', (rule) => {
    expect(read({ ...WATCH, rule })).toEqual({ ...WATCH, rule });
  });

  test.each([
    ['a negative threshold', { kind: 'balance', below: '-1' }],
    ['31 digits', { kind: 'balance', below: '1'.repeat(31) }],
    ['a budget of zero', { kind: 'budget', amount: '0' }],
    ['a factor of zero', { kind: 'spike', factor: '0', floor: '1' }],
    ['a runway of half a day', { kind: 'runway', days: 0.5 }],
    ['an exponent', { kind: 'balance', below: '1e9' }],
  ])('is rejected if its rule has %s', (_, rule) => {
    expect(() => parseWatch(WATCH.id, withRule(rule))).toThrow();
  });

  test('is rejected if it names more people than an alert can go to', () => {
    const to = (people: number) =>
      JSON.stringify({
        ...WATCH,
        rule: { kind: 'runway', days: 1 },
        channel: undefined,
        people: Array(people).fill('U1'),
      });
    expect(parseWatch(WATCH.id, to(MAX_WATCH_PEOPLE)).people).toHaveLength(MAX_WATCH_PEOPLE);
    expect(() => parseWatch(WATCH.id, to(MAX_WATCH_PEOPLE + 1))).toThrow();
  });

  test.each([
    ['neither a channel nor people', { channel: undefined }],
    ['a channel and people', { people: ['U1'] }],
    ['no project', { projects: [] }],
    ['two projects', { projects: [WATCH.projects[0], { id: '7', product: 1 }] }],
  ])('is rejected if it names %s', (_, change) => {
    const json = JSON.stringify({ ...WATCH, rule: { kind: 'runway', days: 1 }, ...change });
    expect(() => parseWatch(WATCH.id, json)).toThrow();
  });

  test('is rejected if it was copied from another watch', () => {
    expect(() => parseWatch('other123', serializeWatch(WATCH))).toThrow();
  });
});
