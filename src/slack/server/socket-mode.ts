/** Socket Mode that reconnects at once. Slack's client waits 5 s, and gives up if it can't reach the API then. */
import { type Logger as BoltLogger, SocketModeReceiver, type webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { createAttempts } from '../install/token-check.ts';

const CLOSED_EARLY =
  'Slack closed the connection before it was ready. If this keeps happening, allow WebSocket connections from this machine to wss://*.slack.com.';
const WRONG_TOKEN = 'Create an app-level token with connections:write on the app’s page.';

export function createSocketMode(
  appToken: string,
  clientOptions: webApi.WebClientOptions,
  log: Logger,
  logger: BoltLogger,
) {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions },
  });
  const { client } = receiver;
  let isConnected = false;
  let isConnecting = false;
  let isStopped = false;
  let failure: unknown;

  catchRejections(client, log);

  const connect = async (): Promise<void> => {
    isConnecting = true;
    failure = undefined;
    try {
      await client.start();
    } catch (error) {
      throw error ?? new Error(CLOSED_EARLY, { cause: failure });
    } finally {
      isConnecting = false;
    }
    // If `stop` was called while the client was connecting, there was nothing to close yet.
    if (isStopped) await receiver.stop();
  };
  const attempts = createAttempts(connect, log, 'SLACK_APP_TOKEN', WRONG_TOKEN);

  client.on('error', (error) => {
    failure = error;
  });
  client.on('connected', () => {
    isConnected = true;
  });
  client.on('disconnected', () => {
    isConnected = false;
    if (!isConnecting) void attempts.start();
  });

  return {
    receiver,
    start: attempts.start,
    isUp: () => isConnected,
    async stop(): Promise<void> {
      isStopped = true;
      attempts.stop();
      await receiver.stop().catch(() => undefined);
    },
  };
}

/** Slack's client doesn't catch errors of its async listeners, so an invalid message would end the process. */
function catchRejections(client: SocketModeReceiver['client'], log: Logger): void {
  for (const event of ['ws_message', 'slack_event']) {
    const listeners = client.listeners(event);
    client.removeAllListeners(event);
    client.on(event, (...sent: unknown[]) => {
      for (const listener of listeners)
        Promise.resolve(listener(...sent)).catch((err: unknown) =>
          log.error({ err }, 'Could not read what Slack sent over Socket Mode'),
        );
    });
  }
}
