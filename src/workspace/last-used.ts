import { z } from 'zod';
import type { Amount } from '../domain/money/amount.ts';
import { PRODUCT_IDS, type ProductId } from '../domain/product.ts';
import { parseRecord, readable } from './parse-record.ts';
import type { ResolvedProject } from './resolve-project.ts';
import type { RecordFields } from './workspace-store.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const schema = z.object({
  /** Digits as the service sent them. */
  balance: z.string(),
  bonuses: z.string().exactOptional(),
  /** ms since the epoch */
  at: z.int(),
});

/** What a project had, and when that was asked. */
export type LastBalance = Readonly<z.infer<typeof schema>>;

/** What is kept of an answer: which connection it came by, and what a registered project had. */
export interface AnswerNote {
  readonly connection: string;
  /** ms since the epoch */
  readonly at: number;
  readonly balance?: Omit<LastBalance, 'at'> & { readonly id: string; readonly product: ProductId };
}

/**
 * The part of an answer that is kept. Undefined where it cannot be read, and of a project without a name: anybody's IDs
 * would fill the record.
 */
export function storedBalance(
  { alias, project: id, product }: Pick<ResolvedProject, 'alias' | 'project' | 'product'>,
  { balance, bonuses }: { readonly balance: Amount; readonly bonuses: Amount },
): AnswerNote['balance'] {
  if (alias === undefined || !('raw' in balance)) return undefined;
  return { id, product, balance: balance.raw, ...('raw' in bonuses && { bonuses: bonuses.raw }) };
}

/** What several answers taught, each connection and each project once. */
export interface AnswerNotes {
  add(connection: string, balance?: AnswerNote['balance']): void;
  all(): readonly AnswerNote[];
}

/** @param clock ms since the epoch */
export function collectAnswerNotes(clock: () => number): AnswerNotes {
  const notes = new Map<string, AnswerNote>();
  return {
    add(connection, balance) {
      const key = JSON.stringify([connection, balance?.id, balance?.product]);
      notes.set(key, { connection, at: clock(), ...(balance && { balance }) });
    },
    all: () => [...notes.values()],
  };
}

/** `workspace` with its record as it was read for the request. */
interface Asked {
  readonly teamId: string;
  readonly workspace: Workspace;
}

export interface LastUsed {
  /**
   * Writes down what an answer taught, after the answer is out: for a connection at most once an hour and once after a token was rejected, for a balance
   * once a minute. The request's own record tells whether that is due, so a question asked again writes nothing,
   * whichever process answers it. Never throws: nobody's answer is worse for it.
   */
  note(asked: Asked, notes: AnswerNote): Promise<void>;
}

export function createLastUsed(
  { note }: Pick<Workspaces, 'note'>,
  onFailure: (error: unknown) => void,
): LastUsed {
  return {
    async note({ teamId, workspace }, notes) {
      if (isDue(workspace, notes)) await note(teamId, notes).catch(onFailure);
    },
  };
}

function isDue(record: Workspace, { connection, balance, at }: AnswerNote): boolean {
  const isOlder = (before: number | undefined, span: number) => before === undefined || at - before >= span;
  const last = record.lastUsed(connection);
  if (isOlder(last, HOUR) || isAwaited(record, last ?? 0)) return true;
  return balance !== undefined && isOlder(record.lastBalance(balance.id, balance.product)?.at, MINUTE);
}

/** Schedules are paused since the service rejected a token: they resume once one is accepted. */
const isAwaited = (record: Workspace, last: number): boolean =>
  record.scheduleIds.some((id) => {
    const paused = readable(() => record.schedule(id))?.paused;
    return paused?.why === 'token-rejected' && paused.at >= last;
  });

export const lastUsedField = (connection: string): string => `used:${connection}`;
const balanceField = (id: string, product: ProductId): string => `balance:${id}:${product}`;
export const balanceFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => balanceField(id, product));

export function answerNoteFields({ connection, at, balance }: AnswerNote): RecordFields {
  const used = { [lastUsedField(connection)]: String(at) };
  if (balance === undefined) return used;
  const { id, product, ...amounts } = balance;
  return { ...used, [balanceField(id, product)]: JSON.stringify({ ...amounts, at }) };
}

/** A note that cannot be read is none: nothing rests on it. */
export function parseLastUsed(fields: RecordFields, connection: string): number | undefined {
  const at = Number(fields[lastUsedField(connection)]);
  return Number.isSafeInteger(at) ? at : undefined;
}

export function parseLastBalance(
  fields: RecordFields,
  id: string,
  product: ProductId,
): LastBalance | undefined {
  const json = fields[balanceField(id, product)];
  try {
    return json === undefined ? undefined : parseRecord(schema, json);
  } catch {
    return undefined;
  }
}
