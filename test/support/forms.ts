import type { Slack } from '../../sandbox/slack/index.ts';

/** Shows the fields under **More…**, where the form has folded them away. */
export async function unfold(slack: Slack, person: string): Promise<void> {
  const view = () => slack.modal(person)?.view;
  if (!JSON.stringify(view()).includes('"More…"')) return;
  await slack.press(person, { viewId: slack.modal(person)!.id }, 'More…');
  await slack.waitFor(() => !JSON.stringify(view()).includes('"More…"'));
}
