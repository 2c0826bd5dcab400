/** Reads the tables of the corpus, and compares commands by what they ask for, never by how they are spelled. */
import { InvalidWord } from '../../../../src/domain/failure/index.ts';
import { type Output, parseWithOutput } from '../../../../src/domain/language/parse-argument.ts';
import { parseCommandText, parsePeriodText } from '../../../../src/domain/language/parse-command.ts';
import { formatParsedCommand, type ParsedCommand } from '../../../../src/domain/language/parsed-command.ts';
import { LAST_7_DAYS, type PeriodPhrase } from '../../../../src/domain/language/periods/period-ast.ts';
import { resolvePeriod } from '../../../../src/domain/time/resolve-period.ts';

/** Saturday, as in the examples of docs/asking.md. */
export const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

export const ALIASES: ReadonlySet<string> = new Set([
  ...['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu'],
]);

/** What a command asks for, as text that two spellings of one command share. */
type Meaning = string;

const days = (phrase: PeriodPhrase): string => {
  const { from, to } = resolvePeriod(phrase, NOW, 'UTC');
  return `${new Date(from).toISOString()}–${new Date(to).toISOString()}`;
};

const projectsOf = ({ several, alias, project }: ParsedCommand): string => {
  if (several === undefined) return alias ?? project ?? 'default';
  if (several === 'all') return 'all';
  const names = several.map((name) => ('alias' in name ? name.alias : name.project));
  return names.sort().join();
};

const wordsOf = (text: string): { readonly words: ParsedCommand; readonly output: Output | undefined } =>
  parseWithOutput(text, ALIASES, (words) => parseCommandText(words, ALIASES));

/** As `/spend` does, offers the whole command with the period that would work. */
function offeredWith(
  { words, output }: ReturnType<typeof wordsOf>,
  period: 'phrase' | 'versus',
  resolve: () => string,
): string {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    throw error.within((text) => formatParsedCommand({ ...words, [period]: parsePeriodText(text) }, output));
  }
}

/** @throws InvalidWord for a text that the command would refuse */
export function meaningOf(command: string): Meaning {
  const [name = '', ...rest] = command.split(' ');
  const text = rest.join(' ');
  if (name !== '/spend' && name !== '/balance') return command.trim();
  const { words, output } = wordsOf(text);
  const { phrase = LAST_7_DAYS, product = '', top = '', versus } = words;
  const asked = name === '/balance' ? 'now' : offeredWith({ words, output }, 'phrase', () => days(phrase));
  const compared =
    versus === undefined || versus === 'year-before'
      ? (versus ?? '')
      : offeredWith({ words, output }, 'versus', () => days(versus));
  const projects = top === '' ? projectsOf(words) : 'all';
  return [name, projects, asked, product, `vs ${compared}`, `top ${top}`, output ?? ''].join('|');
}
