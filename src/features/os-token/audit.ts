import { createHash } from 'node:crypto';
import { type Failure, type FailureOf, isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { AuditEntry, AuditSubject } from '../../workspace/record/audit.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { TokenGrant } from '../../workspace/short-lived/token-grants.ts';
import { accessProjectLabel } from './parse-access-form.ts';
import type { RevokeOutcome, TokenContext } from './token-request.ts';

/** Identifies a token in the audit without revealing it. */
export const tokenAuditId = (auditId: string | undefined): string | undefined =>
  auditId === undefined ? undefined : createHash('sha256').update(auditId).digest('hex').slice(0, 12);

/** A token of a project. @param word the project's alias, or its ID @param token from `tokenAuditId` */
export const tokenSubject = (
  { word, project }: Pick<TokenGrant, 'word' | 'project'>,
  token: string | undefined,
): TokenSubject => ({
  ...projectSubject({ word, project }),
  kind: 'token',
  ...(token !== undefined && { token }),
});

export type TokenSubject = Extract<AuditSubject, { readonly kind: 'token' }>;

/** A project that has an application access. @param word its alias, or its ID */
const projectSubject = ({ word, project }: Pick<TokenGrant, 'word' | 'project'>) =>
  ({ kind: 'project', id: project, ...(word !== project && { alias: word }) }) as const;

export const accessSubject = (workspace: Workspace, project: string) =>
  projectSubject({ word: accessProjectLabel(workspace, project).word, project });

/** Outcomes that the audit records simply as revoked. */
const REVOKED: ReadonlySet<string> = new Set(['revoked', 'dead', 'unchecked']);

/** Whether something is in the audit; `maybe` when the answer to writing it was lost. */
export type AuditState = FailureOf<'token-not-shown'>['data']['audit'];

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

/** The entry for a token that was not shown and may not exist. */
export const unclearIssueAudit = (at: Millis, who: string, about: TokenSubject): AuditEntry => ({
  at,
  who,
  action: 'token issued',
  about: { ...about, outcome: 'unclear' },
});

/** Whether the service may have revoked a token although Tally got no confirmation. */
export const isRevocationUnclear = (failure: Failure): boolean =>
  ['service-unreachable', 'timed-out', 'invalid-response', 'response-too-large'].includes(failure.kind) ||
  (failure.kind === 'service-failed' && failure.data.status >= 500);

/** The entry for a revocation; undefined when the token certainly was not revoked. */
export function revocationAudit(
  { about, ...entry }: Pick<AuditEntry, 'at' | 'who'> & { readonly about: TokenSubject },
  outcome: RevokeOutcome | 'revoked' | Failure,
): AuditEntry | undefined {
  const named =
    typeof outcome !== 'string'
      ? isRevocationUnclear(outcome) && 'unclear'
      : outcome === 'alive' || outcome === 'already-dead'
        ? outcome
        : REVOKED.has(outcome) && undefined;
  if (named === false) return undefined;
  return { ...entry, action: 'token revoked', about: { ...about, ...(named && { outcome: named }) } };
}
