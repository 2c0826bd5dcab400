import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, SocketModeReceiver, type webApi } from '@slack/bolt';

/** Socket Mode's one connection to Slack. */
export interface SocketModeConnection {
  readonly receiver: SocketModeReceiver;
  /** Resolves when events can arrive. Throws what Slack or the network says. */
  start(): Promise<void>;
  up(): boolean;
  stop(): Promise<void>;
}

export interface SocketModeParts {
  readonly appToken: string;
  readonly clientOptions: webApi.WebClientOptions;
  readonly logger: Logger;
}

/** How long it waits before another attempt: longer each time, in ms. */
const WAIT = { first: 500, most: 30_000 } as const;

/**
 * Slack sends every connection away now and then. Its client would wait 5 s before it connects again, and never tries
 * again when Slack's API cannot be reached just then; so the connecting is done here, at once.
 */
export function createSocketMode({ appToken, clientOptions, logger }: SocketModeParts): SocketModeConnection {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions },
  });
  const { client } = receiver;
  const end = new AbortController();
  let connected = false;
  let connecting = false;

  /** The client does not handle its listeners' rejections, so one invalid envelope would end the process. */
  for (const event of ['ws_message', 'slack_event']) {
    const listeners = client.listeners(event);
    client.removeAllListeners(event);
    for (const listener of listeners) {
      client.on(event, async (...given: unknown[]) => {
        try {
          await listener(...given);
        } catch (error) {
          logger.error('an envelope of Slack’s could not be taken', error);
        }
      });
    }
  }

  const connect = async (): Promise<void> => {
    connecting = true;
    try {
      await client.start();
    } catch (error) {
      throw error ?? new Error('Slack closed the connection before it stood.');
    } finally {
      connecting = false;
    }
    // A stop that comes while Slack is still asked for an address finds nothing to close yet.
    if (end.signal.aborted) await receiver.stop();
  };

  const connectAgain = async (): Promise<void> => {
    for (let wait = 0; !connected; wait = Math.min(2 * wait || WAIT.first, WAIT.most)) {
      await sleep(wait, undefined, { signal: end.signal });
      await connect().catch((error: unknown) => logger.error('Slack could not be reached again', error));
    }
  };

  client.on('connected', () => {
    connected = true;
  });
  client.on('disconnected', () => {
    connected = false;
    // While it connects, the caller of `connect` gets the error.
    if (!connecting) connectAgain().catch(() => undefined);
  });

  return {
    receiver,
    start: connect,
    up: () => connected,
    async stop() {
      end.abort();
      await receiver.stop().catch(() => undefined);
    },
  };
}
