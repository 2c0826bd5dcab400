import { AccessNotFound, AccessRefused, isFailure, TokenRejected } from '../domain/failure/index.ts';
import type { ProductId } from '../domain/product.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { fingerprintOf } from './credentials/connections.ts';
import type { CredentialName } from './credentials/rejections.ts';
import { type BillingTopic, failureKey, remedyFor } from './projects/answer-notes.ts';
import { storeFailure } from './record/stored-failure.ts';
import type { Workspaces } from './record/workspaces.ts';

/** A service did not accept a credential. */
export interface Rejection extends CredentialName {
  readonly workspace: SlackId;
  /**
   * Identifies the credential that was sent, which may have been replaced since: a fingerprint, or the ID's last
   * characters.
   */
  readonly mark: string;
}

/** With what billing was asked. `failures` is what the record said when it was read. */
interface AskedWith {
  readonly workspace: SlackId;
  readonly connection: string;
  readonly token: string;
  readonly failures?: ReadonlyMap<string, { readonly kind: string }>;
}

interface Asked {
  readonly topic: BillingTopic;
  readonly project: string;
  readonly product: ProductId;
}

/** As the record of an access shows of its ID. */
const MARK_LENGTH = 4;

/**
 * Notes in a workspace's record what the answers of the services say of its credentials and projects. Never rejects.
 * Writes only changes: the access brings what the record said, so a project that keeps failing or answering costs
 * nothing.
 */
export function createServiceNotes({
  workspaces,
  changed,
  clock,
  onFailure,
}: {
  readonly workspaces: Pick<Workspaces, 'noteRejection' | 'noteFailure' | 'clearFailure'>;
  /** Derives the workspace's runs again. Never rejects. */
  readonly changed: (workspace: SlackId) => Promise<void>;
  readonly clock: () => Millis;
  /** A note could not be stored; the answer doesn't depend on it. */
  readonly onFailure: (error: unknown) => void;
}) {
  const rejected = async ({ workspace, mark, ...credential }: Rejection): Promise<void> => {
    const isNew = await workspaces.noteRejection(workspace, credential, { mark, at: clock() });
    if (isNew) await changed(workspace);
  };

  const failed = async ({ workspace, failures }: AskedWith, asked: Asked, error: unknown): Promise<void> => {
    const { topic, project: id, product } = asked;
    if (failures === undefined || !isFailure(error) || remedyFor(error.kind) === undefined) return;
    const isKnown = failures.get(failureKey(topic, id, product))?.kind === error.kind;
    // A period without data doesn't mean that the project fails.
    if (isKnown || (error.kind === 'no-data' && topic === 'consumption')) return;
    const note = { ...storeFailure(error), since: clock() };
    await workspaces.noteFailure(workspace, { topic, id, product }, note);
  };

  const answered = async ({ workspace, failures }: AskedWith, asked: Asked): Promise<void> => {
    const key = failureKey(asked.topic, asked.project, asked.product);
    if (failures?.has(key)) await workspaces.clearFailure(workspace, key);
  };

  return {
    /** Reminds the people who can replace it, if the credential is still registered. */
    rejected: (rejection: Rejection) => rejected(rejection).catch(onFailure),

    /** @param error why there was no answer */
    async billing(access: AskedWith, asked: Asked, error?: unknown): Promise<void> {
      if (error === undefined) return answered(access, asked).catch(onFailure);
      const { workspace, connection: name, token } = access;
      if (error instanceof TokenRejected)
        await rejected({ workspace, kind: 'connection', name, mark: fingerprintOf(token) }).catch(onFailure);
      await failed(access, asked, error).catch(onFailure);
    },

    /** An application access issued no token. */
    async notIssued(
      { id }: { readonly id: string },
      { workspace, connection: name }: { readonly workspace: SlackId; readonly connection: string },
      error: unknown,
    ): Promise<void> {
      const isRefused = error instanceof AccessRefused && error.status === 401;
      if (isRefused || error instanceof AccessNotFound)
        await rejected({ workspace, kind: 'access', name, mark: id.slice(-MARK_LENGTH) }).catch(onFailure);
    },
  };
}
