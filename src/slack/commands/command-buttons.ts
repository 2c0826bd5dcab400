import type { Button } from '@slack/types';
import type { CommandName, SlashCommand } from '../../domain/commands.ts';
import { normalizeText } from '../../domain/language/command-text.ts';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import { type Block, type ButtonOptions, button, type Message, option } from '../kit/atoms.ts';
import { SLACK_LIMITS } from '../kit/limits.ts';

/** A command as Slack delivers it: `/billing` with `connect` as its text. */
export interface CommandInvocation {
  readonly command: SlashCommand;
  readonly text: string;
}

/** A command as typed. A button that runs it has nothing else in its value. */
export interface CommandLink {
  readonly command: CommandName | SlashCommand;
  readonly text?: string;
}

/** The command as it is typed. */
export const commandLine = ({ command, text = '' }: CommandLink): string => `${command} ${text}`.trim();

/** Returns the command for a button's value, without words that could be a secret; project names stay. */
export function withoutSecrets(
  { command, text }: CommandInvocation,
  aliases: ReadonlySet<string>,
): CommandInvocation {
  const words = text.split(' ').filter((word) => !couldBeSecret(word) || aliases.has(normalizeText(word)));
  return { command, text: words.join(' ') };
}

/** @returns a button that runs a command and replaces its message; none when the text is too long for Slack */
export function commandButton(
  id: string,
  label: string,
  rerun: CommandLink,
  options: ButtonOptions = {},
): Button[] {
  const value = commandLine(rerun);
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button(`rerun:${id}`, label, { ...options, value })];
}

/** The same as an option of a select. */
export const commandOption = (label: string, rerun: CommandLink, description?: string) =>
  option(label, commandLine(rerun), description);

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
  commandButton('name', 'Name…', {
    command: '/billing projects',
    text: `add ${project} ${PRODUCTS[product].word}`,
  });

/** The figures of an answer as CSV, and the details to reconcile with. */
export const outputOptions = ({ command, text = '' }: CommandLink) => [
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
  commandOption('Schedule this…', { command: '/billing schedule', text: namedText(projects, report) });

/** Opens the form that watches the project. @param kind as in `/billing watch` */
export const watchOption = (project: NamedProjects, kind?: string) =>
  commandOption('Watch…', { command: '/billing watch', text: namedText(project, kind) });

/** Buttons to the previous and the next page, as far as they exist. */
export const pageButtons = (page: number, pages: number, rerunFor: (page: number) => CommandLink): Button[] =>
  [
    { label: 'Previous', to: page - 1 },
    { label: 'Next', to: page + 1 },
  ]
    .filter(({ to }) => to >= 1 && to <= pages)
    .flatMap(({ label, to }) => commandButton(label.toLowerCase(), label, rerunFor(to)));

/** Outside text can name an unknown command, which `createCommandRunner` rejects. */
export const asSlashCommand = (text: string): SlashCommand => text as SlashCommand;

export function parseInvocation(value: string): CommandInvocation {
  const [command = '', ...words] = value.split(' ');
  return { command: asSlashCommand(command), text: words.join(' ') };
}

const SHARE = 'share';

/**
 * **Share** asks the same question again, this time for the channel: the figures are as of the click, the days those of the
 * answer if they were over. @param asked when the answer was asked for, in ms
 */
export function shareButton(rerun: CommandLink, asked: number): Button[] {
  const value = `${asked} ${commandLine(rerun)}`;
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button(SHARE, 'Share', { value })];
}

/** Returns the message without **Share**, for direct messages. */
export function withoutShare({ text, blocks }: Message): Message {
  const kept = blocks.flatMap((block): Block[] => {
    if (block.type !== 'actions') return [block];
    const elements = block.elements.filter(
      (element) => !('action_id' in element) || element.action_id !== SHARE,
    );
    return elements.length > 0 ? [{ ...block, elements }] : [];
  });
  return { text, blocks: kept };
}

/** `asked` is in ms since the epoch; Infinity when the value has no valid time. */
export function parseShare(value: string): CommandInvocation & { readonly asked: number } {
  const [asked = '', ...rest] = value.split(' ');
  const instant = Number(asked);
  return {
    asked: Number.isSafeInteger(instant) && instant > 0 ? instant : Number.POSITIVE_INFINITY,
    ...parseInvocation(rest.join(' ')),
  };
}
