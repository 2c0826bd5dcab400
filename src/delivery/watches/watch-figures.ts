/** What billing says about watched projects: asked at each check, and kept for lists. */
import pLimit from 'p-limit';
import * as z from 'zod';
import { type BillingClient, emptyIfNoData, type Subscription } from '../../billing/client.ts';
import {
  Failure,
  isFailure,
  type StoredFailure,
  storedFailure,
  storeFailure,
} from '../../domain/failure/index.ts';
import { type Amount, type Money, parseAmount, type WireScalar } from '../../domain/money/amount.ts';
import { forecastFrom } from '../../domain/money/forecast.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysInRange,
  endOfDay,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { evalInWorkspace, guardRead } from '../../redis/guard.ts';
import { recordKey, watchFiguresKey } from '../../redis/keys.ts';
import { connectionNameOf } from '../../workspace/owned/stop-reason.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { type ChosenProject, projectValue, referenceTo } from '../../workspace/projects/chosen-project.ts';
import { UNLIMITED } from '../../workspace/projects/project-visibility.ts';
import {
  type OpenedConnection,
  openConnection,
  resolveProject,
} from '../../workspace/projects/resolve-project.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { DeliveryContext } from '../context.ts';
import type { DeliveryLogSnapshot } from '../delivery-log.ts';
import { watchRecords } from './watch-state.ts';

const schema = z.object({
  /** The connection and token that were asked: see `figuresSourceOf`. */
  source: z.string(),
  /** Amounts as they came; '' for what was not readable. Times in ms: when billing was asked. */
  account: z.object({ balance: z.string(), bonuses: z.string(), at: z.int() }).exactOptional(),
  /** The last balance of the last day before that. */
  earlier: z.object({ day: z.string(), balance: z.string() }).exactOptional(),
  /** The complete days up to `until` that are reported, in days of `zone`. */
  usage: z
    .object({ days: z.record(z.string(), z.string()), until: z.string(), zone: z.string(), at: z.int() })
    .exactOptional(),
  /** Why billing gave no answer last time. */
  problem: storedFailure.exactOptional(),
});

/** What billing said about one project. */
export type StoredFigures = Readonly<z.infer<typeof schema>>;

/** Names of one project may have different connections, and so different accounts. */
export const figuresField = projectValue;

/** The connection that a project is asked over, with its token: figures of another one are of another account. '' for none. */
export function figuresSourceOf(project: ChosenProject, workspace: Workspace): string {
  const name = tryParse(() => connectionNameOf(project, workspace), Failure);
  if (name === undefined || !workspace.connectionNames.includes(name)) return '';
  return `${name} ${workspace.connections.get(name)?.fingerprint ?? ''}`;
}

/**
 * The last answers of billing about watched projects, for lists and charts: no alert rests on them. Can be lost.
 *
 * @throws store-unavailable from each method
 */
export type WatchFiguresStore = ReturnType<typeof createWatchFiguresStore>;

/** A workspace that has left gets no figures again. */
const SAVE = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[2], unpack(ARGV)) end`;

export function createWatchFiguresStore(redis: RedisConnection) {
  return {
    /** @returns the figures of each project, by `figuresField` */
    async load(workspace: SlackId): Promise<ReadonlyMap<string, StoredFigures>> {
      const fields = await guardRead(() => redis.hgetall(watchFiguresKey(workspace)));
      return new Map(
        Object.entries(fields).flatMap(([field, json]) => {
          const parsed = tryParseRecord(schema, json);
          return parsed === undefined ? [] : [[field, parsed] as const];
        }),
      );
    },
    async find(workspace: SlackId, field: string): Promise<StoredFigures | undefined> {
      const json = await guardRead(() => redis.hget(watchFiguresKey(workspace), field));
      return tryParseRecord(schema, json ?? undefined);
    },
    async save(workspace: SlackId, field: string, figures: StoredFigures): Promise<void> {
      const keys = [recordKey, watchFiguresKey];
      await evalInWorkspace(redis, workspace, SAVE, keys, field, JSON.stringify(figures));
    },
  };
}

const amountOf = (digits: string): Amount => parseAmount({ text: digits });
const accountOf = ({ balance, bonuses }: NonNullable<StoredFigures['account']>) => ({
  balance: amountOf(balance),
  bonuses: amountOf(bonuses),
});

/** @returns undefined for what was not readable */
export function readableAmount(digits = ''): Money | undefined {
  const amount = amountOf(digits);
  return 'value' in amount ? amount.value : undefined;
}

/** Cached, because many watches of a project are judged by the same figures. */
const judgedFigures = new WeakMap<StoredFigures, WatchFigures>();

/** What a watch is judged by on `today`, a day of `zone`. */
export function parseWatchFigures(figures: StoredFigures, today: Day, zone: Zone): WatchFigures {
  const known = judgedFigures.get(figures);
  if (known?.today === today && known.zone === zone) return known;
  const { account, usage } = figures;
  const spent = Object.entries(usage?.zone === zone ? usage.days : {}).flatMap(([day, digits]) => {
    const amount = readableAmount(digits);
    return amount === undefined || day >= today ? [] : [[day, amount] as const];
  });
  const judged = { today, zone, amounts: new Map(spent), ...(account && { account: accountOf(account) }) };
  judgedFigures.set(figures, judged);
  return judged;
}

/** Whether a rule uses the balance; the others only use the spend. */
export const needsBalance = ({ kind }: WatchRule): boolean => kind === 'balance' || kind === 'runway';
/** Whether a rule needs the spend, which for a balance is only an explanation. */
const needsUsage = ({ kind }: WatchRule): boolean => kind !== 'balance';

/** Whether all is there that a rule is judged by. */
export const hasFigures = (rule: WatchRule, { account, usage }: StoredFigures): boolean =>
  (account !== undefined || !needsBalance(rule)) && (usage !== undefined || !needsUsage(rule));

const digitsOf = (wire: WireScalar): string => ('text' in wire ? wire.text : '');

/** @param at ms since the epoch: now @throws Failure */
export async function fetchAccount(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  at: Millis,
): Promise<NonNullable<StoredFigures['account']>> {
  const { balance, bonuses } = await billing.balance(access, project);
  return { balance: digitsOf(balance), bonuses: digitsOf(bonuses), at };
}

/** Asks about complete days, from `from` to the day before `today`. @returns without days if nothing is reported @throws Failure */
export async function fetchUsage(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  { from, today, zone, at }: { from: Day; today: Day; zone: Zone; at: Millis },
): Promise<NonNullable<StoredFigures['usage']>> {
  const until = addDays(today, -1);
  const range = {
    from: startOfDay(from, zone),
    to: endOfDay(until, zone),
    zone,
    days: { first: from, last: until, today },
  };
  const { charges } = await billing.consumption(access, project, range).catch(emptyIfNoData);
  const { rows, reported } = computeUsage(charges, { days: daysInRange(from, until, zone) });
  const wanted = new Set(reported);
  const digits = rows.flatMap(({ day, amount }) =>
    day !== undefined && wanted.has(day) && 'raw' in amount ? [[day, amount.raw] as const] : [],
  );
  return { days: Object.fromEntries(digits), until, zone, at };
}

/** Projects that billing is asked about at the same time. */
const PARALLEL = 5;

/**
 * Asks billing what watches are judged by, once for each project, and stores it.
 *
 * @returns what was answered now, by `figuresField`: nothing older is among it @throws store-unavailable
 */
export async function fetchFigures(
  watches: readonly Watch[],
  store: WatchFiguresStore,
  context: DeliveryContext,
): Promise<ReadonlyMap<string, StoredFigures>> {
  const { teamId } = context;
  const known = await store.load(teamId);
  const gate = createGate();
  const fetched = new Map<string, StoredFigures>();
  const fetchOne = async (field: string): Promise<void> => {
    if (context.isOver()) return;
    const asking = watches.filter(({ projects }) => figuresField(projects[0]) === field);
    const { now, stored } = await fetchProject(asking, known.get(field), gate, context);
    fetched.set(field, now);
    await store.save(teamId, field, stored);
  };
  const limit = pLimit(PARALLEL);
  const fields = new Set(watches.map(({ projects }) => figuresField(projects[0])));
  await Promise.all([...fields].map((field) => limit(fetchOne, field)));
  return fetched;
}

type Gate = ReturnType<typeof createGate>;

/** The first question over a connection goes alone: if its token is rejected, nobody asks with it again. */
function createGate() {
  const first = new Map<string, Promise<unknown>>();
  return async <T>(connection: string, ask: () => Promise<T>): Promise<T> => {
    const before = first.get(connection);
    if (before === undefined) {
      const answer = ask();
      const rejection = answer.then(
        () => undefined,
        (error: unknown) => (isFailure(error) && error.kind === 'token-rejected' ? error : undefined),
      );
      first.set(connection, rejection);
      return answer;
    }
    const rejection = await before;
    if (rejection !== undefined) throw rejection;
    return ask();
  };
}

/** @returns what was answered now, and what is known with it @throws what is not a Failure, and store-unavailable */
async function fetchProject(
  watches: readonly Watch[],
  before: StoredFigures | undefined,
  gate: Gate,
  { workspace, snapshot, billing, clock, answerCollector }: DeliveryContext,
): Promise<{ readonly now: StoredFigures; readonly stored: StoredFigures }> {
  const project = watches[0]?.projects[0] as ChosenProject;
  const [at, source] = [clock(), figuresSourceOf(project, workspace)];
  const { problem: _, ...known } = before?.source === source ? before : { source };
  try {
    const { zone } = requireSettings(workspace);
    const today = dayAt(at, zone);
    const target = resolveProject(referenceTo(project, workspace), workspace, UNLIMITED);
    const access = openConnection(workspace, target);
    const days = { from: forecastFrom(today), today, zone, at };
    const askUsage = () => settle(gate(access.connection, () => fetchUsage(billing, access, target, days)));
    const askAccount = () => settle(gate(access.connection, () => fetchAccount(billing, access, target, at)));
    const isNeeded = (by: (rule: WatchRule) => boolean) => watches.some(({ rule }) => by(rule));
    const [left, spent] = await Promise.all([
      isNeeded(needsBalance) ? askAccount() : NOT_ASKED,
      isNeeded(needsUsage) ? askUsage() : NOT_ASKED,
    ]);
    const account = left.answer;
    // A balance is judged without what was spent, but the alert says how long it lasts.
    const isExplained = spent === NOT_ASKED && watches.some(isNewlyBelow(account?.balance, snapshot));
    const usage = isExplained ? (await askUsage()).answer : spent.answer;
    const earlier = earlierBalance(known, today, zone);
    const now = { source, ...(account && { account }), ...(earlier && { earlier }), ...(usage && { usage }) };
    if (account !== undefined || usage !== undefined) {
      const { runway } = usage ? measureWatch('runway', parseWatchFigures(now, today, zone)) : {};
      const balance = account && storedBalance(target, { ...accountOf(account), runway });
      answerCollector.add(access.connection, balance);
    }
    const problem = left.cause ?? spent.cause;
    return { now, stored: { ...known, ...now, ...(problem && { problem }) } };
  } catch (error) {
    return { now: { source }, stored: { ...known, problem: causeOf(error) } };
  }
}

/** An answer, or why there is none. */
interface Settled<T> {
  readonly answer?: T;
  readonly cause?: StoredFailure;
}
const NOT_ASKED: Settled<never> = {};
const settle = <T>(question: Promise<T>): Promise<Settled<T>> =>
  question.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ cause: causeOf(error) }),
  );

/** @throws what is not a Failure, and store-unavailable */
function causeOf(error: unknown): StoredFailure {
  if (!isFailure(error) || error.kind === 'store-unavailable') throw error;
  return storeFailure(error);
}

const isNewlyBelow =
  (balance: string | undefined, snapshot: DeliveryLogSnapshot) =>
  ({ id, rule }: Watch): boolean =>
    rule.kind === 'balance' &&
    (readableAmount(balance)?.lt(rule.below) ?? false) &&
    (watchRecords(snapshot).get(id)?.alerted ?? []).length === 0;

/** The last readable balance of a day before `today`. */
function earlierBalance(
  { account, earlier }: Pick<StoredFigures, 'account' | 'earlier'>,
  today: Day,
  zone: Zone,
): StoredFigures['earlier'] {
  if (account === undefined || readableAmount(account.balance) === undefined) return earlier;
  const day = dayAt(account.at, zone);
  return day < today ? { day, balance: account.balance } : earlier;
}
