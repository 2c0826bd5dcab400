import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  type Conformance,
  type ConformanceParts,
  checkConformance,
  MAX_REQUESTS,
  type PointResult,
} from '../billing/conformance/check.ts';
import { trustedHosts } from '../config/variables.ts';
import { type Failure, isFailure } from '../domain/failure/index.ts';
import { pluralize } from '../domain/language/text.ts';
import { DEFAULT_PRODUCT, isProjectId, PRODUCTS } from '../domain/product.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import { checkBaseUrl } from '../http/address.ts';
import { createSecretMask } from '../http/secret-mask.ts';
import { checkService } from '../ops/doctor/check-services.ts';
import { toPlainLine } from '../ops/doctor/finding.ts';
import {
  checkOption,
  INTERRUPTED,
  type OptionValues,
  openPrompts,
  printLine,
  runCommand,
  UsageError,
} from './command.ts';

const USAGE = [
  'Usage: tally check-billing --project ID [options]',
  '',
  'Asks a billing service what Tally asks, and says point by point whether it answers as Tally needs.',
  `It only reads: ${MAX_REQUESTS} questions, each answered within 10 seconds. A failed request is sent up to 3 times, as Tally does.`,
];

const OPTIONS = {
  project: ['ID', 'a project that the token can read, and that costs something every day'],
  product: ['PRODUCT', 'its product: cloud (default), storage or virtualization'],
  url: ['URL', 'the address, the part before /bill/graphql; default BILLING_BASE_URL'],
  zone: ['ZONE', 'where the service’s days begin at midnight, such as Europe/Rome; default UTC'],
  'token-file': ['PATH', 'reads the user access token from a file, or with - from standard input'],
  token: ['TOKEN', 'not advised: others on this machine can see it, npm prints it, and your shell keeps it'],
  json: ['', 'prints JSON instead of the table'],
} as const;

const NOTES = [
  'Without a token here, it is taken from BILLING_TOKEN, or asked for. It is never printed.',
  'A private address, or one with plain http, has to be in TRUSTED_API_HOSTS, as for the bot.',
  '',
  'Ends with 0 if the service conforms, 1 if a point fails, 64 if something is missing here.',
];

type Values = OptionValues<typeof OPTIONS>;

async function collectParts(values: Values, env: NodeJS.ProcessEnv): Promise<ConformanceParts> {
  const trusted = checkOption('TRUSTED_API_HOSTS', trustedHosts, env.TRUSTED_API_HOSTS) ?? [];
  const { project = '', product: word = PRODUCTS[DEFAULT_PRODUCT].word, zone = 'UTC' } = values;
  if (!isProjectId(project))
    throw new UsageError('--project needs the ID of a project: up to 32 digits, the first not 0.');
  const product = Object.values(PRODUCTS).find((each) => [each.word, String(each.id)].includes(word));
  if (product === undefined) throw new UsageError('--product is cloud, storage or virtualization.');
  if (!isTimeZone(zone)) throw new UsageError('--zone is a name such as Europe/Rome.');
  return {
    baseUrl: parseUrl(values.url ?? env.BILLING_BASE_URL ?? '', trusted),
    token: await obtainToken(values, env),
    subscription: { project, product: product.id },
    trustedHosts: trusted,
    zone,
    clock: Date.now,
  };
}

function parseUrl(url: string, trusted: ConformanceParts['trustedHosts']): string {
  if (url === '') throw new UsageError('--url is needed: the part of the address before /bill/graphql.');
  try {
    return checkBaseUrl(url, trusted);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const host = tryParse(() => hostToTrust(url));
    throw new UsageError(`${error.message}${host ? ` If you trust it: TRUSTED_API_HOSTS=${host}` : ''}`);
  }
}

/** @throws Error if the address is wrong, whoever trusts it */
function hostToTrust(url: string): string {
  const { host } = new URL(url);
  checkBaseUrl(url, trustedHosts.parse(host));
  return host;
}

async function obtainToken({ token, 'token-file': path }: Values, env: NodeJS.ProcessEnv): Promise<string> {
  const read = (
    token ??
    (await readTokenFile(path)) ??
    (env.BILLING_TOKEN || (await promptForToken()))
  ).trim();
  if (!/^[\x21-\x7e]+$/.test(read))
    throw new UsageError('The token is empty, or no HTTP header can carry it.');
  return read;
}

async function readTokenFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path === '-') return process.stdin.isTTY ? promptForToken() : text(process.stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The file after --token-file can’t be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

async function promptForToken(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('A token is needed: in BILLING_TOKEN, or after --token-file.');
  const prompts = openPrompts(() => process.exit(INTERRUPTED));
  const typed = await prompts.askHidden('User access token, which stays hidden: ');
  prompts.close();
  return typed;
}

interface Point extends PointResult {
  /** What the operator can do about the address or the network. */
  readonly fix?: string;
}

/** The others are answers, which the service has to change. */
const HAS_REMEDY: ReadonlySet<string> = new Set<Failure['kind']>([
  'service-unreachable',
  'timed-out',
  'redirect-refused',
  'service-failed',
  'query-rejected',
]);

/** @returns what the doctor says of it */
async function remedyOf(failure: Failure, address: string): Promise<string | undefined> {
  if (!HAS_REMEDY.has(failure.kind)) return undefined;
  const works = 'Write the address in front of /bill/graphql:';
  const [finding] = await checkService({
    check: 'Billing',
    variable: '--url',
    unset: '',
    address,
    works,
    example: 'https://billing.example.com',
    ask: () => Promise.reject(failure),
  });
  return finding && `It ${finding.says}. ${finding.todo}`;
}

/** A line for each checked point, what it means below a failed point, and finally why the others were not checked. */
function formatTable(points: readonly Point[]): readonly string[] {
  const checked = points.filter(({ verdict }) => verdict !== 'not checked');
  const unchecked = points.filter(({ verdict }) => verdict === 'not checked');
  const rows = checked.map(({ verdict, id, asked, came }) => [
    verdict === 'pass' ? 'pass' : 'FAIL',
    ...[id, asked, came],
  ]);
  const lines = alignColumns([['', 'point', 'asked', 'came'], ...rows]);
  const reasons = new Set(unchecked.map(({ came }) => came));
  return [
    ...lines.flatMap((line, at) => [line, ...explainFailure(checked[at - 1])]),
    ...[...reasons].flatMap((reason) => {
      const ids = unchecked.filter(({ came }) => came === reason).map(({ id }) => id);
      return ['', `not checked, because ${reason}: ${ids.join(', ')}`];
    }),
  ];
}

function explainFailure({ wanted, otherwise, query, fix }: Partial<Point> = {}): readonly string[] {
  if (otherwise === undefined) return [];
  const lines = [
    `wanted: ${wanted}`,
    `people get: ${otherwise}`,
    ...(query === undefined ? [] : [`sent: ${query}`]),
    ...(fix === undefined ? [] : [`fix: ${fix}`]),
  ];
  return lines.map((line) => `      ${line}`);
}

function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0))) ?? [];
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function formatSum({ points, requests, attempts }: Omit<Conformance, 'breakdown'>): string {
  const count = (verdict: PointResult['verdict']) =>
    points.filter((point) => point.verdict === verdict).length;
  const [failed, unchecked] = [count('fail'), count('not checked')];
  const sent = `${pluralize(requests, 'question')}, ${pluralize(attempts, 'request')}.`;
  const verdict = failed === 0 ? 'The service conforms' : `${failed} of ${points.length} points failed`;
  return `${verdict}${unchecked === 0 ? '.' : `; ${unchecked} not checked.`} ${sent}`;
}

await runCommand({ usage: USAGE, options: OPTIONS, notes: NOTES }, async (values) => {
  const parts = await collectParts(values, process.env);
  const mask = createSecretMask([parts.token]);
  const { baseUrl: url, subscription, zone } = parts;
  const about = `${url}, project ${subscription.project}, ${PRODUCTS[subscription.product].name}, days in ${zone}`;
  // At once, because a slow service takes minutes.
  if (!values.json) printLine(`${about}\n`);
  const { breakdown, ...checked } = await checkConformance(parts);
  const fix = breakdown && (await remedyOf(breakdown.failure, url));
  const points = checked.points.map((point) => ({
    ...point,
    came: toPlainLine(mask(point.came)),
    ...(fix && point.id === breakdown.point && { fix: mask(fix) }),
  }));
  if (values.json) {
    printLine(JSON.stringify({ url, ...subscription, zone, ...checked, points }, null, 2));
  } else {
    for (const line of formatTable(points)) printLine(line);
    printLine(`\n${formatSum(checked)}`);
  }
  return checked.conforms ? 0 : 1;
});
