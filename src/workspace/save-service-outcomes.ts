/** Stores what services' answers show about credentials and projects: failures, rejections, last use, balances. */
import type { ProductId } from '../domain/billing-products.ts';
import { isFailure, kindOf, toStoredFailure } from '../domain/failure/index.ts';
import { toPlainDigits } from '../domain/money/amount.ts';
import type { Account, Runway } from '../domain/money/balance-and-runway.ts';
import type { Forecast } from '../domain/money/forecast.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { type Day, HOUR, MINUTE, type Millis } from '../domain/time/calendar.ts';
import { FIELDS } from '../redis/keys.ts';
import { fingerprintOf } from './credentials/credential-records.ts';
import { isSameProject, projectKey } from './projects/chosen-project.ts';
import type { ResolvedProject } from './projects/resolve-project.ts';
import { fieldValues } from './record/audited-change.ts';
import {
  type CredentialName,
  credentialField,
  failureField,
  isRegistered,
  type LastFailure,
  outcomeFields,
  rejectionField,
  type ServiceOutcome,
} from './record/service-outcomes.ts';
import type { Workspace } from './record/workspace.ts';
import type { Workspaces } from './record/workspace-repository.ts';

/** No method rejects, so that the user still gets the answer. Only changes are written. */
export interface ServiceOutcomes extends OutcomeStore {
  /** Stores the rejection, and makes Tally send a reminder. */
  rejected(rejection: CredentialRejection): Promise<void>;
  /** @param error undefined if billing answered */
  billing(access: UsedAccess, asked: Asked, error?: unknown): Promise<void>;
  /** Called if the identity service issued no token. */
  notIssued(
    access: { readonly id: string },
    owner: { readonly workspace: SlackId; readonly connection: string },
    error: unknown,
  ): Promise<void>;
}

export interface OutcomeStore {
  /**
   * Stores the connection's last use at most once an hour (and at once after a rejection), and balances at most once a
   * minute. Stores nothing for a removed connection.
   */
  save(workspace: Workspace, answer: ServiceOutcome): Promise<void>;
}

interface CredentialRejection extends CredentialName {
  readonly workspace: SlackId;
  readonly mark: string;
}

/** The connection over which billing was asked. `failures` were stored before this query. */
interface UsedAccess {
  readonly workspace: SlackId;
  readonly connection: string;
  readonly token: string;
  readonly failures?: ReadonlyMap<string, { readonly kind: string; readonly topic: string }>;
}

interface Asked {
  readonly topic: LastFailure['topic'];
  readonly project: string;
  readonly product: ProductId;
}

const MARK_LENGTH = 4;

interface OutcomeServices {
  readonly workspaces: Pick<Workspaces, 'load' | 'writeUnaudited'>;
  readonly changed: (workspace: SlackId) => Promise<void>;
  readonly clock: () => Millis;
  readonly onFailure: (error: unknown, workspace: SlackId) => void;
}

export function createServiceOutcomes(services: OutcomeServices): ServiceOutcomes {
  const { workspaces, changed, clock, onFailure } = services;
  /** @returns false if nothing was written, for example because the record has changed meanwhile */
  const write = async (
    teamId: SlackId,
    plan: () => OutcomeWrite | Promise<OutcomeWrite | undefined>,
  ): Promise<boolean> => {
    try {
      const planned = await plan();
      return planned !== undefined && (await workspaces.writeUnaudited(teamId, planned));
    } catch (error) {
      onFailure(error, teamId);
      return false;
    }
  };
  const rejected: ServiceOutcomes['rejected'] = async ({ workspace, mark, ...credential }) => {
    const plan = async () => planRejection(credential, mark, clock(), await workspaces.load(workspace));
    if (await write(workspace, plan)) await changed(workspace);
  };

  return {
    rejected,
    async billing({ workspace, connection: name, token, failures }, asked, error) {
      const key = projectKey({ id: asked.project, product: asked.product });
      const known = failures?.get(key);
      const isOther = known !== undefined && known.topic !== asked.topic;
      if (error === undefined) {
        if (known !== undefined && !isOther) await write(workspace, () => ({ remove: [failureField(key)] }));
        return;
      }
      if (isFailure(error, 'token-rejected'))
        await rejected({ workspace, kind: 'connection', name, mark: fingerprintOf(token) });
      if (failures === undefined || isOther || !isFailure(error) || error.kind === known?.kind) return;
      // No data for a period isn't a failure of the project.
      if (error.kind === 'no-data' && asked.topic === 'consumption') return;
      if (kindOf(error.kind)?.fixedBy === undefined) return;
      const failure = { ...toStoredFailure(error), topic: asked.topic, since: clock() };
      await write(workspace, async () => planFailure(asked, failure, await workspaces.load(workspace)));
    },
    async notIssued({ id }, { workspace, connection: name }, error) {
      const isRefused = isFailure(error, 'access-refused') && error.data.status === 401;
      if (isRefused || isFailure(error, 'access-not-found'))
        await rejected({ workspace, kind: 'access', name, mark: id.slice(-MARK_LENGTH) });
    },
    async save(workspace, answer) {
      const { connection: name } = answer;
      const field = FIELDS.connection + name;
      if (workspace.fields[field] === undefined || !isDue(workspace, answer)) return;
      const seen = fieldValues(workspace.fields, field);
      const set = outcomeFields(keepEstimates(answer, workspace));
      const isWritten = await write(workspace.teamId, () => ({ seen, set }));
      if (isWritten && workspace.rejectedAt({ kind: 'connection', name }) !== undefined)
        await changed(workspace.teamId);
    },
  };
}

type OutcomeWrite = Parameters<Workspaces['writeUnaudited']>[1];

function planRejection(
  credential: CredentialName,
  mark: string,
  at: Millis,
  record: Workspace,
): OutcomeWrite | undefined {
  if (record.rejectedAt(credential) !== undefined || !isRegistered(record, credential, mark))
    return undefined;
  return {
    seen: fieldValues(record.fields, credentialField(credential)),
    set: { [rejectionField(credential)]: JSON.stringify({ mark, at }) },
  };
}

/** Only a registered project's failure is stored. `since` stays the time of the first failure. */
function planFailure(
  { project: id, product }: Asked,
  failure: LastFailure,
  record: Workspace,
): OutcomeWrite | undefined {
  if (!record.projects.some((project) => isSameProject(project, { id, product }))) return undefined;
  const key = projectKey({ id, product });
  const { since = failure.since } = record.failures.get(key) ?? {};
  return { set: { [failureField(key)]: JSON.stringify({ ...failure, since }) } };
}

/** A balance and its estimates. If the runway couldn't be computed, `runway` is a sentence that says why. */
interface Balances extends Account {
  readonly runway?: Runway | string | undefined;
  readonly forecast?: Forecast | undefined;
  readonly today?: Day | undefined;
}

/**
 * Undefined if unreadable, and for a project without an alias: people can type any ID, and storing a balance for each
 * would fill the record.
 */
export function storedBalance(
  { alias, project: id, product }: Pick<ResolvedProject, 'alias' | 'project' | 'product'>,
  { balance, bonuses, runway, forecast, today }: Balances,
): ServiceOutcome['balance'] {
  if (alias === undefined || !('raw' in balance)) return undefined;
  return {
    id,
    product,
    balance: balance.raw,
    ...('raw' in bonuses && { bonuses: bonuses.raw }),
    ...(typeof runway === 'object' && {
      days: runway.kind === 'estimate' ? runway.days : undefined,
      isIdle: runway.kind === 'no-spend' || undefined,
    }),
    ...(forecast &&
      today && { forecast: { total: toPlainDigits(forecast.total), month: today.slice(0, 7) } }),
  };
}

export interface OutcomeCollector {
  add(connection: string, balance?: ServiceOutcome['balance']): void;
  /** The newest answer for each connection and project. */
  all(): readonly ServiceOutcome[];
}

export function createOutcomeCollector(clock: () => Millis): OutcomeCollector {
  const answers = new Map<string, ServiceOutcome>();
  return {
    add(connection, balance) {
      const key = JSON.stringify([connection, balance?.id, balance?.product]);
      answers.set(key, { connection, at: clock(), ...(balance && { balance }) });
    },
    all: () => [...answers.values()],
  };
}

/** If only the balance was fetched, keeps the stored estimates, and the time at which they were made. */
function keepEstimates(answer: ServiceOutcome, workspace: Workspace): ServiceOutcome {
  const { balance } = answer;
  const last = balance && workspace.lastBalance(balance.id, balance.product);
  if (balance === undefined || last === undefined || 'days' in balance) return answer;
  const { balance: _, bonuses: __, ...estimates } = last;
  if ((last.days ?? last.isIdle ?? last.forecast) === undefined) return answer;
  return { ...answer, balance: { ...estimates, ...balance } };
}

function isDue(workspace: Workspace, { connection, balance, at }: ServiceOutcome): boolean {
  const isOlder = (before: number | undefined, span: number) => before === undefined || at - before >= span;
  const last = workspace.lastUsed(connection);
  if (isOlder(last, HOUR)) return true;
  if (workspace.rejectedAt({ kind: 'connection', name: connection }) !== undefined) return true;
  if (balance === undefined) return false;
  const { at: before, forecast } = workspace.lastBalance(balance.id, balance.product) ?? {};
  return isOlder(before, MINUTE) || (balance.forecast !== undefined && forecast === undefined);
}
