import { parseBalanceText } from '../../domain/language/command-text.ts';
import { type Output, parseWithOutput } from '../../domain/language/output.ts';
import type { ProjectReference, SeveralProjects } from '../../workspace/resolve-project.ts';

/** One project, or several in its place. */
export interface BalanceRequest extends ProjectReference {
  readonly several?: SeveralProjects;
  /** In place of the message. */
  readonly output?: Output;
}

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws InvalidWord, SecretPasted */
export function parseBalanceRequest(text: string, aliases: ReadonlySet<string>): BalanceRequest | 'help' {
  const { words, output } = parseWithOutput(text, aliases, (rest) => parseBalanceText(rest, aliases));
  return words.help ? 'help' : { ...words, ...(output && { output }) };
}
