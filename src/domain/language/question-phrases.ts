/** The phrases of a question, and what each of them says. */

/** The commands that a question can mean. */
export type QuestionName = 'spend' | 'balance';

/** What a phrase does in a question: names the command, or adds nothing to one of them or to both. */
export type PhraseRole = QuestionName | 'filler' | `${QuestionName}-filler`;

export const isQuestionName = (role: PhraseRole): role is QuestionName =>
  role === 'spend' || role === 'balance';

const PHRASES_BY_ROLE: Readonly<Record<PhraseRole, readonly string[]>> = {
  spend: ['spend', 'spends', 'spent', 'spending', 'cost', 'costs', 'costing', 'pay for', 'paid for'],
  balance: [
    ...['balance', 'left', 'remaining', 'runway', 'do we have', 'do i have', 'have we got'],
    ...[
      'run out',
      'runs out',
      'run out of money',
      'runs out of money',
      'running out',
      'running out of money',
    ],
  ],
  filler: [
    ...['how much', 'how much money', 'what', 'whats', 'what is', 'what are', 'what was', 'what were'],
    ...['did', 'do', 'does', 'is', 'are', 'was', 'were', 'has', 'have', 'been', 'had'],
    ...['on', 'in', 'for', 'of', 'at', 'over', 'during', 'the', 'a', 'our', 'my', 'we', 'i', 'us', 'it'],
    ...['please', 'pls', 'show', 'show me', 'tell me', 'give me', 'can you', 'could you', 'would you'],
    ...[
      'i want to know',
      'we want to know',
      'i would like to know',
      'do you know',
      'can i see',
      'let me know',
    ],
    ...['hello', 'hi', 'hey', 'hallo', 'tally', 'thanks', 'thank you', 'ok', ','],
  ],
  'spend-filler': ['per day', 'a day', 'each day', 'every day', 'by day', 'day by day'],
  'balance-filler': [
    ...['now', 'right now', 'currently', 'at the moment', 'still', 'there', 'money', 'available'],
    ...['how many days', 'how long', 'how long do', 'how long does', 'how long will', 'how long until'],
    ...['when', 'when do', 'when does', 'when will', 'when is', 'when are'],
  ],
};

export const PHRASES: ReadonlyMap<string, PhraseRole> = new Map(
  Object.entries(PHRASES_BY_ROLE).flatMap(([role, phrases]) =>
    phrases.map((phrase) => [phrase, role as PhraseRole] as const),
  ),
);
const LONGEST_PHRASE = 5;

/** The spellings that a misspelt word is compared with. */
export const COMMAND_WORDS = [
  'spend',
  'spent',
  'spending',
  'cost',
  'costs',
  'balance',
  'remaining',
  'runway',
];

/** The longest phrase that begins there and ends before `end`. */
export function phraseAt(words: readonly string[], at: number, end: number) {
  for (let length = Math.min(LONGEST_PHRASE, end - at); length > 0; length--) {
    const text = words.slice(at, at + length).join(' ');
    const role = PHRASES.get(text);
    if (role !== undefined) return { text, role, length };
  }
  return undefined;
}
