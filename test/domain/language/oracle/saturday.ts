/**
 * Phrases and their days on Saturday 2026-11-21 at 10:15:30.123 UTC, by the tables of product.md and in their order. A dot
 * between phrases; “now” is today, until now.
 */

type Table = readonly (readonly [days: string, phrases: string])[];

/** The first table and the paragraph “Further”. */
const UNITS: Table = [
  [
    '2026-11-14..2026-11-20',
    'last-7-days · past 7 days · previous 7 days · prev 7 days · 7 days · 7d · last seven days · seven days · past seven days · the last 7 days · for the last 7 days · in the past 7 days · during the last seven days · last 7 days please',
  ],
  [
    '2026-11-15..now',
    'last-7-days including today · last 7 days incl today · including today last 7 days · including today · 7d incl. today · seven days including today',
  ],
  [
    '2026-11-18..2026-11-20',
    'last 3 days · three days · 3 days · 3d · past three days · the previous three days',
  ],
  ['2026-11-09..2026-11-20', 'last twelve days · twelve days · 12d'],
  ['2026-10-22..2026-11-20', '30 days · last 30 days · past 30 days · 30d'],
  ['now..now', 'today · today including today · for today · last-1-day including today'],
  [
    '2026-11-20..2026-11-20',
    'yesterday · last-day · last day · previous day · past day · for yesterday · yesterday please · 1d · one day',
  ],
  [
    '2026-11-09..2026-11-15',
    'last-week · past week · previous week · prev week · the last week · in the previous week · 1w · one week · last 1 week',
  ],
  [
    '2026-11-16..now',
    'this-week · wtd · week to date · current week · the current week · this week so far · so far this week · during this week · this week including today',
  ],
  [
    '2026-11-02..2026-11-15',
    'two weeks · last two weeks · 2 weeks · 2w · past two weeks · the previous two weeks · last 2 weeks',
  ],
  ['2026-10-19..2026-11-15', 'last-4-weeks · 4w · 4 weeks · four weeks · past 4 weeks · previous four weeks'],
  [
    '2026-10-01..2026-10-31',
    'last-month · previous month · prev month · past month · the last month · for last month · 1mo · one month · last one month',
  ],
  [
    '2026-11-01..now',
    'this-month · mtd · month to date · current month · the current month · this month so far · so far this month · for this month · current month so far · this month including today · 2026-11 · november · nov · november 2026 · from 1 november to now · 1 november to now · from 1 november until today · this november · november this year · 2026-11..today · since november · from november',
  ],
  [
    '2026-09-01..2026-10-31',
    'past two months · two months · last 2 months · 2mo · last two months · previous two months · 2026-09..2026-10 · september to october · sep - oct · from september through october · between september and october · sept until oct · september till october · sep–oct',
  ],
  [
    '2026-08-01..2026-10-31',
    'last-3-months · 3mo · 3 months · three months · past three months · 2026-08..2026-10 · 2026-08 to 2026-10 · august to october · aug…oct · from aug until oct · aug—oct · 2026-08 – 2026-10',
  ],
  ['2025-11-01..2026-10-31', 'last twelve months · 12mo · 12 months'],
  [
    '2026-07-01..2026-09-30',
    'last-quarter · previous quarter · prev quarter · past quarter · q3 · 2026-q3 · q3 2026 · q3 of 2026 · q3-2026 · third quarter of 2026 · 3rd quarter of 2026 · q3 this year · third quarter this year · the third quarter of 2026 · in q3 · third quarter 2026 · the third quarter · one quarter · 1q',
  ],
  [
    '2026-10-01..now',
    'this-quarter · qtd · quarter to date · current quarter · this quarter so far · so far this quarter · q4 · fourth quarter of 2026 · q4 this year · q4 2026 · since october · from october · since oct · from october to now · october to november · oct - nov · since q4 · since 1 october · from 1 oct · since october 2026 · since 2026-10',
  ],
  [
    '2026-04-01..2026-09-30',
    'last-2-quarters · two quarters · past two quarters · 2q · q2..q3 · q2 to q3 · q2-q3 · from q2 through q3 · between q2 and q3 · 2026-q2..2026-q3 · q2 until q3',
  ],
  [
    '2025-01-01..2025-12-31',
    'last-year · previous year · prev year · past year · one year · 1y · 2025 · year 2025 · in 2025 · the last year',
  ],
  [
    '2026-01-01..now',
    'this-year · ytd · year to date · current year · this year so far · so far this year · 2026 · year 2026 · since january · since 1 january · from january to now · since 2026-01 · from 1 jan until now · since q1 · from jan 1 to today',
  ],
  ['2024-01-01..2025-12-31', 'last-2-years · two years · past two years · 2y · 2 years · last two years'],
  ['2026-10-05..2026-10-05', '2026-10-05 · 2026/10/05 · 2026-10-5 · on 2026-10-05 · 2026/10/5'],
  ['2026-01-05..2026-01-05', '2026-1-5 · 2026-01-05 · 2026/1/5'],
  [
    '2026-10-01..2026-10-15',
    '2026-10-01..2026-10-15 · 2026-10-01 to 2026-10-15 · from 2026-10-01 to 2026-10-15 · 2026-10-01 - 2026-10-15 · 2026-10-01–2026-10-15 · 2026-10-01—2026-10-15 · 2026-10-01…2026-10-15 · 2026-10-01 until 2026-10-15 · 2026-10-01 till 2026-10-15 · 2026-10-01 through 2026-10-15 · between 2026-10-01 and 2026-10-15 · from 2026/10/01 until 2026/10/15',
  ],
  [
    '2026-11-02..now',
    'since 2026-11-02 · from 2026-11-02 · since nov 2 · from 2 november · since 2 november · since 2nd of november · since the 2nd of november · from nov 2 to now · since november 2, 2026 · from 2 november until today · since 2.11. · since 2.11.2026 · since the 2nd · since 2 nov 2026 · since nov-2',
  ],
];

/** “As people say it”. */
const WORDS: Table = [
  [
    '2026-10-03..2026-10-03',
    '3 october · october 3 · 3rd of oct · oct 3, 2026 · 3rd of october · 3 oct · oct 3 · oct-3 · oct3 · oct. 3 · 2026-oct-3 · saturday 3 october · october 3rd · 3rd october · the 3rd of october · on the 3rd of october · 3 of october · on 3 october · october the 3rd · 3 october 2026 · october 3 2026 · october 3, 2026 · 3rd of october 2026 · 3rd of october, 2026 · oct 3rd, 2026 · 3-oct · 3-oct-2026 · 3oct · 03 october · oct 03 · sat 3 oct · sat, oct 3 · saturday, october 3, 2026 · saturday october 3rd · on saturday 3 october · saturday the 3rd of october · 3.10. · 3.10.2026 · 03.10.2026 · 03.10. · on 3.10. · october 3 please · for october 3 · sat. 3 oct. · 3 oct. · 3 oct. 2026 · 2026-october-3',
  ],
  [
    '2025-12-24..2025-12-24',
    '24 december · dec 24 · 24th of december · december 24th · 24.12. · 24-dec · dec24 · 24 dec 2025 · wednesday 24 december · the 24th of december · 24/12/2025 · 12/24/2025 · 24.12.2025',
  ],
  [
    'now..now',
    '21 november · nov 21 · 21.11. · the 21st · saturday 21 november · 2026-11-21 · 21st of november',
  ],
  ['2025-11-22..2025-11-22', '22 november · nov 22 · the 22nd of november · 22.11. · 22.11.2025'],
  [
    '2026-10-01..2026-10-15',
    'oct 1-15 · 1-15 oct · 1 to 15 october · between 1 and 15 october · from oct 1 through oct 15 · 1.10.-15.10. · october 1-15 · 1-15 october · 1–15 oct · 1 – 15 oct · oct 1–15 · oct 1 - 15 · october 1 to 15 · from october 1 to 15 · 1 until 15 october · 1 till 15 oct · 1 through 15 october · from 1 to 15 october · from the 1st to the 15th of october · 1st to 15th of october · 1st-15th of october · october 1st to 15th · oct 1st-15th · 1 oct - 15 oct · oct 1 - oct 15 · oct 1 to oct 15 · 1 october to 15 october · from 1 october until 15 october · between oct 1 and oct 15 · between october 1 and 15 · between the 1st and the 15th of october · 1-15 oct 2026 · oct 1-15, 2026 · oct 1-15 2026 · 1 oct 2026 - 15 oct 2026 · 1 to 15 of october · 1.10.2026-15.10.2026 · 1.10. - 15.10. · 1.10. to 15.10. · from 1.10. until 15.10. · 1.10.–15.10. · oct 1..15 · oct 1..oct 15 · 1..15 oct · 2026-10-01 to 15 october · first half of october · the first half of october · 1st half of october · 1st half of oct 2026 · first half of october 2026 · oct 1 … oct 15',
  ],
  [
    '2025-10-01..2025-10-15',
    '1-15 oct 2025 · oct 1-15, 2025 · 1 oct - 15 oct 2025 · 1 oct 2025 - 15 oct 2025 · from 1 to 15 october 2025 · first half of october 2025 · between 1 and 15 october 2025',
  ],
  [
    '2026-10-28..2026-11-05',
    '28 oct - 5 nov · oct 28 - nov 5 · 28 october to 5 november · from october 28 through november 5 · between 28 oct and 5 nov · 28.10.-5.11. · 28th of october until 5th of november · 28 oct – 5 nov 2026 · oct 28 to nov 5, 2026 · oct 28–nov 5',
  ],
  [
    '2025-12-20..2026-01-05',
    '20 dec - 5 jan · dec 20 - jan 5 · 20 december to 5 january · from dec 20 through jan 5 · between 20 december and 5 january · 20.12.-5.1. · 20 dec 2025 - 5 jan 2026 · 20 dec 2025 – 5 jan 2026 · 20th of december until the 5th of january',
  ],
  [
    '2025-12-01..2026-02-28',
    'dec - feb · december to february · from december through february · 2025-12..2026-02',
  ],
  [
    '2026-11-16..2026-11-16',
    'monday · on monday · last monday · mon · mon. · on mon · the 16th · on the 16th · 5 days ago · five days ago · monday 16 november',
  ],
  [
    '2026-11-16..now',
    'since monday · since mon · since last monday · from 16 november · since the 16th · from monday to now',
  ],
  [
    '2026-11-17..2026-11-17',
    'tuesday · tue · last tuesday · on tuesday · the 17th · on the 17th · 17th · 4 days ago · four days ago · tues · 17 november',
  ],
  ['2026-11-18..2026-11-18', '3 days ago · three days ago · wednesday · wed · last wednesday · 18.11.'],
  [
    '2026-11-19..2026-11-19',
    'the day before yesterday · day before yesterday · 2 days ago · two days ago · thursday · thu · last thursday · thurs',
  ],
  ['2026-11-20..2026-11-20', 'friday · fri · last friday · on friday · 1 day ago · one day ago · the 20th'],
  ['2026-11-14..2026-11-14', 'saturday · sat · last saturday · 7 days ago · seven days ago'],
  ['2026-11-15..2026-11-15', 'sunday · last sunday · sun · 6 days ago · the 15th'],
  ['2026-11-09..2026-11-09', '12 days ago · twelve days ago · monday last week · last week monday'],
  ['2026-10-22..2026-10-22', '30 days ago · the 22nd · on the 22nd'],
  ['2026-10-31..2026-10-31', 'the 31st · 31 october · oct 31 · 31.10.'],
  ['2026-11-20..now', 'since yesterday · since friday · since nov 20 · from yesterday to now'],
  ['2026-11-14..2026-11-15', 'last weekend · weekend · the weekend · on the weekend'],
  ['now..now', 'this weekend'],
  [
    '2026-11-02..2026-11-08',
    'w45 · week 45 · 2026-w45 · 2026w45 · w45 2026 · week 45 of 2026 · week 45 2026 · the week of 4 november · week of november 4 · week of nov 4 · the week of the 4th of november · week of 2026-11-04 · week of 4.11. · week starting 2 november · the week starting nov 2 · week starting 2026-11-02 · week starting on 2 november · w-45 · in week 45',
  ],
  ['2026-11-16..now', 'w47 · week 47 · 2026-w47 · week of 18 november · week starting 16 november'],
  ['2025-11-24..2025-11-30', 'w48 · week 48 · 2025-w48'],
  ['2025-12-29..2026-01-04', 'w1 · week 1 · 2026-w01 · 2026-w1 · w01'],
  ['2020-12-28..2021-01-03', 'w53 · 2020-w53'],
  [
    '2026-01-01..2026-06-30',
    'h1 · h1 2026 · 2026-h1 · first half of 2026 · the first half of 2026 · 1st half of 2026 · h1 of 2026 · h1 this year · q1..q2 · from q1 to q2 · january to june',
  ],
  ['2026-07-01..now', 'h2 · h2 2026 · second half of 2026 · since july · since q3 · from july to november'],
  ['2025-07-01..2025-12-31', 'h2 2025 · 2025-h2 · second half of 2025 · 2nd half of 2025 · h2 last year'],
  [
    '2026-10-16..2026-10-31',
    'second half of october · the second half of october · 2nd half of october · second half of oct 2026 · 16-31 oct',
  ],
  ['2026-11-01..2026-11-15', 'first half of november · 1-15 nov'],
  ['2026-11-16..now', 'second half of november'],
  ['2026-02-16..2026-02-28', 'second half of february · second half of feb 2026'],
  ['2024-02-16..2024-02-29', 'second half of february 2024'],
  [
    '2026-10-01..2026-10-31',
    'october · oct · 2026-10 · october 2026 · last october · october this year · this october · in october · oct. · oct 2026 · 2026/10 · oct-2026 · october, 2026 · oct. 2026 · for october · during october · october of 2026 · in october 2026 · october please',
  ],
  ['2025-11-01..2025-11-30', 'last november · november last year · nov 2025 · november 2025 · last nov'],
  [
    '2025-10-01..2025-10-31',
    'october last year · oct last year · october of last year · october 2025 · 2025-10',
  ],
  ['2025-12-01..2025-12-31', 'december · dec · last december · december last year · 2025-12'],
  [
    '2026-09-01..2026-09-30',
    'this september · september · sept · last september · september this year · sep 2026',
  ],
  [
    '2026-11-05..2026-11-05',
    '5.11.2026 · 5.11. · 05.11.2026 · 05.11. · 5 november · thursday 5 november · nov 5 · on 5.11.',
  ],
  [
    '2026-11-13..2026-11-13',
    '13/11/2026 · 11/13/2026 · 13.11. · last week friday · friday last week · 13 november · fri last week · the 13th',
  ],
  [
    '2024-02-29..2024-02-29',
    '29 feb · feb 29 · 29th of february · 29.2. · 29 february 2024 · 29.02.2024 · 2024-02-29',
  ],
  [
    '2025-07-01..2025-09-30',
    'q3 last year · q3 2025 · 2025-q3 · third quarter of 2025 · third quarter last year',
  ],
  ['2026-10-12..2026-10-18', 'week of 14 october · w42 · week starting 12 october · the week of oct 18'],
];

const read = (table: Table): (readonly [phrase: string, first: string, last: string])[] =>
  table.flatMap(([days, phrases]) => {
    const [first = '', last = ''] = days.replaceAll('now', '2026-11-21').split('..');
    return phrases.split(' · ').map((phrase) => [phrase, first, last] as const);
  });

export const NOW = Date.parse('2026-11-21T10:15:30.123Z');
export const ANSWERED = [...read(UNITS), ...read(WORDS)];

/** What is refused, and what its buttons have to mean and nothing else; without a list they may mean anything that runs. */
export const REFUSED: readonly (readonly [phrase: string, offered?: readonly string[]])[] = [
  ['05/11/2026', ['2026-11-05..2026-11-05', '2026-05-11..2026-05-11']],
  ['03/04/2026', ['2026-04-03..2026-04-03', '2026-03-04..2026-03-04']],
  ['2026-10-15..2026-10-01', ['2026-10-01..2026-10-15']],
  ['2026-10-15 to 2026-10-01', ['2026-10-01..2026-10-15']],
  ['7m', ['2026-04-01..2026-10-31']],
  ['last 7m', ['2026-04-01..2026-10-31']],
  ['2 weeks ago', ['2026-11-07..2026-11-07', '2026-11-02..2026-11-08']],
  ['two weeks ago', ['2026-11-07..2026-11-07', '2026-11-02..2026-11-08']],
  ['2026-10-05 to monday', ['2026-10-05..2026-10-05', '2026-10-05..2026-11-16']],
  ['october to friday', ['2026-10-01..2026-10-02', '2026-10-01..2026-11-20']],
  ['2026-11-01..2026-11-30', ['2026-11-01..now']],
  ['1 november to 30 november', ['2026-11-01..now']],
  ['nov 1-30', ['2026-11-01..now']],
  ...(
    'oct 15-1 · 15-1 october · 15 oct 2026 - 1 oct 2026 · last-0-days · 2026-02-30 · 30 february · feb 30 · 30.2. · 31 april · 31st of november · 29 feb 2025 · 2026-13-01 · 13.13. · 0 october · ' +
    'sunday 3 october · monday, october 3, 2026 · saturday 2026-10-05 · ' +
    'next week · next month · next 7 days · tomorrow · 2026-12 · december 2026 · this december · december this year · 22 november 2026 · 2026-11-22 · 22.11.2026 · since december 2026 · 2026-w48 · q1 2027 · year 2027 · ' +
    'h1 2027 · nov 20 - nov 25 · 20 nov - 25 nov · 2026-11..2026-12 · nov to jan · since 2026-11-22 · 22/11/2026 · first half of 2027 · ' +
    'last-3661-days · since 2016-11-13 · last 11 years · ' +
    'all time · last 24 hours · 24 hours · 24h · past hour · 5 hours ago · next friday · ' +
    'first week of october · late last month · few days · last few days · early october · mid october · end of october · beginning of november · ' +
    'second week of october · last week including today · yesterday including today · october including today · ' +
    'week starting 4 november · w54 · week 54 · 2025-w53 · week 0 · q5 · h3 · 2026-h3 · third half of 2026 · fifth quarter of 2026 · ' +
    '2026-10-01.. · until october · to october · before october · after october · except october · not october · october or september'
  )
    .split(' · ')
    .map((phrase): readonly [string] => [phrase]),
];
