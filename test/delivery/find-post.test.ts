/** Whether Slack has a message that it did not confirm. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPost } from '../../src/delivery/outbox/send.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { QUIET } from '../support/delivery-runner.ts';
import { type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';

const NINE = Date.parse('2026-11-20T08:00:00Z');
const CHANNEL = 'C0COSTS001';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

const clientOf = (slackApiUrl: string) =>
  createClientCache({ ...BACKGROUND_OPTIONS, slackApiUrl, logger: QUIET })('xoxb-T1', 'T1');
/** Puts a message into Slack as a run that died did. */
async function posted(key: string, given: Record<string, string> = {}) {
  const metadata = JSON.stringify({ event_type: 'tally_delivery', event_payload: { key } });
  const body = new URLSearchParams({ channel: CHANNEL, text: 'x', metadata, ...given });
  await fetch(`${slack.url}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: 'Bearer xoxb-T1' },
    body,
  });
  return slack.posts.at(-1)!.ts;
}

describe('a post that may be in Slack', () => {
  const search = async (at = NINE) => findPost(clientOf(slack.url), CHANNEL, 'schedul1/x', at);

  it('is found by its mark within five minutes of when it was sent', async () => {
    const ts = await posted('schedul1/x');
    await posted('schedul1/y');
    for (const at of [NINE, NINE + 300_000, NINE - 299_000]) expect(await search(at)).toEqual({ ts });
    for (const at of [NINE + 301_000, NINE - 301_000]) expect(await search(at)).toBe('absent');
  });

  it.each([
    'missing_scope',
    'not_allowed_token_type',
    'no_permission',
    'access_denied',
    'not_in_channel',
    'channel_not_found',
    'method_not_supported_for_channel_type',
  ])('counts as unknown if Tally can’t read the channel: %s', async (code) => {
    slack.fault = () => code;
    expect(await search()).toBe('unknown');
  });

  it('is looked for page by page, by its event as well as its key, and counts as unknown after five pages', async () => {
    const cursors: (string | null)[] = [];
    let pages: { readonly event?: string; readonly key?: string }[] = [];
    const paged = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const args = new URLSearchParams(Buffer.concat(chunks).toString());
      const at = Number(args.get('cursor') ?? 0);
      cursors.push(args.get('cursor'));
      const { event, key } = pages[at] ?? {};
      const found = event && {
        ts: `${at}.1`,
        metadata: { event_type: event, event_payload: key ? { key } : undefined },
      };
      const messages = [{ ts: '0.0' }, ...(found ? [found] : [])];
      const more = at + 1 < pages.length ? { response_metadata: { next_cursor: String(at + 1) } } : {};
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, messages, ...more }));
    });
    await new Promise<void>((resolve) => paged.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(paged.address() as AddressInfo).port}/api/`;
    const searched = async (...given: typeof pages) => {
      pages = given;
      cursors.length = 0;
      return findPost(clientOf(url), CHANNEL, 'schedul1/x', NINE);
    };
    const ours = { event: 'tally_delivery', key: 'schedul1/x' };
    const others = [
      { event: 'another', key: 'schedul1/x' },
      { event: 'tally_delivery' },
      { event: 'tally_delivery', key: 'y' },
    ];
    expect(await searched(...others, ours)).toEqual({ ts: '3.1' });
    expect(cursors).toEqual([null, '1', '2', '3']);
    expect(await searched(...others)).toBe('absent');
    expect(await searched({}, {}, {}, {}, ours)).toEqual({ ts: '4.1' });
    expect(await searched({}, {}, {}, {}, {}, ours)).toBe('unknown');
    expect(cursors).toHaveLength(5);
    paged.closeAllConnections();
    await new Promise((resolve) => paged.close(resolve));
  });

  it('counts as unknown if Slack does not answer', async () => {
    slack.fault = () => 'internal_error';
    await expect(search()).rejects.toMatchObject({ kind: 'slack-failed', data: { code: 'internal_error' } });
  });
});
