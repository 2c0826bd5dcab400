/** Reads a mention or direct message: a command, or a question, which may follow up on the thread's last answer. */
import { canFollowUp, type SlashCommand } from '../../domain/command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { parseCommandText, parsePeriodText } from '../../domain/language/parse-command-text.ts';
import { formatParsedCommand, type ParsedCommand } from '../../domain/language/parsed-command.ts';
import { absoluteText } from '../../domain/language/phrase-calendar.ts';
import {
  parseQuestion,
  parseTypedQuestion,
  type Question,
} from '../../domain/language/questions/parse-question.ts';
import type { LastAnswer } from '../../domain/language/questions/question-items.ts';
import { nearestWord, normalizeText, withoutMarks } from '../../domain/language/text-cleanup.ts';
import { isDirectMessage, type SlackId } from '../../domain/slack-id.ts';
import { dayAt, endOfUnit } from '../../domain/time/calendar.ts';
import type { NamedDays } from '../../domain/time/period.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { clipWord } from '../../domain/wording.ts';
import { findAskedProjects } from '../../slack/commands/asked-projects.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ThreadPlace, ThreadQuestion, ThreadStore } from '../../workspace/thread-store.ts';

export interface KnownCommands {
  readonly commands: readonly SlashCommand[];
  readonly verbs: readonly string[];
  readonly context: ParseContext;
  readonly acceptsWords: (command: Command) => boolean;
}

const BILLING: SlashCommand = '/billing';

/** A message without Tally's name. `name` is the first word, `rest` what follows. */
interface Mention {
  readonly text: string;
  readonly name: string;
  readonly rest: string;
}

/** @param self Tally's user ID; if undefined, only a mention at the start counts as a mention of Tally */
export function splitMention(message: string, self?: SlackId): Mention {
  const text = plainMentionText(message, self);
  const typed = text.split(/\s+/);
  // Emoji may come first: “👍 thanks”.
  const at = typed.findIndex((word) => plain(word) !== '');
  return { text, name: plain(typed[at] ?? ''), rest: typed.slice(at + 1).join(' ') };
}

/** The first word may be a `/billing` verb. @returns undefined if there is no command @throws Failure secret-pasted */
export function parseTypedCommand({ name, rest }: Mention, known: KnownCommands): Question | undefined {
  if (name === '') return { kind: 'nothing', fact: undefined };
  const command = commandOf(name, known.commands);
  if (command !== undefined)
    return { kind: 'command', rerun: commandOrQuestion(command, rest, known.context) };
  const billing: Command = { command: BILLING, text: `${name} ${rest}`.trim() };
  return known.verbs.includes(name) && known.acceptsWords(billing)
    ? { kind: 'command', rerun: billing }
    : undefined;
}

/** @param answered the thread's last answer @throws Failure secret-pasted */
export function parseQuestionMention(
  { text, name, rest }: Mention,
  known: KnownCommands,
  answered?: LastAnswer,
): Question {
  const read = parseQuestion(text, known.context, answered);
  if (read !== undefined && read.kind !== 'nothing' && read.kind !== 'guess') return read;
  if (known.verbs.includes(name))
    return { kind: 'command', rerun: { command: BILLING, text: `${name} ${rest}`.trim() } };
  const near = answered === undefined ? nearestCommand(name, rest, known) : undefined;
  if (near !== undefined)
    return { kind: 'guess', fact: new InvalidWord(clipWord(name), UNRECOGNIZED, '').fact, reruns: [near] };
  return read ?? { kind: 'nothing', fact: undefined };
}

/** Words that make no valid command may be a question: `spend what did prod cost?` */
function commandOrQuestion(command: SlashCommand, text: string, context: ParseContext): Command {
  if (!canFollowUp(command)) return { command, text };
  const parsed = catchInvalidWord(() => parseCommandText(text, context));
  if (!(parsed instanceof InvalidWord || parsed.help)) return { command, text };
  return { command, text: parseTypedQuestion(command, text, context) ?? text };
}

function nearestCommand(
  name: string,
  rest: string,
  { commands, verbs, context, acceptsWords }: KnownCommands,
): Command | undefined {
  const near = nearestWord(name, [...commands.map((command) => command.slice(1)), ...verbs]);
  if (near === undefined) return undefined;
  const slash = commandOf(near, commands);
  const typed: Command = slash
    ? { command: slash, text: rest }
    : { command: BILLING, text: `${near} ${rest}`.trim() };
  const parsed = acceptsWords(typed) ? undefined : catchInvalidWord(() => parseCommandText(rest, context));
  const [corrected = 'help', ...others] = parsed instanceof InvalidWord ? parsed.offered : [];
  const command = corrected === 'help' || others.length > 0 ? typed : { ...typed, text: corrected };
  return acceptsWords(command) ? command : undefined;
}

const commandOf = (name: string, commands: readonly SlashCommand[]): SlashCommand | undefined =>
  commands.find((command) => command.slice(1) === name);

/** @returns `spend` for `/spend` and `Spend:` */
const plain = (word: string): string => /^\/?(.*[a-z0-9])/.exec(normalizeText(word))?.[1] ?? '';

const FIRST_MENTION = /^\s*<@[A-Z0-9]+(?:\|[^<>]*)?>/;
const MENTION = /<@([A-Z0-9]+)(?:\|[^<>]*)?>/g;
const LABELLED = /<[^<>|]*\|([^<>]+)>/g;
const MARKED = /<([^<>|]*)\|?>/g;
const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Slack sends typed mentions, links and signs in its own syntax: `<@U012AB3CD>`, `<https://…|text>`, `&amp;`. */
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

interface Asked {
  readonly mention: Mention;
  readonly known: KnownCommands;
  readonly request: Request;
}

/** The thread's last answer supplies what a question lacks. @throws Failure not-allowed for the answer's project */
export const readMention = async (
  asked: Asked,
  place: ThreadPlace | undefined,
  threads: Pick<ThreadStore, 'recall'>,
): Promise<Question> =>
  readWith(asked, place?.isReply ? await threads.recall(place, asked.request.at) : undefined);

function readWith(asked: Asked, question: ThreadQuestion | undefined): Question {
  const { mention, known, request } = asked;
  if (question === undefined) return parseQuestionMention(mention, known);
  // The last answer may use a name that has since been removed.
  const aliases = new Set([...request.workspace.aliases, ...Object.keys(question.ids)]);
  const context = { ...known.context, aliases };
  const askedOn = dayAt(question.at, context.zone);
  const answered = tryParse(() => answeredIn(question, askedOn, context));
  const read = parseQuestionMention(mention, { ...known, context }, answered);
  switch (read.kind) {
    case 'command':
      return checkProjects(read.rerun, asked, question, context);
    case 'guess': {
      const [first] = read.reruns;
      const checked = first && checkProjects(first, asked, question, context);
      return checked?.kind === 'which-project' ? checked : read;
    }
    default:
      return read;
  }
}

function checkProjects(
  rerun: Command,
  { mention: { text }, request }: Asked,
  question: ThreadQuestion,
  context: ParseContext,
): Question {
  if (!canFollowUp(rerun.command)) return { kind: 'command', rerun };
  const words = parseCommandText(rerun.text, context);
  if (isGone(words, question, text, request)) {
    const { project: _, alias: _name, several: _all, ...rest } = words;
    const fact = 'The project in the last answer here was renamed or removed.';
    return {
      kind: 'which-project',
      fact,
      rerun: { ...rerun, text: formatParsedCommand(rest) },
      isGone: true,
    };
  }
  requireAskable(words, text, request);
  return { kind: 'command', rerun };
}

/** Whether a name in the earlier question now means another project, or none. */
function isGone(
  { alias, several }: ParsedCommand,
  { ids }: ThreadQuestion,
  text: string,
  { workspace }: Request,
): boolean {
  const listed = several === undefined || several === 'all' ? [] : several;
  const names = [alias, ...listed.map((name) => ('alias' in name ? name.alias : undefined))];
  const typed = typedWords(text);
  return names.some((name) => {
    if (name === undefined || typed.has(name) || ids[name] === undefined) return false;
    return workspace.projects.find((project) => project.alias === name)?.id !== ids[name];
  });
}

const typedWords = (text: string): ReadonlySet<string> => new Set(text.split(/[\s,?!.]+/).map(normalizeText));

/** An answer must not reveal a project's name. @throws Failure not-allowed unless the person typed the project */
function requireAskable(words: ParsedCommand, text: string, request: Request): void {
  const typed = typedWords(text);
  // A direct message with Tally has no other reader.
  const isUnlimited = request.user.canManage && isDirectMessage(request.channel ?? '');
  for (const target of findAskedProjects(words, { ...request, isUnlimited }).targets)
    if ('failure' in target && target.failure.kind === 'not-allowed' && !typed.has(target.project))
      throw target.failure;
}

function answeredIn({ command, text }: ThreadQuestion, askedOn: string, context: ParseContext): LastAnswer {
  const then = { ...context, today: askedOn, writtenOn: askedOn };
  const { phrase, versus, ...words } = parseCommandText(text, then);
  const days = phrase && { phrase: fixDays(phrase, askedOn, context) };
  const others = versus && { versus: 'text' in versus ? fixDays(versus, askedOn, context) : versus };
  return { command: command === '/balance' ? command : '/spend', words: { ...words, ...days, ...others } };
}

/** Days that were over stay as they were; a period that was running goes on until today or its end. */
function fixDays(days: NamedDays, askedOn: string, context: ParseContext): NamedDays {
  const { first, last, text, rule } = days;
  if (askedOn >= context.today) return days;
  const isRunning = last >= askedOn;
  const again = parsePeriodText(text, context);
  if (again.first === first && (isRunning || again.last === last)) return again;
  const unit = 'unit' in rule && rule.kind !== 'weekend' ? rule.unit : undefined;
  const end = isRunning && unit ? endOfUnit(unit, first) : last;
  const [until = end] = [end, context.today].sort();
  const count = rule.kind === 'units' ? rule.count : 1;
  const named =
    unit && until === end ? absoluteText({ first, last: end, unit, count }) : `${first}..${until}`;
  return { ...parsePeriodText(first === until ? first : named, context), typed: days.typed };
}
