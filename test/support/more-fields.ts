import type { Slack } from '../../sandbox/slack/index.ts';

/** Presses **More…** when the form hides some fields behind it. */
export async function showMoreFields(slack: Slack, person: string): Promise<void> {
  const view = () => slack.modal(person)?.view;
  if (!JSON.stringify(view()).includes('"More…"')) return;
  await slack.press(person, { viewId: slack.modal(person)!.id }, 'More…');
  await slack.waitFor(() => !JSON.stringify(view()).includes('"More…"'));
}
