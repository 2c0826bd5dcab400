/** Runs a text the way Slack's texts run, and says what Tally understood and answers. */
import { InvalidWord } from '../../../../src/domain/failure/index.ts';
import {
  formatParsedCommand,
  type ParsedCommand,
  rankText,
} from '../../../../src/domain/language/parsed-command.ts';
import type { Question } from '../../../../src/domain/language/questions/parse-question.ts';
import { type Day, formatDays } from '../../../../src/domain/time/calendar.ts';
import { compareWith, formatVersus, type NamedDays, periodOf } from '../../../../src/domain/time/period.ts';
import {
  type KnownCommands,
  parseQuestionMention,
  parseTypedCommand,
  readMention,
  splitMention,
} from '../../../../src/features/mentions/parse-mention.ts';
import type { Command } from '../../../../src/slack/commands/command-buttons.ts';
import {
  contextWith,
  readBalance,
  readPeriod,
  readSpend,
  resolvePeriodText,
} from '../../../support/read-words.ts';
import { requestOf, workspaceOf } from '../../../support/records.ts';
import { isInThread, splitAtBar } from './pages.ts';

/** The Saturday of the examples in docs/asking.md. */
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

export const ALIASES: ReadonlySet<string> = new Set([
  ...['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu'],
]);

const commandText = ({ command, text }: Command): string => `${command} ${text}`.trim();

/** Equal for two spellings of one command. @throws InvalidWord if the command is refused */
export function meaningOf(command: string): string {
  const [name = '', ...rest] = command.split(' ');
  if (name !== '/spend' && name !== '/balance') return command.trim();
  const words = readSpend(rest.join(' '), ALIASES);
  const { phrase = readPeriod(''), product = '', unit = '', versus, output = '' } = words;
  const asked = name === '/balance' ? 'now' : daysMeant(phrase);
  const compared = versus === undefined ? '' : 'text' in versus ? daysMeant(versus) : formatVersus(versus);
  return [name, projectsOf(words), asked, product, `vs ${compared}`, rankText(words), unit, output].join('|');
}

const daysMeant = (named: NamedDays): string => {
  const { from, to } = periodOf(named, NOW, 'UTC');
  return `${new Date(from).toISOString()}–${new Date(to).toISOString()}`;
};

const projectsOf = ({ several, alias, project }: ParsedCommand): string => {
  if (several === undefined) return alias ?? project ?? 'default';
  if (several === 'all') return 'all';
  return several
    .map((name) => ('alias' in name ? name.alias : name.project))
    .sort()
    .join();
};

/** No offers means a refusal. */
export type Outcome = { readonly runs: string } | { readonly offers: readonly string[] };

/** These lists of `/billing` take no other words. */
const LIST_AND_MORE = /^(?:projects|schedules|settings|status|audit) (?!add\b|edit\b|remove\b)/;

/** The suggestions of a refused command are its buttons. */
export function outcomeOfCommand(invocation: Command): Outcome {
  const runs = commandText(invocation);
  if (invocation.command === '/billing' && LIST_AND_MORE.test(invocation.text)) return { offers: [] };
  try {
    meaningOf(runs);
    return { runs };
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    return { offers: error.offered.map((text) => commandText({ ...invocation, text })) };
  }
}

const KNOWN: KnownCommands = {
  commands: ['/balance', '/spend', '/os-token', '/billing'],
  verbs: [
    ...['connect', 'disconnect', 'projects', 'default', 'schedule', 'schedules', 'watch', 'watches'],
    ...['settings', 'status', 'audit', 'help'],
  ],
  context: contextWith(ALIASES),
  acceptsWords: (invocation) => 'runs' in outcomeOfCommand(invocation),
};

const PROJECTS = [...ALIASES].map((alias, at) => ({ alias, id: `${at + 1001}` }));
const IDS = Object.fromEntries(PROJECTS.map(({ alias, id }) => [alias, id]));

const REQUEST = requestOf({
  at: NOW,
  channel: 'D0DIRECT01',
  user: { canManage: true },
  isUnlimited: true,
  workspace: workspaceOf({ projects: PROJECTS }),
});

/** The part before a bar is the command that Tally has answered in the thread. ⏎ is a line break. */
async function readText(typed: string): Promise<Question> {
  const lines = typed.replaceAll('⏎', '\n');
  const [answered, text] = isInThread(lines) ? splitAtBar(lines) : ['', lines];
  const mention = splitMention(text, 'U0TALLY001');
  const typedCommand = parseTypedCommand(mention, KNOWN);
  if (typedCommand || answered === '') return typedCommand ?? parseQuestionMention(mention, KNOWN);
  const [command = '', ...words] = answered.split(' ');
  const question = { command: command as '/spend', text: words.join(' '), at: NOW, ids: IDS };
  const place = { workspace: 'T1', channel: 'D0DIRECT01', thread: '1.1', person: 'U1', isReply: true };
  const recall = async () => question;
  return readMention({ mention, known: KNOWN, request: REQUEST }, place, { recall });
}

export async function outcomeOf(typed: string): Promise<Outcome> {
  const question = await readText(typed);
  switch (question.kind) {
    case 'command':
      return outcomeOfCommand(question.rerun);
    case 'guess':
      return { offers: question.reruns.map(commandText) };
    case 'thanks':
      return { runs: 'thanks' };
    case 'which-project':
    case 'nothing':
      return { offers: [] };
  }
}

const withButtons = (sentence: string | undefined, buttons: readonly string[]): string =>
  [sentence, ...buttons.map((text) => `[${text}]`)].filter(Boolean).join(' ');

export async function replyTo(typed: string): Promise<string> {
  const question = await readText(typed);
  switch (question.kind) {
    case 'command':
      return commandText(question.rerun);
    case 'guess':
      return withButtons(question.fact, question.reruns.map(commandText)) || 'help';
    case 'which-project':
      return withButtons(`${question.fact ?? ''} Which project? (picker)`.trim(), [
        commandText(question.rerun),
      ]);
    case 'thanks':
      return 'thanks';
    case 'nothing':
      return question.fact ?? 'help';
  }
}

function orRefusal(reply: () => string): string {
  try {
    return reply();
  } catch (error) {
    if (error instanceof InvalidWord) return withButtons(error.message, error.offered);
    throw error;
  }
}

export const replyToCommand = (typed: string): string =>
  orRefusal(() => {
    const [command = '', ...rest] = typed.split(' ');
    const words = (command === '/balance' ? readBalance : readSpend)(rest.join(' '), ALIASES);
    return words.help ? `${command} help` : `${command} ${formatParsedCommand(words)}`.trim();
  });

const daysText = (days: readonly Day[]): string => formatDays(days[0] ?? '', days.at(-1) ?? '');

export const replyToPeriod = (text: string): string =>
  orRefusal(() => {
    const [typed = '', versus] = text.split(' vs ');
    const period = resolvePeriodText(typed, NOW, 'UTC');
    const named = versus === undefined ? undefined : readSpend(`vs ${versus}`, ALIASES).versus;
    const { days, to, comparison } = named === undefined ? period : compareWith(period, named);
    const asked = `${daysText(days)}${to === NOW ? ' until now' : ''}`;
    return comparison === undefined ? `${asked}, no comparison` : `${asked} vs ${daysText(comparison.days)}`;
  });
