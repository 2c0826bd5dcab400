import type { SlashCommand } from '../../domain/commands.ts';
import { type InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { nearestWord, normalizeText, parseCommandText } from '../../domain/language/command-text.ts';
import { parseQuestion, type QuestionCommand } from '../../domain/language/question.ts';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import { clipWord } from '../../domain/language/text.ts';
import type { CommandInvocation } from '../../slack/command-buttons.ts';

/** What Tally can be asked to do. */
export interface KnownCommands {
  /** `/spend` and the like. */
  readonly commands: readonly SlashCommand[];
  /** Second words of `/billing`. */
  readonly verbs: readonly string[];
  /** Names of projects, in lower case. */
  readonly aliases: ReadonlySet<string>;
}

export type Mention =
  | { readonly kind: 'command'; readonly rerun: CommandInvocation }
  /** What may be meant, for the person to choose; `word` is the one that stood in the way, unless it may be a secret. */
  | {
      readonly kind: 'guess';
      readonly word: string | undefined;
      readonly reruns: readonly CommandInvocation[];
    }
  /** Nothing to go by: no words at all, or `word` and what follows; undefined when it may be a secret. */
  | { readonly kind: 'nothing'; readonly word: string | undefined };

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
  if (name === '') return { kind: 'nothing', word: undefined };
  const command = commandOf(name, known.commands);
  if (command !== undefined)
    return { kind: 'command', rerun: commandOrQuestion(command, others.join(' '), text, known) };
  if (known.verbs.includes(name)) return { kind: 'command', rerun: { command: BILLING, text } };
  const question = parseQuestion(text, known.aliases);
  if (question?.kind === 'command') return { kind: 'command', rerun: invocationOf(question) };
  if (GREETINGS.has(name) && question === undefined) return { kind: 'nothing', word: undefined };
  return guess(text, first, others.join(' '), question?.commands ?? [], known);
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

function guess(
  text: string,
  first: string,
  rest: string,
  offered: readonly QuestionCommand[],
  known: KnownCommands,
): Mention {
  const name = bare(first);
  const whole = tried(text, known.aliases);
  const asIs = whole.readable === undefined ? [] : questions(whole.readable, whole.period);
  const names = known.commands.map((command) => command.slice(1));
  const near = nearestWord(name, [...names, ...known.verbs]);
  const isKept = !rest.split(' ').some((one) => couldBeSecret(one) && !known.aliases.has(normalizeText(one)));
  const guessed = isKept ? nearby(near, rest, known) : [];
  const nearest = guessed.length > 0 ? guessed : offered.map(invocationOf);
  const reruns =
    asIs.length > 0 ? asIs : [...nearest, ...(offered.length > 0 ? [] : questions(whole.corrected))];
  const isQuestion = asIs.length > 0 || (near === undefined && offered.length > 0);
  const word = isQuestion || couldBeSecret(first) ? undefined : clipWord(name);
  return reruns.length > 0 ? { kind: 'guess', word, reruns } : { kind: 'nothing', word };
}

/** Without a period it may be either question. */
function questions(text: string | undefined, period = true): readonly CommandInvocation[] {
  if (text === undefined) return [];
  const spend: CommandInvocation = { command: '/spend', text };
  return period ? [spend] : [{ command: '/balance', text }, spend];
}

/** The command or verb nearest to the first word, with the rest corrected too. */
function nearby(
  near: string | undefined,
  rest: string,
  { commands, aliases }: KnownCommands,
): readonly CommandInvocation[] {
  if (near === undefined) return [];
  const command = commandOf(near, commands);
  return command === undefined
    ? [{ command: BILLING, text: `${near} ${rest}`.trim() }]
    : [{ command, text: tried(rest, aliases).corrected ?? rest }];
}

interface Tried {
  readonly readable?: string;
  readonly period?: boolean;
  /** The corrected text. */
  readonly corrected?: string;
}

/** Whether the words are a complete question about a project. @throws SecretPasted */
function tried(text: string, aliases: ReadonlySet<string>): Tried {
  try {
    const words = parseCommandText(text, aliases);
    return words.help ? {} : { readable: text, period: words.phrase !== undefined };
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
    const { suggestion } = error as InvalidWord;
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
function spoken(text: string): string {
  return text
    .replace(PEOPLE, ' ')
    .replace(LABELLED, '$1')
    .replace(MARKED, '$1')
    .replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign] ?? sign)
    .replace(/\s+/g, ' ')
    .trim();
}
