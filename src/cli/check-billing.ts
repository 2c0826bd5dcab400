/** `tally check-billing`: sends Tally's queries to a billing service and judges the answers, point by point. */
import { text } from 'node:stream/consumers';
import {
  type BalanceRecord,
  type BillingClient,
  type Consumption,
  createBillingClient,
  type Subscription,
  type TimeRange,
} from '../billing/client.ts';
import { trustedHosts } from '../config/variables.ts';
import { isProjectId, PRODUCTS } from '../domain/billing-products.ts';
import { type Failure, failureOf, isFailure } from '../domain/failure/index.ts';
import { clipWireValue, parseAmount } from '../domain/money/amount.ts';
import {
  type Day,
  dayAt,
  daysBefore,
  endOfDay,
  isTimeZone,
  startOfDay,
  type Zone,
} from '../domain/time/calendar.ts';
import { pluralize } from '../domain/wording.ts';
import { checkBaseUrl, type TrustedHost } from '../http/address-rules.ts';
import { createGuardedHttp } from '../http/client.ts';
import { createSecretMask } from '../http/secret-mask.ts';
import {
  openPrompts,
  parseOption,
  printLine,
  runCliCommand,
  TEXT,
  toPlainLine,
  UsageError,
} from './command.ts';

const USAGE = `Usage: tally check-billing --project ID [options]

Sends a billing service the requests that Tally sends, and checks every answer. It only reads.
Reads the user access token from BILLING_TOKEN or standard input, or prompts for it. Never prints it.
Private and plain http addresses must be in TRUSTED_API_HOSTS, as for the bot.

  --project ID        a project that the token can read, and that costs something every day
  --product PRODUCT   its product: cloud (default), storage or virtualization
  --url URL           the address, the part before /bill/graphql; default BILLING_BASE_URL
  --zone ZONE         the time zone of the service’s days, such as Europe/Rome; default UTC

Exit code: 0 if every check passes, 1 if one fails, 64 for a wrong option.`;

const OPTIONS = { project: TEXT, product: TEXT, url: TEXT, zone: TEXT };

export const runCheckBilling = (): Promise<void> =>
  runCliCommand(USAGE, OPTIONS, async ({ project = '', product: word = 'cloud', url, zone = 'UTC' }) => {
    if (!isProjectId(project))
      throw new UsageError('--project needs the ID of a project: up to 32 digits, the first not 0.');
    const product = Object.values(PRODUCTS).find((each) => [each.word, String(each.id)].includes(word));
    if (product === undefined) throw new UsageError('--product must be cloud, storage or virtualization.');
    if (!isTimeZone(zone)) throw new UsageError('--zone must be a time zone, such as Europe/Rome.');
    const trusted = parseOption('TRUSTED_API_HOSTS', trustedHosts, process.env.TRUSTED_API_HOSTS) ?? [];
    const baseUrl = parseUrl(url ?? process.env.BILLING_BASE_URL ?? '', trusted);
    const token = await obtainToken();
    const http = createGuardedHttp({ trustedHosts: trusted });
    const subscription = { project, product: product.id };
    const found = new Map<PointId, Judgement>();
    const asked = { billing: createBillingClient({ http }), baseUrl, token, subscription, zone };
    const why = await judgePoints(asked, found);
    await http.close();
    const mask = createSecretMask([token]);
    for (const line of format(found, (came = why) => toPlainLine(mask(came)))) printLine(line.trimEnd());
    const failed = [...found.values()].filter(({ isGood }) => !isGood).length;
    const all = Object.keys(POINTS).length;
    const verdict =
      failed > 0
        ? `${failed} of ${all} checks failed.`
        : found.size < all
          ? 'No check failed.'
          : 'All checks passed.';
    printLine(`\n${verdict}${found.size < all ? ' Some checks were skipped.' : ''}`);
    return failed === 0 ? 0 : 1;
  });

function parseUrl(url: string, trusted: readonly TrustedHost[]): string {
  if (url === '') throw new UsageError('--url is missing: the part of the address before /bill/graphql.');
  try {
    return checkBaseUrl(url, trusted);
  } catch (error) {
    if (isFailure(error)) throw new UsageError(`${error.message} TRUSTED_API_HOSTS can exempt a host.`);
    throw error;
  }
}

async function obtainToken(): Promise<string> {
  const token = (process.env.BILLING_TOKEN || (await readToken())).trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(
      'The token is empty or has a character that can’t be sent. Put it in BILLING_TOKEN.',
    );
  return token;
}

async function readToken(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const prompts = openPrompts();
  const typed = await prompts.ask('User access token (hidden): ', true);
  prompts.close();
  return typed;
}

export const POINTS = {
  reached: { asked: 'the balance', wanted: 'a valid answer from this address, in time' },
  token: { asked: 'the balance with the token', wanted: 'no 401 and no 403' },
  balance: { asked: 'the balance', wanted: 'balance and bonuses as decimals' },
  '31-days': {
    asked: 'the charges of the last 31 complete days',
    wanted: 'items with a day and decimal amounts, for these days only',
  },
  'one-day': {
    asked: 'the charges of one of these days',
    wanted: 'that day alone, with the same amount',
  },
  'wrong-token': { asked: 'balance and a day with an unknown token', wanted: 'HTTP 401' },
  'empty-period': { asked: 'a day in 2001', wanted: 'no data, or an item of zero' },
} as const;
type PointId = keyof typeof POINTS;

function format(found: ReadonlyMap<PointId, Judgement>, shown: (came?: string) => string): readonly string[] {
  const rows = (Object.keys(POINTS) as PointId[]).map((id) => {
    const { isGood, came } = found.get(id) ?? {};
    const verdict = isGood === undefined ? 'not checked' : isGood ? 'pass' : 'FAIL';
    return [verdict, id, POINTS[id].asked, shown(came)];
  });
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows.flatMap((cells) => [
    cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '),
    ...(cells[0] === 'FAIL' ? [`      wanted: ${POINTS[cells[1] as PointId].wanted}`] : []),
  ]);
}

const DAYS = 31;
const LONG_AGO: Day = '2001-01-01';
const UNKNOWN_TOKEN = 'a-token-that-nobody-has';

interface Judgement {
  readonly isGood: boolean;
  readonly came: string;
}
const good = (came: string): Judgement => ({ isGood: true, came });
const bad = (came: string): Judgement => ({ isGood: false, came });

interface Asked {
  readonly billing: BillingClient;
  readonly baseUrl: string;
  readonly token: string;
  readonly subscription: Subscription;
  readonly zone: Zone;
}

/** Fills `found`. @returns why the other points weren't checked */
async function judgePoints(asked: Asked, found: Map<PointId, Judgement>): Promise<string> {
  const { billing, subscription, zone } = asked;
  const access = { workspace: 'T0', connection: 'check', baseUrl: asked.baseUrl, token: asked.token };
  const days = daysBefore(dayAt(Date.now(), zone), DAYS, zone);
  const last = days.at(-1) ?? LONG_AGO;
  const askBalance = (as = access) => billing.balance(as, subscription).catch(failureOf);
  const askDays = (first: Day, last: Day, as = access) =>
    billing.consumption(as, subscription, rangeOf(first, last, zone)).catch(failureOf);

  const balance = await askBalance();
  const isBroken = isFailure(balance) && !isAnswer(balance);
  found.set('reached', isBroken ? bad(describe(balance)) : good('answered'));
  if (isBroken) return 'the service wasn’t reached';
  const isRefused = isFailure(balance) && REFUSED.includes(balance.kind);
  found.set('token', isRefused ? bad(describe(balance)) : good('accepted'));
  if (isRefused) return 'the token was rejected';
  found.set('balance', judgeBalance(balance));

  const month = await askDays(days[0] ?? LONG_AGO, last);
  found.set('31-days', judgeMonth(month, days));
  const day = isFailure(month) ? undefined : chooseDay(month, days);
  if (day !== undefined && !isFailure(month))
    found.set('one-day', judgeDay(await askDays(day, day), day, month));
  const wrong = { ...access, token: UNKNOWN_TOKEN };
  const refusals = [await askBalance(wrong), await askDays(day ?? last, day ?? last, wrong)];
  const accepted = refusals.find((answer) => !isFailure(answer, 'token-rejected'));
  const came = isFailure(accepted) ? describe(accepted) : 'figures without a valid token';
  found.set('wrong-token', accepted === undefined ? good('HTTP 401') : bad(came));
  found.set('empty-period', judgeEmpty(await askDays(LONG_AGO, LONG_AGO)));
  return 'no charges to compare with';
}

const rangeOf = (first: Day, last: Day, zone: Zone): TimeRange => ({
  from: startOfDay(first, zone),
  to: endOfDay(last, zone),
  zone,
  days: { first, last },
});

const REFUSED: readonly Failure['kind'][] = ['token-rejected', 'forbidden'];

/** Whether a billing API sent the failure, rather than a proxy or a server at a wrong address. */
const isAnswer = (failure: Failure): boolean =>
  [...REFUSED, 'no-data'].includes(failure.kind) ||
  (failure.kind === 'query-rejected' && ![404, 405].includes(failure.data.status));

function describe(failure: Failure): string {
  const { message, kind, cause } = failure;
  if (kind === 'query-rejected')
    return `${message} HTTP ${failure.data.status}: ${failure.data.messages.join(' / ')}`;
  if (kind === 'redirect-refused') return `${message} It redirects to ${failure.data.target}.`;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function judgeBalance(answer: BalanceRecord | Failure): Judgement {
  if (isFailure(answer)) return bad(describe(answer));
  const { balance, bonuses, remarks } = answer;
  const came = `balance ${clipWireValue(balance, 'missing')}, bonuses ${clipWireValue(bonuses, 'missing')}`;
  const isReadable = [balance, bonuses].every((value) => 'value' in parseAmount(value));
  return isReadable && remarks.length === 0 ? good(came) : bad([came, ...remarks].join(' / '));
}

function judgeMonth(answer: Consumption | Failure, days: readonly Day[]): Judgement {
  if (isFailure(answer)) return bad(describe(answer));
  const { charges, remarks } = answer;
  const those = (what: string, isOne: (charge: (typeof charges)[number]) => boolean): string[] => {
    const found = charges.filter(isOne).map(({ shown }) => shown);
    return found.length === 0 ? [] : [`${what}: ${found.join(', ')}`];
  };
  const problems = [
    ...those('unreadable days', ({ day }) => day === undefined),
    ...those('unreadable amounts', ({ amount }) => !('value' in amount) || amount.incomplete),
    ...those('other days', ({ day }) => day !== undefined && !days.includes(day)),
    ...remarks,
  ];
  const count = `${charges.length} of ${pluralize(days.length, 'day')}`;
  return problems.length === 0 ? good(count) : bad(problems.join(' / '));
}

/** Takes the second-to-last readable day: a service with wrong day limits would also return the days beside it. */
function chooseDay({ charges }: Consumption, days: readonly Day[]): Day | undefined {
  const readable = new Set(charges.map(({ day, amount }) => ('value' in amount ? day : undefined)));
  const usable = days.filter((day) => readable.has(day));
  return usable.at(-2) ?? usable.at(-1);
}

function judgeDay(answer: Consumption | Failure, asked: Day, month: Consumption): Judgement {
  if (isFailure(answer)) return bad(describe(answer));
  const amountIn = ({ charges }: Consumption) => {
    const amount = charges.find(({ day }) => day === asked)?.amount;
    return amount && 'value' in amount ? amount.value : undefined;
  };
  const [alone, known] = [amountIn(answer), amountIn(month)];
  const others = answer.charges.filter(({ day }) => day !== asked).map(({ shown }) => shown);
  if (alone === undefined) return bad(`no readable amount of ${asked}`);
  if (others.length > 0)
    return bad(`other days: ${others.join(', ')}. Are the service’s days in another time zone?`);
  return known?.eq(alone) ? good(asked) : bad(`${alone} on ${asked}, and ${known} in the longer period`);
}

function judgeEmpty(answer: Consumption | Failure): Judgement {
  if (isFailure(answer)) return isFailure(answer, 'no-data') ? good('no data') : bad(describe(answer));
  const charged = answer.charges.filter(({ amount }) => !('value' in amount && amount.value.eq(0)));
  const shown = charged.map((charge) => charge.shown);
  return shown.length === 0 ? good('nothing') : bad(`charges of ${shown.join(', ')}`);
}
