import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerEvent, Snapshot } from '../../sandbox/protocol.ts';
import { MEMBER, OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { MASK } from '../../sandbox/slack/masking.ts';
import { NO_CONTROLS } from '../../sandbox/slack/snapshot.ts';
import { BOT_TOKEN, callApi, openSlack, SIGNING_SECRET } from './bolt-bot.ts';

const GENERAL = 'C0GENERAL1';
const PASTED = 'a-token-of-the-billing-service';

let slack: Slack;
let modes: string[];
beforeEach(async () => {
  modes = [];
  slack = await openSlack({
    panel: {
      ...NO_CONTROLS,
      switches: () => [{ service: 'billing', mode: modes.at(-1) ?? 'healthy', modes: [] }],
      setSwitch: (service, mode) => service === 'billing' && modes.push(mode) > 0,
      examples: [{ text: '/spend', why: 'Why not' }],
      credentials: [{ label: 'Administrator', value: PASTED }],
      botUp: () => false,
    },
  });
});
afterEach(() => slack.close());

async function verb(name: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${slack.url}/sandbox/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

/** fetch cannot set the Host header. */
function statusWith(host: string, path = '/api/auth.test'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(slack.url);
    request({ port, host: '127.0.0.1', path, method: 'POST', headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** Returns the stream's events until `enough` returns true. */
async function stream(as: string, enough: (events: ServerEvent[]) => boolean, meanwhile?: () => unknown) {
  const leaving = new AbortController();
  const response = await fetch(`${slack.url}/sandbox/stream?as=${as}`, { signal: leaving.signal });
  const events: ServerEvent[] = [];
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk as Uint8Array).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)) as ServerEvent);
    if (events.length === 2) meanwhile?.();
    if (enough(events)) break;
  }
  leaving.abort();
  return events;
}

describe('the page', () => {
  it('gets a full snapshot first, and again after a change', async () => {
    const said = (events: ServerEvent[]) =>
      events.flatMap((one) =>
        one.type === 'snapshot' ? one.messages[GENERAL]?.map(({ text }) => text) : [],
      );
    const events = await stream(
      OWNER,
      (all) => said(all).includes('Hello'),
      () => verb('say', { as: MEMBER, channel: GENERAL, text: 'Hello' }),
    );
    expect(events[0]).toMatchObject({
      type: 'snapshot',
      me: OWNER,
      bot: { name: 'Tally', mode: 'http', up: false },
      examples: [{ text: '/spend' }],
      commands: [{ command: '/spend', usageHint: '[project]' }, { command: '/raw' }],
    });
    expect(events[1]).toEqual({ type: 'traffic', entries: [] });
  });

  it('gets many changes in one snapshot', async () => {
    const last = (events: ServerEvent[]) => events.at(-1) as Snapshot;
    const events = await stream(
      OWNER,
      (all) => last(all).type === 'snapshot' && last(all).messages[GENERAL]?.length === 50,
      () => {
        for (let i = 0; i < 50; i += 1)
          slack.workspace.post({ channel: GENERAL, from: MEMBER, text: `${i}` });
      },
    );
    expect(events.length).toBeLessThan(10);
  });

  it('changes modes', async () => {
    expect(await verb('switch', { service: 'billing', mode: 'slow' })).toEqual([200, { ok: true }]);
    expect(await verb('switch', { service: 'weather', mode: 'rain' })).toEqual([
      200,
      { ok: false, error: 'unknown_mode' },
    ]);
    expect(slack.snapshot(OWNER).switches).toMatchObject([{ mode: 'slow' }]);
  });

  it('gets an error for invalid requests', async () => {
    expect(await verb('sing', {})).toEqual([404, { ok: false, error: 'unknown_verb' }]);
    expect(await verb('say', { as: OWNER })).toEqual([400, { ok: false, error: 'invalid_body' }]);
    expect((await fetch(`${slack.url}/../../package.json`)).status).toBe(404);
  });
});

describe('the server', () => {
  it('rejects other host names', async () => {
    expect(await statusWith('sandbox.example.com')).toBe(403);
    expect(await statusWith('127.0.0.1.example.com')).toBe(403);
    expect(await statusWith(`localhost:${new URL(slack.url).port}`)).toBe(200);
  });

  it('rejects posts from other origins', async () => {
    const say = { as: OWNER, channel: GENERAL, text: 'Hello' };
    expect(await verb('say', say, { Origin: 'https://example.com' })).toEqual([
      403,
      { ok: false, error: 'foreign_origin' },
    ]);
    expect(await verb('say', say, { Origin: slack.url })).toEqual([200, { ok: true }]);
  });
});

describe('the traffic', () => {
  const logged = () => JSON.stringify(slack.traffic.entries);

  it('shows both directions without secrets', async () => {
    await slack.say(OWNER, GENERAL, `/spend ${PASTED}`);
    await callApi(slack, 'auth.test', { token: BOT_TOKEN });
    expect(slack.traffic.entries.map(({ direction, title }) => [direction, title])).toEqual([
      ['slack→bot', `/spend ${MASK}`],
      ['bot→slack', 'auth.test'],
    ]);
    for (const secret of [PASTED, BOT_TOKEN, SIGNING_SECRET, 'v0=']) expect(logged()).not.toContain(secret);
  });

  it.each(['token', 'user_secret', 'Password'])(
    'hides what is typed into a field called %s',
    async (name) => {
      const typed = 'something-never-seen-before';
      const element = { type: 'plain_text_input', action_id: 'value' };
      const label = { type: 'plain_text', text: 'Field' };
      const view = {
        type: 'modal' as const,
        title: { type: 'plain_text' as const, text: 'Form' },
        submit: { type: 'plain_text' as const, text: 'Send' },
        blocks: [
          { type: 'input', block_id: name, label, element },
          { type: 'input', block_id: 'a', label, element: { ...element, action_id: name } },
          { type: 'input', block_id: 'open', label, element },
        ],
      };
      const trigger_id = await triggerFor(slack);
      await callApi(slack, 'views.open', { trigger_id, view });
      await slack.submit(OWNER, { [name]: typed, a: typed, open: 'plain to see' });
      expect(logged()).toContain('view_submission');
      expect(logged()).toContain('plain to see');
      expect(logged()).not.toContain(typed);
    },
  );

  it('masks the identity service’s tokens by their form', async () => {
    slack.traffic.begin('bot→slack', 'views.update', { text: `OS_TOKEN gAAAAABm${'x'.repeat(80)}==` })(
      '200',
      '',
    );
    expect(logged()).not.toContain('gAAAAABm');
  });

  it('keeps the last three hundred', () => {
    const exchange = {
      at: 0,
      direction: 'bot→billing',
      title: 'POST',
      status: '200',
      request: '',
      response: '',
    };
    for (let i = 0; i < 310; i += 1) slack.traffic.add({ ...exchange, title: `${i}` });
    expect(slack.traffic.entries.map(({ title }) => title)).toEqual(
      Array.from({ length: 300 }, (_, i) => `${i + 10}`),
    );
  });
});

/** Sends a command while the bot is down and returns its `trigger_id`, which is valid. */
async function triggerFor({ traffic, say }: Slack): Promise<string> {
  await say(OWNER, GENERAL, '/spend');
  const sent = JSON.parse(traffic.entries.at(-1)?.request ?? '{}') as { body: { trigger_id: string } };
  return sent.body.trigger_id;
}
