import type { BillingClient } from '../../billing/client.ts';
import { AccessNotFound, AccessRefused, TokenRejected } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { fingerprintOf } from '../../workspace/credentials/connections.ts';
import type { CredentialName } from '../../workspace/credentials/rejections.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';

/** A service did not accept a credential. */
export interface Rejection extends CredentialName {
  readonly workspace: SlackId;
  /** Of the credential that was sent, which may have been replaced since: a fingerprint, or the ID's last characters. */
  readonly mark: string;
}

export type NoteRejection = (rejection: Rejection) => Promise<void>;

/** The same client, which notes that a token was rejected before it says so. @param note never rejects */
export function reportRejectedTokens(billing: BillingClient, note: NoteRejection): BillingClient {
  type Access = Parameters<BillingClient['balance']>[0];
  const noting = async <T>(
    { workspace, connection: name, token }: Access,
    answer: Promise<T>,
  ): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof TokenRejected)
        await note({ workspace, kind: 'connection', name, mark: fingerprintOf(token) });
      throw error;
    }
  };
  return {
    balance: (access, ...rest) => noting(access, billing.balance(access, ...rest)),
    consumption: (access, ...rest) => noting(access, billing.consumption(access, ...rest)),
  };
}

/** Issues tokens with an application access, as the identity client does. */
interface TokenIssuer<Access, Issued> {
  issue(
    access: Access,
    tenant: { readonly workspace: SlackId; readonly connection: string },
  ): Promise<Issued>;
}

/** The same for application accesses. @param note never rejects */
export const reportRefusedAccesses = <
  Access extends { readonly id: string },
  Issued,
  Client extends TokenIssuer<Access, Issued>,
>(
  identity: Client & TokenIssuer<Access, Issued>,
  note: NoteRejection,
): Client => ({
  ...identity,
  async issue(access: Access, tenant: Parameters<Client['issue']>[1]) {
    try {
      return await identity.issue(access, tenant);
    } catch (error) {
      const isRefused = error instanceof AccessRefused && error.status === 401;
      if (isRefused || error instanceof AccessNotFound) {
        const { workspace, connection: name } = tenant;
        await note({ workspace, kind: 'access', name, mark: access.id.slice(-MARK_LENGTH) });
      }
      throw error;
    }
  },
});

/** As the record of an access shows of its ID. */
const MARK_LENGTH = 4;

export interface RejectionNotesParts {
  readonly workspaces: Pick<Workspaces, 'noteRejection'>;
  /** Derives the workspace's runs again. */
  readonly changed: (workspace: SlackId) => Promise<void>;
  readonly clock: () => Millis;
  readonly onFailure: (error: unknown) => void;
}

/** Records that a service rejected a credential, and reminds the people who can replace it. Never rejects. */
export function createRejectionNotes({
  workspaces,
  changed,
  clock,
  onFailure,
}: RejectionNotesParts): NoteRejection {
  return async ({ workspace, mark, ...credential }) => {
    try {
      const isNew = await workspaces.noteRejection(workspace, credential, { mark, at: clock() });
      if (isNew) await changed(workspace);
    } catch (error) {
      onFailure(error);
    }
  };
}
