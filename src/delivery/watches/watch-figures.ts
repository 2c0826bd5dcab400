/** Billing's figures for watched projects: fetched at each check, and stored to show them in lists. */
import pLimit from 'p-limit';
import * as z from 'zod';
import { type BillingClient, emptyIfNoData, type Subscription } from '../../billing/client.ts';
import {
  isFailure,
  type StoredFailure,
  storedFailureSchema,
  toStoredFailure,
} from '../../domain/failure/index.ts';
import { parseAmount, type WireScalar } from '../../domain/money/amount.ts';
import { forecastFrom } from '../../domain/money/forecast.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
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
import {
  type ChosenProject,
  connectionNameOf,
  projectValue,
  referenceTo,
} from '../../workspace/projects/chosen-project.ts';
import { UNLIMITED } from '../../workspace/projects/project-scope.ts';
import {
  type OpenedConnection,
  openConnection,
  resolveProject,
} from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/record-schemas.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/save-service-outcomes.ts';
import type { DeliveryContext, RunView } from '../run-context.ts';

const schema = z.object({
  /** The connection and token used to ask billing: what `figuresSourceOf` returned. */
  source: z.string(),
  /** Amounts as billing sent them; '' if unreadable. */
  account: z.object({ balance: z.string(), bonuses: z.string(), at: z.int() }).exactOptional(),
  /** The complete days up to `until` that billing reported, as days of `zone`. */
  usage: z
    .object({ days: z.record(z.string(), z.string()), until: z.string(), zone: z.string(), at: z.int() })
    .exactOptional(),
  problem: storedFailureSchema.exactOptional(),
});

export type StoredFigures = Readonly<z.infer<typeof schema>>;

/**
 * Two aliases of a project can have different connections, so each alias has its own field. Lists show the stored
 * figures, alerts use fresh figures.
 */
export const figuresField = (project: ChosenProject): string => `figures/${projectValue(project)}`;

/** Names a connection and its token; '' without a connection. Another source may mean figures of another account. */
export function figuresSourceOf(project: ChosenProject, workspace: Workspace): string {
  const name = connectionNameOf(project, workspace);
  if (!workspace.connectionNames.includes(name)) return '';
  return `${name} ${workspace.connections.get(name)?.fingerprint ?? ''}`;
}

/** The stored figures, unless another connection or token fetched them. */
export function knownFigures(
  { projects: [project] }: Watch,
  { workspace, snapshot }: Pick<RunView, 'workspace' | 'snapshot'>,
): StoredFigures | undefined {
  const stored = tryParseRecord(schema, snapshot.fields[figuresField(project)]);
  return stored?.source === figuresSourceOf(project, workspace) ? stored : undefined;
}

const accountOf = ({ balance, bonuses }: NonNullable<StoredFigures['account']>) => ({
  balance: parseAmount({ text: balance }),
  bonuses: parseAmount({ text: bonuses }),
});

export function parseWatchFigures({ account, usage }: StoredFigures, today: Day, zone: Zone): WatchFigures {
  const spent = Object.entries(usage?.zone === zone ? usage.days : {}).flatMap(([day, digits]) => {
    const amount = parseAmount({ text: digits });
    return 'value' in amount && day < today ? [[day, amount.value] as const] : [];
  });
  return { today, zone, amounts: new Map(spent), ...(account && { account: accountOf(account) }) };
}

export const needsBalance = ({ kind }: WatchRule): boolean => kind === 'balance' || kind === 'runway';
/** A balance rule uses the spend only to explain its alert. */
const needsUsage = ({ kind }: WatchRule): boolean => kind !== 'balance';

export const hasFigures = (rule: WatchRule, { account, usage }: StoredFigures): boolean =>
  (account !== undefined || !needsBalance(rule)) && (usage !== undefined || !needsUsage(rule));

const digitsOf = (wire: WireScalar): string => ('text' in wire ? wire.text : '');

export async function fetchAccount(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  at: Millis,
): Promise<NonNullable<StoredFigures['account']>> {
  const { balance, bonuses } = await billing.balance(access, project);
  return { balance: digitsOf(balance), bonuses: digitsOf(bonuses), at };
}

/** Fetches the complete days from `from` to yesterday. @returns no days if billing reports none @throws Failure */
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

const PARALLEL = 5;

/**
 * Fetches each project once, however many watches it has. @returns figures by `figuresField` @throws store-unavailable
 */
export async function fetchFigures(watches: readonly Watch[], context: DeliveryContext) {
  const limit = pLimit(PARALLEL);
  const byField = new Map(watches.map((watch) => [figuresField(watch.projects[0]), watch]));
  const fetched = [...byField].map(([field, watch]) =>
    limit(async () => {
      const same = watches.filter(({ projects }) => figuresField(projects[0]) === field);
      const needsAccount = same.some(({ rule }) => needsBalance(rule));
      return [field, await fetchProject(watch, needsAccount, context)] as const;
    }),
  );
  return new Map(await Promise.all(fetched));
}

/** `now`: what billing just answered. `stored`: this answer, plus older figures. */
async function fetchProject(
  watch: Watch,
  needsAccount: boolean,
  context: DeliveryContext,
): Promise<{ readonly now: StoredFigures; readonly stored: StoredFigures }> {
  const { workspace, billing, clock, outcomeCollector } = context;
  const [project] = watch.projects;
  const [at, source] = [clock(), figuresSourceOf(project, workspace)];
  const { problem: _, ...known } = knownFigures(watch, context) ?? { source };
  try {
    const { zone } = requireSettings(workspace);
    const today = dayAt(at, zone);
    const target = resolveProject(referenceTo(project, workspace), workspace, UNLIMITED);
    const access = openConnection(workspace, target);
    const days = { from: forecastFrom(today), today, zone, at };
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
      outcomeCollector.add(access.connection, balance);
    }
    return { now, stored: { ...known, ...now, ...(problem && { problem }) } };
  } catch (error) {
    return { now: { source }, stored: { ...known, problem: causeOf(error) } };
  }
}

/** @throws unexpected errors and store-unavailable */
function causeOf(error: unknown): StoredFailure {
  if (!isFailure(error) || error.kind === 'store-unavailable') throw error;
  return toStoredFailure(error);
}
