import { createHash } from 'node:crypto';
import type { Failure } from '../../domain/failure/index.ts';
import type { AuditEntry } from '../../workspace/audit.ts';
import type { RevokeOutcome } from './blocks.ts';

/** For the audit: what tells two tokens apart and leads to neither. */
export const tokenAuditId = (auditId: string | undefined): string | undefined =>
  auditId === undefined ? undefined : createHash('sha256').update(auditId).digest('hex').slice(0, 12);

/** `prod (project 123) · 0123456789ab` */
export const tokenAuditText = (label: string, project: string, audit: string | undefined): string =>
  [`${label} (project ${project})`, ...(audit === undefined ? [] : [audit])].join(' · ');

/** What is added where a token was not plainly revoked; undefined where it certainly was not. */
const ADDED: Readonly<Record<RevokeOutcome | 'revoked', string | undefined>> = {
  revoked: '',
  dead: '',
  unchecked: '',
  alive: 'still accepted',
  'already-dead': 'was dead already',
  'not-offered': undefined,
  refused: undefined,
};

/** Whether the service may have issued a token although Tally has none. */
export const mayHaveIssued = ({ kind }: Failure): boolean =>
  ['outcome-unclear', 'invalid-response', 'response-too-large'].includes(kind);

/** Of a token that nobody has seen, if it was issued at all. @param about as `tokenAuditText` gives it */
export const unclearIssueAudit = (at: number, who: string, about: string): AuditEntry => ({
  ...{ at, who },
  action: 'token issued',
  about: `${about} · ${UNCLEAR}`,
});

const UNCLEAR = 'outcome unclear';

/** Whether the service may have taken a token back although it did not say so. */
const isUnclear = (failure: Failure): boolean =>
  ['service-unreachable', 'timed-out', 'invalid-response', 'response-too-large'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.status >= 500);

/** Of a token that was to be given back, or may have been; undefined where it certainly was not. */
export function revocationAudit(
  token: Omit<AuditEntry, 'action'>,
  outcome: RevokeOutcome | 'revoked' | Failure,
): AuditEntry | undefined {
  const added = typeof outcome === 'string' ? ADDED[outcome] : isUnclear(outcome) ? UNCLEAR : undefined;
  if (added === undefined) return undefined;
  return { ...token, action: 'token revoked', about: [token.about, added].filter(Boolean).join(' · ') };
}
