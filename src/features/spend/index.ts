/** `/spend`: what projects cost in a period, compared with earlier days. */
import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import {
  lastSevenDays,
  parseCommandText,
  parsePeriodText,
} from '../../domain/language/parse-command-text.ts';
import {
  formatParsedCommand,
  type Output,
  type ParsedCommand,
  rankText,
} from '../../domain/language/parsed-command.ts';
import { parseTyped } from '../../domain/language/questions/parse-question.ts';
import { moneyFormatter } from '../../domain/money/amount.ts';
import { formatReportedDays, formatTotal } from '../../domain/money/usage.ts';
import { dayAt, dayNamerFor, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { compareWith, type Period, periodOf } from '../../domain/time/period.ts';
import { type AskedProjects, askedText, findAskedProjects } from '../../slack/commands/asked-projects.ts';
import { type Command, commandButton, commandOption } from '../../slack/commands/command-buttons.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import { fetchAnswers } from '../../slack/reply/project-answers.ts';
import { type Answer, answerActions, periodMenu } from '../../slack/reply/render-answer.ts';
import { answerNeeds, sendAnswer } from '../../slack/reply/send-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { parseContextOf, requireSettings } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { budgetAnswer } from './budget-answer.ts';
import { fetchSpend, type SpendFigures, type SpendView } from './figures.ts';
import { keepTopProjects, listAnswer } from './list-answer.ts';
import { comparedChange, projectAnswer, reportOf, spendCommand } from './project-answer.ts';
import { spendFile } from './spend-file.ts';
import { whyAnswer } from './why-answer.ts';

const HELP: HelpLine = {
  usage: `${commandText('/spend')} [projects] [period] [product]`,
  what: 'See what projects cost in a period, day by day, and how that compares with the period before.',
  short: 'See what a month, a week or a day cost.',
  examples: ['123 last-7-days', '123 october vs september', 'top 3 this-month'].map(
    (words) => `${commandText('/spend')} ${words}`,
  ),
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.periods} ${PERIOD_EXAMPLES.products}`;

export function createSpendFeature({ billing, outcomeStore, clock }: Services): Feature {
  async function answer(text: string, request: Request): Promise<void> {
    const { workspace, at, sharedFrom: asked } = request;
    const context = parseContextOf(workspace, at, asked);
    const typedWords = parseSpend(text, context);
    const { output, ...words } = typedWords;
    if (words.help) return request.reply.private(helpMessage('What did we spend?', [HELP], SMALL, request));
    const { zone } = requireSettings(workspace);
    const projects = findAskedProjects(words, request);
    const typed = { word: projects.word, product: words.product, output };
    const period = resolveSpendPeriod(inMonthOfBudget(typedWords, context), typed, at, zone);
    const answers = await fetchAnswers(projects, request, clock, (target) =>
      fetchSpend(billing, workspace, target, period),
    );
    const { top, isLowest, isOfDays, unit } = words;
    const view = keepTopProjects({ ...answers, period, shape: { top, isLowest, isOfDays, unit } });
    await sendAnswer(drawAnswer(view, output, request), view, output, request);
    for (const connection of new Set(answers.answered.map((figures) => figures.connection)))
      await outcomeStore.save(workspace, { connection, at: clock() });
  }

  return {
    help: [HELP],
    stepFigures: {
      async get_spend({ workspace, target, period, locale }) {
        const figures = await fetchSpend(billing, workspace, target, period);
        await outcomeStore.save(workspace, { connection: figures.connection, at: clock() });
        return stepSpend(figures, period, locale);
      },
    },
    commands: {
      '/spend': {
        right: 'ask',
        parse: (words, _, context) => parseSpend(words, context),
        figures: true,
        needs: answerNeeds,
        run: answer,
      },
    },
  };
}

function parseSpend(text: string, context: ParseContext): ParsedCommand {
  const words = parseTyped('/spend', text, context, parseCommandText);
  const { several, isOfDays, unit, versus, output } = words;
  const ofOne = isOfDays ? rankText(words) : unit && unit !== 'day' && `by ${unit}`;
  if (several !== undefined && ofOne)
    throw new InvalidWord(ofOne, 'works for one project only', 'Name one project.');
  if (unit === undefined) return words;
  if (versus !== undefined)
    throw new InvalidWord(`by ${unit}`, 'doesn’t work with a comparison', 'Leave out one or the other.');
  if (output === 'csv' && unit !== 'day')
    throw new InvalidWord(
      `by ${unit}`,
      'doesn’t work with a CSV file, which has a row for each day',
      '',
      formatParsedCommand({ ...words, unit: undefined }),
    );
  return words;
}

function inMonthOfBudget({ output, ...words }: ParsedCommand, context: ParseContext): ParsedCommand {
  if (output !== 'budget' && output !== 'over-budget') return words;
  const month = parsePeriodText('this-month', context);
  if (words.phrase === undefined || words.phrase.first === month.first) return { ...words, phrase: month };
  throw new InvalidWord(
    words.phrase.typed,
    'isn’t this month, and Tally only knows this month’s budget',
    'Leave out the period.',
  );
}

function resolveSpendPeriod(
  { phrase, versus }: Pick<ParsedCommand, 'phrase' | 'versus'>,
  { output, ...named }: Pick<AskedProjects, 'word' | 'product'> & { readonly output: Output | undefined },
  at: Millis,
  zone: Zone,
): Period {
  const command = (period: string, compared: string | undefined) =>
    [askedText(named, period, ...(compared === undefined ? [] : [`vs ${compared}`])), output]
      .filter(Boolean)
      .join(' ');
  const period = periodOf(phrase ?? lastSevenDays({ today: dayAt(at, zone), zone }), at, zone);
  if (versus === undefined) return period;
  try {
    return compareWith(period, versus);
  } catch (error) {
    throw error instanceof InvalidWord ? error.within((text) => command(period.phrase, text)) : error;
  }
}

function drawAnswer(view: SpendView, output: Output | undefined, request: Request): Answer<SpendFigures> {
  if (output === 'why') return whyAnswer(view);
  if (output === 'budget' || output === 'over-budget') return budgetAnswer(view, output, request);
  return spendAnswer(view);
}

export function spendAnswer(view: SpendView): Answer<SpendFigures> {
  const [only] = view.answered;
  const text = view.projects.isList || only === undefined ? listAnswer(view) : projectAnswer(only, view);
  return { ...text, actions: spendActions(view), file: () => spendFile(view) };
}

const PERIODS: readonly (readonly [label: string, phrase: string])[] = [
  ['Yesterday', 'yesterday'],
  ['Last 7 days', 'last-7-days'],
  ['Last 30 days', 'last-30-days'],
  ['Last week', 'last-week'],
  ['This month so far', 'this-month'],
  ['Last month', 'last-month'],
  ['Last 3 months', 'last-3-months'],
  ['This year so far', 'this-year'],
];

function spendActions(view: SpendView): Answer['actions'] {
  const { projects, period, top, answered } = view;
  const { phrase } = period;
  // `/balance` has no `top 3`, so its button names the projects.
  const shown = top ? { ...projects, word: top.shown.map(({ target }) => target.word).join(',') } : projects;
  const isCompared = answered.some((figures) => comparedChange(figures));
  return answerActions(view, {
    link: spendCommand(view),
    figures: spendCommand({ ...view, shape: { ...view.shape, unit: undefined } }),
    before: periodChoices(view),
    after: commandButton('balance', projects.isList ? 'Balances' : 'Balance', {
      command: '/balance',
      text: askedText(shown),
    }),
    more: [
      ...(isCompared ? [commandOption('What changed', spendCommand(view, { output: 'why' }))] : []),
      ...todayOption(phrase, (other) => spendCommand(view, { phrase: other })),
    ],
    report: reportOf(view),
  });
}

/** @returns [] if a comparison was typed, which makes no sense for other periods */
function periodChoices(view: SpendView) {
  const { phrase, dates, versus } = view.period;
  if (versus !== undefined) return [];
  const periods = PERIODS.some(([, listed]) => listed === phrase)
    ? PERIODS
    : [[dates, phrase] as const, ...PERIODS];
  const options = periods.map(([label, listed]) =>
    commandOption(label, spendCommand(view, { phrase: listed })),
  );
  return periodMenu(options, options[periods.findIndex(([, listed]) => listed === phrase)]);
}

const WITH_TODAY = ' including today';

function todayOption(phrase: string, words: (phrase: string) => Command) {
  if (phrase.endsWith(WITH_TODAY))
    return [commandOption('Leave out today', words(phrase.slice(0, -WITH_TODAY.length)))];
  return /^last-\d+-days$/.test(phrase)
    ? [commandOption('Include today', words(`${phrase}${WITH_TODAY}`))]
    : [];
}

/** @throws Failure no-data; invalid-response, because a workflow would take an unreadable amount for zero */
function stepSpend({ target, usage }: SpendFigures, period: Period, locale: string) {
  const { total } = usage;
  const { requested, zone, today } = period;
  const { first, last } = requested;
  if (total.readable === 0 && total.unreadable === 0)
    throw new Failure('no-data', { question: { ...target, days: period.requested } });
  if (total.readable === 0)
    throw new Failure('invalid-response', { service: 'billing', what: 'none of its amounts is a number' });
  return {
    amount: formatTotal(total, moneyFormatter(locale, target.currency)),
    // A workflow may store the dates, so they always include the year.
    period: `${formatDays(first, last)} ${zone}${today === undefined ? '' : ', today so far'}`,
    reported:
      usage.fullDays === 0
        ? 'today isn’t over yet'
        : formatReportedDays(usage, dayNamerFor(period.days)) || 'reported',
  };
}
