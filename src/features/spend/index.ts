import { settleOptional } from '../../billing/aside.ts';
import type { BillingClient, TimeRange } from '../../billing/client.ts';
import { type Forecast, forecastFrom, forecastMonth } from '../../domain/money/forecast.ts';
import { computeUsage, type Usage } from '../../domain/money/usage.ts';
import { collectNotices } from '../../domain/service-notice.ts';
import { addDays, daysInRange, endOfDay, formatDays, startOfDay } from '../../domain/time/calendar.ts';
import { startOfUnit } from '../../domain/time/calendar-unit.ts';
import { compareUsage } from '../../domain/time/comparison-window.ts';
import type { Period } from '../../domain/time/period.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import type { LastUsed } from '../../workspace/last-used.ts';
import { openConnection, resolveProject } from '../../workspace/resolve-project.ts';
import type { Feature } from '../feature.ts';
import { type SpendReport, spendMessage } from './blocks.ts';
import { parseSpendText, resolveSpendPeriod } from './words.ts';

const HELP: HelpLine = {
  usage: '/spend [project] [period] [product]',
  what: 'What a project spent in a period: total, average a day against the period before, each day, missing days.',
  examples: ['/spend 123 last-7-days', '/spend 123 mtd', '/spend 123 2026-10-01..2026-10-15 storage'],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.periods} ${PERIOD_EXAMPLES.products}`;

export interface SpendParts {
  readonly billing: BillingClient;
  readonly used: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** `/spend`: what a project cost in a period, and how that compares. */
export function createSpend({ billing, used, clock }: SpendParts): Feature {
  async function report(text: string, request: Request): Promise<Answered | 'help'> {
    const { user, at, workspace } = request;
    const input = parseSpendText(text, workspace.aliases);
    if (input === 'help') return input;
    const { zone } = workspace.settings;
    const target = resolveProject(input, workspace, askLocation(request));
    const period = resolveSpendPeriod(input.phrase, target, { at, asked: request.sharedFrom }, zone);
    const access = openConnection(workspace, target);
    const { from, to, dates: label } = period;
    const span = { from, to, label, running: period.today !== undefined };
    const earlier = historyOf(period);
    const [now, before] = await Promise.all([
      billing.consumption(access, target, span),
      earlier && settleOptional(billing.consumption(access, target, { ...earlier, running: false })),
    ]);
    const usage = computeUsage(now.items, { ...period, zone });
    return {
      target,
      connection: access.connection,
      mayName: user.canManage && target.alias === undefined,
      period,
      usage,
      change: changeOf(usage, before, period, zone),
      forecast: forecastOf(before, period),
      remarks: collectNotices(
        [`the figures for ${label}`, now],
        ...(before && earlier ? [[`the figures for ${earlier.label}`, before] as const] : []),
      ),
      asked: at,
      fetched: clock(),
      locale: request.locale,
      byline: request.sharedBy,
    };
  }

  return {
    help: [HELP],
    commands: {
      '/spend': {
        right: 'ask',
        open: true,
        async run(text, request) {
          const answer = await report(text, request);
          if (answer === 'help')
            return request.reply.private(helpMessage('What did we spend?', [HELP], SMALL));
          await request.reply.update(spendMessage(answer));
          const { connection, fetched: at } = answer;
          await used.note({ teamId: request.user.teamId, workspace: request.workspace }, { connection, at });
        },
      },
    },
  };
}

/** With the name of the connection that it came by. */
type Answered = SpendReport & { readonly connection: string };

type Before = Awaited<ReturnType<typeof settleOptional>> | undefined;

/** The month that runs, asked about as such: what it will cost can be estimated. */
const isRunningMonth = ({ days, today, phrase }: Period): boolean =>
  today !== undefined && phrase !== 'today' && days[0] === startOfUnit('month', today);

/** What is asked besides: the window before, and for a forecast the months before, in one question. */
function historyOf(period: Period): Omit<TimeRange, 'running'> | undefined {
  const { today, zone, comparison } = period;
  if (today === undefined || !isRunningMonth(period)) return comparison;
  const [first, last] = [forecastFrom(today), addDays(today, -1)];
  return {
    from: startOfDay(first, zone),
    to: endOfDay(last, zone),
    label: formatDays(first, last, today.slice(0, 4)),
  };
}

function forecastOf(before: Before, period: Period): Forecast | undefined {
  const { today, zone } = period;
  if (today === undefined || !isRunningMonth(period) || before === undefined || 'why' in before)
    return undefined;
  const days = daysInRange(forecastFrom(today), addDays(today, -1), zone);
  return forecastMonth(computeUsage(before.items, { days, zone }), today, zone);
}

/** The window before is worth having and not worth failing for: why there is nothing to compare is a sentence. */
function changeOf(usage: Usage, before: Before, { comparison }: Period, zone: string): SpendReport['change'] {
  if (comparison === undefined || before === undefined) return undefined;
  if ('why' in before) return before.why;
  const { currentDays: current, days } = comparison;
  return compareUsage(usage, computeUsage(before.items, { days, zone }), { current, before: days });
}
