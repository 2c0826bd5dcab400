import { type App, ErrorCode } from '@slack/bolt';
import type { ManagerRequests } from '../../workspace/once/manager-requests.ts';
import { createReplyTarget } from '../reply/reply.ts';
import type { ResponseUrlClient } from '../reply/response-url.ts';
import { createAuthorize } from '../request/request.ts';
import type { UserDirectory } from '../request/users.ts';
import { createCommandRunner, registerCommands } from './commands.ts';
import type { ListenerContext } from './context.ts';
import { registerEvents } from './events.ts';
import { registerInteractions } from './interactions.ts';
import type { Listeners } from './listeners.ts';
import { registerSteps, type StepParts } from './steps.ts';

export interface ListenerParts
  extends Omit<ListenerContext, 'listeners' | 'authorize' | 'createTarget'>,
    StepParts {
  readonly users: UserDirectory;
  readonly requests: ManagerRequests;
  readonly responseUrls: ResponseUrlClient;
}

/**
 * Registers the listeners with Bolt. Acknowledges first; later errors become replies.
 * @returns what ends, from then on, the steps of workflows that another process acknowledged and did not end; and returns what stops it
 */
export function registerListeners(
  app: App,
  listeners: Required<Listeners>,
  parts: ListenerParts,
): () => () => void {
  const { responseUrls, log } = parts;
  const context: ListenerContext = {
    ...parts,
    listeners,
    authorize: createAuthorize(parts),
    createTarget: (source, client) => createReplyTarget({ responseUrls, log, source, client }),
  };
  const runCommand = createCommandRunner(context);
  registerCommands(app, context, runCommand);
  registerInteractions(app, context, runCommand);
  registerEvents(app, context, runCommand);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) log.error({ err: error }, 'A listener failed');
  });
  return registerSteps(app, context, parts);
}
