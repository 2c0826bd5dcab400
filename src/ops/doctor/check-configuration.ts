import { readFileSync } from 'node:fs';
import { tryRead } from '../../domain/try-read.ts';
import { findingOf } from './causes.ts';
import type { Finding } from './finding.ts';

export interface ConfigurationParts {
  /** Undefined if no request is signed with it. */
  readonly signingSecret: string | undefined;
  readonly clientSecret: string | undefined;
  /** NODE_EXTRA_CA_CERTS */
  readonly authorities: string | undefined;
  /** NODE_TLS_REJECT_UNAUTHORIZED=0 */
  readonly trustsAll: boolean;
}

/** Finds what Tally starts with and fails by later. */
export function checkConfiguration(parts: ConfigurationParts): readonly Finding[] {
  return [
    ...secretFindings(parts),
    ...authorityFindings(parts),
    ...(parts.trustsAll ? [findingOf('CONFIGURATION', 'Configuration', 'any certificate', {})] : []),
  ];
}

function secretFindings({ signingSecret, clientSecret }: ConfigurationParts): readonly Finding[] {
  if (signingSecret === undefined) return [];
  if (signingSecret === clientSecret)
    return [findingOf('CONFIGURATION', 'Configuration', 'client secret', {})];
  if (/^[0-9a-f]{32}$/i.test(signingSecret)) return [];
  const length = String(signingSecret.length);
  return [findingOf('CONFIGURATION', 'Configuration', 'signing secret', { length })];
}

function authorityFindings({ authorities }: ConfigurationParts): readonly Finding[] {
  if (!authorities) return [];
  if (tryRead(() => readFileSync(authorities, 'utf8'))?.includes('BEGIN CERTIFICATE')) return [];
  return [findingOf('CONFIGURATION', 'Configuration', 'authorities', {})];
}
