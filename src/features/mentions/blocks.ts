import { type CommandInvocation, commandButton } from '../../slack/command-buttons.ts';
import { actions, type Message, markup, section } from '../../slack/kit/atoms.ts';

const HOW = 'Say it in words: `spend 123 last month`, `balance 123`.';
const HELP = commandButton('help', 'Everything Tally answers', { command: '/billing', text: 'help' });

/** Tally was called, and nothing was asked that it knows. */
export function mentionHelp(word: string | undefined): Message {
  const text = word === undefined ? 'What would you like to know?' : `“${word}” is nothing that Tally does.`;
  return { text, blocks: [section(text), markup(HOW), actions(...HELP)] };
}

/** What may have been meant, a button each: nothing is run on a guess. */
export function suggestedCommands(word: string | undefined, reruns: readonly CommandInvocation[]): Message {
  const text =
    word === undefined ? 'Did you mean this?' : `“${word}” is nothing that Tally does. Did you mean this?`;
  const buttons = reruns.flatMap((rerun, at) =>
    commandButton(
      `guess-${at}`,
      `${rerun.command} ${rerun.text}`,
      rerun,
      at === 0 ? { style: 'primary' } : {},
    ),
  );
  return buttons.length === 0 ? mentionHelp(word) : { text, blocks: [section(text), actions(...buttons)] };
}
