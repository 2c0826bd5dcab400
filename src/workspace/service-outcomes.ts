import * as z from 'zod';
import {
  AccessNotFound,
  AccessRefused,
  isFailure,
  type ServiceFailure,
  TokenRejected,
} from '../domain/failure/index.ts';
import { PRODUCT_IDS, type ProductId } from '../domain/product.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { FIELDS } from '../redis/keys.ts';
import { fingerprintOf } from './credentials/connection-record.ts';
import type { CredentialName, StoredRejection } from './credentials/rejections.ts';
import { tryParseRecord } from './record/parse-record.ts';
import { storedFailure, storeFailure } from './record/stored-failure.ts';
import type { RecordFields } from './record/workspace-store.ts';

/** What fixes it when billing gives no answer about a project; undefined if the failure is not about the project. */
const REMEDIES = {
  'no-data': 'project',
  'query-rejected': 'project',
  'token-rejected': 'token',
  forbidden: 'token',
  'service-unreachable': 'address',
  'invalid-response': 'address',
  'redirect-refused': 'address',
  'address-refused': 'address',
  'rate-limited': 'patience',
  'timed-out': 'patience',
  'service-failed': 'patience',
  'response-too-large': 'patience',
  'service-paused': undefined,
  'queue-full': undefined,
} as const satisfies Record<ServiceFailure['kind'], string | undefined>;

/** @param kind of a failure, perhaps of a later version */
export const remedyFor = (kind: string) =>
  Object.hasOwn(REMEDIES, kind) ? REMEDIES[kind as keyof typeof REMEDIES] : undefined;

/** A failure of billing for a registered project, stored until billing answers again. `since` is when it began, in ms. */
const failureSchema = storedFailure.extend({ since: z.int() });
export type LastFailure = Readonly<z.infer<typeof failureSchema>>;

/** The two questions about a project. Each fails and recovers separately. */
const QUESTIONS = ['balance', 'consumption'] as const;
export type BillingTopic = (typeof QUESTIONS)[number];

/** What billing is asked about a project. */
export interface QuestionAbout {
  readonly topic: BillingTopic;
  readonly id: string;
  readonly product: ProductId;
}

/** `balance:123:1` */
export const failureKey = (topic: BillingTopic, id: string, product: ProductId): string =>
  `${topic}:${id}:${product}`;

/** For every product of the project with this ID. */
export const failureFields = (id: string): readonly string[] =>
  QUESTIONS.flatMap((topic) => PRODUCT_IDS.map((product) => FIELDS.failed + failureKey(topic, id, product)));

/** Returns the failure of a project's balance or, if there is none, of its spend. */
export const findFailure = (
  failures: ReadonlyMap<string, LastFailure>,
  { id, product }: { readonly id: string; readonly product: ProductId },
): LastFailure | undefined =>
  failures.get(failureKey('balance', id, product)) ?? failures.get(failureKey('consumption', id, product));

/** Leaves out damaged ones, because nothing depends on them. @param keys as `failureKey` makes them */
export function parseFailures(
  fields: RecordFields,
  keys: readonly string[],
): ReadonlyMap<string, LastFailure> {
  return new Map(
    keys.flatMap((key) => {
      const failure = tryParseRecord(failureSchema, fields[FIELDS.failed + key]);
      return failure === undefined ? [] : [[key, failure] as const];
    }),
  );
}

/** A service did not accept a credential. */
export interface Rejection extends CredentialName {
  readonly workspace: SlackId;
  /** Identifies the credential that was sent, which may have been replaced since: a fingerprint, or the ID's last characters. */
  readonly mark: string;
}

/** The access that billing was asked with. `failures` is what the record said when it was read. */
interface UsedAccess {
  readonly workspace: SlackId;
  readonly connection: string;
  readonly token: string;
  readonly failures?: ReadonlyMap<string, { readonly kind: string }>;
}

interface Question {
  readonly topic: BillingTopic;
  readonly project: string;
  readonly product: ProductId;
}

/** How many last characters of an application access's ID its record keeps. */
const MARK_LENGTH = 4;

/**
 * Stores in a workspace's record what the answers of the services say of its credentials and projects. Never rejects.
 * Writes only changes: the access brings what the record said, so a project that keeps failing or answering costs
 * nothing.
 */
export function createServiceOutcomes({
  workspaces,
  changed,
  clock,
  onFailure,
}: {
  /** The writes to the record. Each throws StoreUnavailable. */
  readonly workspaces: {
    /** @returns whether that is new */
    saveRejection(workspace: SlackId, credential: CredentialName, failure: StoredRejection): Promise<boolean>;
    saveFailure(workspace: SlackId, about: QuestionAbout, failure: LastFailure): Promise<void>;
    clearFailure(workspace: SlackId, key: string): Promise<void>;
  };
  /** Derives the workspace's runs again. Never rejects. */
  readonly changed: (workspace: SlackId) => Promise<void>;
  readonly clock: () => Millis;
  /** Gets the error if something could not be stored; the answer doesn't depend on it. */
  readonly onFailure: (error: unknown) => void;
}) {
  const rejected = async ({ workspace, mark, ...credential }: Rejection): Promise<void> => {
    if (await workspaces.saveRejection(workspace, credential, { mark, at: clock() }))
      await changed(workspace);
  };

  const failed = async (
    { workspace, failures }: UsedAccess,
    question: Question,
    error: unknown,
  ): Promise<void> => {
    const { topic, project: id, product } = question;
    if (failures === undefined || !isFailure(error) || remedyFor(error.kind) === undefined) return;
    const isKnown = failures.get(failureKey(topic, id, product))?.kind === error.kind;
    // A period without data doesn't mean that the project fails.
    if (isKnown || (error.kind === 'no-data' && topic === 'consumption')) return;
    const failure = { ...storeFailure(error), since: clock() };
    await workspaces.saveFailure(workspace, { topic, id, product }, failure);
  };

  const answered = async ({ workspace, failures }: UsedAccess, question: Question): Promise<void> => {
    const key = failureKey(question.topic, question.project, question.product);
    if (failures?.has(key)) await workspaces.clearFailure(workspace, key);
  };

  return {
    /** Reminds the people who can replace it, if the credential is still registered. */
    rejected: (rejection: Rejection) => rejected(rejection).catch(onFailure),

    /** @param error why there was no answer */
    async billing(access: UsedAccess, question: Question, error?: unknown): Promise<void> {
      if (error === undefined) return answered(access, question).catch(onFailure);
      const { workspace, connection: name, token } = access;
      if (error instanceof TokenRejected)
        await rejected({ workspace, kind: 'connection', name, mark: fingerprintOf(token) }).catch(onFailure);
      await failed(access, question, error).catch(onFailure);
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
