import { describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createBoltBotStarter, plainText } from './bolt-bot.ts';

const COSTS = 'C0COSTS001';

const start = createBoltBotStarter();

const option = (value: string) => ({ text: plainText(value.toUpperCase()), value });

const BLOCKS = [
  {
    type: 'actions' as const,
    block_id: 'row',
    elements: [
      { type: 'button' as const, action_id: 'share', text: plainText('Share'), value: 'it' },
      {
        type: 'static_select' as const,
        action_id: 'period',
        options: [option('day'), option('week')],
        placeholder: plainText('Period'),
      },
      { type: 'external_select' as const, action_id: 'zone', placeholder: plainText('Zone') },
    ],
  },
];

describe.each(['http', 'socket'] as const)('clicks over %s', (mode) => {
  it('contain the button, the message and a response URL', async () => {
    const heard: object[] = [];
    const { slack } = await start(
      (app) => {
        app.command('/spend', async ({ ack, respond }) => {
          await ack();
          await respond({ text: 'Answer', blocks: BLOCKS });
        });
        app.action('share', async ({ ack, body, respond }) => {
          heard.push(body);
          await ack();
          await respond({ response_type: 'in_channel', text: 'For all' });
        });
      },
      { mode },
    );
    await slack.say(OWNER, COSTS, '/spend');
    const answer = await slack.waitFor(() => slack.messages(OWNER, COSTS).at(-1));
    await slack.press(OWNER, answer, 'Share');
    const shared = await slack.waitFor(() => slack.messages(MEMBER, COSTS).at(-1));
    expect(shared).toMatchObject({ text: 'For all', from: 'bot', ephemeral: false });
    expect(heard).toMatchObject([
      {
        type: 'block_actions',
        user: { id: OWNER },
        channel: { id: COSTS },
        container: { type: 'message', message_ts: answer.ts, is_ephemeral: true },
        actions: [
          { type: 'button', block_id: 'row', action_id: 'share', value: 'it', text: plainText('Share') },
        ],
      },
    ]);
    expect(heard[0]).not.toHaveProperty('message');
  });

  it('find a select in a container, and contain the state of the other elements', async () => {
    const actions: object[] = [];
    const { slack } = await start(
      (app) => {
        app.action('share', async ({ ack, body }) => {
          actions.push(body);
          await ack();
        });
      },
      { mode },
    );
    const blocks = [{ type: 'container' as const, title: plainText('More'), child_blocks: BLOCKS }];
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Old', blocks });
    await slack.press(OWNER, message, 'Share');
    expect(actions).toMatchObject([
      {
        state: { values: { row: { period: { type: 'static_select', selected_option: null } } } },
        actions: [{ block_id: 'row', action_id: 'share' }],
      },
    ]);
  });

  it('contain the choice and, for a public message, the message', async () => {
    const heard: object[] = [];
    const { slack } = await start(
      (app) => {
        app.action('period', async ({ ack, body }) => {
          heard.push(body);
          await ack();
        });
      },
      { mode },
    );
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Answer', blocks: BLOCKS });
    expect(await slack.choose(MEMBER, message, 'period', 'WEEK')).toEqual({ ok: true });
    expect(heard).toMatchObject([
      {
        message: { ts: message.ts, text: 'Answer', blocks: [{ block_id: 'row' }] },
        actions: [{ selected_option: option('week') }],
        state: { values: { row: { period: { selected_option: option('week') } } } },
      },
    ]);
  });

  it('ask for options while a person types', async () => {
    const { slack } = await start(
      (app) => {
        app.options('zone', async ({ ack, payload }) => {
          await ack({ options: [option(`${payload.value}lin`)] });
        });
      },
      { mode },
    );
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Answer', blocks: BLOCKS });
    expect(await slack.suggest(OWNER, message, 'zone', 'ber')).toEqual({
      ok: true,
      options: [option('berlin')],
    });
  });
});

describe('clicks', () => {
  it('need an existing element', async () => {
    const { slack } = await start(() => {});
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Answer', blocks: BLOCKS });
    const stranger = option('year');
    expect(await slack.act(OWNER, message, { action_id: 'nothing' })).toEqual({
      ok: false,
      error: 'action_not_found',
    });
    expect(await slack.act(OWNER, message, { action_id: 'period', selected_option: stranger })).toEqual({
      ok: false,
      error: 'option_not_offered',
    });
    const hidden = slack.workspace.post({
      channel: COSTS,
      from: 'bot',
      text: '',
      blocks: BLOCKS,
      viewer: OWNER,
    });
    expect(await slack.act(MEMBER, hidden, { action_id: 'share' })).toEqual({
      ok: false,
      error: 'not_found',
    });
  });

  it('fail visibly when the bot does not acknowledge in time', async () => {
    const { slack } = await start((app) => app.action('share', async () => {}), { ackTimeout: 40 });
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Answer', blocks: BLOCKS });
    expect(await slack.press(OWNER, message, 'share')).toEqual({ ok: false, error: 'operation_timeout' });
  });

  it('reject options that Slack would reject', async () => {
    const { slack } = await start((app) => {
      app.options('zone', async ({ ack }) => {
        await ack({ options: [option('x'.repeat(76))] });
      });
    });
    const message = slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Answer', blocks: BLOCKS });
    expect(await slack.suggest(OWNER, message, 'zone', 'x')).toEqual({ ok: false, error: 'invalid_options' });
    expect(slack.complaints).toEqual([expect.stringContaining('options of zone')]);
  });
});
