import { createHash } from 'node:crypto';
import * as z from 'zod';
import { EditConflict, NotInstalled } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { commitInWorkspace, evalInWorkspace, guardRead } from '../../redis/guard.ts';
import { auditKey, deliveryLogKey, managerRequestsKey, recordKey } from '../../redis/keys.ts';
import { type AuditAction, type AuditEntry, auditArguments, LUA_AUDIT } from '../record/audit.ts';
import { product, slackId, tryParseRecord } from '../record/parse-record.ts';

/** What a person asked the managers for. It is written out to them, and has no secret. */
export const managerRequestSchema = z.object({
  person: slackId,
  /** Whether that is a guest: what was allowed to a guest is for a guest, and the reverse. */
  isGuest: z.boolean(),
  reason: z.string(),
  command: z.string(),
  text: z.string(),
  opensForm: z.boolean(),
  /** The channel of the request; absent for Home. */
  channel: z.string().exactOptional(),
  /** The project of a question, which can be allowed once; absent for what only a manager can do. */
  project: z.object({ id: z.string(), product, label: z.string() }).exactOptional(),
  at: z.int(),
  state: z.enum(['open', 'taken', 'done', 'allowed', 'used', 'refused']),
  /** The manager who answered, and when, in ms. */
  by: z.string().exactOptional(),
  answeredAt: z.int().exactOptional(),
  /** Where the managers' messages are, and whose they are. */
  messages: z.array(z.object({ to: z.string(), channel: z.string(), ts: z.string() })),
});

export type ManagerRequest = Readonly<z.infer<typeof managerRequestSchema>>;

/** The store of what people ask managers for. @throws StoreUnavailable from each method */
export type ManagerRequests = ReturnType<typeof createManagerRequests>;

/** How long it can be answered, and the same thing can't be asked again after a no. */
export const REQUEST_LIFETIME = DAY;
/** How many requests a person can make within `REQUEST_LIFETIME`. */
const MOST_OF_PERSON = 5;
const MOST_OF_WORKSPACE = 50;
/** Attempts while others write. */
const MAX_ATTEMPTS = 5;

/** Prefix of the fields of the delivery log from which the person who asked is told. */
export const ANSWER_STATE = 'answer/';

/** In Lua: `tell(log, id, answer)` has the delivery send an answer, in the same step as the answer is stored. */
export const LUA_SEND_ANSWER = `
local function tell(log, id, answer)
  redis.call('HSET', log, '${ANSWER_STATE}' .. id, answer)
  if redis.call('PTTL', log) < ${REQUEST_LIFETIME} then redis.call('PEXPIRE', log, ${REQUEST_LIFETIME}) end
end`;

/** As the delivery reads it: a stored message with what it is about. */
const answerOf = (request: ManagerRequest): string =>
  JSON.stringify({ to: request.person, state: 'due', at: request.answeredAt, tries: 0, request });

/**
 * Writes a request if it is still as it was read, which is `''` for none, with its entry in the audit in the same step. Values
 * are `<until> <json>`. The audit's entry comes first, because a stream may refuse it.
 */
const SWAP = `${LUA_AUDIT}${LUA_SEND_ANSWER}
if redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then return 'gone' end
local now, mine, all = tonumber(ARGV[4]), 0, 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if tonumber(string.match(redis.call('HGET', KEYS[1], field), '^%d+')) <= now then
    redis.call('HDEL', KEYS[1], field)
  else
    all = all + 1
    if string.sub(field, 1, #ARGV[6]) == ARGV[6] then mine = mine + 1 end
  end
end
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 'changed' end
if ARGV[2] == '' and (mine >= ${MOST_OF_PERSON} or all >= ${MOST_OF_WORKSPACE}) then return 'full' end
if ARGV[8] then enter(KEYS[3], ARGV[8], ARGV[9], ARGV[10], ARGV[11]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
if ARGV[7] ~= '' then tell(KEYS[4], ARGV[1], ARGV[7]) end
return 'done'`;

const storedValue = (request: ManagerRequest): string =>
  `${request.at + REQUEST_LIFETIME} ${JSON.stringify(request)}`;

interface StoredRequest {
  readonly request: ManagerRequest;
  /** The value as it is in Redis, for comparison when it is changed. */
  readonly value: string;
}

/** A request that a manager has taken, as it was read. */
export interface TakenRequest extends StoredRequest {
  readonly id: string;
}

/** What a change writes to mark the request that it carries out as done, if nobody changed the request since. */
export function doneArguments({ id, request, value }: TakenRequest, who: SlackId, at: Millis): string[] {
  const next: ManagerRequest = { ...request, state: 'done', by: who, answeredAt: Math.floor(at) };
  const entry = requestEntry('request done', request, who, at);
  return [id, value, storedValue(next), answerOf(next), ...auditArguments(entry)];
}

export const typedCommand = ({ command, text }: Pick<ManagerRequest, 'command' | 'text'>): string =>
  `${command} ${text}`.trim();

/** The longest text of a command in the audit. */
const MAX_AUDITED_TEXT = 300;

export function requestEntry(
  action: AuditAction,
  request: ManagerRequest,
  who: SlackId,
  at: Millis,
): AuditEntry {
  const { command, text, channel, person } = request;
  const about = {
    ...({ kind: 'request', command, text: text.slice(0, MAX_AUDITED_TEXT) } as const),
    ...(channel !== undefined && { channel }),
    ...(who !== person && { person }),
  };
  return { at, who, action, about };
}

export interface RequestChange {
  readonly next: ManagerRequest;
  readonly entry?: AuditEntry;
  /** Whether the person who asked is told what it is now. */
  readonly notifiesAsker?: boolean;
}

export function createManagerRequests(redis: RedisConnection) {
  const load = async (workspace: SlackId, id: string, at: Millis): Promise<StoredRequest | undefined> => {
    const value = await guardRead(() => redis.hget(managerRequestsKey(workspace), id));
    const [, until = '', json] = /^(\d+) (.*)$/s.exec(value ?? '') ?? [];
    const request = Number(until) > at ? tryParseRecord(managerRequestSchema, json) : undefined;
    return request && { request, value: value ?? '' };
  };

  const swap = async (
    workspace: SlackId,
    id: string,
    before: string,
    { next, entry, notifiesAsker = false }: RequestChange,
    at: Millis,
  ): Promise<'done' | 'changed' | 'full'> => {
    const keys = [managerRequestsKey, recordKey, auditKey, deliveryLogKey];
    const args = [
      ...[id, before, storedValue(next), Math.floor(at), REQUEST_LIFETIME, `${next.person}:`],
      notifiesAsker ? answerOf(next) : '',
    ];
    const [run, audit] = entry ? [commitInWorkspace, auditArguments(entry)] : [evalInWorkspace, []];
    const outcome = await run(redis, workspace, SWAP, keys, ...args, ...audit);
    if (outcome === 'gone') throw new NotInstalled('unknown');
    return outcome as 'done' | 'changed' | 'full';
  };

  return {
    async find(workspace: SlackId, id: string, at: Millis): Promise<ManagerRequest | undefined> {
      return (await load(workspace, id, at))?.request;
    },

    /** The request that a manager is carrying out, for the change that does it. @throws StoreUnavailable */
    async findTaken(workspace: SlackId, id: string, at: Millis): Promise<TakenRequest | undefined> {
      const found = await load(workspace, id, at);
      return found?.request.state === 'taken' ? { id, ...found } : undefined;
    },

    /** @returns `repeated` if the same is being asked for already; `full` if too much is @throws NotInstalled */
    async open(
      workspace: SlackId,
      request: ManagerRequest,
      entry: AuditEntry,
    ): Promise<'done' | 'repeated' | 'full'> {
      const id = requestId(request);
      const before = await load(workspace, id, request.at);
      if (before !== undefined && !isOver(before.request, request.at)) return 'repeated';
      const outcome = await swap(workspace, id, before?.value ?? '', { next: request, entry }, request.at);
      return outcome === 'changed' ? 'repeated' : outcome;
    },

    /**
     * Changes it as it is now: of two at once, the second sees what the first did.
     * @param change undefined for what can't be done any more
     * @returns the request as it is then; undefined if it is over, or can't be changed so
     */
    async update(
      workspace: SlackId,
      id: string,
      at: Millis,
      change: (request: ManagerRequest) => RequestChange | undefined,
    ): Promise<ManagerRequest | undefined> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const found = await load(workspace, id, at);
        const changed = found && change(found.request);
        if (changed === undefined) return undefined;
        if ((await swap(workspace, id, found?.value ?? '', changed, at)) === 'done') return changed.next;
      }
      throw new EditConflict('Try again.');
    },
  };
}

/** How long something allowed once can be used, in ms. */
export const ALLOWANCE_LIFETIME = HOUR;

export const isUsable = ({ state, answeredAt = 0 }: ManagerRequest, at: Millis): boolean =>
  state === 'allowed' && at < answeredAt + ALLOWANCE_LIFETIME;

/** Whether the same can be asked for again. */
const isOver = (request: ManagerRequest, at: Millis): boolean =>
  request.state === 'done' ||
  request.state === 'used' ||
  (request.state === 'allowed' && !isUsable(request, at)) ||
  // A process that died before a manager had it, or no manager could be reached.
  (request.state === 'open' && request.messages.length === 0 && at >= request.at + SENDING);

/** Longer than sending a request to all managers takes, in ms. */
const SENDING = 30_000;

/** The same for the same person, question and place, so that managers are asked only once. */
export function requestId(request: Pick<ManagerRequest, 'person' | 'command' | 'text' | 'channel'>): string {
  const { person, command, text, channel = '' } = request;
  const thing = JSON.stringify([command, text, channel]);
  return `${person}:${createHash('sha256').update(thing).digest('base64url').slice(0, 22)}`;
}
