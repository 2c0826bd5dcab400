import { text } from 'node:stream/consumers';
import { createBillingClient } from '../billing/client.ts';
import { checkConformance, type PointResult } from '../billing/conformance.ts';
import { trustedHosts } from '../config/variables.ts';
import { isFailure } from '../domain/failure/index.ts';
import { isProjectId, PRODUCTS } from '../domain/product.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { checkBaseUrl, type TrustedHost } from '../http/address-rules.ts';
import { createGuardedHttp } from '../http/request.ts';
import { createSecretMask } from '../http/secret-mask.ts';
import { toPlainLine } from '../ops/mask.ts';
import { check, openPrompts, printLine, runCliCommand, TEXT, UsageError } from './command.ts';

const USAGE = `Usage: tally check-billing --project ID [options]

Asks a billing service what Tally asks, and says point by point whether it answers as Tally needs. It only reads.
The user access token is taken from BILLING_TOKEN or standard input, or asked for. It is never printed.
A private address, or one with plain http, has to be in TRUSTED_API_HOSTS, as for the bot.

  --project ID        a project that the token can read, and that costs something every day
  --product PRODUCT   its product: cloud (default), storage or virtualization
  --url URL           the address, the part before /bill/graphql; default BILLING_BASE_URL
  --zone ZONE         where the service’s days begin at midnight, such as Europe/Rome; default UTC

Ends with 0 if the service conforms, 1 if a point fails, 64 if something is missing here.`;

const OPTIONS = { project: TEXT, product: TEXT, url: TEXT, zone: TEXT };

function parseUrl(url: string, trusted: readonly TrustedHost[]): string {
  if (url === '') throw new UsageError('--url is needed: the part of the address before /bill/graphql.');
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
    throw new UsageError('The token is empty, or no HTTP header can carry it. Put it into BILLING_TOKEN.');
  return token;
}

async function readToken(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const prompts = openPrompts();
  const typed = await prompts.ask('User access token, which stays hidden: ', true);
  prompts.close();
  return typed;
}

function formatPoints(points: readonly PointResult[]): readonly string[] {
  const rows = points.map(({ verdict, id, asked, came }) => [
    verdict === 'fail' ? 'FAIL' : verdict,
    id,
    asked,
    came,
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  const lines = rows.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return points.flatMap(({ verdict, wanted }, at) => [
    lines[at] ?? '',
    ...(verdict === 'fail' ? [`      wanted: ${wanted}`] : []),
  ]);
}

await runCliCommand(USAGE, OPTIONS, async ({ project = '', product: word = 'cloud', url, zone = 'UTC' }) => {
  if (!isProjectId(project))
    throw new UsageError('--project needs the ID of a project: up to 32 digits, the first not 0.');
  const product = Object.values(PRODUCTS).find((each) => [each.word, String(each.id)].includes(word));
  if (product === undefined) throw new UsageError('--product is cloud, storage or virtualization.');
  if (!isTimeZone(zone)) throw new UsageError('--zone is a name such as Europe/Rome.');
  const trusted = check('TRUSTED_API_HOSTS', trustedHosts, process.env.TRUSTED_API_HOSTS) ?? [];
  const baseUrl = parseUrl(url ?? process.env.BILLING_BASE_URL ?? '', trusted);
  const token = await obtainToken();
  const http = createGuardedHttp({ trustedHosts: trusted });
  const parts = { billing: createBillingClient({ http }), baseUrl, token, zone, clock: Date.now };
  const checked = await checkConformance({ ...parts, subscription: { project, product: product.id } });
  await http.close();
  const mask = createSecretMask([token]);
  const points = checked.map((point) => ({ ...point, came: toPlainLine(mask(point.came)) }));
  const failed = points.filter(({ verdict }) => verdict === 'fail').length;
  const conforms = failed === 0;
  for (const line of formatPoints(points)) printLine(line.trimEnd());
  const isPart = points.some(({ verdict }) => verdict === 'not checked');
  printLine(
    `\n${conforms ? 'The service conforms.' : `${failed} of ${points.length} points failed.`}${isPart ? ' Not every point was checked.' : ''}`,
  );
  return conforms ? 0 : 1;
});
