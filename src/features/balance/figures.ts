import { type BillingClient, settleOptional } from '../../billing/client.ts';
import { collectRemarks } from '../../domain/billing-remarks.ts';
import { lastSevenDays } from '../../domain/language/read-command.ts';
import { type Account, computeRunway, parseAccount, type Runway } from '../../domain/money/runway.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { periodOf } from '../../domain/time/period.ts';
import type { ConnectedAnswer } from '../../slack/reply/csv-and-details.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';

/** What one project has left. */
export interface BalanceFigures extends ConnectedAnswer, Account {
  /** A sentence, if the week for the runway could not be fetched. */
  readonly runway: Runway | string;
}

/**
 * Asks for the balance and the week for the runway in parallel; answers with the balance even without the week.
 * @throws Failure
 */
export async function fetchBalance(
  billing: BillingClient,
  workspace: Workspace,
  target: ResolvedProject,
  at: Millis,
): Promise<BalanceFigures> {
  const { zone } = requireSettings(workspace);
  const access = openConnection(workspace, target);
  const { from, to, requested, days } = periodOf(lastSevenDays({ today: dayAt(at, zone), zone }), at, zone);
  const [left, spent] = await Promise.all([
    billing.balance(access, target),
    settleOptional(billing.consumption(access, target, { from, to, zone, running: false, days: requested })),
  ]);
  const account = parseAccount(left);
  return {
    target,
    connection: access.connection,
    ...account,
    runway:
      'why' in spent
        ? spent.why
        : computeRunway(account, computeUsage(spent.charges, { days }), dayAt(at, zone)),
    remarks: collectRemarks(['the balance', left], ['the last 7 days', spent]),
  };
}
