import type { Button } from '@slack/types';
import type { CommandName, SlashCommand } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { NO_ALIASES } from '../../domain/language/parsed-command.ts';
import { normalizeText } from '../../domain/language/typed-text.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import { couldBeSecret } from '../../domain/secret-detection.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type ButtonOptions, button, option, SLACK_LIMITS } from '../block-kit/blocks.ts';

/** A button that runs a command, whose answer replaces the message. @returns none when the text is too long for Slack */
export function commandButton(
  id: string,
  label: string,
  command: Command,
  options: Omit<ButtonOptions, 'value'> = {},
): Button[] {
  const value = commandLine(command);
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}`, label, { value, ...options })];
}

/** A button for each command, with what would be typed as its label; the first is the most likely. */
export const commandButtons = (id: string, commands: readonly Command[]): Button[] =>
  commands.flatMap((command, at) =>
    commandButton(`${id}-${at}`, commandLine(command), command, at === 0 ? { style: 'primary' } : {}),
  );

/** The same as an option of a select. */
export const commandOption = (label: string, command: Command, description?: string) =>
  option(label, commandLine(command), description);

/** What is asked most about a project. @param words the project, and perhaps its product */
const projectQuestions = (words: string) =>
  [
    ['balance', 'Balance', { command: '/balance', text: words }],
    ['spend', 'Spend, last 7 days', { command: '/spend', text: `${words} last-7-days` }],
  ] as const;

export const projectButtons = (words: string): Button[] =>
  projectQuestions(words).flatMap(([id, label, link]) => commandButton(id, label, link));

export const projectOptions = (words: string) =>
  projectQuestions(words).map(([, label, link]) => commandOption(label, link));

/** Opens the form that gives an ID a name. */
export const nameButton = ({ project, product }: { readonly project: string; readonly product: ProductId }) =>
  commandButton('name', 'Name…', toCommand('/billing projects', `add ${project} ${PRODUCTS[product].word}`));

/** The figures of an answer as CSV, and the details to reconcile with. */
export const outputOptions = ({ command, text }: Command) => [
  commandOption('CSV', { command, text: `${text} csv`.trim() }),
  commandOption('Details', { command, text: `${text} details`.trim() }),
];

/** The projects as a command names them, and their product if all have the same. */
interface NamedProjects {
  readonly word: string;
  readonly product: ProductId | undefined;
}

const namedText = ({ word, product }: NamedProjects, last = ''): string =>
  [word, product && PRODUCTS[product].word, last].filter(Boolean).join(' ');

/** Opens the form that schedules a post about the project. @param report a report's word in `/billing schedule` */
export const scheduleOption = (projects: NamedProjects, report?: string) =>
  commandOption('Schedule this…', toCommand('/billing schedule', namedText(projects, report)));

/** Opens the form that watches the project. @param kind as in `/billing watch` */
export const watchOption = (project: NamedProjects, kind?: string) =>
  commandOption('Watch…', toCommand('/billing watch', namedText(project, kind)));

/** Buttons to the previous and the next page, if they exist. */
export const pageButtons = (page: number, pages: number, commandOf: (page: number) => Command): Button[] =>
  [
    { label: 'Previous', to: page - 1 },
    { label: 'Next', to: page + 1 },
  ]
    .filter(({ to }) => to >= 1 && to <= pages)
    .flatMap(({ label, to }) => commandButton(label.toLowerCase(), label, commandOf(to)));

/**
 * **Share** asks the same question again, this time for the channel: the figures are as of the click, the days those of the
 * answer if they were over. @param askedAt when the answer was asked for, in ms
 */
export function shareButton(command: Command, askedAt: Millis): Button[] {
  const value = `${askedAt} ${commandLine(command)}`;
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button('share', 'Share', { value })];
}

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
