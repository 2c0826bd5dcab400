/** OS_TOKENs, of which Tally stores none: how many a person gets, and what the window that shows one carries sealed. */
import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import { DEFAULT_LIMITS } from '../../domain/rate-limits.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { evalInWorkspace } from '../../redis/guard.ts';
import { issuedKey, recordKey } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { millis, projectId, tryParseRecord } from '../record/parse-record.ts';

/** A token that a window shows, with what revoking it takes. */
const token = z.object({
  value: z.string(),
  /** The identity service that issued it: it is sent to no other. */
  authUrl: z.string(),
  /** When it expires, if the service says. */
  expiresAt: millis.exactOptional(),
  /** Until when the window can revoke it. */
  until: millis,
  /** Its name in the audit. */
  audit: z.string().exactOptional(),
});

const schema = z.object({
  project: projectId,
  /** The project as a command names it: the alias, or the ID. */
  word: z.string(),
  /** The channel of the request: the project's channel limits hold for what follows, too. */
  channel: z.string().exactOptional(),
  token: token.exactOptional(),
});

/** What a window of `/os-token` is about, and the one token that it can revoke. */
export type TokenWindow = Readonly<z.infer<typeof schema>>;
export type WindowToken = NonNullable<TokenWindow['token']>;

export type TokenWindows = ReturnType<typeof createTokenWindows>;

/** Tally stores no token: its window carries it, sealed for one person in one workspace, and is unreadable for Slack. */
export function createTokenWindows(keyring: Keyring) {
  const ownerOf = (workspace: SlackId, person: SlackId) => ({ workspace, kind: 'os-token', id: person });
  return {
    /** @returns an envelope for the window's metadata, another one each time */
    seal: (workspace: SlackId, person: SlackId, window: TokenWindow): string =>
      keyring.seal(JSON.stringify(window), ownerOf(workspace, person)),
    /** @returns undefined for outside text and for other people; without the token after `until` */
    open(workspace: SlackId, person: SlackId, text: string, at: Millis): TokenWindow | undefined {
      const json = tryParse(() => keyring.open(text, ownerOf(workspace, person)), Failure);
      const window = tryParseRecord(schema, json);
      if (window?.token === undefined || window.token.until > at) return window;
      const { token: _, ...rest } = window;
      return rest;
    },
  };
}

/** Limits the tokens that a person gets, counted across all processes. @throws store-unavailable from each method */
export type TokenQuota = ReturnType<typeof createTokenQuota>;

/** Stores a person's times, separated by commas. If the clock goes back, nobody is locked out longer than `per`. */
const TAKE = `
if redis.call('EXISTS', KEYS[2]) == 0 then return 'gone' end
local at, span = tonumber(ARGV[2]), tonumber(ARGV[3])
local kept, oldest = {}, nil
for time in string.gmatch(redis.call('HGET', KEYS[1], ARGV[1]) or '', '%d+') do
  local issued = math.min(tonumber(time), at)
  if at - issued < span then
    kept[#kept + 1] = string.format('%.0f', issued)
    if not oldest or issued < oldest then oldest = issued end
  end
end
if #kept >= tonumber(ARGV[4]) then return string.format('%.0f', oldest + span) end
kept[#kept + 1] = ARGV[2]
redis.call('HSET', KEYS[1], ARGV[1], table.concat(kept, ','))
redis.call('PEXPIRE', KEYS[1], span)
return ''`;

const GIVE_BACK = `
local kept, gone = {}, false
for time in string.gmatch(redis.call('HGET', KEYS[1], ARGV[1]) or '', '%d+') do
  if time == ARGV[2] and not gone then gone = true else kept[#kept + 1] = time end
end
if #kept == 0 then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], table.concat(kept, ','))
return 1`;

export function createTokenQuota(redis: RedisConnection, limit = DEFAULT_LIMITS.osTokens) {
  return {
    limit,
    /** Counts one token. @returns undefined; or, if the limit is reached, when the next one is possible (ms) @throws not-installed */
    async take(workspace: SlackId, person: SlackId, at: Millis): Promise<number | undefined> {
      const args = [person, Math.floor(at), limit.per, limit.most];
      const next = await evalInWorkspace(redis, workspace, TAKE, [issuedKey, recordKey], ...args);
      if (next === 'gone') throw new Failure('not-installed', { reason: 'unknown' });
      return next === '' ? undefined : Number(next);
    },
    /** Gives back a counted token that was not issued after all. */
    async giveBack(workspace: SlackId, person: SlackId, at: Millis): Promise<void> {
      await evalInWorkspace(redis, workspace, GIVE_BACK, [issuedKey], person, Math.floor(at));
    },
  };
}
