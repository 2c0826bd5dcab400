import { describe, expect, it } from 'vitest';
import { SecretPasted } from '../../../src/domain/failure/index.ts';
import { parseQuestion } from '../../../src/domain/language/questions/parse-question.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu']);

/** The command that a question means; `offered` where Tally does not run one. */
const meaning = (text: string): string => {
  const question = parseQuestion(text, ALIASES);
  return question?.kind === 'command' ? `${question.command.slice(1)} ${question.text}`.trim() : 'offered';
};

/** Written before the code. */
describe('a question in one’s own words', () => {
  it.each([
    ['how much did prod spend last week?', 'spend prod last-week'],
    ['what’s left on prod and staging?', 'balance prod,staging'],
    ['How much did we spend on prod last month?', 'spend prod last-month'],
    ['how much have we spent on prod this month', 'spend prod this-month'],
    ['what did prod cost yesterday?', 'spend prod yesterday'],
    ['what did staging cost us in october?', 'spend staging october'],
    ['how much has staging spent this month?', 'spend staging this-month'],
    ['what is the balance of prod?', 'balance prod'],
    ['what’s the balance on web-shop?', 'balance web-shop'],
    ['how much is left on prod?', 'balance prod'],
    ['how much money is left on prod?', 'balance prod'],
    ['how much do we have left on prod?', 'balance prod'],
    ['when does prod run out?', 'balance prod'],
    ['when will prod run out of money?', 'balance prod'],
    ['when do we run out on staging?', 'balance staging'],
    ['how long will prod last?', 'balance prod'],
    ['how many days are left on prod?', 'balance prod'],
    ['show me the spend of prod for the last 7 days', 'spend prod last-7-days'],
    ['show the balance of project 123', 'balance 123'],
    ['can you tell me what prod cost last week?', 'spend prod last-week'],
    ['could you show me the costs of dev since october, please?', 'spend dev since october'],
    ['please give me the balance for archive', 'balance archive'],
    ['how much did 123 spend yesterday?', 'spend 123 yesterday'],
    ['how much did project 123 spend in the past 30 days?', 'spend 123 last-30-days'],
    ['how much did prod and staging spend last month?', 'spend prod,staging last-month'],
    ['what did prod, staging and dev cost last quarter?', 'spend prod,staging,dev last-quarter'],
    ['what did prod, staging, and dev cost last quarter?', 'spend prod,staging,dev last-quarter'],
    ['how much did we spend last week?', 'spend last-week'],
    ['how much did we spend on all projects last month?', 'spend all last-month'],
    ['how much is left on everything?', 'balance all'],
    ['what’s prod’s balance?', 'balance prod'],
    ['what was last week’s spend on prod?', 'spend prod last-week'],
    ['what was the cost of prod in 2026-10?', 'spend prod 2026-10'],
    ['how much did prod cost on 2026-10-05?', 'spend prod 2026-10-05'],
    ['how much did prod spend between 2026-10-01 and 2026-10-15?', 'spend prod 2026-10-01..2026-10-15'],
    ['how much did prod spend from 2026-10-01 to 2026-10-15?', 'spend prod 2026-10-01..2026-10-15'],
    ['what have we spent on storage for prod this year?', 'spend prod this-year storage'],
    ['hi, how much did prod spend today?', 'spend prod today'],
    ['hey Tally, what’s left on prod?', 'balance prod'],
    ['what’s left on prod? thanks!', 'balance prod'],
    ['HOW MUCH DID PROD SPEND LAST WEEK', 'spend prod last-week'],
    ['how much did “prod” spend last week ?', 'spend prod last-week'],
    ['how much did *prod* spend last week?', 'spend prod last-week'],
    ['spend on prod last week', 'spend prod last-week'],
    ['balance of prod', 'balance prod'],
    ['prod spend last week', 'spend prod last-week'],
    ['what are the costs for prod this quarter?', 'spend prod this-quarter'],
    ['how much has been spent on data-eu in q3?', 'spend data-eu q3'],
    ['how much did prod spend in may?', 'spend prod may'],
    ['how much have we spent so far this month on prod?', 'spend prod this-month'],
    ['what have we spent this month so far on prod?', 'spend prod this-month'],
    ['how much money do we have on prod?', 'balance prod'],
    ['what’s remaining on staging?', 'balance staging'],
    ['what is the runway of prod?', 'balance prod'],
    ['what’s left on prod right now?', 'balance prod'],
    ['what’s left on 123 and 456?', 'balance 123,456'],
    ['how much did the prod project spend last week?', 'spend prod last-week'],
    ['i want to know how much prod spent yesterday', 'spend prod yesterday'],
    ['what do we spend on prod?', 'spend prod'],
    ['how much was spent on virtualization in prod last month?', 'spend prod last-month virtualization'],
    ['tell me what is left on dev & staging', 'balance dev,staging'],
    ['what did we pay for prod last month?', 'spend prod last-month'],
    ['how much did prod spend last 7 days including today?', 'spend prod last-7-days including today'],
    ['what’s our balance?', 'balance'],
    ['how much did prod spend over the last 4 weeks?', 'spend prod last-4-weeks'],
    ['what did prod spend month to date?', 'spend prod this-month'],
  ])('%s', (text, command) => expect(meaning(text)).toBe(command));
});

/** Written after the code. */
describe('another question in one’s own words', () => {
  it.each([
    ['what did we spend yesterday', 'spend yesterday'],
    ['what did dev cost in 2025?', 'spend dev year-2025'],
    ['What does prod cost?', 'spend prod'],
    ['costs of staging last month', 'spend staging last-month'],
    ['cost for web-shop mtd', 'spend web-shop this-month'],
    ['prod costs last quarter?', 'spend prod last-quarter'],
    ['prod balance', 'balance prod'],
    ['the balance please', 'balance'],
    ['our balance on prod and dev, please', 'balance prod,dev'],
    ['can you show me what’s left on staging?', 'balance staging'],
    ['do you know how much is left on prod?', 'balance prod'],
    ['how much is still left on prod?', 'balance prod'],
    ['how much is currently remaining on data-eu?', 'balance data-eu'],
    ['how much money is available on prod, what is the balance?', 'balance prod'],
    ['what have we got on prod?', 'balance prod'],
    ['how much do we have on archive?', 'balance archive'],
    ['is there money left on staging?', 'balance staging'],
    ['when is prod running out of money?', 'balance prod'],
    ['how long until prod runs out?', 'balance prod'],
    ['how long does dev last?', 'balance dev'],
    ['how long do prod and staging last', 'balance prod,staging'],
    ['how many days do we have left on prod', 'balance prod'],
    ['what’s the runway for prod, staging & dev?', 'balance prod,staging,dev'],
    ['balance of all projects', 'balance all'],
    ['balance of every project', 'balance all'],
    ['what did all of our projects cost last week?', 'spend all last-week'],
    ['how much did everything cost this month so far?', 'spend all this-month'],
    ['spend for all the projects in october 2026', 'spend all 2026-10'],
    ['what did 123, 456 and prod cost last week?', 'spend 123,456,prod last-week'],
    ['what did projects 123 and 456 cost last week?', 'spend 123,456 last-week'],
    ['what did the prod and staging projects cost last week?', 'spend prod,staging last-week'],
    ['what did the project prod cost last week?', 'spend prod last-week'],
    ['how much did we spend on project 7 yesterday?', 'spend 7 yesterday'],
    ['what was spent on prod since 2026-11-01?', 'spend prod since 2026-11-01'],
    ['what was spent on prod from october until november?', 'spend prod october..november'],
    ['what did prod cost between october and november?', 'spend prod october..november'],
    ['show spend from 2026-08 to 2026-10 for prod', 'spend prod 2026-08..2026-10'],
    ['how much did prod cost q3 2026', 'spend prod 2026-q3'],
    ['how much did we spend on prod in 2026-q3?', 'spend prod 2026-q3'],
    ['how much has prod cost us today so far?', 'spend prod today'],
    ['how much has prod cost so far today?', 'spend prod today'],
    ['how much did object storage cost for prod in september?', 'spend prod september storage'],
    ['what did prod and staging spend on storage last month?', 'spend prod,staging last-month storage'],
    ['how much did prod’s storage cost last month?', 'spend prod last-month storage'],
    ['what’s yesterday’s spend?', 'spend yesterday'],
    ['today’s cost of prod', 'spend prod today'],
    ['what is this week’s spending on prod?', 'spend prod this-week'],
    ['hello tally, can you tell me what prod spent in the last 14 days?', 'spend prod last-14-days'],
    ['please tell me how much we paid for prod last year', 'spend prod last-year'],
    ['can i see the costs of dev for the past 3 months?', 'spend dev last-3-months'],
    ['what did prod cost per day last week?', 'spend prod last-week'],
    ['how much did staging spend every day this month?', 'spend staging this-month'],
    ['how much does all of this cost?', 'offered'],
    ['ok, what did prod cost year to date', 'spend prod this-year'],
    ['we want to know what web-shop spent this quarter so far', 'spend web-shop this-quarter'],
    ['What`s left on “Prod”?!', 'balance prod'],
    ['how much did prod spend\nlast week?', 'spend prod last-week'],
    ['how   much   did prod,staging spend last week', 'spend prod,staging last-week'],
    ['how much did Web_Shop spend last week?', 'spend web-shop last-week'],
    ['is prod more expensive than staging?', 'spend prod,staging'],
    ['did we spend more on prod than on staging last week?', 'spend prod,staging last-week'],
    ['how much did prod spend the last 7 days excluding today?', 'spend prod last-7-days'],
    ['which day was the cheapest for prod in october?', 'spend prod october'],
  ])('%s', (text, command) => expect(meaning(text)).toBe(command));

  it.each([
    ...[
      '',
      'good morning',
      'are you there?',
      'deploy the thing',
      'how are you?',
      'what is this?',
      'lunch at 12?',
    ],
    ...['and', ',', '???', 'between', 'the', 'project', 'so far'],
  ])('finds nothing to ask in “%s”', (text) => expect(parseQuestion(text, ALIASES)).toBeUndefined());

  it('does not run a word that is a project’s name and a word of questions', () => {
    const aliases = new Set(['left', 'prod']);
    expect(parseQuestion('how much is left on prod?', aliases)?.kind).toBe('refused');
    expect(parseQuestion('what did left spend?', aliases)?.kind).toBe('refused');
  });

  it('takes “may” for the month only where it can be nothing else', () => {
    expect(meaning('how much did prod spend since may?')).toBe('spend prod since may');
    expect(meaning('how much did prod spend may')).toBe('spend prod may');
    expect(meaning('what may prod cost?')).toBe('offered');
  });

  it('reads a thousand characters in one pass', () => {
    for (const piece of [
      'how ',
      'and ',
      'prod and ',
      'so far ',
      'between ',
      'how long ',
      ', ',
      'project ',
      'last ',
    ])
      expect(() => parseQuestion(piece.repeat(1_000 / piece.length), ALIASES)).not.toThrow();
  });

  it('never becomes a command with a secret', () => {
    for (const text of ['how much did xoxb-123-abc spend?', 'what is left on gAAAAABk?'])
      expect(`${JSON.stringify(attempt(text))}`).not.toMatch(/xoxb|gaaaa/i);
  });
});

function attempt(text: string): unknown {
  try {
    return parseQuestion(text, ALIASES);
  } catch (error) {
    if (error instanceof SecretPasted) return undefined;
    throw error;
  }
}

describe('a question with words around its period and its projects', () => {
  it.each([
    ['how much did prod spend this month so far?', 'spend prod this-month'],
    ['how much did prod spend so far this month', 'spend prod this-month'],
    ['what did prod cost so far today', 'spend prod today'],
    ['what did prod cost today so far', 'spend prod today'],
    ['so far this month spend of prod', 'spend prod this-month'],
    ['how much did prod spend so far', 'offered'],
    ['how much did prod spend so far last month', 'offered'],
    ['how much did prod spend so much this month', 'offered'],
    ['spend of prod between 2026-10-01', 'offered'],
    ['spend of prod and 2026-10-01 between', 'offered'],
    ['how much did project prod spend last week', 'spend prod last-week'],
    ['how much did projects prod and dev spend', 'spend prod,dev'],
    ['spend of project 123 and 456 last week', 'spend 123,456 last-week'],
    ['spend of every project last week', 'spend all last-week'],
    ['what is left on all of our projects', 'balance all'],
    ['what is left on all', 'balance all'],
    ['how much did all the projects spend last week', 'spend all last-week'],
    ['how much did all my project spend last week', 'spend all last-week'],
    ['what did we spend on all last month projects', 'offered'],
    ['prod & dev spend last week', 'spend prod,dev last-week'],
    ['prod&dev spend last week', 'spend prod,dev last-week'],
    ['spend of 123,456 last week', 'spend 123,456 last-week'],
    ['spend of prod,123 yesterday', 'spend prod,123 yesterday'],
    ['spend of 123,prod yesterday', 'spend 123,prod yesterday'],
    ['cost of prod in may', 'spend prod may'],
    ['may prod spend', 'offered'],
    ['how long will prod last', 'balance prod'],
    ['what did prod cost last', 'offered'],
  ])('%j means %j', (question, command) => {
    expect(meaning(question)).toBe(command);
  });

  it.each(['hello', 'what?!', 'see you so far'])('%j is not a question', (text) => {
    expect(parseQuestion(text, ALIASES)).toBeUndefined();
  });
});

/** Each kind of question that product.md names; periods have a test of their own. */
describe('a question of every kind', () => {
  it.each([
    ['how much did prod spend on october 3?', 'spend prod october-3'],
    ['how much did prod spend in the last two months?', 'spend prod last-2-months'],
    ['how much has prod burnt this month?', 'spend prod this-month'],
    ['what’s the damage this month', 'spend this-month'],
    ['how expensive is prod', 'spend prod'],
    ['how much is prod costing per day', 'spend prod'],
    ['what’s our burn rate', 'spend'],
    ['avg/day prod last month', 'spend prod last-month'],
    ['on which day in october did prod cost the most?', 'spend prod october'],
    ['total for prod in october', 'spend prod october'],
    ['what will prod cost this month?', 'spend prod this-month'],
    ['how much are we going to spend on prod by the end of the month', 'spend prod this-month'],
    ['forecast for prod please', 'spend prod this-month'],
    ['how long until prod runs out?', 'balance prod'],
    ['until when does the money of prod last?', 'balance prod'],
    ['when are we out of money on prod', 'balance prod'],
    ['which project runs out first?', 'balance all'],
    ['why did prod cost so much last week?', 'spend prod last-week why'],
    ['why was prod more expensive in october than in september', 'spend prod october vs september why'],
    ['what made prod so expensive in october', 'spend prod october why'],
    ['which project costs most this month?', 'spend all this-month'],
    ['top 3 projects last month', 'spend top 3 last-month'],
    ['what are our three biggest projects this year?', 'spend top 3 this-year'],
    ['show the 5 most expensive projects of october', 'spend top 5 october'],
    ['which of prod and staging cost the most last month', 'spend prod,staging last-month'],
    ['compare october with september for prod', 'spend prod october vs september'],
    ['how does october compare to september for prod?', 'spend prod october vs september'],
    ['did prod cost more in october than in september?', 'spend prod october vs september'],
    ['compare prod’s last week to last year', 'spend prod last-week vs last-year'],
    ['prod vs staging this month', 'spend prod,staging this-month'],
    ['prod last week?', 'spend prod last-week'],
    ['prod last month csv', 'spend prod last-month csv'],
    ['export prod october', 'spend prod october csv'],
    ['can you send me the csv of all projects for last month', 'spend all last-month csv'],
    ['give me the details of prod’s balance', 'balance prod details'],
    ['are we within budget on prod?', 'billing watches prod budget'],
    ['how much of the budget is left on prod?', 'billing watches prod budget'],
    ['are we over budget', 'billing watches budget'],
    ['which projects do we have?', 'billing projects'],
    ['show me all projects', 'billing projects'],
    ['what is scheduled?', 'billing schedules'],
    ['list our watches', 'billing watches'],
    ['which alerts are set up on prod?', 'billing watches prod'],
    ['what can you do?', 'billing help'],
    ['help', 'billing help'],
    ['HWO MUHC did prod spend last week', 'spend prod last-week'],
    ['how much did prod spend last week :money_with_wings: 💸', 'spend prod last-week'],
    ['hi\nhow much did prod cost last month?\nthx', 'spend prod last-month'],
  ])('%j is %j', (text, command) => expect(meaning(text)).toBe(command));

  it.each(['thanks', 'Thank you very much, Tally!', 'ok, thx', 'cheers :pray:'])('%j is thanks', (text) =>
    expect(parseQuestion(text, ALIASES)).toEqual({ kind: 'thanks' }),
  );

  it('joins the words of a name, and offers each reading where there are two', () => {
    const read = (text: string, ...names: string[]) => {
      const question = parseQuestion(text, new Set(names));
      return question?.kind === 'offered' ? question.commands.map(({ text: words }) => words) : question;
    };
    const command = { kind: 'command', command: '/spend' };
    expect(read('what did Web Shop’s storage cost in may?', 'web-shop')).toEqual({
      ...command,
      text: 'web-shop may storage',
    });
    expect(read('spend of web shop, prod eu and 123', 'web-shop', 'prod-eu')).toEqual({
      ...command,
      text: 'web-shop,prod-eu,123',
    });
    expect(read('web shop eu spend', 'web-shop', 'web-shop-eu')).toEqual({ ...command, text: 'web-shop-eu' });
    expect(read('prod 2 spend', 'prod', 'prod-2')).toEqual(['prod storage', 'prod-2']);
    expect(read('web shop eu spend', 'web-shop', 'web-shop-eu', 'eu')).toEqual([
      'web-shop-eu',
      'web-shop,eu',
    ]);
    expect(read('web. shop spend', 'web-shop')).toEqual(['web-shop']);
  });

  it('does not join a project with the month behind its verb', () => {
    expect(meaning('what did 3 cost october')).toBe('spend 3 in october');
  });
});
