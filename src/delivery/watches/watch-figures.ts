/** What billing says about watched projects: asked at each check, and kept for lists. */
import pLimit from 'p-limit';
import * as z from 'zod';
import { type BillingClient, emptyIfNoData, type Subscription } from '../../billing/client.ts';
import { isFailure, type StoredFailure, storedFailure, storeFailure } from '../../domain/failure/index.ts';
import { parseAmount, type WireScalar } from '../../domain/money/amount.ts';
import { forecastFrom } from '../../domain/money/forecast.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import {
  measureWatch,
  type WatchFigures,
  type WatchMeasurement,
  type WatchRule,
} from '../../domain/money/watch-measurement.ts';
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
import { evalInWorkspace, guardRead } from '../../redis/commands.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { recordKey, watchFiguresKey } from '../../redis/keys.ts';
import {
  type ChosenProject,
  connectionNameOf,
  projectValue,
  referenceTo,
} from '../../workspace/projects/chosen-project.ts';
import {
  type OpenedConnection,
  openConnection,
  resolveProject,
  UNLIMITED,
} from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { DeliveryContext } from '../outbox/message-kind.ts';

const schema = z.object({
  /** The connection and token that were asked: see `figuresSourceOf`. */
  source: z.string(),
  /** Amounts as they came; '' for what was not readable. Times in ms: when billing was asked. */
  account: z.object({ balance: z.string(), bonuses: z.string(), at: z.int() }).exactOptional(),
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
  const name = connectionNameOf(project, workspace);
  if (!workspace.connectionNames.includes(name)) return '';
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
    async save(workspace: SlackId, field: string, figures: StoredFigures): Promise<void> {
      const keys = [recordKey, watchFiguresKey];
      await evalInWorkspace(redis, workspace, SAVE, keys, field, JSON.stringify(figures));
    },
  };
}

const accountOf = ({ balance, bonuses }: NonNullable<StoredFigures['account']>) => ({
  balance: parseAmount({ text: balance }),
  bonuses: parseAmount({ text: bonuses }),
});

/** What a watch is judged by on `today`, a day of `zone`. */
export function parseWatchFigures({ account, usage }: StoredFigures, today: Day, zone: Zone): WatchFigures {
  const spent = Object.entries(usage?.zone === zone ? usage.days : {}).flatMap(([day, digits]) => {
    const amount = parseAmount({ text: digits });
    return 'value' in amount && day < today ? [[day, amount.value] as const] : [];
  });
  return { today, zone, amounts: new Map(spent), ...(account && { account: accountOf(account) }) };
}

export type MeasureFigures = (kind: WatchRule['kind'], figures: StoredFigures) => WatchMeasurement;

/** Measures figures as of `today`, each once however many watches are on them: a month or a spike takes milliseconds. */
export function createMeasuring(today: Day, zone: Zone): MeasureFigures {
  const measured = new Map<StoredFigures, Partial<Record<WatchRule['kind'], WatchMeasurement>>>();
  return (kind, figures) => {
    const known = measured.get(figures) ?? {};
    const measurement = known[kind] ?? measureWatch(kind, parseWatchFigures(figures, today, zone));
    measured.set(figures, { ...known, [kind]: measurement });
    return measurement;
  };
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
  const fetched = new Map<string, StoredFigures>();
  const fetchOne = async (field: string): Promise<void> => {
    if (context.isEnding()) return;
    const asking = watches.filter(({ projects }) => figuresField(projects[0]) === field);
    const { now, stored } = await fetchProject(asking, known.get(field), context);
    fetched.set(field, now);
    await store.save(teamId, field, stored);
  };
  const limit = pLimit(PARALLEL);
  const fields = new Set(watches.map(({ projects }) => figuresField(projects[0])));
  await Promise.all([...fields].map((field) => limit(fetchOne, field)));
  return fetched;
}

/** @returns what was answered now, and what is known with it @throws what is not a Failure, and store-unavailable */
async function fetchProject(
  watches: readonly Watch[],
  before: StoredFigures | undefined,
  { workspace, billing, clock, answerCollector }: DeliveryContext,
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
    const needsAccount = watches.some(({ rule }) => needsBalance(rule));
    const [left, spent] = await Promise.allSettled([
      needsAccount ? fetchAccount(billing, access, target, at) : undefined,
      fetchUsage(billing, access, target, days),
    ]);
    const account = left.status === 'fulfilled' ? left.value : undefined;
    const usage = spent.status === 'fulfilled' ? spent.value : undefined;
    const now = { source, ...(account && { account }), ...(usage && { usage }) };
    const [problem] = [left, spent].flatMap((each) =>
      each.status === 'rejected' ? causeOf(each.reason) : [],
    );
    if (account !== undefined || usage !== undefined) {
      const { runway } = usage ? measureWatch('runway', parseWatchFigures(now, today, zone)) : {};
      const balance = account && storedBalance(target, { ...accountOf(account), runway });
      answerCollector.add(access.connection, balance);
    }
    return { now, stored: { ...known, ...now, ...(problem && { problem }) } };
  } catch (error) {
    return { now: { source }, stored: { ...known, problem: causeOf(error) } };
  }
}

/** @throws what is not a Failure, and store-unavailable */
function causeOf(error: unknown): StoredFailure {
  if (!isFailure(error) || error.kind === 'store-unavailable') throw error;
  return storeFailure(error);
}
