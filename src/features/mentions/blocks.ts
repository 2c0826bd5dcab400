import { mentionText } from '../../domain/commands.ts';
import { type CommandInvocation, commandButton } from '../../slack/command-buttons.ts';
import { actions, type Message, markup, section } from '../../slack/kit/atoms.ts';

const HOW = `Ask in your own words: \`how much did prod spend last week?\`, or type a command: \`${mentionText('/spend')} 123 last month\`.`;
const HELP = commandButton('help', 'All commands', { command: '/billing help' });

const unknown = (word: string): string => `I don’t recognize “${word}”.`;

/** The answer to a mention that asks nothing Tally knows. @param word the first one, where it is to blame */
export function mentionHelp(word: string | undefined): Message {
  const text = word === undefined ? 'What would you like to know?' : unknown(word);
  return { text, blocks: [section(text), markup(HOW), actions(...HELP)] };
}

/** The commands that a mention may mean, a button each: nothing is run on a guess. */
export function suggestedCommands(word: string | undefined, reruns: readonly CommandInvocation[]): Message {
  const text = word === undefined ? 'Did you mean this?' : `${unknown(word)} Did you mean this?`;
  const buttons = reruns.flatMap((rerun, at) =>
    commandButton(
      `guess-${at}`,
      `${rerun.command} ${rerun.text}`.trim(),
      rerun,
      at === 0 ? { style: 'primary' } : {},
    ),
  );
  return buttons.length === 0 ? mentionHelp(word) : { text, blocks: [section(text), actions(...buttons)] };
}
