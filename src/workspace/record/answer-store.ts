import { toPlainDigits } from '../../domain/money/amount.ts';
import type { Forecast } from '../../domain/money/forecast.ts';
import type { Account, Runway } from '../../domain/money/runway.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, dayAt, daysBetween, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { ResolvedProject } from '../projects/resolve-project.ts';
import type { StoredAnswer } from './last-answer.ts';
import type { Workspace } from './workspace.ts';

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
    ...{ id, product, balance: balance.raw },
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

/** @param store `saveAnswer` throws StoreUnavailable, which goes to `onFailure` */
export const createAnswerStore = (
  store: { saveAnswer(teamId: SlackId, answer: StoredAnswer): Promise<void> },
  onFailure: (error: unknown) => void,
) => ({
  /**
   * Stores it after the answer was sent: for a connection at most once an hour and once after its token was
   * rejected, for a balance once a minute. The request's record says whether it is due, so a repeated question
   * writes nothing, whichever process answers it. Never throws: the answer is out already.
   */
  async save(
    { teamId, workspace }: { readonly teamId: SlackId; readonly workspace: Workspace },
    answer: StoredAnswer,
  ): Promise<void> {
    if (isDue(workspace, answer))
      await store.saveAnswer(teamId, keepEstimates(answer, workspace)).catch(onFailure);
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
  if (isOlder(last, HOUR) || endsPause(workspace, last ?? 0)) return true;
  if (workspace.rejectedAt({ kind: 'connection', name: connection }) !== undefined) return true;
  return balance !== undefined && isOlder(workspace.lastBalance(balance.id, balance.product)?.at, MINUTE);
}

/** A schedule is paused because the service rejected a token since: it resumes once a token is accepted again. */
const endsPause = ({ schedules }: Workspace, last: number): boolean =>
  schedules.some(({ paused }) => paused?.why === 'token-rejected' && paused.at >= last);
