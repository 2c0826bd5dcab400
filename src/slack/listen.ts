import type { App, RespondArguments } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Heard } from '../workspace/heard.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type Admit, createAdmit } from './admission.ts';
import { type Apology, createApology, messageOf } from './apology.ts';
import { type CommandsParts, commandNamed, createRunCommand, type RunCommand } from './commands.ts';
import { listenToEvents } from './events.ts';
import { listenToInteractions } from './interactions.ts';
import type { Listeners } from './listeners.ts';
import { originOf } from './origin.ts';
import type { People } from './people.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Responder } from './respond.ts';

export interface ListenDeps {
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly responder: Responder;
  readonly heard: Heard;
  readonly limits: RateLimiter;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly onAnswered?: CommandsParts['onAnswered'];
}

/** What stands between Bolt and the listeners. */
export interface House extends Omit<ListenDeps, 'people' | 'workspaces' | 'onAnswered'> {
  readonly listeners: Required<Listeners>;
  readonly admit: Admit;
  readonly apology: Apology;
  readonly runCommand: RunCommand;
}

/** Connects the listeners with Bolt. Everything is acknowledged first; whatever is thrown after that becomes a reply. */
export function listen(app: App, listeners: Required<Listeners>, deps: ListenDeps): void {
  const { responder, limits, log, clock, onAnswered } = deps;
  const { commands } = listeners;
  const admit = createAdmit(deps);
  const apology = createApology(log);
  const runCommand = createRunCommand({ commands, admit, apology, onAnswered });
  const house: House = { ...deps, listeners, admit, apology, runCommand };

  app.command(/.*/, async ({ ack, body, client, context }) => {
    const rerun = { command: commandNamed(body.command, commands), text: body.text ?? '' };
    const origin = originOf(body, context.isFirst);
    const refusal = limits.take('requests', origin);
    if (refusal !== undefined) {
      const told = apology.explain(refusal, rerun.command);
      // In the acknowledgement itself: a flood costs no call to Slack.
      return ack(messageOf(told, { rerun, scene: undefined }) as RespondArguments);
    }
    await ack();
    await runCommand({ origin, client, responder, log }, rerun, { at: clock() });
  });
  listenToInteractions(app, house);
  listenToEvents(app, house);
  app.error(async (error) => log.error({ err: error }, 'a listener failed'));
}
