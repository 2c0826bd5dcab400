import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { webApi } from '@slack/bolt';
import { afterEach, describe, expect, it } from 'vitest';
import type { FailureOf } from '../../src/domain/failure/index.ts';
import { boltLogger, createLog } from '../../src/ops/log.ts';
import { callOptions, callSlack, type WebClient } from '../../src/slack/web-client.ts';

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

/** A Web API that answers the first call with `first`, accepts all others, and records the calls. */
async function startApi(first: (res: ServerResponse) => void) {
  const calls: string[] = [];
  const server = createServer(async (req, res) => {
    await text(req);
    calls.push((req.url ?? '').slice(1));
    if (calls.length === 1) return first(res);
    res.setHeader('content-type', 'application/json');
    res.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  releases.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { client: clientOf(port), calls };
}

const clientOf = (port: number): WebClient =>
  new webApi.WebClient('xoxb-x', {
    ...callOptions(1_000, true),
    slackApiUrl: `http://127.0.0.1:${port}/`,
    logger: boltLogger(createLog('silent')),
  });
const read = (client: WebClient) => callSlack('users.info', () => client.users.info({ user: 'U1' }));
const post = (client: WebClient) =>
  callSlack('chat.postMessage', () => client.chat.postMessage({ channel: 'C1', text: 'x' }));
const error = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (thrown: FailureOf<'slack-failed'>) => thrown,
  );

const FAULTS: [string, (res: ServerResponse) => void][] = [
  ['drops the connection', (res) => res.socket?.destroy()],
  ['answers with 504', (res) => res.writeHead(504).end()],
];

describe('a call to Slack', () => {
  it.each(FAULTS)('that only reads is repeated once if Slack %s', async (_, fault) => {
    const { client, calls } = await startApi(fault);
    expect(await read(client)).toMatchObject({ ok: true });
    expect(calls).toEqual(['users.info', 'users.info']);
  });

  it('isn’t repeated if a server error comes too late for another try', async () => {
    const { client, calls } = await startApi((res) => setTimeout(() => res.writeHead(503).end(), 900));
    expect(await error(read(client))).toMatchObject({ data: { method: 'users.info', code: 'http_error' } });
    expect(calls).toEqual(['users.info']);
  });

  it.each([...FAULTS, ['says nothing', () => undefined] as (typeof FAULTS)[number]])(
    'that posts isn’t repeated if Slack %s',
    async (_, fault) => {
      const { client, calls } = await startApi(fault);
      expect(await error(post(client))).toMatchObject({
        data: { method: 'chat.postMessage', unclear: true },
      });
      expect(calls).toEqual(['chat.postMessage']);
    },
  );

  it.each(['oauth.v2.access', 'files.completeUploadExternal', 'chat.postEphemeral'])(
    'to %s isn’t repeated after a dropped connection',
    async (method) => {
      const { client, calls } = await startApi((res) => res.socket?.destroy());
      expect(await error(client.apiCall(method))).toBeDefined();
      expect(calls).toEqual([method]);
    },
  );

  it('that posts is repeated once if Slack is too busy', async () => {
    const { client, calls } = await startApi((res) => res.writeHead(503).end());
    expect(await post(client)).toMatchObject({ ok: true });
    expect(calls).toHaveLength(2);
  });

  it('counts as not done if it couldn’t be sent, or was refused', async () => {
    const closed = await startApi(() => undefined);
    releases.splice(0).forEach((release) => void release());
    expect(await error(post(closed.client))).toMatchObject({ data: { unclear: false } });
    const { client } = await startApi((res) => res.end('{"ok":false,"error":"not_in_channel"}'));
    expect(await error(post(client))).toMatchObject({ data: { code: 'not_in_channel', unclear: false } });
  });
});
