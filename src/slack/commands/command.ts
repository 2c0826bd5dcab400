import type { CommandName, SlashCommand } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { NO_ALIASES } from '../../domain/language/items.ts';
import { normalizeText } from '../../domain/language/text.ts';
import { couldBeSecret } from '../../domain/secret-detection.ts';

/** A command with its words, as Slack delivers it: `/billing` with `connect` as its text. */
export interface Command {
  readonly command: SlashCommand;
  readonly text: string;
}

/** In characters; longer texts are refused before anything reads them. */
const LONGEST_TEXT = 1_000;

export const isShortText = (text: string): boolean => text.length <= LONGEST_TEXT;

export const textTooLong = () => new Failure('text-too-long', { most: LONGEST_TEXT });

/** @throws text-too-long */
export function requireShortText(text: string): void {
  if (!isShortText(text)) throw textTooLong();
}

/** `/billing projects` with `add 123` after it. */
export const toCommand = (name: CommandName, text = ''): Command => parseCommand(`${name} ${text}`.trim());

/** The command as it is typed, which is all that a button that runs it has in its value. */
export const commandLine = ({ command, text }: Command): string => `${command} ${text}`.trim();

/** What was typed as a button may carry it: without words that could be a secret; project names stay. */
export function withoutSecrets({ command, text }: Command, aliases: ReadonlySet<string>): Command {
  const words = text.split(' ').filter((word) => !couldBeSecret(word) || aliases.has(normalizeText(word)));
  return { command, text: words.join(' ') };
}

/** What was typed, to be offered again. @returns undefined if a word could be a secret: the rest may ask something else */
export function offeredAgain(typed: Command, aliases = NO_ALIASES): Command | undefined {
  return withoutSecrets(typed, aliases).text === typed.text ? typed : undefined;
}

/** @param line of a button or of Slack: outside text, which can name an unknown command */
export function parseCommand(line: string): Command {
  const [command = '', ...words] = line.split(' ');
  return { command: command as SlashCommand, text: words.join(' ') };
}
