import pLimit from 'p-limit';
import { isFailure, type StoredFailure, storeFailure } from '../../domain/failure/index.ts';
import { forecastFrom } from '../../domain/money/forecast.ts';
import { measureWatch } from '../../domain/money/watch-measurement.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import {
  addDays,
  type Day,
  dayAt,
  HOUR,
  MINUTE,
  type Millis,
  type Zone,
} from '../../domain/time/calendar.ts';
import { type ChosenProject, referenceTo } from '../../workspace/projects/chosen-project.ts';
import { UNLIMITED } from '../../workspace/projects/project-visibility.ts';
import {
  openConnection,
  type ResolvedProject,
  resolveProject,
} from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { DeliveryContext } from '../delivery-run.ts';
import { hourlyCheckAfter } from './sent-alerts.ts';
import {
  accountOf,
  fetchAccount,
  fetchUsage,
  figuresField,
  parseWatchFigures,
  type StoredFigures,
  type WatchFiguresStore,
} from './watch-figures-store.ts';

/** A project, and the figures that its watches use. */
export interface WatchedProject {
  readonly project: ChosenProject;
  readonly needsBalance: boolean;
  readonly needsUsage: boolean;
}

/** Corrections of days that are reported are looked for this often. */
const CORRECTION_HOURS = 6;
/** How many silent days mean that a project is asked only every `CORRECTION_HOURS`. */
const SILENT_DAYS = 3;
/** How many days' balances are kept, for the chart. */
const KEPT_BALANCES = 19;
/** Projects of one workspace that billing is asked about at the same time. */
const PARALLEL = 5;

/** What is known of each project so far, by `figuresField`. */
export type KnownFigures = Map<string, StoredFigures>;

export type FiguresRefresher = ReturnType<typeof createFiguresRefresher>;

export function createFiguresRefresher(
  known: KnownFigures,
  store: WatchFiguresStore,
  context: DeliveryContext,
) {
  /** Tokens that were rejected in this check: the connection's other projects would be, too. */
  const rejections = new Map<string, StoredFailure>();

  const refreshOne = async (watched: WatchedProject): Promise<void> => {
    const field = figuresField(watched.project);
    const fresh = await fetchProject(known.get(field), watched, rejections, context);
    if (fresh === undefined) return;
    known.set(field, fresh);
    await store.save(context.lease, field, fresh);
  };

  return {
    /** Asks billing what is due, at most once an hour for a balance, and stores it. Failures become `problem`. */
    async refresh(projects: readonly WatchedProject[]): Promise<void> {
      const isRejected = ({ project }: WatchedProject) =>
        known.get(figuresField(project))?.problem?.rejected !== undefined;
      const limit = pLimit(PARALLEL);
      const refreshUnlessOver = async (watched: WatchedProject) =>
        context.isOver() ? undefined : refreshOne(watched);
      const others = projects.filter((watched) => !isRejected(watched));
      // One of them shows whether a rejected token works again.
      for (const watched of projects.filter(isRejected)) await refreshUnlessOver(watched);
      await Promise.all(others.map((watched) => limit(refreshUnlessOver, watched)));
    },
    /** Asks for the days if they are not of today, for what a message says. Never throws a Failure. */
    fetchDays: (project: ChosenProject): Promise<void> =>
      refreshOne({ project, needsBalance: false, needsUsage: true }),
  };
}

interface Question {
  readonly target: ResolvedProject;
  /** Of the token that asks. */
  readonly fingerprint: string;
  readonly teamId: SlackId;
  readonly zone: Zone;
  readonly now: Millis;
}

/** @returns undefined if nothing is to be asked */
async function fetchProject(
  before: StoredFigures | undefined,
  watched: WatchedProject,
  rejections: Map<string, StoredFailure>,
  context: DeliveryContext,
): Promise<StoredFigures | undefined> {
  const { workspace, teamId } = context;
  const now = context.clock();
  try {
    const { zone } = requireSettings(workspace);
    const target = resolveProject(referenceTo(watched.project, workspace), workspace, UNLIMITED);
    const connection = target.connection ?? workspace.defaultConnection ?? '';
    const fingerprint = workspace.connections.get(connection)?.fingerprint ?? '';
    const known = before?.connection === connection ? before : { connection };
    const question = { target, fingerprint, teamId, zone, now };
    const due = dueQuestions(known, watched, question);
    if (!due.balance && !due.usage) return undefined;
    const cause = rejections.get(fingerprint);
    if (cause !== undefined) return { ...known, problem: { cause, at: now, rejected: fingerprint } };
    const asked = await fetchDue(known, due, question, context);
    if (asked.problem?.rejected !== undefined) rejections.set(fingerprint, asked.problem.cause);
    return asked;
  } catch (error) {
    return { connection: '', ...before, problem: problemOf(error, now) };
  }
}

/** @throws what is not a Failure, and StoreUnavailable */
function problemOf(error: unknown, at: Millis, fingerprint = ''): NonNullable<StoredFigures['problem']> {
  if (!isFailure(error) || error.kind === 'store-unavailable') throw error;
  const rejected = error.kind === 'token-rejected' && { rejected: fingerprint };
  return { cause: storeFailure(error), at, ...rejected };
}

function dueQuestions(
  { account, usage, problem }: StoredFigures,
  { needsBalance, needsUsage }: WatchedProject,
  { zone, teamId, fingerprint, now }: Question,
) {
  const slot = hourlyCheckAfter(teamId, now) - HOUR;
  const isOld = (at: Millis, hours: number) => at < slot - (hours - 1) * HOUR || at > now;
  const isUsageDue = (): boolean => {
    const yesterday = addDays(dayAt(now, zone), -1);
    if (usage?.zone !== zone || usage.until !== yesterday) return true;
    return isOld(usage.at, isWaiting(usage.days, yesterday) ? 1 : CORRECTION_HOURS);
  };
  // Once an hour, but another token at once.
  const isSameToken = problem?.rejected === undefined || problem.rejected === fingerprint;
  const hasFailed = problem !== undefined && isSameToken && !isOld(problem.at, 1);
  return {
    balance: needsBalance && !hasFailed && (account === undefined || isOld(account.at, 1)),
    usage: needsUsage && !hasFailed && isUsageDue(),
  };
}

/** Whether yesterday may be reported at any time: it is missing, and a day shortly before it is not. */
const isWaiting = (days: Readonly<Record<Day, string>>, yesterday: Day): boolean =>
  days[yesterday] === undefined &&
  Array.from({ length: SILENT_DAYS }, (_, n) => addDays(yesterday, -n - 1)).some(
    (day) => days[day] !== undefined,
  );

/** Asks both in parallel; the answer of one counts although the other fails. */
async function fetchDue(
  before: StoredFigures,
  { balance, usage }: ReturnType<typeof dueQuestions>,
  { target, fingerprint, zone, now }: Question,
  { workspace, billing, answerCollector }: DeliveryContext,
): Promise<StoredFigures> {
  const access = openConnection(workspace, target);
  const today = dayAt(now, zone);
  const [account, spent] = await Promise.allSettled([
    balance ? fetchAccount(billing, access, target, now) : before.account,
    usage
      ? fetchUsage(billing, access, target, { from: forecastFrom(today), today, zone, at: now })
      : before.usage,
  ]);
  const left = account.status === 'fulfilled' ? account.value : undefined;
  const hasAnswered = (balance && left !== undefined) || (usage && spent.status === 'fulfilled');
  const { problem: _, ...known } = before;
  const failed = [account, spent].find((answer) => answer.status === 'rejected');
  const balances = Object.entries({ ...before.balances, ...(left && { [today]: left.balance }) });
  const lastBalances = balances.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(-KEPT_BALANCES);
  const after = {
    ...known,
    ...(left && { account: left, balances: Object.fromEntries(lastBalances) }),
    ...(spent.status === 'fulfilled' && spent.value && { usage: spent.value }),
    ...(failed && { problem: problemOf(failed.reason, now, fingerprint) }),
  };
  if (hasAnswered) {
    const { runway } = after.usage ? measureWatch('runway', parseWatchFigures(after, today, zone)) : {};
    answerCollector.add(
      access.connection,
      left && now - left.at < MINUTE ? storedBalance(target, { ...accountOf(left), runway }) : undefined,
    );
  }
  return after;
}
