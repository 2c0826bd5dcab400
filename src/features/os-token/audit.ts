import { createHash } from 'node:crypto';
import { type AuditState, type Failure, isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import type { RevokeOutcome } from './blocks.ts';
import type { TokenContext } from './context.ts';

/** Identifies a token in the audit without revealing it. */
export const tokenAuditId = (auditId: string | undefined): string | undefined =>
  auditId === undefined ? undefined : createHash('sha256').update(auditId).digest('hex').slice(0, 12);

/** `prod (project 123) · 0123456789ab` */
export const tokenAuditText = (label: string, project: string, audit: string | undefined): string =>
  [`${label} (project ${project})`, ...(audit === undefined ? [] : [audit])].join(' · ');

/** What is added to the entry when a token was not simply revoked; undefined when it certainly was not revoked. */
const ADDED: Readonly<Record<RevokeOutcome | 'revoked', string | undefined>> = {
  revoked: '',
  dead: '',
  unchecked: '',
  alive: 'still accepted',
  'already-dead': 'had expired already',
  'not-offered': undefined,
  refused: undefined,
};

/** Whether a write brought an audit entry. */
export async function auditStateOf(
  writing: Promise<unknown>,
  { request }: Pick<TokenContext, 'request'>,
): Promise<AuditState> {
  try {
    await writing;
    return 'yes';
  } catch (error) {
    request.recordError(error);
    return isFailure(error) && mayHaveBeenSaved(error) ? 'maybe' : 'no';
  }
}

/** @param entry undefined if there is nothing to record */
export const recordEntry = async (
  entry: AuditEntry | undefined,
  context: TokenContext,
): Promise<AuditState> =>
  entry === undefined
    ? 'yes'
    : auditStateOf(context.audit.record(context.request.user.teamId, entry), context);

/** Whether the service may have issued a token although Tally has none. */
export const mayHaveIssued = ({ kind }: Failure): boolean =>
  ['outcome-unclear', 'invalid-response', 'response-too-large'].includes(kind);

/** The entry for a token that was not shown and may not exist. @param about from `tokenAuditText` */
export const unclearIssueAudit = (at: Millis, who: string, about: string): AuditEntry => ({
  ...{ at, who },
  action: 'token issued',
  about: `${about} · ${UNCLEAR}`,
});

const UNCLEAR = 'outcome unclear';

/** Whether the service may have revoked a token although Tally got no confirmation. */
export const isRevocationUnclear = (failure: Failure): boolean =>
  ['service-unreachable', 'timed-out', 'invalid-response', 'response-too-large'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.status >= 500);

/** The entry for a revocation; undefined when the token certainly was not revoked. */
export function revocationAudit(
  token: Omit<AuditEntry, 'action'>,
  outcome: RevokeOutcome | 'revoked' | Failure,
): AuditEntry | undefined {
  const added =
    typeof outcome === 'string' ? ADDED[outcome] : isRevocationUnclear(outcome) ? UNCLEAR : undefined;
  if (added === undefined) return undefined;
  return { ...token, action: 'token revoked', about: [token.about, added].filter(Boolean).join(' · ') };
}
