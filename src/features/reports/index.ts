import type { Button } from '@slack/types';
import { emptyIfNoData } from '../../billing/client.ts';
import type { PostableReport, ReportQuestion, ReportResult } from '../../delivery/posts/postable-report.ts';
import { aboutDays, isFailure } from '../../domain/failure/index.ts';
import { parseAmount, toPlainDigits } from '../../domain/money/amount.ts';
import {
  computeReportFigures,
  type ReportPeriods,
  type ReportScope,
  reportPeriodsOf,
} from '../../domain/money/report-figures.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { collectNotices } from '../../domain/service-notice.ts';
import { type Day, formatAskedDays, type Millis } from '../../domain/time/calendar.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import type { ProjectAnswers } from '../../slack/commands/project-answers.ts';
import { referenceTo } from '../../workspace/projects/chosen-project.ts';
import {
  openConnection,
  resolveProject,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { storedBalance } from '../../workspace/record/last-used.ts';
import { storeFailure } from '../../workspace/record/stored-failure.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import { renderReport } from './blocks.ts';
import { amountOf, type Headline, type ProjectFigures } from './figures.ts';

/** What schedules post: the figures of /spend and /balance, for a channel. */
export function createReportsFeature({ clock }: { readonly clock: () => Millis }): Feature {
  const briefFor = rememberedBriefs();
  const reportOf = (scope: ReportScope, headline: Headline = 'spent'): PostableReport => ({
    covers: ({ at, days }, zone) =>
      headline === 'left' ? [] : briefFor(scope, at, zone, days).main.window.days,
    async run(question) {
      const { at, days, zone } = question;
      const brief = briefFor(scope, at, zone, days);
      const all = await Promise.all(
        question.projects.map((project) => answer(question, project, brief, headline)),
      );
      const answered = all.filter((one) => 'briefing' in one);
      const failed = all.filter((one) => 'failure' in one);
      const [first] = failed;
      if (answered.length === 0 && first !== undefined) throw first.failure;
      const message = renderReport({ headline, brief, answered, failed, fetched: clock() });
      const awaits = headline === 'left' ? undefined : awaitedDay(answered, brief);
      const buttons = detailsButton(answered, brief, headline);
      return {
        ...{ message, buttons, ...figuresOf({ answered, failed }, brief, headline) },
        ...(awaits && { awaits }),
      };
    },
  });

  return {
    help: [],
    reports: {
      yesterday: reportOf('yesterday'),
      'last-week': reportOf('last-week'),
      'month-to-date': reportOf('month-to-date'),
      balance: reportOf('yesterday', 'left'),
    },
  };
}

/** Opens the exact figures, with the rights of the person who clicks. */
function detailsButton(
  answered: readonly ProjectFigures[],
  { main }: ReportPeriods,
  headline: Headline,
): Button[] {
  const { days } = main.window;
  const products = new Set(answered.map(({ target }) => target.product));
  const [product] = products;
  const words = [
    answered.map(({ target }) => target.word).join(','),
    ...(headline === 'left' ? [] : [`${days[0]}..${days.at(-1)}`]),
    // Each registered project remembers its own.
    ...(products.size === 1 && product !== undefined ? [PRODUCTS[product].word] : []),
    'details',
  ];
  const command = headline === 'left' ? '/balance' : '/spend';
  return commandButton('details', 'Details', { command, text: words.join(' ') });
}

/** The newest day of a post, if a project that reports days at all has not reported that one. */
function awaitedDay(answered: readonly ProjectFigures[], { main }: ReportPeriods): Day | undefined {
  const newest = main.window.days.at(-1);
  if (newest === undefined) return undefined;
  const isAwaited = answered.some(
    ({ briefing }) => briefing.main.missing.includes(newest) && briefing.charted.reported.length > 0,
  );
  return isAwaited ? newest : undefined;
}

/** Thousands of posts are due at one instant, and their calendars are the same few. */
function rememberedBriefs(): typeof reportPeriodsOf {
  const briefs = new Map<string, ReportPeriods>();
  return (scope, at, zone, days) => {
    const key = `${scope} ${at} ${zone} ${days}`;
    const brief = briefs.get(key) ?? reportPeriodsOf(scope, at, zone, days);
    if (briefs.size >= MOST_BRIEFS) briefs.clear();
    briefs.set(key, brief);
    return brief;
  };
}
const MOST_BRIEFS = 200;

const HIDDEN = 'A project of other channels';

/** Sends billing two parallel queries: all days at once, and the balance, which is optional. */
async function answer(
  { workspace, channel, billing, answeredBy }: ReportQuestion,
  chosen: ReportQuestion['projects'][number],
  brief: ReportPeriods,
  headline: Headline,
): Promise<ProjectFigures | UnresolvedProject> {
  const { id, product } = chosen;
  let label = `Project ${id}`;
  try {
    // Everybody there reads it: what managers may ask elsewhere does not count.
    const target = resolveProject(referenceTo(chosen, workspace), workspace, { channel, manager: false });
    label = target.label;
    const access = openConnection(workspace, target);
    const { from, to, zone, asked } = brief;
    const leaving = billing.balance(access, target).catch(sentence);
    const consuming = billing.consumption(access, target, { from, to, zone, days: asked, running: false });
    // Where the balance is the answer, a project that has one is there, whether anything is reported or not.
    const isEnough = async () => headline === 'left' && typeof (await leaving) !== 'string';
    const [consumed, left] = await Promise.all([
      consuming.catch(async (error) => ((await isEnough()) ? emptyIfNoData(error) : Promise.reject(error))),
      leaving,
    ]);
    const balance =
      typeof left === 'string'
        ? left
        : { balance: parseAmount(left.balance), bonuses: parseAmount(left.bonuses) };
    const has = typeof balance === 'string' ? undefined : balance;
    const { locale } = requireSettings(workspace);
    const remarks = collectNotices(
      [`the figures for ${formatAskedDays(asked)}`, consumed],
      ...(typeof left === 'string' ? [] : [['the balance', left] as const]),
    );
    const briefing = computeReportFigures(consumed.charges, brief, has);
    const { runway, forecast } = briefing;
    const { today } = brief;
    answeredBy(access.connection, has && storedBalance(target, { ...has, runway, forecast, today }));
    return { target, locale, balance, briefing, remarks };
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.kind === 'not-allowed') return { project: id, product, label: HIDDEN, failure: error };
    return { project: id, product, label, failure: aboutDays(error, brief.asked) };
  }
}

function sentence(error: unknown): string {
  if (isFailure(error)) return error.message;
  throw error;
}

function figuresOf(
  { answered, failed }: ProjectAnswers<ProjectFigures>,
  { main, zone }: ReportPeriods,
  headline: Headline,
): Omit<ReportResult, 'message'> {
  const figures = answered.flatMap((one) => {
    const amount = amountOf(one, headline);
    const { project, product } = one.target;
    return amount === undefined ? [] : [[`${project}:${product}`, toPlainDigits(amount)] as const];
  });
  return {
    figures: Object.fromEntries(figures),
    covers: `${main.window.label} ${zone}`,
    isEmpty: headline === 'spent' && failed.length === 0 && answered.every(spentNothing),
    unanswered: Object.fromEntries(
      failed.map(({ project, product, failure }) => [`${project}:${product}`, storeFailure(failure)]),
    ),
  };
}

/** Reported as nothing: a day that is missing may yet turn out to have cost something. */
const spentNothing = ({ briefing: { main } }: ProjectFigures): boolean =>
  main.reported.length === main.fullDays && !main.total.incomplete && main.total.value.eq(0);
