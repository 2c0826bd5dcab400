import * as z from 'zod';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, CHANNEL, toAnswer } from './bot.ts';
import type { ListenerBot } from './listener-bot.ts';

const suggestions = z.object({ options: z.array(z.object({ value: z.string() })) });

/** What people do with the messages and forms of a listener bot, and what they see of it. */
export function createUserActions(bot: () => ListenerBot) {
  const membersBefore = new Map<string, string[]>();
  const members = (channel: string) => bot().slack.workspace.conversation(channel)!.members;

  return {
    members,
    /** Gives these channels the members they had at the first call, and brings these people back without a modal. */
    async restoreWorkspace(channels: readonly string[], people: readonly string[]): Promise<void> {
      const { slack } = bot();
      for (const channel of channels) {
        const conversation = slack.workspace.conversation(channel)!;
        if (!membersBefore.has(channel)) membersBefore.set(channel, [...conversation.members]);
        conversation.members = [...membersBefore.get(channel)!];
        delete conversation.archived;
      }
      for (const person of people) {
        delete slack.workspace.person(person)!.left;
        if (slack.modal(person)) await slack.dismiss(person);
      }
    },
    /** Sends a `/billing` command and resolves with the bot's next message. */
    async ask(text: string, person = OWNER, channel = CHANNEL): Promise<Answer> {
      const answers = () =>
        bot()
          .slack.messages(person, channel)
          .filter(({ from }) => from !== person);
      const before = answers().length;
      await bot().slack.say(person, channel, `/billing ${text}`);
      return toAnswer(await bot().slack.waitFor(() => answers()[before]));
    },
    /** The text of the bot's last message; '' when there is none. */
    lastText: (channel = CHANNEL, person = OWNER): string => bot().messageTexts(channel, person).at(-1) ?? '',
    messageRef: (answer: { ts: string }, channel = CHANNEL) => ({ channel, ts: answer.ts }),
    /** Resolves with the message once it contains the text. */
    updatedMessage: (
      answer: { ts: string },
      text: string,
      person = OWNER,
      channel = CHANNEL,
    ): Promise<Answer> =>
      bot()
        .slack.waitFor(() => {
          const found = bot()
            .slack.messages(person, channel)
            .find(({ ts }) => ts === answer.ts);
          return found !== undefined && toAnswer(found).visibleText.includes(text) && toAnswer(found);
        })
        .catch((error: Error) => {
          throw new Error(
            `No “${text}” in: ${bot().messageTexts(channel, person).slice(-3).join('\n---\n')}`,
            {
              cause: error,
            },
          );
        }),
    /** The values of the options that a field of the person’s modal suggests for what is typed. */
    async suggested(field: string, text: string, person = OWNER): Promise<readonly string[]> {
      const { slack } = bot();
      const outcome = await slack.suggest(person, { viewId: slack.modal(person)!.id }, field, text);
      return suggestions.parse(outcome).options.map(({ value }) => value);
    },
    /** The option with this value in a select of the person's modal; a new option when there is none, as in a search. */
    optionOf(field: string, value: string, person = OWNER): object {
      const blocks = bot().slack.modal(person)!.view.blocks as {
        block_id?: string;
        element?: { options?: { value: string }[] };
      }[];
      const options = blocks.find(({ block_id }) => block_id === field)?.element?.options;
      return (
        options?.find((option) => option.value === value) ?? {
          text: { type: 'plain_text', text: value },
          value,
        }
      );
    },
  };
}
