import { type App, ErrorCode, type RespondArguments } from '@slack/bolt';
import type { SlashCommand } from '../../domain/commands.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { asSlashCommand } from '../commands/command-buttons.ts';
import { createCommandRunner } from '../commands/command-runner.ts';
import { createErrorReply, errorMessageOf } from '../reply/error-reply.ts';
import { createAuthorize } from '../request/request.ts';
import { sourceOfPayload } from '../request/request-source.ts';
import type { UserDirectory } from '../request/users.ts';
import { registerEvents } from './events.ts';
import { registerInteractions } from './interactions.ts';
import type { ListenerContext, Listeners } from './listeners.ts';

export interface ListenerParts extends Omit<ListenerContext, 'listeners' | 'authorize' | 'errorReply'> {
  readonly users: UserDirectory;
  readonly workspaces: Workspaces;
}

/** Registers the listeners with Bolt. Acknowledges first; later errors become replies. */
export function registerListeners(app: App, listeners: Required<Listeners>, parts: ListenerParts): void {
  const { responseUrls, limits, log, clock } = parts;
  const errorReply = createErrorReply(log);
  const context: ListenerContext = { ...parts, listeners, authorize: createAuthorize(parts), errorReply };
  const runCommand = createCommandRunner(context);

  app.command(/.*/, async ({ ack, body, client, context: { isFirst } }) => {
    const command = matchCommandName(body.command, listeners.commands);
    const invocation = { command, text: body.text ?? '' };
    const source = sourceOfPayload(body, isFirst);
    const throttled = limits.take('requests', source);
    if (throttled !== undefined) {
      const report = errorReply.explain(throttled, command);
      // Replies in the acknowledgement, so that a flood costs no calls to Slack.
      return ack(errorMessageOf(report, { invocation }) as RespondArguments);
    }
    await ack();
    await runCommand({ source, client, responseUrls, log }, invocation, { at: clock() });
  });
  registerInteractions(app, context, runCommand);
  registerEvents(app, context, runCommand);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) log.error({ err: error }, 'a listener failed');
  });
}

/** A workspace may have had to rename a command: `/acme-spend` still means `/spend`. */
const matchCommandName = (typed: string, commands: Required<Listeners>['commands']): SlashCommand =>
  asSlashCommand(Object.keys(commands).find((name) => typed.endsWith(name.slice(1))) ?? typed);
