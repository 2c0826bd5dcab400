import { parseBalanceText } from '../../domain/language/command-text.ts';
import type { ProjectReference, SeveralProjects } from '../../workspace/resolve-project.ts';

/** One project, or several in its place. */
export interface BalanceRequest extends ProjectReference {
  readonly several?: SeveralProjects;
}

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws InvalidWord, SecretPasted */
export function parseBalanceRequest(text: string, aliases: ReadonlySet<string>): BalanceRequest | 'help' {
  const words = parseBalanceText(text, aliases);
  return words.help ? 'help' : words;
}
