import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OWNER } from '../../sandbox/slack/index.ts';
import { APP_TOKEN, callApi, openSlack, startBoltBot } from './bolt-bot.ts';

const COSTS = 'C0COSTS001';

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function open() {
  const slack = await openSlack({ mode: 'socket', appToken: APP_TOKEN });
  releases.push(() => slack.close());
  return slack;
}

/** A client that acknowledges nothing by itself, and the messages it has received. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const heard: Record<string, unknown>[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Record<string, unknown>));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  releases.push(async () => socket.terminate());
  return { socket, heard };
}

const address = async (slack: Awaited<ReturnType<typeof open>>) =>
  String((await callApi(slack, 'apps.connections.open', {}, APP_TOKEN)).url);

describe('Socket Mode', () => {
  it('sends hello, and each envelope to one of several connections', async () => {
    const slack = await open();
    const one = await connect(await address(slack));
    const two = await connect(await address(slack));
    await slack.waitFor(() => one.heard.length === 1 && two.heard.length === 1);
    expect(one.heard[0]).toMatchObject({ type: 'hello', num_connections: 1 });
    expect(two.heard[0]).toMatchObject({ type: 'hello', num_connections: 2 });
    for (const { socket } of [one, two])
      socket.on('message', (data) => {
        const { envelope_id } = JSON.parse(String(data)) as { envelope_id: string };
        socket.send(JSON.stringify({ envelope_id, payload: { text: 'Done' } }));
      });
    await slack.say(OWNER, COSTS, '/spend 1');
    await slack.say(OWNER, COSTS, '/spend 2');
    expect([one.heard.length, two.heard.length]).toEqual([2, 2]);
    expect(slack.messages(OWNER, COSTS).map(({ text }) => text)).toEqual(['Done', 'Done']);
  });

  it('needs a ticket, and accepts each ticket once', async () => {
    const slack = await open();
    const ticket = await address(slack);
    await connect(ticket);
    await expect(connect(ticket)).rejects.toThrow('401');
    await expect(connect(ticket.replace(/ticket=.*/, ''))).rejects.toThrow('401');
  });

  it('fails the command when the connection breaks before the answer', async () => {
    const slack = await open();
    const { socket, heard } = await connect(await address(slack));
    const said = slack.say(OWNER, COSTS, '/spend');
    await slack.waitFor(() => heard.some(({ type }) => type === 'slash_commands'));
    socket.terminate();
    await said;
    expect(slack.messages(OWNER, COSTS)).toMatchObject([
      { text: expect.stringContaining('dispatch_failed') },
    ]);
  });

  it('fails the command when there is no connection', async () => {
    const slack = await open();
    await slack.say(OWNER, COSTS, '/spend');
    expect(slack.messages(OWNER, COSTS)).toMatchObject([
      { text: expect.stringContaining('dispatch_failed') },
    ]);
  });

  it('asks a connection to reconnect, and the bot does', async () => {
    const { slack, close } = await startBoltBot(
      (app) => {
        app.command('/spend', async ({ ack }) => {
          await ack('Still here');
        });
      },
      { mode: 'socket' },
    );
    releases.push(close);
    const opened = () => slack.calls.filter(({ method }) => method === 'apps.connections.open').length;
    slack.disconnect('refresh_requested');
    await slack.waitFor(() => opened() === 2 && slack.connections() === 1);
    await slack.say(OWNER, COSTS, '/spend');
    expect(slack.messages(OWNER, COSTS)).toMatchObject([{ text: 'Still here' }]);
  });
});
