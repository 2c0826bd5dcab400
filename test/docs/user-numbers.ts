/** The phrases with numbers on the pages for people who use or adopt Tally, each made of its source. */
import { CORRECTION_DELAYS } from '../../src/delivery/posts/post-plan.ts';
import { LAST_7_DAYS } from '../../src/domain/language/periods/period-ast.ts';
import { isBareYear } from '../../src/domain/language/tokenizer.ts';
import { WARNING_DAYS } from '../../src/domain/money/runway.ts';
import { isWellReported } from '../../src/domain/money/usage-change.ts';
import { BUDGET_STEPS } from '../../src/domain/money/watch-rule.ts';
import { PRODUCT_IDS } from '../../src/domain/product.ts';
import { DEFAULT_LIMITS } from '../../src/domain/rate-limits.ts';
import { DAY, HOUR, instantOf, MINUTE, wallClockAt } from '../../src/domain/time/calendar.ts';
import { HTTP_LIMITS } from '../../src/http/exchange.ts';
import {
  DEFAULT_WAIT_HOURS,
  MAX_DIGEST_PROJECTS,
  MAX_SCHEDULES,
  MAX_WAIT_HOURS,
} from '../../src/workspace/owned/schedule-record.ts';
import { MAX_WATCH_PEOPLE, MAX_WATCHES } from '../../src/workspace/owned/watch-record.ts';
import { UNDO_MS } from '../../src/workspace/record/change.ts';
import { THREAD_LIFETIME } from '../../src/workspace/thread-store.ts';
import { numbersIn } from './constants.ts';

const NUMBER_WORDS =
  'no one two three four five six seven eight nine ten eleven twelve thirteen fourteen'.split(' ');
const word = (count = Number.NaN): string => NUMBER_WORDS[count] ?? String(count);
const listed = (values: readonly (number | string)[], last = 'and'): string =>
  `${values.slice(0, -1).join(', ')} ${last} ${values.at(-1)}`;

const week = LAST_7_DAYS.kind === 'last' ? LAST_7_DAYS.count : 0;
const undo = `**Undo** for ${word(UNDO_MS / MINUTE)} minutes`.replaceAll('*', '');

const [shown = 0] = await numbersIn('features/schedules/upcoming-posts.ts', 'AHEAD');
const [charted = 0] = await numbersIn('domain/report.ts', 'MIN_CHARTED_DAYS');
const [look = 0] = await numbersIn('delivery/posts/posts-job.ts', 'LOOK_INTERVAL');
const probes = await numbersIn('delivery/outbox/send-state.ts', 'PROBES');
const [share] = await numbersIn('features/schedules/form-state.ts', 'DEFAULT_CORRECTION');
const [home, status] = [
  ...(await numbersIn('slack/owned/list.ts', 'MOST_AT_HOME')),
  ...(await numbersIn('slack/owned/list.ts', 'MOST_IN_STATUS')),
];
const [weekdays, fewest] = await numbersIn('domain/money/watch-measurement.ts', 'SAME_WEEKDAYS');
const [before] = await numbersIn('domain/money/watch-measurement.ts', 'DAYS_BEFORE');
const [simulated] = await numbersIn('domain/money/watch-simulation.ts', 'SIMULATED_DAYS');
const [longest, enough] = await numbersIn('domain/money/forecast.ts', 'BASIS');
const [whole, fraction] = await numbersIn('domain/money/amount.ts', 'LIMITS');
const [messages, characters] = await numbersIn('billing/graphql-contract.ts', 'SHOWN');
const [perDay, spare = 0] = await numbersIn('billing/graphql-contract.ts', 'ITEMS');
const [deepest] = await numbersIn('http/json.ts', 'DEEPEST');
const [cut, roles, services] = await numbersIn('identity/token-body.ts', 'LIMITS');

const { deadline, tries, bodyBytes, keepAlive, connections } = HTTP_LIMITS;
const mostBytes = `${bodyBytes / 1024 ** 2} MB`;
const seconds = `${deadline / 1_000} seconds`;
const { osTokens, requests } = DEFAULT_LIMITS;

/** The smallest share of a month's days, in per cent, that a percentage is computed from. */
const enoughDays = Array.from({ length: 101 }, (_, at) => at).find((at) => isWellReported(at, 100));
const years = Array.from({ length: 400 }, (_, at) => 1900 + at).filter((year) => isBareYear(String(year)));

/** The hours of a day in Rome, when clocks go forward, back, and stay. */
const hoursOf = (day: string, next: string) =>
  (instantOf(next, '00:00', 'Europe/Rome') - instantOf(day, '00:00', 'Europe/Rome')) / HOUR;
const short = hoursOf('2026-03-29', '2026-03-30');
const long = hoursOf('2026-10-25', '2026-10-26');

/** 09:00 of Monday 23 November in Sydney, as UTC shows it. */
const inUtc = wallClockAt(instantOf('2026-11-23', '09:00', 'Australia/Sydney'), 'UTC').day;
const dayInUtc = new Date(inUtc).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });

/** Answers of services that the tests in test/http and test/identity give, and HTTP’s own meaning of them. */
const AGAIN = 'after 429, 500, 502, 503 and 504';

export const USER_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  'docs/schedules.md': [
    `less than ${WARNING_DAYS} days`,
    `chart of the last ${word(charted)} days`,
    // The right column of a table whose left one test/docs/examples.test.ts types.
    ...[
      'every day at 09:00',
      'Monday to Friday at 08:30',
      'every Monday at 09:00',
      'first day of each month, 17:00',
    ],
    'waits up to 6 hours',
    // Days that not every month has.
    'day 29, 30 or 31 means',
    `up to ${word(MAX_DIGEST_PROJECTS)} in one post`,
    `wait up to ${MAX_WAIT_HOURS} hours, ${DEFAULT_WAIT_HOURS} to begin with`,
    `is 09:00. For`,
    `next ${word(shown)} posts`,
    `at 09:00 on a Monday in Sydney it is still ${dayInUtc} in UTC`,
    `every ${look} minutes, for up to ${DEFAULT_WAIT_HOURS} hours`,
    undo,
    `up to ${word(home)} and ${word(status)}`,
    `have ${MAX_SCHEDULES} schedules`,
    'everybody asks at 09:00:00',
    `after ${listed(probes.slice(0, 4))} minutes`,
    `after ${listed(CORRECTION_DELAYS.map((delay) => delay / HOUR))} hours`,
    `(${share} % unless`,
  ],
  'docs/watches.md': [
    // The right column of a table whose left one test/docs/examples.test.ts types.
    'below 50,000',
    `fewer than 14 days at the average of the last ${week} days`,
    `reaches ${listed(BUDGET_STEPS, 'or')} % of the budget`,
    'at least 1,000',
    `last ${word(weekdays)} same weekdays`,
    `fewer than ${word(fewest)} of them`,
    `the ${before} reported days before`,
    `up to ${word(MAX_WATCH_PEOPLE)} people`,
    `in the last ${simulated} days`,
    // test/domain/money/watch-evaluation.test.ts tries it.
    'from 40 % to 85 % alerts once, for 80 %',
    '2 % beyond the threshold',
    'for 1 day, 7 days, or until next month',
    undo,
    `have ${MAX_WATCHES} watches`,
  ],
  'docs/periods.md': [
    'cost on october 3?',
    'Saturday 21 November 2026, 10:15 UTC',
    `the last ${week} days`,
    // Typed in test/docs/examples.test.ts and test/domain/language.
    ...[
      'asks about project 2026',
      'asks about product 3',
      'could mean project 3 too',
      'the 7 is the project',
    ],
    `${PRODUCT_IDS[0]} to ${PRODUCT_IDS.at(-1)} is the product and ${years[0]} to ${years.at(-1)} the year`,
    // The calendar’s.
    ...["a month's name 1 to 31 is a day", '31 days may meet 30'],
    `at least ${enoughDays} % of the days`,
    `needs ${enough} reported days`,
    `over ${longest} days at most`,
    `## Days that are not ${(short + long) / 2} hours`,
    `${short} or ${long} hours`,
    // As test/domain/money/forecast.test.ts has it.
    '30 December 2011 in Apia',
  ],
  'docs/questions.md': [`for ${THREAD_LIFETIME / DAY} days`],
  'docs/os-token.md': [
    `at most ${word(osTokens.most)} tokens in ${word(osTokens.per / MINUTE)} minutes`,
    // The statuses of these messages, as test/identity gets them.
    ...['access (HTTP 401)', 'access (HTTP 404)', 'project (HTTP 404)', 'token (401)'],
  ],
  'docs/commands.md': [`the last ${week} complete days`],
  'docs/workflow-steps.md': [
    // Examples of how the outputs look.
    '“42,556.55 EUR, Fri 20 Nov 2026 UTC (reported)”',
    'less than 14',
    'has 0 runway days',
    `the last ${week} days`,
    '“Project 123”',
    '0 when overdrawn',
    '“No Cloud platform data for project 123, 14–20 Nov.”',
    '(HTTP 500)',
    `${requests.person.most} times at once and about once a second`,
    `about ${word(deadline / 1_000)} seconds`,
  ],
  'docs/billing-contract.md': [
    `up to ${tries} times`,
    // The exit statuses, as test/cli gets them.
    ...['| 0 |', '| 1 |', '| 64 |'],
    // The sandbox’s project, and statuses of HTTP.
    ...['check project 123', 'with HTTP 200:', 'Send 401', 'with HTTP 200 doesn', 'any 2xx'],
    `at most ${connections} connections`,
    `open for ${keepAlive / 1_000} seconds`,
    // The request below it in the page, which test/docs/contracts.test.ts compares with Tally’s.
    'For 14 to 16 November in UTC',
    'an item of 0',
    `the first ${messages}, up to ${characters} characters`,
    `up to ${whole} digits before the point and ${fraction} after it`,
    'since 1970',
    // The name of an encoding.
    'UTF-8',
    `more than ${mostBytes}`,
    `more than ${spare.toLocaleString('en')} items and ${perDay} for each day`,
    `more than ${deepest} levels`,
    `longer than ${seconds}`,
    `within those ${seconds}`,
    AGAIN,
  ],
  'docs/identity-contract.md': [
    'API v3',
    // HTTP’s.
    ...[
      'see a 2xx',
      'any 2xx',
      '401, or 404 with an',
      '403 or 405',
      'a 401 or 404 to it',
      'HTTP 201',
      'a 2xx have',
      'for 404',
    ],
    `cut at ${cut} characters; ${roles} roles and ${services} services`,
    `at most ${mostBytes}`,
    `waits ${seconds}`,
  ],
};
