import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { withTimeout } from '../../runtime/timers.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { redact } from '../mask.ts';
import { type AddressParts, checkPort, checkPublicAddress } from './check-address.ts';
import { type ConfigurationParts, checkConfiguration } from './check-configuration.ts';
import { checkRecords } from './check-records.ts';
import { checkRedis } from './check-redis.ts';
import { checkService, type ServiceParts } from './check-service.ts';
import { checkSlack, checkSocketMode, type SlackParts } from './check-slack.ts';
import { checkTraces } from './check-traces.ts';
import { errorCode, type Finding, failedFinding, okFinding } from './finding.ts';

export interface DoctorParts {
  readonly configuration: ConfigurationParts;
  readonly address: AddressParts;
  readonly slack: SlackParts;
  /** Resolves when the connection is ready; rejects with the error that prevents it. */
  readonly redis: Promise<RedisConnection>;
  readonly redisUrl: string;
  /** Undefined if there are no traces. */
  readonly tracesUrl?: string | undefined;
  /** The IDs of the sealing keys, newest first; the checks don't need the keys themselves. */
  readonly keyIds: readonly string[];
  readonly keyring: Keyring;
  readonly services: readonly ServiceParts[];
  /** How long each check may take, in ms. */
  readonly timeout: Millis;
}

/** Runs all checks in parallel. @returns their findings in a fixed order. Never rejects. */
export async function runChecks(parts: DoctorParts): Promise<readonly Finding[]> {
  const { address, slack, redis, redisUrl, keyIds, keyring, services, timeout } = parts;
  const bounded = (check: string, findings: Promise<readonly Finding[]>) =>
    boundCheck(check, findings, timeout);
  const findings = await Promise.all([
    checkConfiguration(parts.configuration),
    describeKeys(keyIds),
    bounded('Redis', checkRedis(redis, redisUrl)),
    bounded('Sealed records', checkRecords(redis, keyring, keyIds)),
    bounded('Slack', checkSlack(slack)),
    bounded('Slack', checkSocketMode(slack)),
    bounded('Port', checkPort(address)),
    bounded('Public address', checkPublicAddress(address)),
    bounded('Traces', checkTraces(parts.tracesUrl, timeout / 2)),
    ...services.map((service) => bounded(service.check, checkService(service))),
  ]);
  return findings.flat();
}

function describeKeys([newest, ...older]: readonly string[]): readonly Finding[] {
  const others = older.length === 0 ? '' : `; ${older.length} older: ${older.join(', ')}`;
  return [okFinding('Keys', `new records are sealed with “${newest}”${others}`)];
}

function boundCheck(
  check: string,
  findings: Promise<readonly Finding[]>,
  ms: Millis,
): Promise<readonly Finding[]> {
  const settled = findings.catch((error: unknown) => [
    failedFinding(
      check,
      `the check failed (${errorCode(error)})`,
      'Run the doctor again. If it keeps happening, report it.',
    ),
  ]);
  return withTimeout(ms, settled, () => [
    failedFinding(
      check,
      `no answer within ${ms / 1000} s`,
      'Check that this machine can reach it and that no firewall drops the packets.',
    ),
  ]);
}

const LABELS: Readonly<Record<Finding['verdict'], string>> = { good: 'good', warning: 'warning', bad: 'BAD' };

/** @returns a line for each finding, with its next step below; secrets are masked as in log lines */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ verdict, check, says, todo }) => [
    `${LABELS[verdict].padEnd(7)}  ${check.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  return lines.map(redact).join('\n');
}

/** @returns a JSON array with a finding on each line; secrets are masked as in log lines */
export function serializeFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ check, verdict, says, todo, code }) =>
    redact(JSON.stringify({ check, verdict, says, todo, code })),
  );
  return `[\n${lines.map((line) => `  ${line}`).join(',\n')}\n]`;
}
