import { commandText, type SlashCommand } from '../../domain/command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/nearest-word.ts';
import { parseCommandText } from '../../domain/language/parse-command.ts';
import { findUnknownWord } from '../../domain/language/questions/extract-phrases.ts';
import { parseQuestion } from '../../domain/language/questions/parse-question.ts';
import { clipWord, normalizeText } from '../../domain/language/text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Day } from '../../domain/time/calendar.ts';
import type { Command } from '../../slack/commands/command.ts';

/** What Tally can be asked to do. */
export interface KnownCommands {
  readonly commands: readonly SlashCommand[];
  readonly verbs: readonly string[];
  /** Names of projects, in lower case. */
  readonly aliases: ReadonlySet<string>;
  readonly today: Day;
  /** Tally’s own user ID. A mention of it says nothing; without it only a mention at the start is taken for one. */
  readonly self?: SlackId | undefined;
  readonly acceptsWords: (command: Command) => boolean;
}

export type Mention =
  | { readonly kind: 'command'; readonly rerun: Command }
  /** A command about a project that only an earlier answer could tell. */
  | { readonly kind: 'which-project'; readonly fact: string; readonly rerun: Command }
  | { readonly kind: 'thanks' }
  /** What may be meant, for the person to choose; `fact` is why it is not run. */
  | {
      readonly kind: 'guess';
      readonly fact: string | undefined;
      readonly reruns: readonly Command[];
    }
  /** Neither a question nor a command; `fact` says why, and is undefined for an empty mention. */
  | { readonly kind: 'nothing'; readonly fact: string | undefined };

const BILLING: SlashCommand = '/billing';

const QUESTION_COMMANDS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance']);

/** A greeting is answered with what Tally can be asked; its word is not refused. */
const GREETINGS: ReadonlySet<string> = new Set(['hello', 'hi', 'hey', 'hallo']);

/**
 * Reads what was said to Tally: a command, whose name or whose verb of `/billing` comes first, or a question in
 * free words. What could mean several things runs nothing. @throws secret-pasted
 */
export function parseMention(said: string, known: KnownCommands): Mention {
  const text = plainMentionText(said, known.self);
  const typed = text.split(/\s+/);
  // Before the first word there may be pictures: “👍 thanks”.
  const at = typed.findIndex((word) => plain(word) !== '');
  const [name, others] = [plain(typed[at] ?? ''), typed.slice(at + 1)];
  if (name === '') return { kind: 'nothing', fact: undefined };
  const command = commandOf(name, known.commands);
  if (command !== undefined)
    return { kind: 'command', rerun: commandOrQuestion(command, others.join(' '), text, known) };
  const billing: Command = { command: BILLING, text: [name, ...others].join(' ') };
  const isVerb = known.verbs.includes(name);
  if (isVerb && known.acceptsWords(billing)) return { kind: 'command', rerun: billing };
  const question = parseQuestion(text, known.aliases, known.today);
  if (question?.kind === 'thanks') return question;
  if (question?.kind === 'command' || question?.kind === 'which-project') {
    const rerun = { command: question.command, text: question.text };
    return question.kind === 'command'
      ? { kind: 'command', rerun }
      : { kind: 'which-project', fact: `${question.refusal?.fact ?? ''} Which project?`.trim(), rerun };
  }
  if (isVerb) return { kind: 'command', rerun: billing };
  const advice = COMMAND_FOR.find(([wish]) => wish.test(text))?.[1];
  if (GREETINGS.has(name) && question === undefined && advice === undefined)
    return { kind: 'nothing', fact: undefined };
  const stranger = findUnknownWord(text, known.aliases);
  const unknown = new InvalidWord(clipWord(stranger ?? name), UNRECOGNIZED, '');
  const meant = corrected(name, others.join(' '), known);
  if (meant !== undefined) return { kind: 'guess', fact: unknown.fact, reruns: [meant] };
  if (question?.kind === 'offered')
    return { kind: 'guess', fact: question.refusal?.fact, reruns: question.commands };
  const { why, fact, message } = question?.refusal ?? unknown;
  if (advice !== undefined) return { kind: 'nothing', fact: `I can’t do that from a question. ${advice}` };
  if (question === undefined && stranger === undefined) return { kind: 'nothing', fact: undefined };
  return { kind: 'nothing', fact: why === UNRECOGNIZED ? fact : message };
}

const POLITE =
  'hi|hey|hello|please|pls|can|could|would|will|you|how|do|i|we|want|need|like|to|get|give|me|us|an?';

/** Matches a text that begins with these words, which tell Tally to do something: `hello, please alert me`. */
const orders = (words: string): RegExp =>
  new RegExp(`^(?:(?:${POLITE})[,.!]* )*(?:${words})(?![^\\s,.!?])`, 'i');

/** What people ask for that only a command does, with that command. No button, which would lose their other words. */
const COMMAND_FOR: readonly (readonly [RegExp, string])[] = [
  [
    orders('stop|pause|cancel|mute|snooze|unsubscribe'),
    `To stop posts, type ${commandText('/billing schedules')}; to stop alerts, ${commandText('/billing watches')}.`,
  ],
  [
    orders(
      '(?:alert|warn|notify|ping) (?:me|us)|(?:tell|let) (?:me|us) (?:know )?(?:when|once)|(?:set|create|make|add|move|raise|lower) (?:up )?(?:(?:an?|the|our) )?(?:budget|watch|alert|alarm|warning)',
    ),
    `To be alerted when money runs low or spend jumps, type ${commandText('/billing watch')}.`,
  ],
  [
    orders('remind|schedule|post'),
    `For a post every day, week or month, type ${commandText('/billing schedule')}.`,
  ],
  [
    orders(
      'connect|log ?in|sign ?in|(?:(?:our|my|the) )?token (?:has |is |was )?(?:expired|rejected|revoked)',
    ),
    `To connect an account or replace its token, type ${commandText('/billing connect')}.`,
  ],
  [orders('(?:os|openstack|temporary)?[ _-]?token'), `For an OS_TOKEN, type ${commandText('/os-token')}.`],
  [
    orders('(?:add|register|rename|remove|delete) (?:\\S+ ){0,2}projects?'),
    `To add, rename or remove projects, type ${commandText('/billing projects')}.`,
  ],
  [
    /\b(?:enough|make it (?:to|until|till|through)|survive|(?:money|cash|funds|balance) (?:\S+ )?last)\b/i,
    `For how long the money lasts, type ${commandText('/balance')}.`,
  ],
];

/** `spend on prod last week` is a question; what is neither a question nor a command is refused as a command. */
function commandOrQuestion(
  command: SlashCommand,
  rest: string,
  text: string,
  { aliases, today }: KnownCommands,
): Command {
  const typed = { command, text: rest };
  if (!QUESTION_COMMANDS.has(command)) return typed;
  const parsed = catchInvalidWord(() => parseCommandText(rest, aliases));
  if (!(parsed instanceof InvalidWord || parsed.help)) return typed;
  const question = parseQuestion(text, aliases, today);
  if (question?.kind !== 'command' || question.command !== command) return typed;
  return { command, text: question.text };
}

/** The command or verb that the first word is, mistyped, with the rest corrected too. */
function corrected(
  name: string,
  rest: string,
  { commands, verbs, aliases, acceptsWords }: KnownCommands,
): Command | undefined {
  const near = nearestWord(name, [...commands.map((command) => command.slice(1)), ...verbs]);
  if (near === undefined) return undefined;
  const command = commandOf(near, commands);
  const typed =
    command === undefined ? { command: BILLING, text: `${near} ${rest}`.trim() } : { command, text: rest };
  const parsed = acceptsWords(typed) ? undefined : catchInvalidWord(() => parseCommandText(rest, aliases));
  const [corrected, ...others] = parsed instanceof InvalidWord ? parsed.offered : [];
  const meant = corrected === undefined || others.length > 0 ? typed : { ...typed, text: corrected };
  return acceptsWords(meant) ? meant : undefined;
}

const commandOf = (name: string, commands: readonly SlashCommand[]): SlashCommand | undefined =>
  commands.find((command) => command.slice(1) === name);

/** The word without a slash before it and signs after it: `spend` for `/spend` and `Spend:`. */
const plain = (word: string): string => /^\/?(.*[a-z0-9])/.exec(normalizeText(word))?.[1] ?? '';

const FIRST_MENTION = /^\s*<@[A-Z0-9]+(?:\|[^<>]*)?>/;
const MENTION = /<@([A-Z0-9]+)(?:\|[^<>]*)?>/g;
const LABELLED = /<[^<>|]*\|([^<>]+)>/g;
const MARKED = /<([^<>|]*)\|?>/g;
const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** The text as it was typed: without Tally’s name, and with links as the words that they show. */
export function plainMentionText(text: string, self: SlackId | undefined): string {
  return (self === undefined ? text.replace(FIRST_MENTION, ' ') : text)
    .replace(MENTION, (_, id: string) => (id === self ? ' ' : `@${id}`))
    .replace(LABELLED, '$1')
    .replace(MARKED, '$1')
    .replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign] ?? sign)
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}
