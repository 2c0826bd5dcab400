import { type Logger, SocketModeReceiver, type webApi } from '@slack/bolt';
import { retryTokenCheck, startTokenCheck, tokenRefusal } from '../install/token-check.ts';

const CLOSED_EARLY =
  'Slack closed the connection before it was ready. If this stays, let this machine open WebSockets to Slack, wss://*.slack.com.';

/**
 * Slack sends every connection away now and then. Its client would wait 5 s before it connects again, and never tries
 * again when Slack's API cannot be reached just then; so the connecting is done here, at once.
 */
export function createSocketMode(appToken: string, clientOptions: webApi.WebClientOptions, logger: Logger) {
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
  let failure: unknown;

  // The client does not handle its listeners' rejections, so one invalid envelope would end the process.
  for (const event of ['ws_message', 'slack_event']) {
    const listeners = client.listeners(event);
    client.removeAllListeners(event);
    client.on(event, (...sent: unknown[]) => {
      for (const listener of listeners)
        Promise.resolve(listener(...sent)).catch((error: unknown) =>
          logger.error('Could not read what Slack sent over Socket Mode', error),
        );
    });
  }

  const connect = async (): Promise<void> => {
    connecting = true;
    failure = undefined;
    try {
      await client.start();
    } catch (error) {
      throw error ?? new Error(CLOSED_EARLY, { cause: failure });
    } finally {
      connecting = false;
    }
    // A stop that comes while Slack is still asked for an address finds nothing to close yet.
    if (end.signal.aborted) await receiver.stop();
  };

  const report = (error: unknown): void => {
    const code = tokenRefusal(error);
    if (code === undefined) logger.error('Slack can’t be reached; Tally tries again', error);
    else
      logger.error(
        `Slack rejects SLACK_APP_TOKEN (${code}): make an app-level token with connections:write on the app’s page`,
      );
  };

  client.on('error', (error) => {
    failure = error;
  });
  client.on('connected', () => {
    connected = true;
  });
  client.on('disconnected', () => {
    connected = false;
    // While it connects, the caller of `connect` gets the error.
    if (!connecting) retryTokenCheck(connect, end.signal, report).catch(() => undefined);
  });

  return {
    receiver,
    /** Resolves when events can arrive, or after a first attempt that failed: then it tries again. Never rejects. */
    start: (): Promise<void> => startTokenCheck(connect, end.signal, report),
    up: () => connected,
    async stop(): Promise<void> {
      end.abort();
      await receiver.stop().catch(() => undefined);
    },
  };
}
