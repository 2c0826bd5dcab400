import type { App, RespondArguments } from '@slack/bolt';
import type { Logger } from 'pino';
import type { EventDedup } from '../workspace/event-dedup.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type Admit, createAdmit } from './admission.ts';
import {
  type CommandRunnerParts,
  createCommandRunner,
  matchCommandName,
  type RunCommand,
} from './command-runner.ts';
import { createErrorReply, type ErrorReply, errorMessageOf } from './error-reply.ts';
import { registerEvents } from './events.ts';
import { registerInteractions } from './interactions.ts';
import type { Listeners } from './listeners.ts';
import { originOf } from './origin.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ResponseUrlClient } from './response-url.ts';
import type { UserDirectory } from './users.ts';

export interface ListenerParts {
  readonly people: UserDirectory;
  readonly workspaces: Workspaces;
  readonly responder: ResponseUrlClient;
  readonly heard: EventDedup;
  readonly limits: RateLimiter;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly onAnswered?: CommandRunnerParts['onAnswered'];
}

/** What stands between Bolt and the listeners. */
export interface ListenerContext extends Omit<ListenerParts, 'people' | 'workspaces' | 'onAnswered'> {
  readonly listeners: Required<Listeners>;
  readonly admit: Admit;
  readonly apology: ErrorReply;
  readonly runCommand: RunCommand;
}

/** Connects the listeners with Bolt. Everything is acknowledged first; whatever is thrown after that becomes a reply. */
export function registerListeners(app: App, listeners: Required<Listeners>, deps: ListenerParts): void {
  const { responder, limits, log, clock, onAnswered } = deps;
  const { commands } = listeners;
  const admit = createAdmit(deps);
  const apology = createErrorReply(log);
  const runCommand = createCommandRunner({ commands, admit, apology, onAnswered });
  const house: ListenerContext = { ...deps, listeners, admit, apology, runCommand };

  app.command(/.*/, async ({ ack, body, client, context }) => {
    const rerun = { command: matchCommandName(body.command, commands), text: body.text ?? '' };
    const origin = originOf(body, context.isFirst);
    const refusal = limits.take('requests', origin);
    if (refusal !== undefined) {
      const told = apology.explain(refusal, rerun.command);
      // In the acknowledgement itself: a flood costs no call to Slack.
      return ack(errorMessageOf(told, { rerun, scene: undefined }) as RespondArguments);
    }
    await ack();
    await runCommand({ origin, client, responder, log }, rerun, { at: clock() });
  });
  registerInteractions(app, house);
  registerEvents(app, house);
  app.error(async (error) => log.error({ err: error }, 'a listener failed'));
}
