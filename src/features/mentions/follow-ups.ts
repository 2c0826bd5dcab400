import { Failure } from '../../domain/failure/index.ts';
import { absoluteText } from '../../domain/language/named-days.ts';
import {
  formatParsedCommand,
  type ParsedCommand,
  type Reader,
} from '../../domain/language/parsed-command.ts';
import type { LastAnswer } from '../../domain/language/questions/query.ts';
import type { Question } from '../../domain/language/questions/question.ts';
import { parseCommandText, parsePeriodText } from '../../domain/language/read-command.ts';
import { normalizeText } from '../../domain/language/typed-text.ts';
import { dayAt, endOfUnit } from '../../domain/time/calendar.ts';
import type { NamedDays } from '../../domain/time/period.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';
import { findAskedProjects } from '../../slack/commands/project-answers.ts';
import { publicScope, type Request } from '../../slack/request/request.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import {
  FOLLOW_UP_COMMANDS,
  type ThreadPlace,
  type ThreadQuestion,
  type ThreadStore,
} from '../../workspace/thread-store.ts';
import { type KnownCommands, type Mention, parseQuestionMention } from './parse-mention.ts';

/** A question in free words, and who asks it. */
interface Asked {
  readonly mention: Mention;
  readonly known: KnownCommands;
  readonly request: Request;
}

/** Slack doesn’t say where the answer to a slash command is, so Tally can’t recognize a thread below it. */
const NO_ANSWER = 'Tally doesn’t know which answer you mean: it doesn’t remember answers to slash commands.';

/**
 * Reads a question in free words; in a thread with what the last answer there had. A new message remembers nothing.
 * @throws secret-pasted, store-unavailable; not-allowed for a project that this person may not ask about here any more
 */
export async function readMention(
  asked: Asked,
  place: ThreadPlace | undefined,
  threads: Pick<ThreadStore, 'recall'>,
): Promise<Question> {
  if (!place?.isReply) return readWith(asked, undefined);
  const { failed, answered } = await threads.recall(place, asked.request.at);
  if (failed === undefined) {
    const read = readWith(asked, answered);
    const isUnknown = answered === undefined && read.kind === 'which-project';
    return isUnknown ? { ...read, fact: `${NO_ANSWER} ${read.fact ?? ''}`.trim() } : read;
  }
  const again = readWith(asked, failed);
  if (answered === undefined || isSameCommand(again, failed)) return again;
  const earlier = readWith(asked, answered);
  if (again.kind === 'command' && isSameCommand(earlier, again.rerun)) return again;
  // The person may mean the question that failed, or the last answer.
  return eitherOf([again, earlier]);
}

/** What each of them runs or offers, as buttons; the first of them where none does. */
function eitherOf(readings: readonly [Question, ...Question[]]): Question {
  const reruns = readings.flatMap((reading) =>
    reading.kind === 'command' ? [reading.rerun] : reading.kind === 'guess' ? reading.reruns : [],
  );
  return reruns.length === 0 ? readings[0] : { kind: 'guess', fact: undefined, reruns };
}

const isSameCommand = (question: Question, { command, text }: Command): boolean =>
  question.kind === 'command' && question.rerun.command === command && question.rerun.text === text;

function readWith(asked: Asked, question: ThreadQuestion | undefined): Question {
  const { mention, known, request } = asked;
  if (question === undefined) return parseQuestionMention(mention, known);
  // Names that projects had then count too, so that a removed name is recognized.
  const aliases = new Set([...request.workspace.aliases, ...Object.keys(question.ids)]);
  const reader = { ...known.reader, aliases };
  const askedOn = dayAt(question.at, reader.zone);
  const answered = tryParse(() => answeredIn(question, askedOn, reader));
  const read = parseQuestionMention(mention, { ...known, reader }, answered);
  switch (read.kind) {
    case 'command':
      return checkProjects(read.rerun, asked, question, reader.aliases);
    case 'guess': {
      const [first] = read.reruns;
      const checked = first && checkProjects(first, asked, question, reader.aliases);
      if (checked?.kind === 'which-project') return checked;
      return { ...read, reruns: read.reruns.filter((command) => isAskable(command, request)) };
    }
    default:
      return read;
  }
}

/** @throws not-allowed */
function checkProjects(
  rerun: Command,
  { mention: { text }, request }: Asked,
  question: ThreadQuestion,
  aliases: ReadonlySet<string>,
): Question {
  if (!FOLLOW_UP_COMMANDS.has(rerun.command)) return { kind: 'command', rerun };
  const words = parseCommandText(rerun.text, { ...readerIn(request.workspace, request.at), aliases });
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

/** Whether a name that was not typed, but taken from the question, means no project or another one now. */
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

/**
 * The answer about a list names each project, also those that may not be asked about there. Somebody who did not type such
 * a name must not read it.
 * @throws not-allowed
 */
function requireAskable(words: ParsedCommand, text: string, request: Request): void {
  const typed = typedWords(text);
  for (const target of findAskedProjects(words, { ...request, ...publicScope(request) }).targets)
    if ('failure' in target && target.failure.kind === 'not-allowed' && !typed.has(target.project))
      throw target.failure;
}

const isAskable = ({ command, text }: Command, request: Request): boolean =>
  !FOLLOW_UP_COMMANDS.has(command) ||
  (tryParse(() => {
    requireAskable(parseCommandText(text, readerIn(request.workspace, request.at)), '', request);
    return true;
  }, Failure) ??
    false);

/**
 * The remembered command, whose days stay those that it had when it was asked.
 * @param reader of now, that knows the names of then too @throws InvalidWord, secret-pasted
 */
function answeredIn({ command, text }: ThreadQuestion, askedOn: string, reader: Reader): LastAnswer {
  const then = { ...reader, today: askedOn, writtenOn: askedOn };
  const { phrase, versus, ...words } = parseCommandText(text, then);
  const days = phrase && { phrase: fixDays(phrase, askedOn, reader) };
  const others = versus && { versus: 'text' in versus ? fixDays(versus, askedOn, reader) : versus };
  return { command: command === '/balance' ? command : '/spend', words: { ...words, ...days, ...others } };
}

/** Days that were over stay; those that ran until then run until now, or to the end of their unit. */
function fixDays(days: NamedDays, askedOn: string, reader: Reader): NamedDays {
  const { first, last, text, rule } = days;
  if (askedOn >= reader.today) return days;
  const isRunning = last >= askedOn;
  const again = parsePeriodText(text, reader);
  if (again.first === first && (isRunning || again.last === last)) return again;
  const unit = 'unit' in rule && rule.kind !== 'weekend' ? rule.unit : undefined;
  const end = isRunning && unit ? endOfUnit(unit, first) : last;
  const [until = end] = [end, reader.today].sort();
  const count = rule.kind === 'units' ? rule.count : 1;
  const named =
    unit && until === end ? absoluteText({ first, last: end, unit, count }) : `${first}..${until}`;
  return { ...parsePeriodText(first === until ? first : named, reader), typed: days.typed };
}
