import { isFailure } from '../../domain/failure/index.ts';
import type { IdentityClient, IssuedToken, Revocation } from '../../identity/client.ts';
import type { Request } from '../../slack/request/request.ts';
import type { RateLimiter } from '../../slack/server/rate-limit.ts';
import type { Audit, AuditEntry } from '../../workspace/record/audit.ts';
import type { RevocationResult } from './access-form.ts';
import { type AccessRequest, accessAuditText } from './access-words.ts';
import { mayHaveIssued, tokenAuditId, unclearIssueAudit } from './audit.ts';
import { ignoreFailure } from './issuing.ts';

export interface AccessTestParts {
  readonly identity: IdentityClient;
  readonly limits: RateLimiter;
  readonly audit: Audit;
}

export type Credentials = NonNullable<AccessRequest['credentials']>;

/** A token that was issued to test an access, and what became of it. */
export interface AccessTest {
  readonly issued: IssuedToken;
  readonly revocation: RevocationResult;
}

const REVOCATION_RESULTS: Readonly<Record<Revocation | 'failed', RevocationResult>> = {
  revoked: 'revoked',
  'already-dead': 'revoked',
  'not-offered': 'not-offered',
  refused: 'failed',
  failed: 'failed',
};

/** Gets a token and revokes it, which also tells whether the service can revoke tokens. */
export async function testAccess(
  { project, authUrl }: AccessRequest,
  credentials: Credentials,
  request: Request,
  { identity, limits, audit }: AccessTestParts,
): Promise<AccessTest> {
  const opened = { authUrl, ...credentials };
  const tenant = { workspace: request.user.teamId, connection: project };
  limits.demand('tests', { teamId: request.user.teamId, userId: request.user.id });
  const issued = await identity.issue(opened, tenant).catch(async (error: unknown) => {
    if (isFailure(error) && mayHaveIssued(error)) {
      const entry = unclearIssueAudit(
        request.at,
        request.user.id,
        `${accessAuditText(request.workspace, project)} · test`,
      );
      await audit.record(request.user.teamId, entry).catch(ignoreFailure);
    }
    throw error;
  });
  const revocation = await identity.revoke(opened.authUrl, issued.token, tenant).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return 'failed' as const;
  });
  return { issued, revocation: REVOCATION_RESULTS[revocation] };
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
