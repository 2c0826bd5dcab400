import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExpiry, parseIdentityError, parseTokenBody } from '../../src/identity/client.ts';

const AT = Date.UTC(2026, 10, 21, 2, 13, 55);
const NOTHING = {
  expiresAt: undefined,
  project: undefined,
  user: undefined,
  roles: [],
  isRestricted: undefined,
  computeUrl: undefined,
};

const asSent = (text: string) => text;
const tokenBodyOf = (text: string) => parseTokenBody({ text, mask: asSent });
const identityErrorOf = (text: string) => parseIdentityError({ text, mask: asSent });
const bodyOf = (token: unknown) => tokenBodyOf(JSON.stringify({ token }));

describe('the expiry of a token', () => {
  it.each([
    ['2026-11-21T02:13:55.000000Z', AT],
    ['2026-11-21T02:13:55', AT],
    ['2026-11-21T02:13:55Z', AT],
    ['2026-11-21 02:13:55', AT],
    ['2026-11-21T02:13:55+00:00', AT],
    ['2026-11-20T21:13:55-0500', AT],
    ['2026-11-21T07:43:55+05:30', AT],
    ['2026-11-21t02:13:55z', AT],
    ['20261121T021355Z', AT],
    [' 2026-11-21T02:13:55,5 ', AT + 500],
    ['2026-11-21T02:13:55.123456789Z', AT + 123],
    ['2026-11-21T02:13Z', AT - 55_000],
    ['2028-02-29T00:00:00', Date.UTC(2028, 1, 29)],
  ])('is read from “%s”, in UTC if no time zone is given', (text, at) => {
    expect(parseExpiry(text)).toBe(at);
  });

  const UNREADABLE =
    `soon, null, 2026-11-21, 2026-02-30T00:00:00Z, 2026-11-21T24:00:00Z, 2026-11-21T12:60:00Z,
    2026-13-01T00:00:00Z, 0000-00-00T00:00:00Z, 0001-01-01T00:00:00Z, 0099-01-01T00:00:00Z, 2026-11-21T02:13:55X,
    2026-11-21T02:13:55+99:99, +002026-11-21T02:13:55Z, ２０２６-11-21T02:13:55Z`.split(/,\s+/);
  const OTHERS = ['', 1795230236, true, null, undefined, {}, ['2026-11-21T02:13:55']];
  it.each([...UNREADABLE, ...OTHERS])('is unknown if it is given as %j', (value) => {
    expect(parseExpiry(value)).toBeUndefined();
  });

  it('is read as the same instant from every format', () => {
    const moment = fc.date({
      min: new Date(1000),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, offset) => {
        const at = Math.floor(date.getTime() / 1000) * 1000;
        const utc = new Date(at).toISOString().slice(0, 19);
        const there = new Date(at + offset * 60_000).toISOString().slice(0, 19);
        const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        fc.pre(/^\d{4}-/.test(there));
        for (const text of [utc, `${utc}Z`, `${utc}.000000Z`, utc.replace('T', ' '), there + zone])
          expect(parseExpiry(text)).toBe(at);
      }),
    );
  });

  it('is a valid time or unknown, whatever the text', () => {
    const nearly = fc.stringMatching(/^\d{4}-?\d\d-?\d\d[T ]?\d\d:?\d\d:?\d\d([.,]\d*)?(Z|[+-]\d\d:?\d\d)?$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        const at = parseExpiry(text);
        expect(at === undefined || (Number.isInteger(at) && at > 0)).toBe(true);
      }),
    );
  });
});

describe('the details of a token', () => {
  it('are read completely', () => {
    const domain = { id: 'default', name: 'Default' };
    expect(
      bodyOf({
        expires_at: '2026-11-21T02:13:55',
        project: { id: 'p1', name: 'prod', domain },
        user: { id: 'u1', name: 'ada', domain },
        roles: [
          { id: 'r1', name: 'member' },
          { id: 'r2', name: 'reader' },
        ],
        application_credential: { id: 'c1', name: 'ci', restricted: false },
        catalog: [
          {
            type: 'compute',
            endpoints: [
              { interface: 'internal', url: 'http://inside/v2.1' },
              { interface: 'public', url: 'https://compute.example.com/v2.1' },
            ],
          },
        ],
      }),
    ).toEqual({
      expiresAt: AT,
      project: 'prod',
      user: 'ada',
      roles: ['member', 'reader'],
      isRestricted: false,
      computeUrl: 'https://compute.example.com/v2.1',
    });
  });

  it('keep every digit of an ID that is a number', () => {
    const text = '{"token":{"project":{"id":123456789012345678901234567890}}}';
    expect(tokenBodyOf(text)).toMatchObject({
      project: '123456789012345678901234567890',
    });
  });

  it('show an ID where a name is missing', () => {
    expect(bodyOf({ user: { id: 'u1' }, roles: ['member', { id: 'r1' }] })).toEqual({
      ...NOTHING,
      user: 'u1',
      roles: ['member', 'r1'],
    });
  });

  it('leave out invalid parts', () => {
    expect(
      bodyOf({
        expires_at: 'soon',
        project: { id: null, name: ' ', domain: [] },
        user: [],
        roles: { a: 1 },
        application_credential: { restricted: 'false' },
        catalog: [
          null,
          { type: 'x' },
          { type: 'compute', endpoints: [{ interface: 'public', url: 'file:///etc' }] },
        ],
      }),
    ).toEqual(NOTHING);
  });

  it.each([
    '',
    ' ',
    'null',
    '[]',
    '"token"',
    '12',
    '{}',
    '{"token":null}',
    '{"token":[]}',
    '{"token":"gAAAAA"}',
    '{"token":{"expires_at":',
    '<!doctype html><p>Sign in</p>',
    '['.repeat(1_000_000),
    '{"token":'.repeat(200_000),
    '{"__proto__":{"token":{"user":"x"}}}',
  ])('are empty if the body is malformed', (text) => {
    expect(tokenBodyOf(text)).toEqual(NOTHING);
  });

  it('are never too long to show', () => {
    const long = '💥'.repeat(5000);
    const { user, roles } = bodyOf({ user: { name: long }, roles: Array.from({ length: 999 }, () => 'r') });
    expect(Array.from(user ?? '')).toHaveLength(255);
    expect(roles).toHaveLength(50);
  });

  it('are read from any text without an error', () => {
    const shape = fc.object({
      key: fc.constantFrom(
        ...'token expires_at project domain user roles name id catalog'.split(' '),
        ...'application_credential restricted endpoints interface url type error message'.split(' '),
      ),
      maxDepth: 5,
    });
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      shape.map((value) => JSON.stringify(value)),
      shape.map((value) => JSON.stringify({ token: value })),
      shape.map((value) => JSON.stringify({ token: value }).slice(0, -3)),
    );
    fc.assert(
      fc.property(text, (body) => {
        expect(Object.keys(tokenBodyOf(body)).sort()).toEqual(Object.keys(NOTHING).sort());
        expect(['string', 'undefined']).toContain(typeof identityErrorOf(body));
      }),
    );
  });
});

it.each([
  ['{"error":{"code":404,"message":"Could not find it.","title":"Not Found"}}', 'Could not find it.'],
  ['{"error":{"code":404}}', ''],
  ['{"error":"Not Found"}', undefined],
  ['{"message":"Not Found"}', undefined],
  ['<h1>Not Found</h1>', undefined],
  ['', undefined],
])('an error of the identity API is told apart from other texts: “%s”', (text, message) => {
  expect(identityErrorOf(text)).toBe(message);
});
