/** What Tally answers to a text, as one line: what it understood, or the whole refusal with its buttons. */
import { InvalidWord } from '../../../../src/domain/failure/index.ts';
import { formatParsedCommand } from '../../../../src/domain/language/parsed-command.ts';
import type { Question } from '../../../../src/domain/language/questions/question.ts';
import { type Day, formatDays } from '../../../../src/domain/time/calendar.ts';
import { compareWith } from '../../../../src/domain/time/named-comparison.ts';
import type { Command } from '../../../../src/slack/commands/command-buttons.ts';
import { readBalance, readSpend, resolvePeriodText } from '../../../support/read-words.ts';
import { ALIASES, NOW } from './meaning.ts';
import { mentionIn, mentionOf } from './outcome.ts';

const withButtons = (sentence: string | undefined, buttons: readonly string[]): string =>
  [sentence, ...buttons.map((text) => `[${text}]`)].filter(Boolean).join(' ');

const refusal = ({ message, offered }: InvalidWord): string => withButtons(message, offered);

function orRefusal(reply: () => string): string {
  try {
    return reply();
  } catch (error) {
    if (error instanceof InvalidWord) return refusal(error);
    throw error;
  }
}

const daysText = (days: readonly Day[]): string => formatDays(days[0] ?? '', days.at(-1) ?? '');

const NAMED = ' vs ';

/** The days of a period, and those that it is compared with: by default, or the named ones. */
export const replyToPeriod = (text: string): string =>
  orRefusal(() => {
    const [typed = '', versus] = text.split(NAMED);
    const period = resolvePeriodText(typed, NOW, 'UTC');
    const named = versus === undefined ? undefined : readSpend(`vs ${versus}`, ALIASES).versus;
    const { days, to, comparison } = named === undefined ? period : compareWith(period, named);
    const asked = `${daysText(days)}${to === NOW ? ' until now' : ''}`;
    if (comparison === undefined) return `${asked}, no comparison`;
    return `${asked} vs ${daysText(comparison.days)}`;
  });

/** What `/spend` or `/balance` understood, in canonical words. */
export const replyToCommand = (typed: string): string =>
  orRefusal(() => {
    const [command = '', ...rest] = typed.split(' ');
    const words = (command === '/balance' ? readBalance : readSpend)(rest.join(' '), ALIASES);
    return words.help ? `${command} help` : `${command} ${formatParsedCommand(words)}`.trim();
  });

const commandText = ({ command, text }: Command): string => `${command} ${text}`.trim();

function replyOf(mention: Question): string {
  switch (mention.kind) {
    case 'command':
      return commandText(mention.rerun);
    case 'guess':
      return withButtons(mention.fact, mention.reruns.map(commandText)) || 'help';
    case 'which-project':
      return withButtons(`${mention.fact ?? ''} Which project? (picker)`.trim(), [
        commandText(mention.rerun),
      ]);
    case 'thanks':
      return 'thanks';
    case 'nothing':
      return mention.fact ?? 'help';
  }
}

export const replyToMention = (text: string): string => replyOf(mentionOf(text));

/** @param typed the last command that was answered, a bar, and the text that follows */
export async function replyInThread(typed: string): Promise<string> {
  const [answered = '', text = ''] = typed.split(' | ');
  return replyOf(await mentionIn(answered, text));
}
