import { emptyWithoutData } from '../../billing/aside.ts';
import { type Brief, briefing, briefOf, type Scope } from '../../domain/briefing.ts';
import { isFailure } from '../../domain/failure.ts';
import { plainDigits, readAmount } from '../../domain/money.ts';
import { remarksOf } from '../../domain/remark.ts';
import { accessOf, targetOf } from '../../workspace/target.ts';
import { keptBalance } from '../../workspace/used.ts';
import type { Feature, Finding, Report, ReportQuestion } from '../feature.ts';
import { reportMessage } from './blocks.ts';
import { type Answered, amountOf, type Headline, type Unanswered } from './figures.ts';

/** What schedules post: the figures of /spend and /balance, for a channel. */
export function createReports({ clock }: { readonly clock: () => number }): Feature {
  const briefFor = rememberedBriefs();
  const reportOf = (scope: Scope, headline: Headline = 'spent'): Report => ({
    covers: ({ at, days }, zone) =>
      headline === 'left' ? [] : briefFor(scope, at, zone, days).main.window.days,
    async run(question) {
      const { at, days, zone } = question;
      const brief = briefFor(scope, at, zone, days);
      const all = await Promise.all(
        question.projects.map((project) => answer(question, project, brief, headline)),
      );
      const answered = all.filter((one) => 'briefing' in one);
      const unanswered = all.filter((one) => 'failure' in one);
      const [first] = unanswered;
      if (answered.length === 0 && first !== undefined) throw first.failure;
      const message = reportMessage({ headline, brief, answered, unanswered, fetched: clock() });
      return { message, ...figuresOf(answered, unanswered, brief, headline) };
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

/** Thousands of posts are due at one instant, and their calendars are the same few. */
function rememberedBriefs(): typeof briefOf {
  const briefs = new Map<string, Brief>();
  return (scope, at, zone, days) => {
    const key = `${scope} ${at} ${zone} ${days}`;
    const brief = briefs.get(key) ?? briefOf(scope, at, zone, days);
    if (briefs.size >= MOST_BRIEFS) briefs.clear();
    briefs.set(key, brief);
    return brief;
  };
}
const MOST_BRIEFS = 200;

/** Two questions to billing, side by side: all the days at once, and the balance, without which the rest still stands. */
async function answer(
  { record, channel, billing, answeredBy }: ReportQuestion,
  { id, product }: ReportQuestion['projects'][number],
  brief: Brief,
  headline: Headline,
): Promise<Answered | Unanswered> {
  let label = `Project ${id}`;
  try {
    // Everybody there reads it: what managers may ask elsewhere does not count.
    const target = targetOf({ project: id, product }, record, { channel, manager: false });
    label = target.label;
    const access = accessOf(record, target);
    const { from, to, label: days } = brief;
    const leaving = billing.balance(access, target).catch(sentence);
    const consuming = billing.consumption(access, target, { from, to, label: days, running: false });
    // Where the balance is the answer, a project that has one is there, whether anything is reported or not.
    const isEnough = async () => headline === 'left' && typeof (await leaving) !== 'string';
    const [consumed, left] = await Promise.all([
      consuming.catch(async (error) =>
        (await isEnough()) ? emptyWithoutData(error) : Promise.reject(error),
      ),
      leaving,
    ]);
    const balance =
      typeof left === 'string'
        ? left
        : { balance: readAmount(left.balance), bonuses: readAmount(left.bonuses) };
    const has = typeof balance === 'string' ? undefined : balance;
    answeredBy(access.connection, has && keptBalance(target, has));
    const { locale } = record.settings;
    const remarks = remarksOf(
      [`the figures for ${days}`, consumed],
      ...(typeof left === 'string' ? [] : [['the balance', left] as const]),
    );
    return { target, locale, balance, briefing: briefing(consumed.items, brief, has), remarks };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { project: `${id}:${product}`, label, failure: error };
  }
}

function sentence(error: unknown): string {
  if (isFailure(error)) return error.message;
  throw error;
}

function figuresOf(
  answered: readonly Answered[],
  unanswered: readonly Unanswered[],
  { main, zone }: Brief,
  headline: Headline,
): Omit<Finding, 'message'> {
  const figures = answered.flatMap((one) => {
    const amount = amountOf(one, headline);
    const { project, product } = one.target;
    return amount === undefined ? [] : [[`${project}:${product}`, plainDigits(amount)] as const];
  });
  return {
    figures: Object.fromEntries(figures),
    covers: `${main.window.label} ${zone}`,
    isEmpty: headline === 'spent' && unanswered.length === 0 && answered.every(spentNothing),
    unanswered: Object.fromEntries(unanswered.map(({ project, failure }) => [project, failure.message])),
  };
}

/** Reported as nothing: a day that is missing may yet turn out to have cost something. */
const spentNothing = ({ briefing: { main } }: Answered): boolean =>
  main.reported.length === main.fullDays && !main.total.incomplete && main.total.value.eq(0);
