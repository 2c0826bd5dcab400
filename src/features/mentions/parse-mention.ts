import { commandText, type SlashCommand } from '../../domain/command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import type { LastAnswer } from '../../domain/language/questions/query.ts';
import { type Question, readQuestion, readTypedQuestion } from '../../domain/language/questions/question.ts';
import { parseCommandText } from '../../domain/language/read-command.ts';
import { nearestWord, normalizeText, withoutMarks } from '../../domain/language/typed-text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { clipWord } from '../../domain/wording.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';

/** What Tally can be asked to do, and from where words are read. */
export interface KnownCommands {
  readonly commands: readonly SlashCommand[];
  readonly verbs: readonly string[];
  readonly reader: Reader;
  readonly acceptsWords: (command: Command) => boolean;
}

const BILLING: SlashCommand = '/billing';

const QUESTION_COMMANDS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance']);

/** What was typed, without Tally's name; its first word, and what follows it. */
export interface Mention {
  readonly text: string;
  readonly name: string;
  readonly rest: string;
}

/**
 * Before the first word there may be pictures: “👍 thanks”.
 * @param self Tally’s user ID; without it only a mention at the start is taken for Tally's
 */
export function splitMention(message: string, self?: SlackId): Mention {
  const text = plainMentionText(message, self);
  const typed = text.split(/\s+/);
  const at = typed.findIndex((word) => plain(word) !== '');
  return { text, name: plain(typed[at] ?? ''), rest: typed.slice(at + 1).join(' ') };
}

/** A command, whose name or whose verb of `/billing` comes first; undefined for a question in free words. @throws secret-pasted */
export function parseTypedCommand({ name, rest }: Mention, known: KnownCommands): Question | undefined {
  if (name === '') return { kind: 'nothing', fact: undefined };
  const command = commandOf(name, known.commands);
  if (command !== undefined)
    return { kind: 'command', rerun: commandOrQuestion(command, rest, known.reader) };
  const billing: Command = { command: BILLING, text: `${name} ${rest}`.trim() };
  return known.verbs.includes(name) && known.acceptsWords(billing)
    ? { kind: 'command', rerun: billing }
    : undefined;
}

/**
 * Reads a question in free words. What could mean several things runs nothing.
 * @param answered what was answered last in its thread @throws secret-pasted
 */
export function parseQuestionMention(
  { text, name, rest }: Mention,
  known: KnownCommands,
  answered?: LastAnswer,
): Question {
  const read = readQuestion(text, known.reader, answered);
  if (read !== undefined && read.kind !== 'nothing' && read.kind !== 'guess') return read;
  if (known.verbs.includes(name))
    return { kind: 'command', rerun: { command: BILLING, text: `${name} ${rest}`.trim() } };
  const advice = answered === undefined ? COMMAND_FOR.find(([wish]) => wish.test(text))?.[1] : undefined;
  const near = answered === undefined ? nearestCommand(name, rest, known) : undefined;
  if (near !== undefined)
    return { kind: 'guess', fact: new InvalidWord(clipWord(name), UNRECOGNIZED, '').fact, reruns: [near] };
  if (read?.kind === 'guess') return read;
  if (advice !== undefined) return { kind: 'nothing', fact: `I can’t do that from a question. ${advice}` };
  return read ?? { kind: 'nothing', fact: undefined };
}

/** `spend what did prod cost?` is a question; what is neither a question nor a command is refused as a command. */
function commandOrQuestion(command: SlashCommand, text: string, reader: Reader): Command {
  if (!QUESTION_COMMANDS.has(command)) return { command, text };
  const parsed = catchInvalidWord(() => parseCommandText(text, reader));
  if (!(parsed instanceof InvalidWord || parsed.help)) return { command, text };
  return { command, text: readTypedQuestion(command, text, reader) ?? text };
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

/** The command or verb that the first word is, mistyped, with the rest corrected too. */
function nearestCommand(
  name: string,
  rest: string,
  { commands, verbs, reader, acceptsWords }: KnownCommands,
): Command | undefined {
  const near = nearestWord(name, [...commands.map((command) => command.slice(1)), ...verbs]);
  if (near === undefined) return undefined;
  const slash = commandOf(near, commands);
  const typed: Command = slash
    ? { command: slash, text: rest }
    : { command: BILLING, text: `${near} ${rest}`.trim() };
  const parsed = acceptsWords(typed) ? undefined : catchInvalidWord(() => parseCommandText(rest, reader));
  const [corrected = 'help', ...others] = parsed instanceof InvalidWord ? parsed.offered : [];
  const command = corrected === 'help' || others.length > 0 ? typed : { ...typed, text: corrected };
  return acceptsWords(command) ? command : undefined;
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
function plainMentionText(text: string, self: SlackId | undefined): string {
  const typed = (self === undefined ? text.replace(FIRST_MENTION, ' ') : text)
    .replace(MENTION, (_, id: string) => (id === self ? ' ' : `@${id}`))
    .replace(LABELLED, '$1')
    .replace(MARKED, '$1')
    .replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign] ?? sign);
  return withoutMarks(typed)
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}
