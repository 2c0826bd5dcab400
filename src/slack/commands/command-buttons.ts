/** Buttons and options that run a command, which is their value. */
import type { Button } from '@slack/types';
import type { CommandName, SlashCommand } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { NO_ALIASES } from '../../domain/language/command-items.ts';
import { normalizeText } from '../../domain/language/text-cleanup.ts';
import { couldBeSecret } from '../../domain/secret-detection.ts';
import { type ButtonOptions, button, option, SLACK_LIMITS } from '../block-kit/blocks.ts';

/** The answer replaces the button's message. @returns [] if the command is too long for a button */
export function commandButton(
  id: string,
  label: string,
  command: Command,
  options: Omit<ButtonOptions, 'value'> = {},
): Button[] {
  const value = commandLine(command);
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}`, label, { value, ...options })];
}

export const commandButtons = (id: string, commands: readonly Command[]): Button[] =>
  commands.flatMap((command, at) =>
    commandButton(`${id}-${at}`, commandLine(command), command, at === 0 ? { style: 'primary' } : {}),
  );

export const commandOption = (label: string, command: Command, description?: string) =>
  option(label, commandLine(command), description);

const projectQuestions = (words: string) =>
  [
    ['balance', 'Balance', { command: '/balance', text: words }],
    ['spend', 'Spend, last 7 days', { command: '/spend', text: `${words} last-7-days` }],
  ] as const;

export const projectButtons = (words: string): Button[] =>
  projectQuestions(words).flatMap(([id, label, link]) => commandButton(id, label, link));

export const projectOptions = (words: string) =>
  projectQuestions(words).map(([, label, link]) => commandOption(label, link));

export const pageButtons = (page: number, pages: number, commandOf: (page: number) => Command): Button[] =>
  [
    { label: 'Previous', to: page - 1 },
    { label: 'Next', to: page + 1 },
  ]
    .filter(({ to }) => to >= 1 && to <= pages)
    .flatMap(({ label, to }) => commandButton(label.toLowerCase(), label, commandOf(to)));

export interface Command {
  readonly command: SlashCommand;
  readonly text: string;
}

/** Twenty projects with the longest names fit, and parsing stays fast. */
const LONGEST_TEXT = 700;

export const isShortText = (text: string): boolean => text.length <= LONGEST_TEXT;

export function requireShortText(text: string): void {
  if (!isShortText(text)) throw new Failure('text-too-long', { most: LONGEST_TEXT });
}

export const toCommand = (name: CommandName, text = ''): Command => parseCommand(`${name} ${text}`.trim());

export const commandLine = ({ command, text }: Command): string => `${command} ${text}`.trim();

/** A word that could be a secret must not go into a button, unless it is a project's known name. */
export function withoutSecrets({ command, text }: Command, aliases: ReadonlySet<string>): Command {
  const words = text.split(' ').filter((word) => !couldBeSecret(word) || aliases.has(normalizeText(word)));
  return { command, text: words.join(' ') };
}

/** @returns undefined if a word could be a secret, because the command would mean something else without the word */
export function offeredAgain(typed: Command, aliases = NO_ALIASES): Command | undefined {
  return withoutSecrets(typed, aliases).text === typed.text ? typed : undefined;
}

export function parseCommand(line: string): Command {
  const [command = '', ...words] = line.split(' ');
  return { command: command as SlashCommand, text: words.join(' ') };
}
