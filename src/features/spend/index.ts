import { aside, type Missed, remarksOf } from '../../billing/aside.ts';
import type { BillingClient, Consumption } from '../../billing/client.ts';
import type { Comparison, Period } from '../../domain/period.ts';
import { compare, readUsage, type Usage } from '../../domain/usage.ts';
import { type HelpLine, helpMessage, WORDS } from '../../slack/kit/help.ts';
import { placeOf, type Visit } from '../../slack/visit.ts';
import { accessOf, targetOf } from '../../workspace/target.ts';
import type { Used } from '../../workspace/used.ts';
import type { Feature } from '../feature.ts';
import { type SpendReport, spendMessage } from './blocks.ts';
import { periodOf, readSpendWords } from './words.ts';

const HELP: HelpLine = {
  usage: '/spend [project] [period] [product]',
  what: 'What a project spent in a period: total, average a day against the period before, each day, missing days.',
  examples: ['/spend 123 last-7-days', '/spend 123 mtd', '/spend 123 2026-10-01..2026-10-15 storage'],
};

const SMALL = `${WORDS.order} ${WORDS.periods} ${WORDS.products}`;

export interface SpendParts {
  readonly billing: BillingClient;
  readonly used: Used;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** `/spend`: what a project cost in a period, and how that compares. */
export function createSpend({ billing, used, clock }: SpendParts): Feature {
  async function report(text: string, visit: Visit): Promise<Answered | 'help'> {
    const { asker, at, record } = visit;
    const request = readSpendWords(text, record.aliases);
    if (request === 'help') return request;
    const { zone } = record.settings;
    const target = targetOf(request, record, placeOf(visit));
    const period = periodOf(request.phrase, target, at, zone);
    const access = accessOf(record, target);
    const span = { from: period.from, to: period.to, running: period.today !== undefined };
    const [now, before] = await Promise.all([
      billing.consumption(access, target, span),
      period.comparison &&
        aside(billing.consumption(access, target, { ...period.comparison, running: false })),
    ]);
    const usage = readUsage(now.items, { ...period, zone });
    return {
      target,
      connection: access.connection,
      mayName: asker.manage && target.alias === undefined,
      period,
      usage,
      change: changeOf(usage, before, period, zone),
      remarks: before === undefined ? now.remarks : remarksOf(now, before),
      asked: at,
      fetched: clock(),
      locale: visit.locale,
      byline: visit.byline,
    };
  }

  return {
    help: [HELP],
    commands: {
      '/spend': {
        right: 'ask',
        open: true,
        async run(text, visit) {
          const answer = await report(text, visit);
          if (answer === 'help') return visit.whisper(helpMessage('What did we spend?', [HELP], SMALL));
          await visit.answer(spendMessage(answer));
          const { connection, fetched: at } = answer;
          await used.note({ workspace: visit.asker.workspace, record: visit.record }, { connection, at });
        },
      },
    },
  };
}

/** With the name of the connection that it came by. */
type Answered = SpendReport & { readonly connection: string };

type Before = Consumption | Missed | undefined;

/** The window before is worth having and not worth failing for: why there is nothing to compare is a sentence. */
function changeOf(usage: Usage, before: Before, { comparison }: Period, zone: string): SpendReport['change'] {
  if (comparison === undefined || before === undefined) return undefined;
  if ('why' in before) return before.why;
  const then = readUsage(before.items, { days: comparison.days, zone });
  const side = then.reported.length === 0 ? 'its days' : 'the days asked about';
  return compare(usage, then, daysOf(comparison)) ?? `none of ${side} has a readable amount.`;
}

const daysOf = ({ currentDays, days }: Comparison) => ({ current: currentDays, before: days });
