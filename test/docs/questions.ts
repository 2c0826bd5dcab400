/** The examples of docs/questions.md. */
import { code, type Tables } from './tables.ts';

interface Row {
  readonly questions: readonly string[];
  /** What each of them runs, as a person types it. */
  readonly command: string;
}

interface FollowUp {
  /** What Tally answered before in the thread. */
  readonly answered: string;
  readonly question: string;
  readonly command: string;
}

interface Refused {
  readonly question: string;
  readonly because: string;
}

const of = (command: string, ...questions: readonly string[]): Row => ({ questions, command });

const ASKED = {
  spent: [
    of('/spend prod last-week', 'how much did prod spend last week?', 'what did prod cost last week'),
    of('/spend prod 2026-10-03', 'what did prod cost on october 3?', 'prod spend 3rd of october'),
    of('/spend prod,staging this-month', 'how much did prod and staging cost this month so far?'),
    of('/spend all yesterday', 'what did all our projects spend yesterday?'),
    of('/spend prod storage q3', 'how much did we spend on storage for prod in q3?'),
    of('/spend last-month', 'how much did we spend last month?'),
  ],
  left: [
    of('/balance prod', 'what’s left on prod?', 'how much money do we have left on prod?'),
    of('/balance prod,staging', 'what’s left on prod and staging?'),
    of('/balance prod', 'how long will prod last?', 'when does prod run out?'),
    of('/balance all', 'which project runs out first?', 'which projects are running out?'),
  ],
  will: [of('/spend prod this-month', 'what will prod cost this month?', 'forecast the cost of prod')],
  why: [
    of('/spend prod last-week why', 'why did prod cost so much last week?', 'why did prod go up last week?'),
    of('/spend prod,staging october why', 'why did prod and staging go up in october?'),
  ],
  top: [
    of('/spend all last-month', 'which project cost most last month?', 'biggest projects last month'),
    of('/spend all last-month', 'list projects by spend last month', 'where did our money go last month?'),
    of(
      '/spend top 3 last-month',
      'top 3 projects last month',
      'what are our three biggest projects last month?',
    ),
  ],
  days: [
    of('/spend prod october', 'how much did prod cost a day on average in october?'),
    of('/spend prod october', 'on which day did prod cost the most in october?'),
  ],
  compared: [
    of('/spend prod october vs september', 'compare october with september for prod'),
    of('/spend prod this-month vs last-month', 'prod this month vs last month'),
    of('/spend prod last-week', 'did prod cost more last week than the week before?'),
    of('/spend prod,staging this-month', 'prod vs staging this month'),
    of('/spend prod,staging', 'which is cheaper, prod or staging?', 'is prod cheaper than staging?'),
  ],
  files: [
    of('/spend prod last-month csv', 'send me the csv of prod for last month'),
    of('/spend prod yesterday details', 'details for prod spend yesterday'),
  ],
  budget: [of('/billing watches prod budget', 'is prod over budget?', 'are we within budget on prod?')],
  lists: [
    of('/billing projects', 'which projects do we have?'),
    of('/billing schedules', 'list the schedules'),
    of('/billing watches', 'list our watches'),
    of('/billing help', 'what can you do?'),
  ],
} satisfies Readonly<Record<string, readonly Row[]>>;

const after = (answered: string, question: string, command: string): FollowUp => ({
  answered,
  question,
  command,
});

export const FOLLOW_UPS: readonly FollowUp[] = [
  after('/spend prod last-month', 'and staging?', '/spend staging last-month'),
  after('/spend prod last-month', 'what about september?', '/spend prod september'),
  after('/spend prod last-week', 'same for last month', '/spend prod last-month'),
  after('/spend prod october', 'vs september', '/spend prod october vs september'),
  after('/spend prod october', 'is it cheaper than staging?', '/spend prod,staging october'),
  after('/spend prod last-month', 'why?', '/spend prod last-month why'),
  after('/spend prod last-month', 'as csv', '/spend prod last-month csv'),
  after('/spend prod last-month', 'how long will it last?', '/balance prod'),
  after('/spend all last-month', 'top 3', '/spend top 3 last-month'),
  after('/balance prod', 'again', '/balance prod'),
];

const refused = (question: string, because: string): Refused => ({ question, because });

export const REFUSED_QUESTIONS: readonly Refused[] = [
  refused('what’s left on prod or staging?', '“or” leaves open which one'),
  refused('what did everything except prod cost?', 'no command leaves a project out'),
  refused('how much did prod not spend?', 'nothing means the opposite of a command'),
  refused('how much did prod spend before october?', 'it has no first day'),
  refused('what will prod cost next month?', 'only the running month has a forecast'),
  refused('how much did prod spend, and what is left?', 'these are two questions'),
  refused('who spent the most on prod?', 'billing knows projects, not people'),
  refused('what was left on prod last week?', 'a balance is always as of now'),
];

export const QUESTIONS = Object.values(ASKED)
  .flat()
  .flatMap(({ questions, command }) => questions.map((question) => ({ question, command })));

const quoted = (texts: readonly string[]): string => texts.map((text) => `“${text}”`).join(', ');

const questionTable = (rows: readonly Row[]) => [
  ['you ask', 'Tally answers as'],
  ...rows.map(({ questions, command }) => [quoted(questions), code([command])]),
];

export const QUESTION_TABLES: Tables = {
  ...Object.fromEntries(Object.entries(ASKED).map(([name, rows]) => [name, questionTable(rows)])),
  'follow-ups': [
    ['Tally answered', 'you ask', 'Tally answers as'],
    ...FOLLOW_UPS.map(({ answered, question, command }) => [
      code([answered]),
      quoted([question]),
      code([command]),
    ]),
  ],
  refused: [
    ['you ask', 'because'],
    ...REFUSED_QUESTIONS.map(({ question, because }) => [quoted([question]), because]),
  ],
};
