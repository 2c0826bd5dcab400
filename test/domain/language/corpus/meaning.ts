/** Reads the tables of the corpus, and compares commands by what they ask for, never by how they are spelled. */
import { type ParsedCommand, rankText } from '../../../../src/domain/language/parsed-command.ts';
import { formatVersus } from '../../../../src/domain/time/named-comparison.ts';
import { type NamedDays, periodOf } from '../../../../src/domain/time/period.ts';
import { readPeriod, readSpend } from '../../../support/read-words.ts';

/** Saturday, as in the examples of docs/asking.md. */
export const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

export const ALIASES: ReadonlySet<string> = new Set([
  ...['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu'],
]);

/** What a command asks for, as text that two spellings of one command share. */
type Meaning = string;

const days = (named: NamedDays): string => {
  const { from, to } = periodOf(named, NOW, 'UTC');
  return `${new Date(from).toISOString()}–${new Date(to).toISOString()}`;
};

const projectsOf = ({ several, alias, project }: ParsedCommand): string => {
  if (several === undefined) return alias ?? project ?? 'default';
  if (several === 'all') return 'all';
  const names = several.map((name) => ('alias' in name ? name.alias : name.project));
  return names.sort().join();
};

/** @throws InvalidWord for a text that the command would refuse */
export function meaningOf(command: string): Meaning {
  const [name = '', ...rest] = command.split(' ');
  const text = rest.join(' ');
  if (name !== '/spend' && name !== '/balance') return command.trim();
  const words = readSpend(text, ALIASES);
  const { phrase = readPeriod(''), product = '', unit = '', versus, output } = words;
  const asked = name === '/balance' ? 'now' : days(phrase);
  const compared = versus === undefined ? '' : 'text' in versus ? days(versus) : formatVersus(versus);
  const rank = rankText(words);
  return [name, projectsOf(words), asked, product, `vs ${compared}`, rank, unit, output ?? ''].join('|');
}
