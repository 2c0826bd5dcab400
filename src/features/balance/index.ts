import { aside } from '../../billing/aside.ts';
import type { BillingClient } from '../../billing/client.ts';
import { dayAt } from '../../domain/calendar.ts';
import { readAmount } from '../../domain/money.ts';
import { resolvePeriod } from '../../domain/period.ts';
import { LAST_7_DAYS } from '../../domain/phrase.ts';
import { remarksOf } from '../../domain/remark.ts';
import { runway } from '../../domain/runway.ts';
import { readUsage } from '../../domain/usage.ts';
import { type HelpLine, helpMessage, WORDS } from '../../slack/kit/help.ts';
import { placeOf, type Visit } from '../../slack/visit.ts';
import { accessOf, targetOf } from '../../workspace/target.ts';
import { keptBalance, type Notes, type Used } from '../../workspace/used.ts';
import type { Feature } from '../feature.ts';
import { type BalanceReport, balanceMessage } from './blocks.ts';
import { readBalanceWords } from './words.ts';

const HELP: HelpLine = {
  usage: '/balance [project] [product]',
  what: 'What a project has left, its bonuses, and about how long that lasts.',
  examples: ['/balance 123', '/balance 123 storage'],
};

const SMALL = `${WORDS.order} ${WORDS.products} /spend takes periods.`;

export interface BalanceParts {
  readonly billing: BillingClient;
  readonly used: Used;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** `/balance`: what is left and how long it lasts. The two questions go side by side; the balance stands without the week. */
export function createBalance({ billing, used, clock }: BalanceParts): Feature {
  async function report(text: string, visit: Visit): Promise<Answered | 'help'> {
    const { asker, at, record } = visit;
    const request = readBalanceWords(text, record.aliases);
    if (request === 'help') return request;
    const { zone } = record.settings;
    const target = targetOf(request, record, placeOf(visit));
    const access = accessOf(record, target);
    const week = resolvePeriod(LAST_7_DAYS, at, zone);
    const [left, spent] = await Promise.all([
      billing.balance(access, target),
      aside(
        billing.consumption(access, target, {
          from: week.from,
          to: week.to,
          running: false,
          label: week.dates,
        }),
      ),
    ]);
    const amounts = { balance: readAmount(left.balance), bonuses: readAmount(left.bonuses) };
    const today = dayAt(at, zone);
    return {
      target,
      connection: access.connection,
      mayName: asker.manage && target.alias === undefined,
      ...amounts,
      runway:
        'why' in spent
          ? spent.why
          : runway(amounts, readUsage(spent.items, { days: week.days, zone }), today),
      remarks: remarksOf(['the balance', left], ['the last 7 days', spent]),
      asked: at,
      fetched: clock(),
      locale: visit.locale,
      byline: visit.byline,
    };
  }

  return {
    help: [HELP],
    commands: {
      '/balance': {
        right: 'ask',
        open: true,
        async run(text, visit) {
          const answer = await report(text, visit);
          if (answer === 'help') return visit.whisper(helpMessage('What have we got?', [HELP], SMALL));
          await visit.answer(balanceMessage(answer));
          await used.note({ workspace: visit.asker.workspace, record: visit.record }, notesOf(answer));
        },
      },
    },
  };
}

/** With the name of the connection that it came by. */
type Answered = BalanceReport & { readonly connection: string };

function notesOf({ connection, target, fetched: at, ...amounts }: Answered): Notes {
  const balance = keptBalance(target, amounts);
  return { connection, at, ...(balance && { balance }) };
}
