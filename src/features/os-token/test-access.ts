import { isFailure } from '../../domain/failure/index.ts';
import type { IssuedToken, Revocation } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import type { AuditEntry } from '../../workspace/record/audit.ts';
import type { RevocationResult } from './access-form.ts';
import { type AccessRequest, accessAuditText } from './access-words.ts';
import { tokenAuditId } from './audit.ts';
import { failureOf, type TokenContext } from './context.ts';
import { requestToken } from './issuing.ts';

export type Credentials = NonNullable<AccessRequest['credentials']>;

/** A token that was issued to test an access, and what became of it. */
export interface AccessTest {
  readonly issued: IssuedToken;
  readonly revocation: RevocationResult;
}

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
  const about = `${accessAuditText(request.workspace, project)} · test`;
  const issued = await requestToken({ authUrl, ...credentials }, project, about, context);
  const tenant = { workspace: teamId, connection: project };
  const revocation = await identity.revoke(authUrl, issued.token, tenant).catch(failureOf);
  return { issued, revocation: isFailure(revocation) ? 'failed' : REVOCATION_RESULTS[revocation] };
}

const BECAME: Readonly<Record<RevocationResult, string>> = {
  revoked: 'revoked',
  'not-offered': 'not revoked',
  failed: 'may not be revoked',
};

/** The entry for the token of a test, which nobody has seen. */
export const accessTestAudit = (
  { issued, revocation }: AccessTest,
  project: string,
  { user, workspace, at }: Request,
): AuditEntry => {
  const hash = tokenAuditId(issued.auditId);
  const words = [
    accessAuditText(workspace, project),
    'test',
    ...(hash === undefined ? [] : [hash]),
    BECAME[revocation],
  ];
  return { at, who: user.id, action: 'token issued', about: words.join(' · ') };
};
