/** Asks a billing service what Tally asks, and says point by point whether it answers as Tally needs. */
import { PRODUCT_IDS } from '../../domain/product.ts';
import {
  type Day,
  dayAt,
  daysBefore,
  endOfDay,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import type {
  BalanceRecord,
  BillingAccess,
  BillingClient,
  Consumption,
  Subscription,
  TimeRange,
} from '../client.ts';
import {
  type AddFinding,
  chooseDay,
  describe,
  judgeBalance,
  judgeEmptyPeriod,
  judgeOneDay,
  judgeRefusal,
  judgeSpend,
  judgeUntilNow,
} from './judge.ts';
import { POINT_IDS, POINTS, type PointId } from './points.ts';
import { type Answer, createQuestioner, type Questioner, type QuestionKind } from './questioner.ts';

export interface PointResult extends Pick<(typeof POINTS)[PointId], 'asked' | 'wanted'> {
  readonly id: PointId;
  readonly verdict: 'pass' | 'fail' | 'not checked';
  /** What the service answered, or why the point was not checked. May contain outside text. */
  readonly came: string;
  /** What Tally does wrong for its users when the point fails. */
  readonly otherwise?: string;
  /** The document whose answer failed. */
  readonly query?: string;
}

export type Conformance = Readonly<Awaited<ReturnType<typeof checkConformance>>>;

export type ConformanceParts = Parameters<typeof createQuestioner>[0] & {
  readonly subscription: Subscription;
  /** IANA: where the service's days begin at midnight. */
  readonly zone: Zone;
  readonly clock: () => Millis;
};

/** The most requests of a check, apart from retries. */
export const MAX_REQUESTS = 13;
const DAYS = 31;
/** A valid day from before any project existed. */
const LONG_AGO: Day = '2001-01-01';
/** The largest ID of 32 bits, which some services end at. */
const UNKNOWN_PROJECT = '2147483647';
const UNKNOWN_TOKEN = 'a-token-that-nobody-has';

/** @returns every point, in the order of the table. Never rejects for what a service does. */
export async function checkConformance(parts: ConformanceParts) {
  const questioner = createQuestioner(parts);
  const found = new Map<PointId, Found>();
  const addFor =
    (query?: string): AddFinding =>
    (id, problem, good = '') => {
      // A failed point stays failed, also when a later answer meets it.
      if (found.get(id)?.isGood === false) return;
      found.set(id, { isGood: problem === undefined, came: problem ?? good, ...(query && { query }) });
    };
  const ask: Ask = async (kind, question, judge) => {
    const answer = await questioner.ask(kind, question);
    if (answer !== undefined) judge(answer, addFor(answer.query));
    return answer;
  };
  try {
    const day = await askAboutProject(parts, ask);
    // A refusal shows nothing if the service has refused the valid questions, too.
    if (day !== undefined) await askWhatIsRefused(parts, day, ask);
    addWireFindings(questioner, addFor);
  } finally {
    await questioner.close();
  }
  const points = POINT_IDS.map((id) => resultOf(id, found.get(id), questioner));
  const { requests, attempts, breakdown } = questioner.progress;
  return {
    conforms: points.every(({ verdict }) => verdict !== 'fail'),
    points,
    requests,
    attempts,
    breakdown,
  };
}

/** What an answer showed. `query`: its document. */
interface Found {
  readonly isGood: boolean;
  readonly came: string;
  readonly query?: string;
}

/** Asks, and judges the answer if one came. */
type Ask = <T>(
  kind: QuestionKind,
  question: (billing: BillingClient, access: BillingAccess) => Promise<T>,
  judge: (answer: Answer<T>, add: AddFinding) => void,
) => Promise<Answer<T> | undefined>;

function resultOf(id: PointId, found: Found | undefined, questioner: Questioner): PointResult {
  const { otherwise, ...point } = POINTS[id];
  if (found === undefined) return { id, ...point, verdict: 'not checked', came: whyUnchecked(questioner) };
  const { isGood, came, query } = found;
  if (isGood) return { id, ...point, verdict: 'pass', came };
  return { id, ...point, verdict: 'fail', came, otherwise, ...(query !== undefined && { query }) };
}

const whyUnchecked = ({ progress: { breakdown } }: Questioner): string =>
  breakdown ? `${breakdown.point} ended the check` : 'no figures came to check it with';

/** @returns a day that has charges, if possible; undefined unless both documents have an answer */
async function askAboutProject(parts: ConformanceParts, ask: Ask): Promise<Day | undefined> {
  const { subscription, zone, clock } = parts;
  const days = daysBefore(dayAt(clock(), zone), DAYS, zone);
  const askCharges = (range: TimeRange, judge: (answer: Answer<Consumption>, add: AddFinding) => void) =>
    ask('document', (billing, access) => billing.consumption(access, subscription, range), judge);
  const rangeOfDays = (first: Day, last: Day) => rangeOf(first, endOfDay(last, zone), zone);

  const balance = await ask(
    'document',
    (billing, access) => billing.balance(access, subscription),
    judgeBalance,
  );
  const wanted = rangeOfDays(days[0] ?? LONG_AGO, days.at(-1) ?? LONG_AGO);
  const spend = await askCharges(wanted, (answer, add) => judgeSpend(answer, days, add));
  if (!(balance && spend && 'value' in balance && 'value' in spend)) return undefined;
  const { day, amount } = chooseDay(spend.value.charges, days) ?? {};
  if (day === undefined || amount === undefined) return days.at(-1);
  await askCharges(rangeOfDays(day, day), (answer, add) => judgeOneDay(answer, day, amount, add));
  const untilNow = { ...rangeOf(day, clock(), zone), running: true };
  await askCharges(untilNow, (answer, add) => judgeUntilNow(answer, day, add));
  return day;
}

/** Sends both documents each time, because a service may check the token for only one of them. */
async function askWhatIsRefused({ subscription, zone }: ConformanceParts, day: Day, ask: Ask) {
  const longAgo = rangeOf(LONG_AGO, endOfDay(LONG_AGO, zone), zone);
  await ask(
    'probe',
    (billing, access) => billing.consumption(access, subscription, longAgo),
    (answer, add) => judgeEmptyPeriod(answer, LONG_AGO, add),
  );
  const product = PRODUCT_IDS.find((id) => id !== subscription.product) ?? subscription.product;
  const range = rangeOf(day, endOfDay(day, zone), zone);
  const refused = [
    { id: 'unknown-project', kind: 'probe', about: { ...subscription, project: UNKNOWN_PROJECT }, as: {} },
    { id: 'wrong-product', kind: 'probe', about: { ...subscription, product }, as: {} },
    { id: 'wrong-token', kind: 'probe', about: subscription, as: { token: UNKNOWN_TOKEN } },
    { id: 'no-token', kind: 'without-token', about: subscription, as: {} },
  ] as const;
  for (const { id, kind, about, as } of refused) {
    const judge = (answer: Answer<BalanceRecord | Consumption>, add: AddFinding) =>
      judgeRefusal(id, answer, add);
    await ask(kind, (billing, access) => billing.balance({ ...access, ...as }, about), judge);
    await ask(kind, (billing, access) => billing.consumption({ ...access, ...as }, about, range), judge);
  }
}

const rangeOf = (first: Day, to: Millis, zone: Zone): TimeRange => ({
  from: startOfDay(first, zone),
  to,
  zone,
  running: false,
  days: { first, last: dayAt(to, zone) },
});

/** Judges the points about the HTTP connection, by all answers together. */
function addWireFindings({ progress }: Questioner, addFor: (query?: string) => AddFinding) {
  const { breakdown: end, first, isReached, isReadable, largest, closing } = progress;
  const slowest = `${Math.ceil(progress.slowest)} ms`;
  const good: Partial<Record<PointId, string>> = {
    ...(isReached && { reach: 'connected' }),
    ...(first && {
      redirect: 'no redirect',
      http: `HTTP ${first.status}, ${first.headers['content-type'] ?? 'no Content-Type'}`,
      compression: 'not compressed',
      time: `${slowest} at most`,
      size: `${Math.ceil(largest / 1024)} KB at most`,
      'rate-limit': 'no 429 that lasts',
      'keep-alive': closing > 0 ? 'each answer ends its connection, which is slower' : 'no connection broke',
    }),
    ...(first && isReadable && { json: 'readable', token: 'accepted' }),
  };
  if (end !== undefined) addFor(end.query)(end.point, describe(end.failure));
  for (const [id, came] of Object.entries(good)) addFor()(id as PointId, undefined, came);
}
