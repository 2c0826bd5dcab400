import { isFailure, kindOf, storeFailure } from '../domain/failure/index.ts';
import { toPlainDigits } from '../domain/money/amount.ts';
import type { Forecast } from '../domain/money/forecast.ts';
import type { Account, Runway } from '../domain/money/runway.ts';
import type { ProductId } from '../domain/product.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { type Day, dayAt, daysBetween, HOUR, MINUTE, type Millis } from '../domain/time/calendar.ts';
import { fingerprintOf } from './credentials/connection-record.ts';
import type { ResolvedProject } from './projects/resolve-project.ts';
import { type CredentialName, failureKey, type StoredAnswer } from './record/stored-outcomes.ts';
import type { Workspace } from './record/workspace.ts';
import type { Workspaces } from './record/workspaces.ts';

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

/** A question to billing about a project. */
interface Asked {
  readonly topic: Parameters<typeof failureKey>[0];
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
  readonly workspaces: Pick<Workspaces, 'saveRejection' | 'saveFailure' | 'clearFailure'>;
  /** Derives the workspace's runs again. Never rejects. */
  readonly changed: (workspace: SlackId) => Promise<void>;
  readonly clock: () => Millis;
  /** Gets the error if something could not be stored; the answer doesn't depend on it. */
  readonly onFailure: (error: unknown, workspace: SlackId) => void;
}) {
  const failing = (workspace: SlackId) => (error: unknown) => onFailure(error, workspace);
  const rejected = async ({ workspace, mark, ...credential }: Rejection): Promise<void> => {
    if (await workspaces.saveRejection(workspace, credential, { mark, at: clock() }))
      await changed(workspace);
  };

  async function failed({ workspace, failures }: UsedAccess, asked: Asked, error: unknown): Promise<void> {
    if (failures === undefined || !isFailure(error) || kindOf(error.kind)?.remedy === undefined) return;
    const { topic, project: id, product } = asked;
    const isKnown = failures.get(failureKey(topic, id, product))?.kind === error.kind;
    // A period without data doesn't mean that the project fails.
    if (isKnown || (error.kind === 'no-data' && topic === 'consumption')) return;
    const failure = { ...storeFailure(error), since: clock() };
    await workspaces.saveFailure(workspace, { topic, id, product }, failure);
  }

  return {
    /** Reminds the people who can replace it, if the credential is still registered. */
    rejected: (rejection: Rejection) => rejected(rejection).catch(failing(rejection.workspace)),

    /** @param error why there was no answer */
    async billing(access: UsedAccess, asked: Asked, error?: unknown): Promise<void> {
      const { workspace, connection: name, token, failures } = access;
      if (error === undefined) {
        const key = failureKey(asked.topic, asked.project, asked.product);
        if (failures?.has(key)) await workspaces.clearFailure(workspace, key).catch(failing(workspace));
        return;
      }
      if (isFailure(error, 'token-rejected'))
        await rejected({ workspace, kind: 'connection', name, mark: fingerprintOf(token) }).catch(
          failing(workspace),
        );
      await failed(access, asked, error).catch(failing(workspace));
    },

    /** An application access issued no token. */
    async notIssued(
      { id }: { readonly id: string },
      { workspace, connection: name }: { readonly workspace: SlackId; readonly connection: string },
      error: unknown,
    ): Promise<void> {
      const isRefused = isFailure(error, 'access-refused') && error.data.status === 401;
      if (isRefused || isFailure(error, 'access-not-found'))
        await rejected({ workspace, kind: 'access', name, mark: id.slice(-MARK_LENGTH) }).catch(
          failing(workspace),
        );
    },
  };
}

/** What an answer said of a project; a runway that could not be had is a sentence. */
interface Balances extends Account {
  readonly runway?: Runway | string | undefined;
  /** Of the month of `today`. */
  readonly forecast?: Forecast | undefined;
  readonly today?: Day | undefined;
}

/**
 * The balance that is stored after an answer. Undefined when the amount is unreadable, and for a project without an
 * alias: IDs that anybody typed would fill the record.
 */
export function storedBalance(
  { alias, project: id, product }: Pick<ResolvedProject, 'alias' | 'project' | 'product'>,
  { balance, bonuses, runway, forecast, today }: Balances,
): StoredAnswer['balance'] {
  if (alias === undefined || !('raw' in balance)) return undefined;
  return {
    id,
    product,
    balance: balance.raw,
    ...('raw' in bonuses && { bonuses: bonuses.raw }),
    ...(typeof runway === 'object' && { days: runway.kind === 'estimate' ? runway.days : undefined }),
    ...(forecast &&
      today && { forecast: { total: toPlainDigits(forecast.total), month: today.slice(0, 7) } }),
  };
}

export type AnswerCollector = ReturnType<typeof createAnswerCollector>;

/** What is stored after several answers: once for each connection and each project. @param clock ms since the epoch */
export function createAnswerCollector(clock: () => Millis) {
  const answers = new Map<string, StoredAnswer>();
  return {
    add(connection: string, balance?: StoredAnswer['balance']): void {
      const key = JSON.stringify([connection, balance?.id, balance?.product]);
      answers.set(key, { connection, at: clock(), ...(balance && { balance }) });
    },
    all: (): readonly StoredAnswer[] => [...answers.values()],
  };
}

export type AnswerStore = ReturnType<typeof createAnswerStore>;

/**
 * @param onFailure gets the error if an answer could not be stored
 * @param changed called once a token works again that was rejected: what waits for it goes on. Never rejects
 */
export const createAnswerStore = (
  workspaces: Pick<Workspaces, 'saveAnswer'>,
  onFailure: (error: unknown, workspace: SlackId) => void,
  changed: (workspace: SlackId) => Promise<void> = async () => undefined,
) => ({
  /**
   * Stores it after the answer was sent: for a connection at most once an hour and once after its token was
   * rejected, for a balance once a minute. The request's record says whether it is due, so a repeated question
   * writes nothing, whichever process answers it. Never throws: the answer is out already.
   */
  async save(workspace: Workspace, answer: StoredAnswer): Promise<void> {
    if (!isDue(workspace, answer)) return;
    const { teamId } = workspace;
    const worksAgain = workspace.rejectedAt({ kind: 'connection', name: answer.connection }) !== undefined;
    await workspaces
      .saveAnswer(teamId, keepEstimates(answer, workspace))
      .then(() => (worksAgain ? changed(teamId) : undefined))
      .catch((error: unknown) => onFailure(error, teamId));
  },
});

/** An answer with only the balance keeps the earlier forecast of the month, and how long the money lasts, less the days since. */
function keepEstimates(answer: StoredAnswer, workspace: Workspace): StoredAnswer {
  const { balance, at } = answer;
  const last = balance && workspace.lastBalance(balance.id, balance.product);
  if (balance === undefined || last === undefined) return answer;
  const { forecast, days } = last;
  const { zone } = workspace.settings;
  return {
    ...answer,
    balance: {
      ...(forecast && { forecast }),
      ...(days !== undefined && { days: days - daysBetween(dayAt(last.at, zone), dayAt(at, zone)) }),
      ...balance,
    },
  };
}

function isDue(workspace: Workspace, { connection, balance, at }: StoredAnswer): boolean {
  const isOlder = (before: number | undefined, span: number) => before === undefined || at - before >= span;
  const last = workspace.lastUsed(connection);
  if (isOlder(last, HOUR)) return true;
  if (workspace.rejectedAt({ kind: 'connection', name: connection }) !== undefined) return true;
  return balance !== undefined && isOlder(workspace.lastBalance(balance.id, balance.product)?.at, MINUTE);
}
