/** The words of questions in one table: a role a line, with every phrase that has it. */

/** What a question can be about. */
export type Subject = 'spend' | 'balance' | 'budget' | 'projects' | 'schedules' | 'watches' | 'help';

interface Row {
  /** What the phrases alone make the question about. */
  readonly about?: Subject;
  /** Roles of which one must stand beside these phrases, else nobody knows what they mean. */
  readonly beside?: readonly string[];
  readonly phrases: string;
}

const LISTS = ['schedules', 'watches', 'noun'] as const;

/* biome-ignore format: a role a line is what makes the table readable */
const ROWS = {
  // What is asked
  spend: { about: 'spend', phrases: 'spend, spends, spent, spending, spendings, expense, expenses, expenditure, cost, costs, costing, pay, paid, pay for, paid for, burn, burns, burnt, burned, burning, burn through, burned through, go through, went through, bill, billed, charge, charged, charges, the damage, how expensive' },
  average: { about: 'spend', phrases: 'on average, in average, average, averages, avg, avg/day, per day, a day, /day, each day, every day, by day, day by day, daily, daily average, average daily, average day, burn rate, daily burn rate' },
  peak: { about: 'spend', phrases: 'on which day, which day, on what day, what day, which date, peak, peak day, most expensive day, biggest day, highest day, costliest day, worst day, priciest day, largest day' },
  forecast: { about: 'spend', phrases: 'forecast, forecasts, forecasted, projection, projected, prediction, predicted, prognosis, estimate, estimated, end up at' },
  balance: { about: 'balance', phrases: 'balance, balances, left, left over, left to spend, remaining, remaining balance, remains, remain, runway, runways, in the bank, available' },
  lasting: { about: 'balance', phrases: 'run out, runs out, running out, run dry, runs dry, running dry, dry up, out of money, out of cash, out of funds, run out of money, runs out of money, running out of money, run out of cash, runs out of cash, running out of cash, run out of funds, runs out of funds, be empty, be gone, finished, last us' },
  budget: { about: 'budget', phrases: 'budget, in budget, on budget, under budget, within budget, over budget, inside budget, within the budget, over the budget, within our budget, over our budget, out of budget, on track with the budget' },
  schedules: { about: 'schedules', phrases: 'schedules, is scheduled, are scheduled, scheduled posts, scheduled reports, scheduled messages' },
  watches: { about: 'watches', phrases: 'watches, alerts, alarms, budgets, budgets and alerts, alerts and budgets, watches and alerts' },
  help: { about: 'help', phrases: 'what can you do, what do you do, what can i ask, what can we ask, what can i do, what do you know, what do you understand, what are you, who are you, how do you work, how does this work, how does it work, how does tally work, how do i use, how can i use, how to use, what you can do, your commands, which commands, what commands, which questions, what questions, what kind of questions, what else can you do, what are you able to do, help, help me, help us' },
  // What is said of it
  why: { phrases: 'why, how come, what made, what caused, what drove, what changed, reason, reasons, the reason, explain' },
  change: { beside: ['why'], phrases: 'so much, so high, so expensive, so big, so many, that much, this much, expensive, high, go up, goes up, going up, went up, gone up, up, go down, goes down, going down, went down, gone down, rise, rises, rising, rose, risen, jump, jumps, jumped, jumping, increase, increases, increased, increasing, grow, grows, growing, grew, grown, spike, spikes, spiked, climb, climbed, double, doubled, explode, exploded, drop, drops, dropped, dropping, fall, falls, fell, falling, decrease, decreased' },
  more: { beside: ['why', 'than'], phrases: 'more, less, higher, lower, cheaper, more expensive, less expensive, much more, much less' },
  joint: { phrases: 'vs, versus, compared to, compared with, compared against, compare to, compare with, compares to, compares with, against, relative to, in comparison to, in comparison with' },
  than: { beside: ['more'], phrases: 'than' },
  compare: { phrases: 'compare, comparison, difference, differ, difference between, compare between, comparison between, comparison of' },
  rank: { beside: ['spend', 'noun', 'peak', 'who'], phrases: 'top, top project, top projects, most, the most, biggest, largest, highest, most expensive, costliest, priciest' },
  first: { beside: ['lasting'], phrases: 'first, soonest, next, earliest' },
  which: { beside: ['rank', 'first', 'watches', 'schedules'], phrases: 'which, which one, which of' },
  who: { beside: ['rank'], phrases: 'who' },
  csv: { phrases: 'csv, as csv, as a csv, csv file, as csv file, as a csv file, csv export, export, download, as a file, spreadsheet, as a spreadsheet' },
  details: { phrases: 'details, detail, detailed, in detail, more details, more detail' },
  figures: { phrases: 'how high, how big, how large, numbers, figures, stats, statistics, doing, looking, how is, hows, how are, how was, how were, situation, status, overview, summary, report' },
  past: { beside: ['spend', 'average', 'peak', 'why', 'figures', 'rank', 'money'], phrases: 'did, was, were, had' },
  have: { beside: ['spend', 'average', 'peak', 'why', 'balance', 'budget', ...LISTS], phrases: 'have, has, got' },
  future: { beside: ['spend', 'lasting', 'average', 'forecast'], phrases: 'will, would, going to, gonna, expected to, expect, likely to' },
  monthEnd: { beside: ['future', 'forecast'], phrases: 'by the end of the month, at the end of the month, until the end of the month, by end of month, end of month, by month end, eom, by the end of this month, at the end of this month, until the end of this month' },
  howLong: { beside: ['lasting', 'balance', 'money'], phrases: 'how long, how long until, how long till, how many days, how many weeks, how many months, until when, till when' },
  when: { beside: ['lasting'], phrases: 'when, by when, how soon' },
  now: { beside: ['balance', 'lasting', 'budget', ...LISTS], phrases: 'now, right now, currently, at the moment, at present, as of now, still, there' },
  kept: { beside: ['budget'], phrases: 'kept, keep, keeping, hold, holds, holding, exceeded, exceeding, exceed, blown, within, inside, on track, enough, stay, staying' },
  money: { beside: ['spend', 'average', 'peak', 'balance', 'lasting', 'budget', 'howLong'], phrases: 'money, cash, funds' },
  total: { phrases: 'total, in total, altogether, overall, total amount, sum' },
  noun: { phrases: 'projects, project' },
  list: { beside: LISTS, phrases: 'list, list of, set up, configured, active, registered, known, exist, exists, see' },
  reference: { phrases: 'it, that, its, this one, that one, them, they, those, the project, this project, that project' },
  thanks: { phrases: 'thanks, thank you, thx, ty, cheers, many thanks, thanks a lot, thanks a bunch, thank you very much, thank you so much, thanks so much, much appreciated, appreciated, appreciate it, i appreciate it, tysm, danke, merci, gracias' },
  // What adds nothing
  filler: { phrases: 'how much, how many, how does, how do, how did, what, whats, do, does, is, are, am, be, been, being, over, we, i, us, me, you, i wonder, i am wondering, i was wondering, do you know, just, exactly, roughly, approximately, approx, about how much, already, actually, and then, then, so' },
  request: { phrases: 'show, show me, show us, tell me, tell us, say me, give me, give us, get me, get us, send me, send us, can you, could you, would you, will you, can we, could we, can i, could i, may i, may we, can i get, can we get, can i see, can we see, can i have, can we have, could i have, could we have, may i have, i want, i want to know, i want to see, i need, i need to know, i need to see, we need, we want to know, i would like, i would like to know, i would like to see, i would like to have, we would like to know, let me know, let us know, let me see, pls, plz, kindly' },
  article: { phrases: 'a, an, our, my, both' },
  polite: { phrases: 'how are you, how are you doing, hello, hi, hey, yo, hallo, dear, tally, ok, okay, great, nice, perfect, cool, awesome, good morning, good afternoon, good evening, morning, good day, hi there, hey there, hello there, hi all, hey all, hello all, hi team, hey team, hi everyone, hello everyone, guys, folks, sorry, excuse me, quick question, question, a question, best, regards, best regards, kind regards, best wishes, sincerely, bye, have a nice day, have a good day' },
} as const satisfies Record<string, Row>;

export type PhraseRole = keyof typeof ROWS;

const ROLES = Object.keys(ROWS) as PhraseRole[];

/** What each role makes a question about, and what must stand beside it. */
export const ROLE_RULES: Readonly<Record<PhraseRole, Row>> = ROWS;

export const PHRASES: ReadonlyMap<string, PhraseRole> = new Map(
  ROLES.flatMap((role) => ROWS[role].phrases.split(', ').map((phrase) => [phrase, role] as const)),
);

/** The number of words in the longest phrase that begins with a word. */
export const LONGEST_PHRASES: ReadonlyMap<string, number> = [...PHRASES.keys()].reduce((longest, phrase) => {
  const [first = '', ...others] = phrase.split(' ');
  return longest.set(first, Math.max(longest.get(first) ?? 0, others.length + 1));
}, new Map<string, number>());

const wordsOf = (has: (role: PhraseRole) => boolean): ReadonlySet<string> =>
  new Set([...PHRASES].flatMap(([phrase, role]) => (has(role) ? phrase.split(' ') : [])));

/** Every word of a phrase. */
export const PHRASE_WORDS = wordsOf(() => true);

/** Words that say nothing of what is asked: a slip in one changes nothing. */
export const PLAIN_WORDS = wordsOf((role) => role === 'filler' || role === 'request' || role === 'polite');

/** Words whose slips are offered, put right. */
export const SUBJECT_WORDS: readonly string[] = [...PHRASES]
  .filter(([phrase, role]) => 'about' in ROWS[role] && /^[a-z]{4,}$/.test(phrase))
  .map(([phrase]) => phrase);
