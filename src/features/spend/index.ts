import type { BillingClient, Consumption } from '../../billing/client.ts';
import { isFailure } from '../../domain/failure.ts';
import type { Comparison, Period } from '../../domain/period.ts';
import { compare, readUsage, type Usage } from '../../domain/usage.ts';
import { type HelpLine, helpMessage } from '../../slack/kit/help.ts';
import type { Visit } from '../../slack/visit.ts';
import { accessOf, targetOf } from '../../workspace/target.ts';
import type { Feature } from '../feature.ts';
import { type SpendReport, spendMessage } from './blocks.ts';
import { periodOf, readSpendWords } from './words.ts';

const HELP: HelpLine = {
  usage: '/spend [project] [period] [product]',
  what: 'What a project spent in a period: total, average a day against the period before, each day, missing days.',
  examples: ['/spend 123 last-7-days', '/spend 123 mtd', '/spend 123 2026-10-01..2026-10-15 storage'],
};

export interface SpendParts {
  readonly billing: BillingClient;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** `/spend`: what a project cost in a period, and how that compares. */
export function createSpend({ billing, clock }: SpendParts): Feature {
  async function report(text: string, visit: Visit): Promise<SpendReport | 'help'> {
    const { asker, at, record, channel } = visit;
    const request = readSpendWords(text, record.aliases);
    if (request === 'help') return request;
    const { zone } = record.settings;
    const target = targetOf(request, record, { channel, manager: asker.manage });
    const period = periodOf(request.phrase, target, at, zone);
    const access = accessOf(record, target.connection);
    const span = { from: period.from, to: period.to, running: period.today !== undefined };
    const [now, before] = await Promise.all([
      billing.consumption(access, target, span),
      settled(
        period.comparison && billing.consumption(access, target, { ...period.comparison, running: false }),
      ),
    ]);
    const usage = readUsage(now.items, { ...period, zone });
    return {
      target,
      period,
      usage,
      change: changeOf(usage, before, period, zone),
      remarks: now.remarks,
      asked: at,
      fetched: clock(),
      locale: visit.audience === 'channel' ? 'en-US' : asker.locale,
      sharedBy: visit.audience === 'channel' ? asker.person : undefined,
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
          await visit.answer(
            answer === 'help' ? helpMessage('What did we spend?', [HELP]) : spendMessage(answer),
          );
        },
      },
    },
  };
}

/** The window before is worth having and not worth failing for: what went wrong with it is a sentence. */
async function settled(work: Promise<Consumption> | undefined): Promise<Before> {
  return work?.catch((error: unknown) => {
    if (isFailure(error)) return error.message;
    throw error;
  });
}

type Before = Consumption | string | undefined;

function changeOf(usage: Usage, before: Before, { comparison }: Period, zone: string): SpendReport['change'] {
  if (comparison === undefined || before === undefined) return undefined;
  if (typeof before === 'string') return before;
  return compare(usage, readUsage(before.items, { days: comparison.days, zone }), daysOf(comparison));
}

const daysOf = ({ currentDays, days }: Comparison) => ({ current: currentDays, before: days });
