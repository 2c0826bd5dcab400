import type { SlashCommand } from '../../domain/commands.ts';
import { InvalidWord, isFailure, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { normalizeText, parseCommandText } from '../../domain/language/command-text.ts';
import { nearestWord } from '../../domain/language/nearest-word.ts';
import { holdsUnknownWord } from '../../domain/language/parse.ts';
import { parseQuestion, type QuestionCommand } from '../../domain/language/questions/question.ts';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import { clipWord } from '../../domain/language/text.ts';
import type { CommandInvocation } from '../../slack/commands/command-buttons.ts';

/** What Tally can be asked to do. */
export interface KnownCommands {
  /** `/spend` and the like. */
  readonly commands: readonly SlashCommand[];
  /** Second words of `/billing`. */
  readonly verbs: readonly string[];
  /** Names of projects, in lower case. */
  readonly aliases: ReadonlySet<string>;
  /** Whether a command takes this text. */
  readonly canRead: (invocation: CommandInvocation) => boolean;
}

export type Mention =
  | { readonly kind: 'command'; readonly rerun: CommandInvocation }
  /** What may be meant, for the person to choose; `fact` is why it is not run. */
  | {
      readonly kind: 'guess';
      readonly fact: string | undefined;
      readonly reruns: readonly CommandInvocation[];
    }
  /** Nothing to go by: no words at all, or why they are no question or command. */
  | { readonly kind: 'nothing'; readonly fact: string | undefined };

/** Its text begins with a verb. */
const BILLING: SlashCommand = '/billing';

/** The commands that a question can mean. */
const QUESTION_COMMANDS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance']);

/** A greeting is answered with what Tally can be asked; its word is not refused. */
const GREETINGS: ReadonlySet<string> = new Set(['hello', 'hi', 'hey', 'hallo', 'thanks', 'thank']);

/**
 * Reads what was said to Tally: a command, whose name or whose verb of `/billing` comes first, or a question in one's
 * own words. Nothing is run on a guess. @throws SecretPasted
 */
export function parseMention(said: string, known: KnownCommands): Mention {
  const text = spoken(said);
  const [first = '', ...others] = text.split(' ');
  const name = bare(first);
  if (name === '') return { kind: 'nothing', fact: undefined };
  const command = commandOf(name, known.commands);
  if (command !== undefined)
    return { kind: 'command', rerun: commandOrQuestion(command, others.join(' '), text, known) };
  if (known.verbs.includes(name)) return { kind: 'command', rerun: { command: BILLING, text } };
  const question = parseQuestion(text, known.aliases);
  if (question?.kind === 'command') return { kind: 'command', rerun: invocationOf(question) };
  if (GREETINGS.has(name) && question === undefined) return { kind: 'nothing', fact: undefined };
  const unknown = new InvalidWord(clipWord(couldBeSecret(first) ? first : name), UNRECOGNIZED, '');
  const meant = nearby(name, others.join(' '), known);
  if (meant !== undefined) return { kind: 'guess', fact: unknown.fact, reruns: [meant] };
  if (question?.kind === 'offered')
    return { kind: 'guess', fact: question.refusal?.fact, reruns: question.commands.map(invocationOf) };
  const { why, fact, message } = question?.refusal ?? unknown;
  if (question === undefined && !holdsUnknownWord(name, known.aliases))
    return { kind: 'nothing', fact: undefined };
  return { kind: 'nothing', fact: why === UNRECOGNIZED ? fact : message };
}

const invocationOf = ({ command, text }: QuestionCommand): CommandInvocation => ({
  command: `/${command}`,
  text,
});

/** `spend on prod last week` is a question; what is neither a question nor a command is refused as a command. */
function commandOrQuestion(
  command: SlashCommand,
  rest: string,
  text: string,
  { aliases }: KnownCommands,
): CommandInvocation {
  const typed = { command, text: rest };
  if (!QUESTION_COMMANDS.has(command) || tried(rest, aliases).readable !== undefined) return typed;
  const question = parseQuestion(text, aliases);
  return question?.kind === 'command' && `/${question.command}` === command ? invocationOf(question) : typed;
}

/** The command or verb that the first word is, mistyped, with the rest corrected too. */
function nearby(
  name: string,
  rest: string,
  { commands, verbs, aliases, canRead }: KnownCommands,
): CommandInvocation | undefined {
  const near = nearestWord(name, [...commands.map((command) => command.slice(1)), ...verbs]);
  if (near === undefined) return undefined;
  const command = commandOf(near, commands);
  const typed =
    command === undefined ? { command: BILLING, text: `${near} ${rest}`.trim() } : { command, text: rest };
  const { corrected } = canRead(typed) ? {} : tried(rest, aliases);
  const meant = corrected === undefined ? typed : { ...typed, text: corrected };
  return canRead(meant) ? meant : undefined;
}

interface Tried {
  readonly readable?: string;
  /** The corrected text. */
  readonly corrected?: string;
}

/** Whether the words are a complete question about a project. @throws SecretPasted */
function tried(text: string, aliases: ReadonlySet<string>): Tried {
  try {
    return parseCommandText(text, aliases).help ? {} : { readable: text };
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
    const { suggestion } = error;
    return suggestion === undefined || suggestion === 'help' ? {} : { corrected: suggestion };
  }
}

const commandOf = (name: string, commands: readonly SlashCommand[]): SlashCommand | undefined =>
  commands.find((command) => command.slice(1) === name);

/** `Spend:` and `/spend` are spend. */
const bare = (word: string): string => /^\/?(.*[a-z0-9])/.exec(normalizeText(word))?.[1] ?? '';

const PEOPLE = /<@[A-Z0-9]+(?:\|[^<>]*)?>/g;
const LABELLED = /<[^<>|]*\|([^<>]+)>/g;
const MARKED = /<([^<>|]*)\|?>/g;
const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** What was typed, out of what Slack made of it: people named in it mean nothing, links are what they show. */
export function spoken(text: string): string {
  return text
    .replace(PEOPLE, ' ')
    .replace(LABELLED, '$1')
    .replace(MARKED, '$1')
    .replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign] ?? sign)
    .replace(/\s+/g, ' ')
    .trim();
}
