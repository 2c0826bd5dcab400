import { commandText } from '../../domain/commands.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { parseProjectText } from '../../domain/language/command-text.ts';
import { formatPhrase } from '../../domain/language/period-phrase.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { ProjectReference } from '../../workspace/resolve-project.ts';

/** `prod` or `123`; without a project the channel's is meant. @throws InvalidWord, SecretPasted */
export function parseTokenText(text: string, aliases: ReadonlySet<string>): ProjectReference | 'help' {
  const { help, phrase, product, project, alias } = parseProjectText(text, aliases);
  if (help) return 'help';
  const word = alias ?? project;
  if (phrase !== undefined) throw refused(formatPhrase(phrase), 'is a period, and a token has none', word);
  if (product !== undefined)
    throw refused(PRODUCTS[product].word, 'is a product, and a token covers the whole project', word);
  return {
    ...(project !== undefined && { project }),
    ...(alias !== undefined && { alias }),
  };
}

const refused = (bad: string, why: string, word: string | undefined): InvalidWord =>
  new InvalidWord(bad, why, `Try ${commandText('/os-token')} ${word ?? 'prod'}.`, word);
