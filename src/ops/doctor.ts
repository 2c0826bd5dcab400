import type { Redis } from 'ioredis';
import { checkRecords, type SealCheck } from './check-records.ts';
import { checkRedis } from './check-redis.ts';
import { checkService, type ServiceParts } from './check-service.ts';
import { checkSlack, checkSocketMode, type SlackParts } from './check-slack.ts';
import { type Finding, failedFinding, okFinding, reasonText } from './finding.ts';
import { redact } from './mask.ts';

export interface DoctorParts {
  readonly slack: SlackParts;
  /** Resolves when it is ready; rejects with what stood in the way. */
  readonly redis: Promise<Redis>;
  /** The names of the sealing keys, newest first. The keys themselves have no business here. */
  readonly keyIds: readonly string[];
  readonly opens: SealCheck;
  readonly services: readonly ServiceParts[];
  /** How long each check may take, in ms. */
  readonly patience: number;
}

/** All checks side by side, their findings in a fixed order. Never rejects; nothing in it is secret. */
export async function runChecks(parts: DoctorParts): Promise<readonly Finding[]> {
  const { slack, redis, opens, services, patience } = parts;
  const within = (about: string, check: Promise<readonly Finding[]>) => bounded(about, check, patience);
  const findings = await Promise.all([
    keys(parts.keyIds),
    within('Redis', checkRedis(redis)),
    within('Sealed records', checkRecords(redis, opens)),
    within('Slack', checkSlack(slack)),
    within('Slack', checkSocketMode(slack)),
    ...services.map((service) => within(service.about, checkService(service))),
  ]);
  return findings.flat();
}

function keys(ids: readonly string[]): readonly Finding[] {
  const [newest, ...older] = ids;
  const others = older.length === 0 ? '' : `; ${older.length} older: ${older.join(', ')}`;
  return [okFinding('Keys', `new records are sealed with “${newest}”${others}`)];
}

async function bounded(
  about: string,
  check: Promise<readonly Finding[]>,
  patience: number,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    const says = `did not come to an end within ${patience / 1000} s`;
    const finding = failedFinding(
      about,
      says,
      'Is it reachable from this machine, or does a firewall swallow the packets?',
    );
    timer = setTimeout(resolve, patience, [finding]);
  });
  const odd = (error: unknown) => [
    failedFinding(
      about,
      `could not be examined (${reasonText(error)})`,
      'Run the doctor again; if it stays, report it.',
    ),
  ];
  try {
    return await Promise.race([check.catch(odd), late]);
  } finally {
    clearTimeout(timer);
  }
}

const LABELS: Readonly<Record<Finding['verdict'], string>> = { good: 'good', warning: 'warning', bad: 'BAD' };

/** A line a finding, with what to do under it; masked, as log lines are. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ verdict, about, says, todo }) => [
    `${LABELS[verdict].padEnd(7)}  ${about.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  return lines.map(redact).join('\n');
}
