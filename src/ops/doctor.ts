import type { Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { withTimeout } from '../runtime/timers.ts';
import type { Keyring } from '../vault/keyring.ts';
import { checkRecords } from './check-records.ts';
import { checkRedis } from './check-redis.ts';
import { checkService, type ServiceParts } from './check-service.ts';
import { checkSlack, checkSocketMode, type SlackParts } from './check-slack.ts';
import { type Finding, failedFinding, okFinding, reasonText } from './finding.ts';
import { redact } from './mask.ts';

export interface DoctorParts {
  readonly slack: SlackParts;
  /** Resolves when the connection is ready; rejects with the error that prevents it. */
  readonly redis: Promise<RedisConnection>;
  /** The IDs of the sealing keys, newest first; the checks don't need the keys themselves. */
  readonly keyIds: readonly string[];
  readonly keyring: Keyring;
  readonly services: readonly ServiceParts[];
  /** How long each check may take, in ms. */
  readonly timeout: Millis;
}

/** Runs all checks in parallel. @returns their findings in a fixed order, without secrets. Never rejects. */
export async function runChecks(parts: DoctorParts): Promise<readonly Finding[]> {
  const { slack, redis, keyring, services, timeout } = parts;
  const bounded = (about: string, check: Promise<readonly Finding[]>) => boundCheck(about, check, timeout);
  const findings = await Promise.all([
    describeKeys(parts.keyIds),
    bounded('Redis', checkRedis(redis)),
    bounded('Sealed records', checkRecords(redis, keyring)),
    bounded('Slack', checkSlack(slack)),
    bounded('Slack', checkSocketMode(slack)),
    ...services.map((service) => bounded(service.about, checkService(service))),
  ]);
  return findings.flat();
}

function describeKeys([newest, ...older]: readonly string[]): readonly Finding[] {
  const others = older.length === 0 ? '' : `; ${older.length} older: ${older.join(', ')}`;
  return [okFinding('Keys', `new records are sealed with “${newest}”${others}`)];
}

function boundCheck(
  about: string,
  check: Promise<readonly Finding[]>,
  ms: Millis,
): Promise<readonly Finding[]> {
  const settled = check.catch((error: unknown) => [
    failedFinding(
      about,
      `the check failed (${reasonText(error)})`,
      'Run the doctor again. If it keeps happening, report it.',
    ),
  ]);
  return withTimeout(ms, settled, () => [
    failedFinding(
      about,
      `no answer within ${ms / 1000} s`,
      'Check that this machine can reach it and that no firewall drops the packets.',
    ),
  ]);
}

const LABELS: Readonly<Record<Finding['verdict'], string>> = { good: 'good', warning: 'warning', bad: 'BAD' };

/** @returns a line for each finding, with its next step below; secrets are masked as in log lines */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ verdict, about, says, todo }) => [
    `${LABELS[verdict].padEnd(7)}  ${about.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  return lines.map(redact).join('\n');
}
