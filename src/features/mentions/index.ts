/** Answers `@Tally spend prod last month`, and the same words in direct messages. */
import { mentionText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { actions, buttonRow, type Message, markup, textMessage } from '../../slack/block-kit/blocks.ts';
import { type Command, commandButtons, requireShortText } from '../../slack/commands/command-buttons.ts';
import { ALL_COMMANDS, exampleMarkup, exampleQuestions } from '../../slack/commands/help.ts';
import { canSuggest, projectPicker } from '../../slack/commands/project-picker.ts';
import type { SlackEvent } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import { acceptsWords, type EventHandler, lookUp } from '../../slack/server/handlers.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import type { Feature, Services } from '../feature.ts';
import { parseTypedCommand, readMention, splitMention } from './parse-mention.ts';

export function createMentionsFeature({ registry, threads }: Services): Feature {
  const handler: EventHandler = {
    right: 'ask',
    wants: isSaidToTally,
    async answer({ text = '' }, request, rerun) {
      const { self, thread } = request;
      requireShortText(text);
      if (holdsRegisteredSecret(text, request.workspace)) throw new Failure('secret-pasted');
      const canRun = ({ command, text: words }: Command) =>
        acceptsWords(lookUp(registry.handlers().commands, command), words, request.workspace, request.at);
      const context = parseContextOf(request.workspace, request.at);
      const known = { commands: registry.commands(), verbs: registry.verbs(), context, acceptsWords: canRun };
      const mention = splitMention(text, self);
      const question =
        parseTypedCommand(mention, known) ??
        (await readMention({ mention, known, request }, thread, threads));
      switch (question.kind) {
        case 'command':
          return rerun(question.rerun);
        case 'guess':
          return request.reply.update(
            suggestedCommands(
              request,
              question.fact,
              question.reruns.filter(({ text: words }) => canSuggest(words, request)),
            ),
          );
        case 'which-project':
          await request.reply.update(
            textMessage(
              `${question.fact ?? ''} Which project?`.trim(),
              ...projectPicker(question.rerun, request),
            ),
          );
          return question.isGone ? undefined : rememberOpen(question.rerun, request, threads);
        case 'thanks':
          return request.reply.update(textMessage('You’re welcome.'));
        case 'nothing':
          return request.reply.update(helpFor(request, question.fact));
      }
    },
  };
  return {
    help: [
      {
        usage: `@Tally ${mentionText('/spend')} [project] [period] [product]`,
        what: 'Ask in your own words. The answer is in the thread, for everyone. In a direct message, leave out @Tally.',
        examples: ['@Tally how much did prod spend last week?', `@Tally ${mentionText('/balance')} 123`],
      },
    ],
    events: { app_mention: handler, message: handler },
  };
}

/** If a question named no project, the next message can complete it: “prod”. */
async function rememberOpen(
  { command, text }: Command,
  request: Request,
  threads: ThreadStore,
): Promise<void> {
  const thread = request.thread?.thread || request.reply.posted()?.ts;
  if (request.thread === undefined || thread === undefined) return;
  const question = { command, text, at: Math.floor(request.at), ids: {} };
  await threads.remember({ ...request.thread, thread }, question).catch(() => undefined);
}

/** Ignores bots, as two bots could answer each other forever, and edited messages, which have a `subtype`. */
function isSaidToTally({ type, channel_type, bot_id, subtype }: SlackEvent): boolean {
  return bot_id === undefined && subtype === undefined && (type === 'app_mention' || channel_type === 'im');
}

export const mentionHelp = (
  examples: readonly string[],
  fact = 'What would you like to know?',
  buttons = ALL_COMMANDS,
): Message => textMessage(fact, markup(exampleMarkup(examples)), ...buttonRow(buttons));

/** Slash commands don't work in threads, so replies there don't offer them. */
const helpFor = (request: Request, fact: string | undefined): Message =>
  mentionHelp(exampleQuestions(request), fact, request.thread?.isReply ? [] : ALL_COMMANDS);

function suggestedCommands(request: Request, fact: string | undefined, reruns: readonly Command[]): Message {
  const buttons = commandButtons('guess', reruns);
  return buttons.length === 0
    ? helpFor(request, fact)
    : textMessage([fact, 'Did you mean this?'].filter(Boolean).join(' '), actions(...buttons));
}
