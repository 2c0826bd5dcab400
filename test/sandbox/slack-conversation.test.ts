import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createBoltBotStarter, openSlack, plainText } from './bolt-bot.ts';

const GENERAL = 'C0GENERAL1';
const COSTS = 'C0COSTS001';
const FINANCE = 'C0FINANCE1';
const OWNERS_DM = 'D0OWNER001';

const start = createBoltBotStarter();

describe.each(['http', 'socket'] as const)('a conversation over %s', (mode) => {
  it('sends a command to the bot and its answer back privately', async () => {
    const { slack } = await start(
      (app) => {
        app.command('/spend', async ({ ack, command, respond }) => {
          await ack();
          await respond(`${command.user_id} asks ${command.text} in ${command.channel_name}`);
        });
      },
      { mode },
    );
    await slack.say(OWNER, COSTS, '/spend prod last-7-days');
    const answer = await slack.waitFor(() => slack.messages(OWNER, COSTS).at(-1));
    expect(answer).toMatchObject({
      from: 'bot',
      ephemeral: true,
      text: `${OWNER} asks prod last-7-days in cloud-costs`,
    });
    expect(slack.messages(MEMBER, COSTS)).toEqual([]);
  });

  it('shows the message in an acknowledgement', async () => {
    const { slack } = await start(
      (app) => {
        app.command('/spend', async ({ ack }) => {
          await ack({ response_type: 'in_channel', text: 'Everybody may know' });
        });
      },
      { mode },
    );
    await slack.say(OWNER, COSTS, '/spend prod');
    expect(slack.messages(MEMBER, COSTS).map(({ from, text }) => [from, text])).toEqual([
      [OWNER, '/spend prod'],
      ['bot', 'Everybody may know'],
    ]);
  });

  it('shows a message from Slackbot when the bot does not acknowledge in time', async () => {
    const { slack } = await start((app) => app.command('/spend', async () => {}), { mode, ackTimeout: 40 });
    await slack.say(OWNER, COSTS, '/spend prod');
    expect(slack.messages(OWNER, COSTS)).toMatchObject([
      {
        from: 'slackbot',
        ephemeral: true,
        text: expect.stringMatching(/^\/spend failed .*operation_timeout/),
      },
    ]);
  });

  it('sends mentions, direct messages and an opened Home to the bot', async () => {
    const heard: unknown[] = [];
    const { slack } = await start(
      (app) => {
        app.event('app_mention', async ({ event, say }) => {
          heard.push(event.text);
          await say({ text: 'In the thread', thread_ts: event.ts });
        });
        app.event('message', async ({ event }) => {
          heard.push((event as { text?: string }).text);
        });
        app.event('app_home_opened', async ({ event, client }) => {
          const blocks = [{ type: 'header' as const, text: plainText('Hello') }];
          await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
        });
      },
      { mode },
    );
    await slack.say(OWNER, GENERAL, '@Tally spend prod & co');
    const reply = await slack.waitFor(() =>
      slack.messages(GUEST, GENERAL).find(({ from }) => from === 'bot'),
    );
    await slack.say(OWNER, OWNERS_DM, 'help');
    await slack.waitFor(() => heard.length === 2);
    await slack.openHome(OWNER);
    const home = await slack.waitFor(() => slack.home(OWNER));
    expect(heard).toEqual(['<@U0TALLYBOT> spend prod &amp; co', 'help']);
    expect(reply.threadTs).toBe(slack.messages(GUEST, GENERAL)[0]?.ts);
    expect(home.view.blocks).toMatchObject([{ type: 'header' }]);
    expect(slack.snapshot(MEMBER).home).toBeUndefined();
  });
});

describe('slash commands', () => {
  it('are only those of the manifest', async () => {
    const { slack } = await start(() => {});
    await slack.say(OWNER, COSTS, '/nonsense');
    expect(slack.messages(OWNER, COSTS)).toMatchObject([
      { from: 'slackbot', text: '/nonsense is not a valid command.' },
    ]);
  });

  it('are rejected in threads', async () => {
    const { slack } = await start(() => {});
    const parent = slack.workspace.post({ channel: COSTS, from: MEMBER, text: 'Well?' });
    await slack.say(OWNER, COSTS, '/spend', parent.ts);
    expect(slack.messages(OWNER, COSTS).at(-1)).toMatchObject({
      from: 'slackbot',
      threadTs: parent.ts,
      text: expect.stringContaining('not supported in threads'),
    });
  });

  it('report a bot that is down, or answers with an error, as a failed dispatch', async () => {
    const down = await openSlack();
    const wrong = await start(() => {}, { signingSecret: 'f'.repeat(32) });
    for (const slack of [down, wrong.slack]) {
      await slack.say(OWNER, COSTS, '/spend');
      expect(slack.messages(OWNER, COSTS)).toMatchObject([
        { from: 'slackbot', text: expect.stringContaining('dispatch_failed') },
      ]);
    }
    await down.close();
  });

  it('escape and link what is typed only for commands that ask for it', async () => {
    const heard: string[] = [];
    const { slack } = await start((app) => {
      for (const name of ['/spend', '/raw'])
        app.command(name, async ({ ack, command }) => {
          heard.push(command.text);
          await ack();
        });
    });
    const typed = 'a < b & @mateus #cloud-costs #finance https://example.com/x';
    await slack.say(OWNER, COSTS, `/spend ${typed}`);
    await slack.say(OWNER, COSTS, `/raw ${typed}`);
    expect(heard).toEqual([
      `a &lt; b &amp; <@${MEMBER}> <#${COSTS}|cloud-costs> <#${FINANCE}|> <https://example.com/x>`,
      typed,
    ]);
  });

  it('hide the name of private conversations from commands', async () => {
    const names: string[] = [];
    const { slack } = await start((app) => {
      app.command('/spend', async ({ ack, command }) => {
        names.push(command.channel_name);
        await ack();
      });
    });
    await slack.say(OWNER, FINANCE, '/spend');
    await slack.say(OWNER, OWNERS_DM, '/spend');
    expect(names).toEqual(['privategroup', 'directmessage']);
  });
});

describe('who sees what', () => {
  it('private channels are for their members, public ones for all but guests and external people', async () => {
    const { slack } = await start(() => {});
    const seen = (person: string) => slack.snapshot(person).channels.map(({ name }) => name);
    expect(seen(OWNER)).toEqual(['general', 'cloud-costs', 'finance', 'with-acme', 'Tally']);
    expect(seen(MEMBER)).toEqual(['general', 'cloud-costs', 'finance', 'with-acme', 'Tally']);
    expect(seen(GUEST)).toEqual(['general', 'Tally']);
    expect(seen(EXTERNAL)).toEqual(['with-acme', 'Tally']);
    expect(await slack.say(GUEST, FINANCE, 'hello')).toEqual({ ok: false, error: 'channel_not_found' });
    expect(slack.snapshot(GUEST).messages[FINANCE]).toBeUndefined();
  });

  it('another person’s DM with the bot is private', async () => {
    const { slack } = await start(() => {});
    expect(await slack.say(MEMBER, OWNERS_DM, 'hello')).toEqual({ ok: false, error: 'channel_not_found' });
  });

  it('the bot enters a private channel by invitation, and can be removed', async () => {
    const { slack } = await start(() => {});
    const members = () => slack.workspace.conversation(FINANCE)?.members.includes('bot');
    await slack.say(OWNER, FINANCE, '/invite @Tally');
    expect(members()).toBe(true);
    await slack.say(OWNER, FINANCE, '/remove @Tally');
    expect(members()).toBe(false);
  });
});

describe('events', () => {
  it('are retried with a reason until the bot acknowledges them', async () => {
    const tries: unknown[] = [];
    const answers = [500, 503, 200];
    const bot = createServer((request, response) => {
      const { 'x-slack-retry-num': number, 'x-slack-retry-reason': reason } = request.headers;
      tries.push([number, reason]);
      response.writeHead(answers[tries.length - 1] ?? 200).end();
    });
    await once(bot.listen(0, '127.0.0.1'), 'listening');
    const botUrl = () => `http://127.0.0.1:${(bot.address() as AddressInfo).port}`;
    const slack = await openSlack({ botUrl, eventRetries: [0, 1, 1] });
    await slack.say(OWNER, GENERAL, '@tally hello');
    await vi.waitFor(() => expect(slack.traffic.entries.at(-1)?.status).toBe('200'));
    expect(tries).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
    await slack.close();
    bot.closeAllConnections();
    bot.close();
  });

  it('are sent only if the manifest subscribes to them', async () => {
    const manifest = { features: { bot_user: { display_name: 'Tally' } } };
    const { slack } = await start(() => {}, { manifest });
    await slack.say(OWNER, GENERAL, '@Tally hello');
    expect(slack.traffic.entries).toEqual([]);
  });
});
