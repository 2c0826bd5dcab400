import { type App, ErrorCode } from '@slack/bolt';
import { createAuthorize } from '../request/request.ts';
import { createCommandRunner, registerCommands } from './commands.ts';
import type { ListenerContext } from './context.ts';
import { registerEvents } from './events.ts';
import { registerInteractions } from './interactions.ts';
import type { Listeners } from './listeners.ts';
import { registerSteps } from './steps.ts';

type ListenerParts = Omit<ListenerContext, 'listeners' | 'authorize'> &
  Parameters<typeof createAuthorize>[0] &
  Parameters<typeof registerSteps>[2];

/**
 * Registers the listeners with Bolt. Acknowledges first; later errors become replies.
 * @returns what ends, from then on, the steps of workflows that another process acknowledged and did not end; and returns what stops it
 */
export function registerListeners(
  app: App,
  listeners: Required<Listeners>,
  parts: ListenerParts,
): () => () => void {
  const context: ListenerContext = { ...parts, listeners, authorize: createAuthorize(parts) };
  const runCommand = createCommandRunner(context);
  registerCommands(app, context, runCommand);
  registerInteractions(app, context, runCommand);
  registerEvents(app, context, runCommand);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) parts.log.error({ err: error }, 'A listener failed');
  });
  return registerSteps(app, context, parts);
}
