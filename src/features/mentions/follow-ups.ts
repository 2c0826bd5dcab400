import { Failure } from '../../domain/failure/index.ts';
import { joinAliasWords } from '../../domain/language/normalize-project-names.ts';
import { formatParsedCommand, type ParsedCommand } from '../../domain/language/parsed-command.ts';
import { type FollowUp, mergeFollowUp } from '../../domain/language/questions/follow-up.ts';
import { NAMES_ALL, refersBack } from '../../domain/language/questions/follow-up-text.ts';
import type { QuestionCommand } from '../../domain/language/questions/question-commands.ts';
import { normalizeText } from '../../domain/language/text.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Command } from '../../slack/commands/command.ts';
import { findAskedProjects } from '../../slack/commands/project-answers.ts';
import { publicScope, type Request } from '../../slack/request/request.ts';
import {
  FOLLOW_UP_COMMANDS,
  type ThreadPlace,
  type ThreadQuestion,
  type ThreadStore,
} from '../../workspace/thread-store.ts';
import {
  inDaysOfAnswer,
  isToCome,
  parseAnswerWords,
  withDaysOfAnswer,
  withFixedDays,
} from './follow-up-days.ts';
import type { Mention } from './parse.ts';

interface Said {
  readonly text: string;
  readonly mention: Mention;
  readonly request: Request;
}

/**
 * Completes what was said in a thread with what the last answer there had. Nothing is looked up for a question that names its
 * project and doesn't refer to an answer.
 * @returns the mention itself where it is no follow-up
 * @throws secret-pasted, store-unavailable; not-allowed for a project that this person may not ask about here any more
 */
export async function completeMention(
  said: Said,
  place: ThreadPlace,
  threads: Pick<ThreadStore, 'recall'>,
): Promise<Mention> {
  const { mention, request } = said;
  if (standsAlone(said)) return mention;
  const { failed, answered } = await threads.recall(place, request.at);
  if (failed === undefined) {
    const completed = completeWith(said, answered);
    const isUnknown = answered === undefined && place.isReply && completed.kind === 'which-project';
    return isUnknown ? { ...completed, fact: `${NO_ANSWER} ${completed.fact}` } : completed;
  }
  const again = completeWith(said, failed);
  if (answered === undefined || isSameCommand(again, failed)) return again;
  const earlier = completeWith(said, answered);
  if (again.kind === 'command' && isSameCommand(earlier, again.rerun)) return again;
  // The person may mean the question that failed, or the last answer.
  return eitherOf([again, earlier]);
}

/** Slack doesn’t say where the answer to a slash command is, so that a thread below it can’t be known. */
const NO_ANSWER = 'Tally doesn’t know which answer you mean: it doesn’t remember answers to slash commands.';

/** What each of them runs or offers, as buttons; the first of them where none does. */
function eitherOf(readings: readonly [Mention, ...Mention[]]): Mention {
  const reruns = readings.flatMap((reading) =>
    reading.kind === 'command' ? [reading.rerun] : reading.kind === 'guess' ? reading.reruns : [],
  );
  return reruns.length === 0 ? readings[0] : { kind: 'guess', fact: undefined, reruns };
}

const isSameCommand = (mention: Mention, { command, text }: Pick<Command, 'command' | 'text'>) =>
  mention.kind === 'command' && mention.rerun.command === command && mention.rerun.text === text;

function standsAlone({ text, mention, request }: Said): boolean {
  if (mention.kind === 'thanks') return true;
  if (refersBack(text) || mention.kind === 'guess' || mention.kind === 'which-project') return false;
  if (mention.kind === 'nothing') return text === '';
  const { command, text: words } = mention.rerun;
  // In a thread the number may be an amount.
  if (/^watches (?:\d+ )?budget$/.test(words)) return false;
  const parsed = tryParse(() => parseAnswerWords(words, request.workspace.aliases).words);
  const isQuestion = !/^\W*(?:spend|balance)\b/i.test(text);
  // A question takes the days from the answer, where a command has its usual ones, and may rank the projects there.
  const isRanking = parsed?.several === 'all' && !NAMES_ALL.test(text.toLowerCase());
  if (isQuestion && (isRanking || (command === '/spend' && parsed?.phrase === undefined))) return false;
  if (!FOLLOW_UP_COMMANDS.has(command) || parsed === undefined || parsed.help) return true;
  // “Top 3” alone says of which projects, but not of which days.
  return (
    (parsed.project ?? parsed.alias ?? (parsed.top === undefined ? parsed.several : parsed.phrase)) !==
    undefined
  );
}

function completeWith(said: Said, question: ThreadQuestion | undefined): Mention {
  // Names that projects had then are read too, so that a name that is gone is recognized.
  const aliases = new Set([...said.request.workspace.aliases, ...Object.keys(question?.ids ?? {})]);
  const remembered = question && tryParse(() => withFixedDays(question, aliases, said.request));
  const texts = [said.text, ...joinAliasWords(said.text, aliases)].flatMap((text) => {
    const dated = remembered && tryParse(() => withDaysOfAnswer(text, remembered, aliases, said.request));
    return dated ?? [text];
  });
  const readings = texts.map((text) => parseFollowUp({ ...said, text }, question, remembered, aliases));
  const [only, ...others] = readings.filter(({ kind }) => kind !== 'nothing');
  if (only === undefined) return readings[0] ?? said.mention;
  return others.length === 0 ? only : eitherOf([only, ...others]);
}

function parseFollowUp(
  { text, mention, request }: Said,
  question: ThreadQuestion | undefined,
  remembered: QuestionCommand | undefined,
  aliases: ReadonlySet<string>,
): Mention {
  const followUp = mergeFollowUp(text, remembered, aliases);
  if (followUp === undefined) return mention;
  switch (followUp.kind) {
    case 'project-missing':
      return { kind: 'which-project', fact: 'Which project?', rerun: commandOnly(followUp) };
    case 'refused':
      return { kind: 'nothing', fact: followUp.refusal.fact };
    case 'offered': {
      const dated = followUp.commands.flatMap((command) => [
        command,
        ...[(remembered && inDaysOfAnswer(command, remembered, aliases, request)) ?? []].flat(),
      ]);
      const reruns = dated.filter(
        (command) =>
          isAskable(command, request) && !(remembered?.command === '/balance' && isToCome(command, request)),
      );
      return { kind: 'guess', fact: followUp.refusal?.fact, reruns };
    }
    case 'command': {
      const checked = checkProjects(followUp, { text, mention, request }, question, aliases);
      if (checked.kind !== 'command' || remembered === undefined) return checked;
      const other = inDaysOfAnswer(followUp, remembered, aliases, request);
      return other === undefined
        ? checked
        : eitherOf([checked, { kind: 'command', rerun: commandOnly(other) }]);
    }
  }
}

/** A button carries the command alone. */
const commandOnly = ({ command, text }: QuestionCommand): Command => ({ command, text });

/** @throws not-allowed */
function checkProjects(
  followUp: Extract<FollowUp, { kind: 'command' }>,
  { text, mention, request }: Said,
  question: ThreadQuestion | undefined,
  aliases: ReadonlySet<string>,
): Mention {
  const rerun = commandOnly(followUp);
  if (!FOLLOW_UP_COMMANDS.has(followUp.command)) {
    const named =
      question && rerun.text.endsWith(' budget') && parseAnswerWords(question.text, aliases).words;
    if (named && isGone(named, question, text, request)) return mention;
    if (named) requireAskable(named, text, request);
    return { kind: 'command', rerun };
  }
  const { words, output } = parseAnswerWords(followUp.text, aliases);
  if (question !== undefined && isGone(words, question, text, request)) {
    const { phrase, versus, product } = words;
    const rest = formatParsedCommand({ phrase, versus, product }, output);
    const fact = 'The project in the last answer here was renamed or removed. Which project?';
    return { kind: 'which-project', fact, rerun: { ...rerun, text: rest } };
  }
  requireAskable(words, text, request);
  // In a channel with a default project, “what did we spend today?” may mean that project too.
  const usual = request.channel && request.workspace.channelDefault(request.channel);
  const isOther = usual !== undefined && words.alias !== usual;
  return mention.kind === 'command' && !followUp.isExplicit && isOther
    ? { kind: 'guess', fact: undefined, reruns: [rerun, mention.rerun] }
    : { kind: 'command', rerun };
}

/** Whether a name that was not said, but taken from the question, means no project or another one now. */
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

const isAskable = ({ text }: QuestionCommand, request: Request): boolean =>
  tryParse(() => {
    requireAskable(parseAnswerWords(text, request.workspace.aliases).words, '', request);
    return true;
  }, Failure) ?? false;
