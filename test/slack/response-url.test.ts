import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { FailureOf } from '../../src/domain/failure/index.ts';
import { createLog } from '../../src/ops/log.ts';
import { type Message, table } from '../../src/slack/block-kit/blocks.ts';
import { createResponseUrlClient } from '../../src/slack/reply/message-calls.ts';

interface Posted {
  response_type: string;
  replace_original: boolean;
  blocks: { type: string }[];
}

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** A response_url with this answer, and what was posted to it. */
async function respond(answer: Answer) {
  const posted: Posted[] = [];
  const server = createServer(async (req, res) => {
    posted.push(JSON.parse(await text(req)));
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const responseUrls = createResponseUrlClient(500);
  releases.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`,
    posted,
    responseUrls,
  };
}

/** A response_url that gives these answers one after another. */
const responseUrl = (...answers: [status: number, body: string][]) =>
  respond((_, res) => {
    const [status, body] = answers.shift() ?? [200, 'ok'];
    res.writeHead(status).end(body);
  });

const rich: Message = {
  text: 'figures',
  blocks: [
    {
      type: 'data_visualization',
      title: 'Spent per day',
      chart: {
        type: 'bar',
        series: [{ name: 'Spent', data: [{ label: 'Mon', value: 1 }] }],
        axis_config: { categories: ['Mon'] },
      },
    },
    table([
      ['Day', 'Amount'],
      ['Mon', '1.00'],
    ]),
  ],
};

describe('a response_url', () => {
  it('gets a private message, unless the message is for everyone', async () => {
    const { url, posted, responseUrls } = await responseUrl();
    await responseUrls.post(url, rich);
    await responseUrls.post(url, rich, { everyone: true });
    await responseUrls.post(url, rich, { replace: true });
    expect(posted.map(({ response_type }) => response_type)).toEqual([
      'ephemeral',
      'in_channel',
      'ephemeral',
    ]);
    expect(posted.map(({ replace_original }) => replace_original)).toEqual([false, false, true]);
  });

  it.each([
    [400, '{"ok":false,"error":"invalid_blocks"}'],
    [200, '{"ok":false,"error":"invalid_blocks"}'],
    [500, 'invalid_blocks'],
  ])(
    'gets the answer again as text if Slack refuses the chart and the table (%i %s)',
    async (status, body) => {
      const { url, posted, responseUrls } = await responseUrl([status, body]);
      await responseUrls.post(url, rich);
      expect(posted.map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
        ['data_visualization', 'table'],
        ['section', 'rich_text'],
      ]);
    },
  );

  it.each([
    [404, '{"ok":false,"error":"expired_url"}', 'expired_url'],
    [404, 'used_url', 'used_url'],
    [200, 'used_url', 'used_url'],
    [503, '<html>busy</html>', 'HTTP 503'],
  ])(
    'that refuses the message is reported with Slack’s reason, or else with the HTTP status (%i)',
    async (status, body, code) => {
      const { url, responseUrls } = await responseUrl([status, body]);
      await expect(responseUrls.post(url, rich)).rejects.toMatchObject({
        kind: 'slack-failed',
        data: { code },
      });
    },
  );

  it.each([
    [200, 'ok'],
    [200, ''],
    [200, 'received'],
    [200, 'constructor'],
    [200, '{"ok":true}'],
    [200, '<html>fine</html>'],
    [204, ''],
  ])('has accepted the message if it responds with status %i and body “%s”', async (status, body) => {
    const { url, posted, responseUrls } = await responseUrl([status, body]);
    await responseUrls.post(url, rich);
    expect(posted).toHaveLength(1);
  });

  it('never appears in an error, because anyone who knows the URL can post messages', async () => {
    const { url, responseUrls } = await responseUrl([404, 'used_url']);
    const error = (await responseUrls.post(url, rich).catch((thrown: Error) => thrown)) as Error;
    expect(`${error.message} ${error.stack}`).not.toContain('secret-path');
    await expect(responseUrls.post('http://127.0.0.1:2/secret-path', rich)).rejects.toMatchObject({
      data: { code: 'ECONNREFUSED' },
    });
  });
});

describe('a response_url that doesn’t confirm the message', () => {
  const error = (post: Promise<void>) =>
    post.then(
      () => undefined,
      (thrown: FailureOf<'slack-failed'>) => thrown,
    );

  it.each<[string, Answer, string]>([
    ['never answers', () => undefined, 'timeout'],
    ['drops the connection once it has the message', (req) => req.socket.destroy(), 'UND_ERR_SOCKET'],
    ['resets the connection', (req) => req.socket.resetAndDestroy(), 'ECONNRESET'],
    ['is behind a gateway that gave up', (_, res) => res.writeHead(504).end('<html>'), 'HTTP 504'],
  ])('may have posted the message if it %s', async (_, answer, code) => {
    const { url, responseUrls, posted } = await respond(answer);
    expect(await error(responseUrls.post(url, rich))).toMatchObject({ data: { code, unclear: true } });
    expect(posted).toHaveLength(1);
  });

  it('is not written to the log', async () => {
    const { url, responseUrls } = await respond(() => undefined);
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    log.error({ err: await error(responseUrls.post(url, rich)) }, 'Could not answer');
    expect(lines.join()).not.toContain('secret-path');
  });

  it.each([
    ['http://127.0.0.1:2/', 'ECONNREFUSED'],
    ['http://nowhere.invalid/', 'ENOTFOUND'],
  ])('has posted nothing if no request could be sent: %s', async (url, code) => {
    const responseUrls = createResponseUrlClient(3_000);
    expect(await error(responseUrls.post(url, rich))).toMatchObject({ data: { code, unclear: false } });
  });

  it('is reported with the number of seconds to wait if Slack’s rate limit is reached', async () => {
    const { url, responseUrls } = await respond((_, res) => res.writeHead(429, { 'retry-after': '7' }).end());
    const busy = { data: { code: 'ratelimited', retryAfter: 7 } };
    expect(await error(responseUrls.post(url, rich))).toMatchObject(busy);
  });
});
