import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type BoltBot, plainText, startBoltBot } from './bolt-bot.ts';

const COSTS = 'C0COSTS001';
const BLOCKS = [
  {
    type: 'actions' as const,
    elements: [{ type: 'button' as const, action_id: 'again', text: plainText('Again') }],
  },
];
const CHART = {
  type: 'data_visualization',
  title: 'Spend',
  chart: { type: 'pie', segments: [{ label: 'prod', value: 1 }] },
};

describe('a response URL', () => {
  let now = 1_800_000_000_000;
  let boltBot: BoltBot;
  let urls: string[];

  beforeEach(async () => {
    urls = [];
    boltBot = await startBoltBot(
      (app) => {
        app.command('/spend', async ({ ack, body }) => {
          urls.push(body.response_url);
          await ack();
        });
        app.action('again', async ({ ack, body }) => {
          if (body.type === 'block_actions') urls.push(body.response_url);
          await ack();
        });
      },
      { now: () => now },
    );
  });
  afterEach(() => boltBot.close());

  const answer = async (body: object, url = urls.at(-1) ?? '') => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error?: string }).error ?? 'ok'];
  };
  const asked = () => boltBot.slack.say(OWNER, COSTS, '/spend');
  const clicked = async (viewer?: string) => {
    const { slack } = boltBot;
    const message = slack.workspace.post({
      channel: COSTS,
      from: 'bot',
      text: 'Old',
      blocks: BLOCKS,
      viewer,
    });
    await slack.press(OWNER, message, 'Again');
    return message;
  };
  const seen = (person: string) =>
    boltBot.slack.messages(person, COSTS).map(({ text, ephemeral }) => [text, ephemeral]);

  it('works five times', async () => {
    await asked();
    for (let i = 1; i <= 5; i += 1) expect(await answer({ text: `${i}` })).toEqual([200, 'ok']);
    expect(await answer({ text: '6' })).toEqual([404, 'used_url']);
    expect(seen(OWNER)).toHaveLength(5);
  });

  it('works for half an hour', async () => {
    await asked();
    now += 30 * 60_000;
    expect(await answer({ text: 'just' })).toEqual([200, 'ok']);
    now += 1;
    expect(await answer({ text: 'late' })).toEqual([404, 'expired_url']);
    expect(await answer({ text: 'made up' }, `${boltBot.slack.url}/response/made-up`)).toEqual([
      404,
      'expired_url',
    ]);
  });

  it('answers privately unless asked otherwise; a public answer shows the command once', async () => {
    await asked();
    await answer({ text: 'For you' });
    await answer({ text: 'For all', response_type: 'in_channel' });
    await answer({ text: 'For all again', response_type: 'in_channel' });
    expect(seen(MEMBER)).toEqual([
      ['/spend', false],
      ['For all', false],
      ['For all again', false],
    ]);
    expect(seen(OWNER)[0]).toEqual(['For you', true]);
  });

  it('replaces the clicked message, which stays private', async () => {
    await clicked(OWNER);
    await answer({ text: 'New', replace_original: true, response_type: 'in_channel' });
    expect(seen(OWNER)).toEqual([['New', true]]);
    expect(seen(MEMBER)).toEqual([]);
  });

  it('replaces a public message for everyone', async () => {
    await clicked();
    await answer({ text: 'New', replace_original: true });
    expect(seen(MEMBER)).toEqual([['New', false]]);
    expect(boltBot.slack.messages(MEMBER, COSTS)[0]).toMatchObject({ edited: true });
  });

  it('deletes the clicked message', async () => {
    await clicked(OWNER);
    expect(await answer({ delete_original: true })).toEqual([200, 'ok']);
    expect(seen(OWNER)).toEqual([]);
  });

  it('replaces the first private answer to a command', async () => {
    await asked();
    await answer({ text: 'One' });
    await answer({ text: 'Two', replace_original: true });
    expect(seen(OWNER)).toEqual([['Two', true]]);
  });

  it('posts another answer instead when replacing is switched off', async () => {
    boltBot.slack.behaviour.replacesCommandAnswers = false;
    await asked();
    await answer({ text: 'One' });
    await answer({ text: 'Two', replace_original: true });
    expect(seen(OWNER)).toEqual([
      ['One', true],
      ['Two', true],
    ]);
  });

  it('rejects empty messages and invalid blocks', async () => {
    await asked();
    expect(await answer({})).toEqual([500, 'no_text']);
    expect(await answer({ text: 'x', blocks: [{ type: 'header', text: plainText('') }] })).toEqual([
      400,
      'invalid_blocks',
    ]);
    expect(seen(OWNER)).toEqual([]);
  });

  it('accepts a chart, unless that is switched off', async () => {
    await asked();
    expect(await answer({ text: 'x', blocks: [CHART] })).toEqual([200, 'ok']);
    boltBot.slack.refuse.add('data_visualization');
    expect(await answer({ text: 'x', blocks: [CHART] })).toEqual([400, 'invalid_blocks']);
    expect(await answer({ text: 'x' })).toEqual([200, 'ok']);
  });

  it('rejects a table when that is switched off, in a container too', async () => {
    await asked();
    const table = { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] };
    const blocks = [{ type: 'container', title: plainText('Each day'), child_blocks: [table] }];
    expect(await answer({ text: 'x', blocks })).toEqual([200, 'ok']);
    boltBot.slack.refuse.add('table');
    expect(await answer({ text: 'x', blocks })).toEqual([400, 'invalid_blocks']);
  });
});
