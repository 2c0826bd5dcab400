/** What Tally makes of a text, by the same way that it takes in Slack. */
import { InvalidWord } from '../../../../src/domain/failure/index.ts';
import type { Question } from '../../../../src/domain/language/questions/question.ts';
import { readMention } from '../../../../src/features/mentions/follow-ups.ts';
import {
  type KnownCommands,
  parseQuestionMention,
  parseTypedCommand,
  splitMention,
} from '../../../../src/features/mentions/parse-mention.ts';
import type { Command } from '../../../../src/slack/commands/command-buttons.ts';
import { reader } from '../../../support/read-words.ts';
import { requestOf, workspaceOf } from '../../../support/records.ts';
import { ALIASES, meaningOf, NOW } from './meaning.ts';

const commandOf = ({ command, text }: Command): string => `${command} ${text}`.trim();

/** The command it runs, or the buttons it shows; none is a refusal. */
export type Outcome = { readonly runs: string } | { readonly offers: readonly string[] };

/** `/billing` refuses these: its lists take no other words. */
const LIST_AND_MORE = /^(?:projects|schedules|settings|status|audit) (?!add\b|edit\b|remove\b)/;

/** What a command refuses is a refusal with the command's own suggestions as buttons. */
export function outcomeOfCommand(invocation: Command): Outcome {
  const runs = commandOf(invocation);
  if (invocation.command === '/billing' && LIST_AND_MORE.test(invocation.text)) return { offers: [] };
  try {
    meaningOf(runs);
    return { runs };
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    return { offers: error.offered.map((text) => commandOf({ ...invocation, text })) };
  }
}

const KNOWN: KnownCommands = {
  commands: ['/balance', '/spend', '/os-token', '/billing'],
  verbs: [
    ...['connect', 'disconnect', 'projects', 'default', 'schedule', 'schedules', 'watch', 'watches'],
    ...['settings', 'status', 'audit', 'help'],
  ],
  reader: reader(ALIASES),
  acceptsWords: (invocation) => 'runs' in outcomeOfCommand(invocation),
};

/** What Tally reads in a text that mentions it. */
export const mentionOf = (text: string): Question =>
  parseTypedCommand(splitMention(text, 'U0TALLY001'), KNOWN) ??
  parseQuestionMention(splitMention(text, 'U0TALLY001'), KNOWN);
export const outcomeOf = (text: string): Outcome => outcomeOfMention(mentionOf(text));

function outcomeOfMention(mention: Question): Outcome {
  switch (mention.kind) {
    case 'command':
      return outcomeOfCommand(mention.rerun);
    case 'guess':
      return { offers: mention.reruns.map(commandOf) };
    case 'thanks':
      return { runs: 'thanks' };
    case 'which-project':
    case 'nothing':
      return { offers: [] };
  }
}

const PROJECTS = [...ALIASES].map((alias, at) => ({ alias, id: `${at + 1001}` }));

/** Of somebody in a direct message who may ask about every project. */
const REQUEST = requestOf({
  ...{ at: NOW, channel: 'D0DIRECT01', user: { canManage: true }, isUnlimited: true },
  workspace: workspaceOf({ projects: PROJECTS }),
});

/** What Tally reads in a text in a thread. @param answered the last command that was answered there */
export async function mentionIn(answered: string, text: string): Promise<Question> {
  const [command = '', ...words] = answered.split(' ');
  const ids = Object.fromEntries(PROJECTS.map(({ alias, id }) => [alias, id]));
  const question = { command: command as '/spend', text: words.join(' '), at: NOW, ids };
  const place = { workspace: 'T1', channel: 'D0DIRECT01', thread: '1.1', person: 'U1', isReply: true };
  const mention = splitMention(text, 'U0TALLY001');
  const recall = async () => ({ answered: question, failed: undefined });
  const asked = { mention, known: KNOWN, request: REQUEST };
  return parseTypedCommand(mention, KNOWN) ?? (await readMention(asked, place, { recall }));
}

export const outcomeOfFollowUp = async (answered: string, text: string): Promise<Outcome> =>
  outcomeOfMention(await mentionIn(answered, text));
