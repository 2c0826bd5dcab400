import type { BillingClient } from '../../billing/client.ts';
import { settleOptional } from '../../billing/optional-result.ts';
import { LAST_7_DAYS } from '../../domain/language/period-phrase.ts';
import { parseAmount } from '../../domain/money/amount.ts';
import { computeRunway } from '../../domain/money/runway.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { collectNotices } from '../../domain/service-notice.ts';
import { dayAt } from '../../domain/time/calendar.ts';
import { resolvePeriod } from '../../domain/time/period.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import type { AnswerNote } from '../../workspace/last-balance.ts';
import { type LastUsed, storedBalance } from '../../workspace/last-used.ts';
import { openConnection, resolveProject } from '../../workspace/resolve-project.ts';
import { requireSettings } from '../../workspace/workspace.ts';
import type { Feature } from '../feature.ts';
import { type BalanceReport, balanceMessage } from './blocks.ts';
import { parseBalanceRequest } from './words.ts';

const HELP: HelpLine = {
  usage: '/balance [project] [product]',
  what: 'What a project has left, its bonuses, and about how long that lasts.',
  examples: ['/balance 123', '/balance 123 storage'],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.products} /spend takes periods.`;

export interface BalanceParts {
  readonly billing: BillingClient;
  readonly used: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** `/balance`: what is left and how long it lasts. The two questions go side by side; the balance stands without the week. */
export function createBalance({ billing, used, clock }: BalanceParts): Feature {
  async function report(text: string, request: Request): Promise<Answered | 'help'> {
    const { user, at, workspace } = request;
    const input = parseBalanceRequest(text, workspace.aliases);
    if (input === 'help') return input;
    const { zone } = requireSettings(workspace);
    const target = resolveProject(input, workspace, askLocation(request));
    const access = openConnection(workspace, target);
    const week = resolvePeriod(LAST_7_DAYS, at, zone);
    const [left, spent] = await Promise.all([
      billing.balance(access, target),
      settleOptional(
        billing.consumption(access, target, {
          from: week.from,
          to: week.to,
          running: false,
          label: week.dates,
        }),
      ),
    ]);
    const amounts = { balance: parseAmount(left.balance), bonuses: parseAmount(left.bonuses) };
    const today = dayAt(at, zone);
    return {
      target,
      connection: access.connection,
      mayName: user.canManage && target.alias === undefined,
      ...amounts,
      runway:
        'why' in spent
          ? spent.why
          : computeRunway(amounts, computeUsage(spent.items, { days: week.days, zone }), today),
      remarks: collectNotices(['the balance', left], ['the last 7 days', spent]),
      asked: at,
      fetched: clock(),
      locale: request.locale,
      byline: request.sharedBy,
    };
  }

  return {
    help: [HELP],
    commands: {
      '/balance': {
        right: 'ask',
        open: true,
        async run(text, request) {
          const answer = await report(text, request);
          if (answer === 'help')
            return request.reply.private(helpMessage('What have we got?', [HELP], SMALL));
          await request.reply.update(balanceMessage(answer));
          await used.note({ teamId: request.user.teamId, workspace: request.workspace }, notesOf(answer));
        },
      },
    },
  };
}

/** With the name of the connection that it came by. */
type Answered = BalanceReport & { readonly connection: string };

function notesOf({ connection, target, fetched: at, ...amounts }: Answered): AnswerNote {
  const balance = storedBalance(target, amounts);
  return { connection, at, ...(balance && { balance }) };
}
