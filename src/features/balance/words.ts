import { readTimelessWords } from '../../domain/words.ts';
import type { Named } from '../../workspace/target.ts';

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws WordRefused, SecretPasted */
export function readBalanceWords(text: string, aliases: ReadonlySet<string>): Named | 'help' {
  const words = readTimelessWords(text, aliases);
  return words.help ? 'help' : words;
}
