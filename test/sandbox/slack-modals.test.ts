import type { View } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type BoltBot, callApi, createBoltBotStarter, plainText } from './bolt-bot.ts';

const COSTS = 'C0COSTS001';

const start = createBoltBotStarter();

const field = (blockId: string, rest: object = {}, optional = false) => ({
  type: 'input' as const,
  block_id: blockId,
  label: plainText(blockId),
  optional,
  element: { type: 'plain_text_input' as const, action_id: 'value', ...rest },
});

const modal = (title: string, rest: object = {}): View => ({
  type: 'modal',
  callback_id: 'form',
  title: plainText(title),
  submit: plainText('Send'),
  blocks: [field('name', { min_length: 2, max_length: 5 }), field('note', {}, true)],
  ...rest,
});

/** `/spend` opens a form; each test sets the response to its submission. */
const withForm = (answer: unknown, heard: unknown[] = [], rest: object = {}) =>
  start((app) => {
    app.command('/spend', async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: modal('One', rest) });
    });
    app.view('form', async ({ ack, view }) => {
      heard.push(view.state.values);
      await ack(answer as never);
    });
    app.view({ callback_id: 'form', type: 'view_closed' }, async ({ ack, body }) => {
      heard.push(body.type);
      await ack();
    });
  });

const open = async ({ slack }: BoltBot) => {
  await slack.say(OWNER, COSTS, '/spend');
  return slack.waitFor(() => slack.modal(OWNER));
};

describe('a modal', () => {
  it('belongs to the person who asked for it', async () => {
    const boltBot = await withForm(undefined);
    await open(boltBot);
    expect(boltBot.slack.snapshot(OWNER).views).toMatchObject([
      { view: { title: { text: 'One' } }, busy: false },
    ]);
    expect(boltBot.slack.snapshot(MEMBER).views).toEqual([]);
  });

  it('closes when its submission is acknowledged, and sends empty inputs as null', async () => {
    const heard: unknown[] = [];
    const boltBot = await withForm(undefined, heard);
    await open(boltBot);
    expect(await boltBot.slack.submit(OWNER, { name: 'Ada' })).toEqual({ ok: true });
    expect(heard).toEqual([
      {
        name: { value: { type: 'plain_text_input', value: 'Ada' } },
        note: { value: { type: 'plain_text_input', value: null } },
      },
    ]);
    expect(boltBot.slack.modal(OWNER)).toBeUndefined();
  });

  it.each([
    ['', 'Please complete this required field.'],
    ['A', 'Must be at least 2 characters.'],
    ['Augusta', 'Must be no more than 5 characters.'],
  ])('is not sent with the name "%s"', async (name, sentence) => {
    const heard: unknown[] = [];
    const boltBot = await withForm(undefined, heard);
    await open(boltBot);
    expect(await boltBot.slack.submit(OWNER, { name })).toEqual({ ok: false, error: 'invalid_input' });
    expect(boltBot.slack.modal(OWNER)?.errors).toEqual({ name: sentence });
    expect(heard).toEqual([]);
  });

  it('shows the bot’s errors beside their inputs', async () => {
    const boltBot = await withForm({ response_action: 'errors', errors: { name: 'Not that one.' } });
    await open(boltBot);
    await boltBot.slack.submit(OWNER, { name: 'Ada' });
    expect(boltBot.slack.snapshot(OWNER).views).toMatchObject([
      { errors: { name: 'Not that one.' }, busy: false },
    ]);
  });

  it.each<[string, unknown]>([
    ['errors for a block that is not there', { response_action: 'errors', errors: { nobody: 'Hm.' } }],
    ['a view that is too long', { response_action: 'update', view: modal('x'.repeat(25)) }],
    ['an action that Slack does not know', { response_action: 'explode' }],
  ])('has trouble connecting when it is answered with %s', async (_what, answer) => {
    const boltBot = await withForm(answer);
    await open(boltBot);
    const outcome = await boltBot.slack.submit(OWNER, { name: 'Ada' });
    expect(outcome).toEqual({ ok: false, error: 'We had some trouble connecting. Try again?' });
    expect(boltBot.slack.complaints).toHaveLength(1);
    expect(boltBot.slack.modal(OWNER)).toMatchObject({ busy: false, view: { title: { text: 'One' } } });
  });

  it('shows a connection error when the bot does not answer in time', async () => {
    const boltBot = await start(
      (app) => {
        app.command('/spend', async ({ ack, body, client }) => {
          await ack();
          await client.views.open({ trigger_id: body.trigger_id, view: modal('One') });
        });
        app.view('form', async () => {});
      },
      { ackTimeout: 60 },
    );
    await open(boltBot);
    expect(await boltBot.slack.submit(OWNER, { name: 'Ada' })).toMatchObject({ ok: false });
    expect(boltBot.slack.modal(OWNER)?.errors).toEqual({ '': 'We had some trouble connecting. Try again?' });
  });

  it('is updated, covered or closed as the acknowledgement says', async () => {
    const titles = async (answer: unknown) => {
      const boltBot = await withForm(answer);
      await open(boltBot);
      await boltBot.slack.submit(OWNER, { name: 'Ada' });
      return boltBot.slack.snapshot(OWNER).views.map(({ view }) => 'title' in view && view.title.text);
    };
    expect(await titles({ response_action: 'update', view: modal('Two') })).toEqual(['Two']);
    expect(await titles({ response_action: 'push', view: modal('Two') })).toEqual(['One', 'Two']);
    expect(await titles({ response_action: 'clear' })).toEqual([]);
  });

  it('notifies the bot that it was closed, if the bot asks for it', async () => {
    const heard: unknown[] = [];
    const boltBot = await withForm(undefined, heard, { notify_on_close: true });
    await open(boltBot);
    await boltBot.slack.dismiss(OWNER);
    expect(boltBot.slack.modal(OWNER)).toBeUndefined();
    expect(heard).toEqual(['view_closed']);
  });

  it('does not notify the bot otherwise', async () => {
    const heard: unknown[] = [];
    const boltBot = await withForm(undefined, heard);
    await open(boltBot);
    await boltBot.slack.dismiss(OWNER);
    expect(heard).toEqual([]);
  });
});

describe('a trigger', () => {
  const triggerOf = async (options: object = {}) => {
    const ids: string[] = [];
    const boltBot = await start((app) => {
      app.command('/spend', async ({ ack, body }) => {
        ids.push(body.trigger_id);
        await ack();
      });
    }, options);
    await boltBot.slack.say(OWNER, COSTS, '/spend');
    return { ...boltBot, trigger_id: ids[0] };
  };

  it('opens only one modal', async () => {
    const { slack, trigger_id } = await triggerOf();
    const args = { trigger_id, view: modal('One') };
    expect(await callApi(slack, 'views.open', args)).toMatchObject({
      ok: true,
      view: { team_id: 'T0SANDBOX1' },
    });
    expect(await callApi(slack, 'views.open', args)).toEqual({ ok: false, error: 'exchanged_trigger_id' });
  });

  it('is valid for three seconds', async () => {
    let now = 1_800_000_000_000;
    const { slack, trigger_id } = await triggerOf({ now: () => now });
    now += 3_001;
    const answer = await callApi(slack, 'views.open', { trigger_id, view: modal('One') });
    expect(answer).toEqual({ ok: false, error: 'expired_trigger_id' });
  });

  it('must come from Slack', async () => {
    const { slack } = await triggerOf();
    const answer = await callApi(slack, 'views.open', { trigger_id: 'made.up', view: modal('One') });
    expect(answer).toEqual({ ok: false, error: 'invalid_trigger_id' });
  });

  it('stays valid after a view that Slack rejects with an explanation', async () => {
    const { slack, trigger_id } = await triggerOf();
    expect(await callApi(slack, 'views.open', { trigger_id, view: modal('x'.repeat(25)) })).toEqual({
      ok: false,
      error: 'invalid_arguments',
      errors: ['must be less than 25 characters [json-pointer:/view/title/text]'],
      response_metadata: {
        messages: ['[ERROR] must be less than 25 characters [json-pointer:/view/title/text]'],
      },
    });
    expect(await callApi(slack, 'views.open', { trigger_id, view: modal('One') })).toMatchObject({
      ok: true,
    });
  });
});

describe('the stack of modals', () => {
  it('has at most three views', async () => {
    const results: unknown[] = [];
    const boltBot = await start((app) => {
      app.command('/spend', async ({ ack, body, client }) => {
        await ack();
        const blocks = [{ type: 'actions' as const, elements: [button] }];
        await client.views.open({ trigger_id: body.trigger_id, view: modal('1', { blocks }) });
      });
      const button = { type: 'button' as const, action_id: 'more', text: plainText('More') };
      app.action('more', async ({ ack, body, client }) => {
        await ack();
        if (body.type !== 'block_actions') return;
        const blocks = [{ type: 'actions' as const, elements: [button] }];
        const view = modal('next', { blocks });
        await client.views.push({ trigger_id: body.trigger_id, view }).then(
          ({ ok }) => results.push(ok),
          (error: { data: { error: string } }) => results.push(error.data.error),
        );
      });
    });
    await open(boltBot);
    const { slack } = boltBot;
    for (let depth = 1; depth <= 3; depth += 1) {
      await slack.press(OWNER, { viewId: slack.modal(OWNER)!.id }, 'More');
      await slack.waitFor(() => results.length === depth);
      await slack.waitFor(() => slack.snapshot(OWNER).views.length === Math.min(depth + 1, 3));
    }
    expect(results).toEqual([true, true, 'push_limit_reached']);
    const [bottom, middle] = slack.snapshot(OWNER).views;
    await slack.dismiss(OWNER);
    expect(slack.snapshot(OWNER).views.map(({ id }) => id)).toEqual([bottom?.id, middle?.id]);
  });
});

describe('views.update', () => {
  it('changes an open modal, unless it has changed since', async () => {
    const boltBot = await withForm(undefined);
    const { id: view_id, hash } = await open(boltBot);
    const update = (title: string) =>
      callApi(boltBot.slack, 'views.update', { view_id, hash, view: modal(title) });
    expect(await update('Two')).toMatchObject({ ok: true });
    expect(await update('Three')).toEqual({ ok: false, error: 'hash_conflict' });
    expect(boltBot.slack.modal(OWNER)?.view.title?.text).toBe('Two');
  });

  it('does not find a closed view', async () => {
    const boltBot = await withForm(undefined);
    const { id: view_id } = await open(boltBot);
    await boltBot.slack.dismiss(OWNER);
    const answer = await callApi(boltBot.slack, 'views.update', { view_id, view: modal('Two') });
    expect(answer).toEqual({ ok: false, error: 'not_found' });
  });
});
