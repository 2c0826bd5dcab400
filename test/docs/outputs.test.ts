/** What pages show of the output of commands; test/check-billing.test.ts has that of `tally check-billing`. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { findingOf } from '../../src/ops/doctor/causes.ts';
import { formatFindings, okFinding } from '../../src/ops/doctor/finding.ts';
import { redisFigures } from '../../src/ops/doctor/redacted-addresses.ts';
import { formatResealCounts } from '../../src/ops/reseal.ts';
import { EXAMPLES } from './doctor.ts';

const shownOn = async (page: string): Promise<string | undefined> =>
  /^```text\n(.*?)\n```$/ms.exec(await readFile(page, 'utf8'))?.[1];

it('docs/doctor.md shows findings as the doctor prints them', async () => {
  const findings = [
    okFinding('Configuration', 'is valid; Slack uses HTTP'),
    okFinding('Keys', 'new records are sealed with “2026”'),
    findingOf('REDIS', 'Redis', 'NOAUTH', redisFigures('redis://redis.example.com:6379')),
    findingOf('SLACK', 'Slack', 'token_revoked', EXAMPLES.SLACK),
    okFinding('Clock', 'agrees with Slack’s'),
  ];
  expect(await shownOn('docs/doctor.md')).toBe(`${formatFindings(findings)}\n\n2 problems to fix.`);
});

it('docs/keys.md shows a summary as tally reseal prints it', async () => {
  const counts = {
    ...{ workspaces: 412, resealed: 623, alreadyNew: 14, failed: 2 },
    unknownKeys: new Map([['2025', 1]]),
    examples: [
      'T0123456789 connection:main: needs a key that is not in ENCRYPTION_KEYS',
      'T0987654321 connection:test: damaged or moved, or its key was replaced under the same name',
    ],
  };
  expect(await shownOn('docs/keys.md')).toBe(formatResealCounts(['2027', '2025'], counts).join('\n'));
});
