/** Finding a message in Slack that Slack didn't confirm. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSentMessage } from '../../src/delivery/outbox/send.ts';
import { BACKGROUND_OPTIONS, createClientFactory } from '../../src/slack/web-client.ts';
import { json, serve } from '../http/service.ts';
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
  createClientFactory({ ...BACKGROUND_OPTIONS, slackApiUrl, logger: QUIET })('xoxb-T1', 'T1');
/** Puts a message into Slack like a run that died before it could store that. */
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

describe('a post that Slack didn’t confirm', () => {
  const search = async (at = NINE) => findSentMessage(clientOf(slack.url), CHANNEL, 'schedul1/x', at);

  it('is found by its metadata if its time in Slack is within five minutes of the expected time', async () => {
    const ts = await posted('schedul1/x');
    await posted('schedul1/y');
    for (const at of [NINE, NINE + 300_000, NINE - 299_000]) expect(await search(at)).toEqual({ ts });
    for (const at of [NINE + 301_000, NINE - 301_000]) expect(await search(at)).toBe('absent');
  });

  it('stays unconfirmed if it isn’t among the messages that Slack returns, and more messages exist', async () => {
    const found = async (isPart: boolean, event: string, key?: string) => {
      const { url, close } = await serve((_, response) =>
        json(response, {
          ok: true,
          has_more: isPart,
          messages: [{ ts: '0.1', metadata: { event_type: event, event_payload: { key } } }],
        }),
      );
      const outcome = await findSentMessage(clientOf(`${url}/api/`), CHANNEL, 'schedul1/x', NINE);
      await close();
      return outcome;
    };
    expect(await found(true, 'tally_delivery', 'schedul1/x')).toEqual({ ts: '0.1' });
    for (const [event, key] of [
      ['another', 'schedul1/x'],
      ['tally_delivery'],
      ['tally_delivery', 'y'],
    ] as const) {
      expect(await found(true, event, key)).toBe('unknown');
      expect(await found(false, event, key)).toBe('absent');
    }
  });
});
