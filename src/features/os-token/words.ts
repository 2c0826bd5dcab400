import { WordRefused } from '../../domain/failure.ts';
import { canonical } from '../../domain/phrase.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { readProjectWords } from '../../domain/words.ts';
import type { Named } from '../../workspace/target.ts';

/** `prod` or `123`; without a project the channel's is meant. @throws WordRefused, SecretPasted */
export function readTokenWords(text: string, aliases: ReadonlySet<string>): Named | 'help' {
  const { help, phrase, product, project, alias } = readProjectWords(text, aliases);
  if (help) return 'help';
  const word = alias ?? project;
  if (phrase !== undefined) throw refused(canonical(phrase), 'names a period, and a token is for now', word);
  if (product !== undefined)
    throw refused(PRODUCTS[product].word, 'is a product, and a token is for a whole project', word);
  return {
    ...(project !== undefined && { project }),
    ...(alias !== undefined && { alias }),
  };
}

const refused = (bad: string, why: string, word: string | undefined): WordRefused =>
  new WordRefused(bad, why, `Try /os-token ${word ?? 'prod'}.`, word);
