import { isLosslessNumber } from 'lossless-json';
import { Temporal } from 'temporal-polyfill';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import { isJsonObject, JsonError, type JsonObject, readJson } from '../http/read-json.ts';
import type { ServiceResponse } from '../http/request.ts';

/** What a response's body says about an issued token. Fields that are missing or malformed are left out. */
export interface TokenBody {
  /** ms since the epoch; undefined when it is missing or unreadable */
  readonly expiresAt: Millis | undefined;
  /** Names, or else IDs: outside text. */
  readonly project: string | undefined;
  readonly user: string | undefined;
  readonly roles: readonly string[];
  /** Whether the application access can't make others that outlive it. */
  readonly isRestricted: boolean | undefined;
  /** The public endpoint of the compute service. */
  readonly computeUrl: string | undefined;
}

/** Limits of outside text. */
const LIMITS = { characters: 255, roles: 50 } as const;

type ReadableBody = Pick<ServiceResponse, 'text' | 'mask'>;

/** Reads any body, even an empty one: the token itself comes in a header. Never throws. */
export function parseTokenBody(response: ReadableBody): TokenBody {
  const token = objectOf(objectOf(parseBody(response)).token);
  const { restricted } = objectOf(token.application_credential);
  return {
    expiresAt: parseExpiry(token.expires_at),
    project: nameOf(token.project),
    user: nameOf(token.user),
    roles: [token.roles ?? []]
      .flat()
      .slice(0, LIMITS.roles)
      .flatMap((role) => nameOf(role) ?? []),
    isRestricted: typeof restricted === 'boolean' ? restricted : undefined,
    computeUrl: computeUrlIn(token.catalog),
  };
}

/** @returns the message of an error in the identity API's format; undefined for any other text */
export function parseIdentityError(response: ReadableBody): string | undefined {
  const { error } = objectOf(parseBody(response));
  if (!isJsonObject(error)) return undefined;
  return typeof error.message === 'string' ? error.message : '';
}

function computeUrlIn(catalog: unknown): string | undefined {
  const compute = listOf(catalog)
    .map(objectOf)
    .find(({ type }) => type === 'compute');
  const endpoints = listOf(compute?.endpoints).map(objectOf);
  return parseWebAddress(endpoints.find(({ interface: kind }) => kind === 'public')?.url);
}

const parseWebAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(value) && value.length <= 500
    ? value
    : undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function nameOf(value: unknown): string | undefined {
  const { name, id } = objectOf(value);
  return textOf(value) ?? textOf(name) ?? textOf(id);
}

/** An ID may be a number. */
function textOf(value: unknown): string | undefined {
  const text = isLosslessNumber(value) ? value.value : value;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return Array.from(text.slice(0, LIMITS.characters * 2))
    .slice(0, LIMITS.characters)
    .join('');
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** @returns undefined for what is not JSON */
const parseBody = ({ text, mask }: ReadableBody): unknown => tryParse(() => readJson(text, mask), JsonError);

const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * Reads when a token expires. The identity API writes `2026-11-21T03:03:56.000000Z`, and for a credential that expires
 * before its token `2026-11-21T02:13:55`: UTC too, although `Date.parse` would read it in the machine's zone. Other ISO
 * 8601 timestamps are read as well.
 *
 * @returns ms since the epoch; undefined for anything else, and for what is not after the epoch
 */
export function parseExpiry(value: unknown): Millis | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^\d{4}-?\d\d-?\d\d[T ]/i.test(text)) return undefined;
  const zoned = ZONE.test(text) ? text : `${text}Z`;
  const at = tryParse(() => Temporal.Instant.from(zoned).epochMilliseconds, RangeError);
  return at !== undefined && at > 0 ? at : undefined;
}
