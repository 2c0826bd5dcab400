import * as z from 'zod';
import { OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, textOf } from './bot.ts';

/** Presses **More…** when the form hides some fields behind it. */
export async function showMoreFields(slack: Slack, person: string): Promise<void> {
  const view = () => slack.modal(person)?.view;
  if (!JSON.stringify(view()).includes('"More…"')) return;
  await slack.press(person, { viewId: slack.modal(person)!.id }, 'More…');
  await slack.waitFor(() => !JSON.stringify(view()).includes('"More…"'));
}

const input = z.object({ block_id: z.string(), element: z.record(z.string(), z.unknown()) });

/** What people see of the forms of a bot, and do with them. */
export function createFormActions(bot: () => Bot) {
  const modal = (person: string) => bot().slack.modal(person);
  return {
    modalText: (person = OWNER): string => textOf(modal(person)?.view),
    /** Types a command, and shows all fields of the form that it opens. */
    async openForm(command: string, person = OWNER, channel = CHANNEL): Promise<void> {
      const { slack } = bot();
      await slack.say(person, channel, command);
      await slack.waitFor(() => modal(person));
      await showMoreFields(slack, person);
    },
    pressInForm: (label: string, person = OWNER) =>
      bot().slack.press(person, { viewId: modal(person)!.id }, label),
    /** What a field of the owner’s form begins with; `field` may have a suffix there. */
    initial(field: string): unknown {
      const inputs = modal(OWNER)!.view.blocks.flatMap((block) => input.safeParse(block).data ?? []);
      const { element = {} } = inputs.find(({ block_id }) => block_id.split(':')[0] === field) ?? {};
      return Object.entries(element).find(([name]) => name.startsWith('initial_'))?.[1];
    },
  };
}
