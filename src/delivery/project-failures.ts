import type { BillingAccess, BillingClient } from '../billing/client.ts';
import { isFailure } from '../domain/failure/index.ts';
import type { ProductId } from '../domain/product.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { type BillingTopic, failureKey, isLastFailureKind } from '../workspace/projects/last-failure.ts';
import type { Workspaces } from '../workspace/record/workspaces.ts';

interface ReportingParts {
  readonly workspaces: Pick<Workspaces, 'noteFailure' | 'clearFailure'>;
  readonly clock: () => Millis;
  /** A note could not be stored; the answer doesn't depend on it. */
  readonly onFailure: (error: unknown) => void;
}

interface Question {
  readonly topic: BillingTopic;
  readonly project: string;
  readonly product: ProductId;
}

/**
 * The same client, which notes in the record that a registered project fails, and that it answers again. What the record
 * said when it was read comes with the access, so a project that goes on failing or answering costs nothing.
 */
export function reportProjectFailures(
  billing: BillingClient,
  { workspaces, clock, onFailure }: ReportingParts,
): BillingClient {
  const noting = async <T>(
    { workspace, failures }: BillingAccess,
    { topic, project, product }: Question,
    answer: Promise<T>,
  ): Promise<T> => {
    const key = failureKey(topic, project, product);
    try {
      const answered = await answer;
      if (failures?.has(key)) await workspaces.clearFailure(workspace, key).catch(onFailure);
      return answered;
    } catch (error) {
      const kind = isFailure(error) ? error.kind : '';
      // That a period has no data says nothing of the project.
      const isAboutProject = isLastFailureKind(kind) && !(kind === 'no-data' && topic === 'consumption');
      if (failures !== undefined && isAboutProject && failures.get(key)?.kind !== kind) {
        const status = isFailure(error) && error.kind === 'service-failed' ? { status: error.status } : {};
        const target = { topic, id: project, product };
        await workspaces.noteFailure(workspace, target, { kind, ...status, since: clock() }).catch(onFailure);
      }
      throw error;
    }
  };
  return {
    balance: (access, subscription, ...rest) =>
      noting(access, { topic: 'balance', ...subscription }, billing.balance(access, subscription, ...rest)),
    consumption: (access, subscription, ...rest) =>
      noting(
        access,
        { topic: 'consumption', ...subscription },
        billing.consumption(access, subscription, ...rest),
      ),
  };
}
