import { parseBalanceText } from '../../domain/language/command-text.ts';
import type { ProjectReference } from '../../workspace/resolve-project.ts';

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws InvalidWord, SecretPasted */
export function parseBalanceRequest(text: string, aliases: ReadonlySet<string>): ProjectReference | 'help' {
  const words = parseBalanceText(text, aliases);
  return words.help ? 'help' : words;
}
