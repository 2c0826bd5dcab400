import { WordRefused } from '../../domain/failure.ts';
import { readWords } from '../../domain/words.ts';
import type { Named } from '../../workspace/target.ts';

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws WordRefused, SecretPasted */
export function readBalanceWords(text: string, aliases: ReadonlySet<string>): Named | 'help' {
  const words = readWords(text, aliases);
  if (words.help) return 'help';
  if (words.phrase !== undefined) {
    throw new WordRefused(
      text.trim().slice(0, 40),
      'names a period, and a balance is of now',
      'Try /balance 123, or /spend 123 last-7-days.',
    );
  }
  return words;
}
