/** The test of an application access: a token that is issued and revoked. */
import { failureOf, isFailure } from '../../domain/failure/index.ts';
import type { Revocation } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import type { AccessTest, RevocationResult } from './access-form.ts';
import { accessSubject, tokenAuditId, tokenSubject } from './audit.ts';
import { requestToken } from './issue-token.ts';
import { type AccessRequest, accessProjectLabel } from './parse-access-form.ts';
import { type TokenContext, tenantOf } from './token-context.ts';

export type Credentials = NonNullable<AccessRequest['credentials']>;

const REVOCATION_RESULTS: Readonly<Record<Revocation, RevocationResult>> = {
  revoked: 'revoked',
  'already-dead': 'revoked',
  'not-offered': 'not-offered',
  refused: 'failed',
};

/** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
export async function testAccess(
  { project, authUrl }: AccessRequest,
  credentials: Credentials,
  context: TokenContext,
): Promise<AccessTest> {
  const { request, identity, limits } = context;
  const { teamId, id } = request.user;
  limits.demand('tests', { teamId, userId: id });
  const about = { ...accessSubject(request.workspace, project), kind: 'token', isTest: true } as const;
  const issued = await requestToken({ authUrl, ...credentials }, project, about, context);
  const revocation = await identity
    .revoke(authUrl, issued.token, tenantOf(project, context))
    .catch(failureOf);
  return { issued, revocation: isFailure(revocation) ? 'failed' : REVOCATION_RESULTS[revocation] };
}

const TEST_OUTCOMES = {
  revoked: 'test-revoked',
  'not-offered': 'test-not-revoked',
  failed: 'test-unclear',
} as const;

/** The entry for the token of a test, which nobody has seen. */
export const accessTestAudit = (
  { issued, revocation }: AccessTest,
  project: string,
  { user, workspace, at }: Request,
): AuditEntry => {
  const { word } = accessProjectLabel(workspace, project);
  const token = tokenSubject({ word, project }, tokenAuditId(issued.auditId));
  const about = { ...token, isTest: true, outcome: TEST_OUTCOMES[revocation] };
  return { at, who: user.id, action: 'token issued', about };
};
