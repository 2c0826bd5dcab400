/** From a payload of Slack to its handler, and from the handler to the reply. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { Failure, type FailureOf } from '../../src/domain/failure/index.ts';
import { modal, plainText, section } from '../../src/slack/block-kit/blocks.ts';
import type { Request } from '../../src/slack/request/request.ts';
import type { Handlers } from '../../src/slack/server/handlers.ts';
import type { Limited } from '../../src/slack/server/rate-limiter.ts';
import { CHANNEL, textOf, toAnswer } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { addProject, changeIn } from '../support/projects.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
/** A registered token that doesn't look like a secret. */
const REGISTERED = 'correct-horse';
const OWNERS_DM = 'D0OWNER001';
const FIGURES = { text: 'Figures', blocks: [section('Figures')] };

let tally: ListenerBot;
let ran: string[];
let requests: Request[];
/** What each limit says next: a refusal, or undefined to let a request through. */
let limits: Partial<Record<Limited, (FailureOf<'throttled'> | undefined)[]>>;
const throttled = () => new Failure('throttled', { whose: 'person', wait: 2_000 });

/** Notes that a handler ran, and fails where the text says so. */
function run(what: string, text: string, request: Request): void {
  ran.push(`${what} ${text}`.trim());
  requests.push(request);
  if (text.startsWith('fail')) throw new Failure('not-connected');
  if (text.startsWith('bug')) throw new TypeError('a bug');
  if (text.startsWith('early')) throw new Failure('period-just-began', { phrase: 'today' });
}

const handlers: Handlers = {
  commands: {
    '/spend': {
      right: 'ask',
      figures: true,
      async run(text, request) {
        run('spend', text, request);
        await request.reply.update(FIGURES);
      },
    },
    '/billing': {
      right: 'ask',
      changes: true,
      async run(text, request) {
        run('billing', text, request);
        await request.reply.update(FIGURES);
      },
    },
  },
  actions: {
    edit: {
      right: 'ask',
      async run({ value, fields, metadata }, request) {
        run('edit', [value, JSON.stringify(fields), metadata].filter(Boolean).join(' '), request);
      },
    },
    remove: {
      right: 'manage',
      changes: true,
      run: async () => void ran.push('remove'),
    },
  },
  views: {
    form: {
      right: 'member',
      waiting: modal({ title: 'Wait', blocks: [section('…')] }),
      parse(fields, metadata) {
        if (fields.name === 'broken') throw new SyntaxError('broken');
        if (fields.name === '') return { errors: { name: 'Type a name.' } };
        return { submit: async (request) => run('submit', `${fields.name} ${metadata}`, request) };
      },
    },
  },
  options: {
    words: {
      right: 'ask',
      async find(query, request, metadata) {
        run('find', [query, metadata].filter(Boolean).join(' '), request);
        if (query === 'hang') await new Promise(() => undefined);
        return [{ text: plainText('A'), value: 'a' }];
      },
    },
  },
  events: {
    app_mention: {
      right: 'ask',
      wants: ({ bot_id }) => bot_id === undefined,
      async answer({ text }, request, rerun) {
        run('mention', text ?? '', request);
        if (text === 'ask') await rerun({ command: '/spend', text: '' });
      },
    },
    app_home_opened: {
      right: 'workspaceUser',
      answer: async ({ text }, request) => run('home', text ?? '', request),
      onError: async ({ text }) => void ran.push(`told on Home: ${text}`),
    },
  },
};

beforeAll(async () => {
  tally = await startListenerBot(handlers, {
    clock: () => NOW,
    limits: {
      take: (what) => limits[what]?.shift(),
      demand(what) {
        const refused = limits[what]?.shift();
        if (refused !== undefined) throw refused;
      },
    },
  });
  await addProject(tally, { alias: 'a1b2c3d4e6', id: '1' });
  await tally.workspaces.saveConnection(await changeIn(tally.workspaces, TEAM), {
    name: 'main',
    baseUrl: 'https://billing.example',
    token: REGISTERED,
    role: 'read-only',
    lifetime: '30-days',
    registeredBy: OWNER,
    registeredAt: NOW,
  });
});
afterAll(() => tally.stop());
beforeEach(async () => {
  [ran, requests, limits] = [[], [], {}];
  await useSettings({});
});

const useSettings = async (settings: object) =>
  tally.workspaces.saveSettings(await changeIn(tally.workspaces, TEAM), settings);
const untilRan = (count: number) => waitUntil(() => ran.length >= count);

/** The next message that this person gets in this channel. */
async function reply(work: () => Promise<unknown>, person = OWNER, channel = CHANNEL) {
  const messages = () => tally.slack.messages(person, channel).filter(({ from }) => from === 'bot');
  const before = messages().length;
  await work();
  const message = await tally.slack.waitFor(() => messages()[before]);
  return { ...toAnswer(message), json: JSON.stringify(message.blocks) };
}
/** Sends a second command, so that no answer to the first can be on its way. */
const staysSilent = async (work: () => Promise<unknown>) =>
  expect((await reply(() => work().then(() => type('/spend the end')))).text).toBe('Figures');

const type = (text: string, person = OWNER) => tally.slack.say(person, CHANNEL, text);
const place = { team_id: TEAM, user_id: OWNER, channel_id: CHANNEL };
const sender = (id = OWNER, team_id = TEAM) => ({ team: { id: TEAM }, user: { id, team_id } });

const click = (action: object, around: object = {}) =>
  tally.interact({
    type: 'block_actions',
    ...sender(),
    channel: { id: CHANNEL },
    actions: [{ type: 'button', block_id: 'b', ...action }],
    ...around,
  });
const state = (name: string) => ({ values: { name: { value: { type: 'plain_text_input', value: name } } } });

const blocks = ['first', 'last'].map((block_id) => ({ type: 'input', block_id }));
let sent = 0;
const submit = (name: string, around: object = {}, person = OWNER) =>
  tally
    .interact({
      type: 'view_submission',
      ...sender(person),
      view: {
        id: `V${sent++}`,
        type: 'modal',
        callback_id: 'form',
        private_metadata: 'm',
        state: state(name),
        blocks: [...blocks, section('…')],
        ...around,
      },
    })
    .then(({ body }) => (body === '' ? undefined : JSON.parse(body)));
const send = (event: object, around: object = {}) =>
  tally.event({
    type: 'event_callback',
    team_id: TEAM,
    event_id: `Ev${++sent}`,
    event: { type: 'app_mention', user: OWNER, channel: CHANNEL, ts: `5.${sent}`, text: 'x', ...event },
    ...around,
  });

describe('a command', () => {
  it('runs with the typed words, and is answered only to the person who typed them', async () => {
    const { text, ephemeral } = await reply(() => type('/spend prod'));
    expect([text, ephemeral, ran]).toEqual(['Figures', true, ['spend prod']]);
    expect(requests[0]).toMatchObject({ at: NOW, audience: 'asker', channel: CHANNEL });
  });

  it.each(['/other', 'constructor', '/'])('is refused if Tally does not know it: %s', async (command) => {
    const { text } = await reply(() => tally.command({ ...place, command, text: 'prod' }));
    expect(text).toContain(`Unknown command “${command}”. Type /billing help`);
  });

  it('is answered publicly if it asks for figures and the settings allow public answers', async () => {
    await useSettings({ visibility: 'channel' });
    expect((await reply(() => type('/spend'))).ephemeral).toBe(false);
    expect((await reply(() => type('/billing'))).ephemeral).toBe(true);
    expect(requests.map(({ audience }) => audience)).toEqual(['channel', 'asker']);
  });

  it('that fails is answered with the reason, or with a general error if there is a bug', async () => {
    expect((await reply(() => type('/spend fail'))).text).toContain('Tally isn’t connected');
    const { text } = await reply(() => type('/spend bug'));
    expect(text).toMatch(/^Something went wrong in Tally. Nothing was changed.\s+If it keeps/);
    await waitUntil(() => tally.log().includes('"outcome":"unknown"'));
    expect((await reply(() => type('/billing bug'))).text).not.toContain('Nothing was changed.');
  });

  it('is refused if it has more than 700 characters, or contains a registered secret', async () => {
    const longest = `${'a '.repeat(349)}aa`;
    await reply(() => type(`/spend ${longest}`));
    expect(ran).toEqual([`spend ${longest}`]);
    expect((await reply(() => type(`/spend ${longest}a`))).text).toContain('too long');
    expect((await reply(() => type(`/spend prod ${REGISTERED}`))).text).toMatch(/^That looks like a token/);
    expect(ran).toHaveLength(1);
  });
});

describe('a click', () => {
  it('runs the button’s command, and the answer is public only if the button is “Share”', async () => {
    const answers = [];
    for (const [action_id, value] of [
      ['rerun:a', '/spend prod'],
      ['run:a', '/spend prod'],
      ['share', `${NOW - 5} /spend prod`],
      ['share', `${NOW + 5} /spend prod`],
    ]) {
      const { ephemeral } = await reply(() => click({ action_id, value }));
      answers.push([ephemeral, requests.at(-1)?.sharedFrom]);
    }
    expect(answers).toEqual([
      [true, undefined],
      [true, undefined],
      [false, NOW - 5],
      [false, NOW],
    ]);
  });

  it('on a public message is answered privately, even if the settings make answers public', async () => {
    await useSettings({ visibility: 'channel' });
    const around = { container: { message_ts: '1.1', is_ephemeral: false } };
    const { ephemeral } = await reply(() => click({ action_id: 'run:a', value: '/spend' }, around));
    expect(ephemeral).toBe(true);
  });
});

describe('a form', () => {
  it('shows a waiting message while it is saved', async () => {
    const ack = await submit('a');
    expect(ack).toMatchObject({ response_action: 'update', view: { title: { text: 'Wait' } } });
    await untilRan(1);
    expect(ran).toEqual(['submit a m']);
    expect(requests[0]?.at).toBe(NOW);
  });

  it('keeps what was typed if a field is wrong, and says why', async () => {
    expect(await submit('')).toEqual({ response_action: 'errors', errors: { name: 'Type a name.' } });
  });

  it.each([
    ['the person may not use Tally', 'a', GUEST, 'Guests can’t use Tally', []],
    ['an error occurs', 'fail', OWNER, 'isn’t connected', ['submit fail m']],
  ] as const)('shows the reason if it isn’t saved because %s', async (_, name, person, said, expected) => {
    const before = tally.slack.calls.length;
    await submit(name, {}, person);
    const { args } = await tally.slack.waitFor(() =>
      tally.slack.calls.slice(before).find(({ method }) => method === 'views.update'),
    );
    expect(textOf(args.view)).toContain(said);
    expect(ran).toEqual(expected);
  });
});

describe('the suggestions for a form field', () => {
  const suggest = async (value: string, action_id = 'words', person = OWNER) => {
    const view = { id: 'V1', type: 'modal', private_metadata: 'm' };
    const payload = { type: 'block_suggestion', action_id, block_id: 'b', value, view };
    const { body } = await tally.interact({ ...payload, ...sender(person) });
    return JSON.parse(body).options.map((found: { value: string }) => found.value);
  };

  it('are sent in the response to Slack’s request', async () => {
    expect([await suggest('x'), ran]).toEqual([['a'], ['find x m']]);
    expect(requests[0]?.at).toBe(NOW);
  });

  it.each<[string, () => Promise<string[]>]>([
    ['the field has no handler', () => suggest('x', 'other')],
    ['the look-up fails', () => suggest('fail')],
    ['the look-up takes too long', () => suggest('hang')],
    ['the typed text is longer than a command may be', () => suggest('x'.repeat(1_001))],
    ['the person may not ask', () => suggest('x', 'words', GUEST)],
  ])('are an empty list if %s', async (_, found) => expect(await found()).toEqual([]));
});

describe('an event from Slack', () => {
  it('is handled only once, even if Slack resends it', async () => {
    for (const event_id of ['EvTwice', 'EvTwice', 'EvOther']) await send({}, { event_id });
    for (const _ of [1, 2]) await send({ type: 'app_home_opened', text: '' }, { event_id: 'EvHome' });
    await reply(() => send({ text: 'fail' }));
    expect(ran.toSorted()).toEqual(['home', 'mention fail', 'mention x', 'mention x']);
  });

  it('is answered in its thread or in its direct message', async () => {
    const posted = async (event: object) => {
      const before = tally.slack.calls.length;
      await send({ text: 'ask', ...event });
      const { args } = await tally.slack.waitFor(() =>
        tally.slack.calls.slice(before).find(({ method }) => method === 'chat.postMessage'),
      );
      return [args.channel, args.thread_ts];
    };
    expect(await posted({ ts: '5.5' })).toEqual([CHANNEL, '5.5']);
    expect(await posted({ thread_ts: '4.4' })).toEqual([CHANNEL, '4.4']);
    expect(await posted({ channel: OWNERS_DM })).toEqual([OWNERS_DM, undefined]);
    expect(requests.filter((_, at) => at % 2 === 1).map(({ audience }) => audience)).toEqual([
      ...['channel', 'channel', 'asker'],
    ]);
  });
});

describe('beyond the rate limit', () => {
  const press = () => click({ action_id: 'rerun:a', value: '/spend prod' });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['a click is refused', async () => (await reply(press)).text, /^Too many requests/],
    ['an event is refused', async () => (await reply(() => send({}))).text, /^Too many requests/],
    [
      'a form keeps what was typed',
      async () => JSON.stringify(await submit('a')),
      /^\{"response_action":"errors","errors":\{"last":"Too many requests/,
    ],
    [
      'a form without fields is replaced by the refusal',
      async () => JSON.stringify(await submit('a', { blocks: [section('no field')] })),
      /^\{"response_action":"update",.*That didn’t work.*Too many requests/,
    ],
  ])('%s', async (_, work, refusal) => {
    limits = { requests: [throttled()] };
    expect(await work()).toMatch(refusal);
    expect(ran).toEqual([]);
  });

  it('a command is refused in the response to Slack’s request', async () => {
    limits = { requests: [throttled()] };
    const before = tally.slack.calls.length;
    const { body } = await tally.command({ ...place, command: '/spend', text: '123 last-week' });
    expect(body).toContain('Too many requests from you.');
    expect([ran, tally.slack.calls.length]).toEqual([[], before]);
  });

  it.each([
    ['clicks', press],
    ['events', () => send({})],
  ])('%s get no answer if Tally has already sent too many refusals', async (_, work) => {
    limits = { requests: [throttled()], refusals: [throttled()] };
    await staysSilent(work);
    expect(ran).toEqual(['spend the end']);
  });
});

describe('the button “Try again”', () => {
  it('repeats the command, unless one of its words could be a secret', async () => {
    const offered = async (words: string) =>
      /"\/spend [^"]*"/.exec((await reply(() => type(`/spend ${words}`))).json)?.[0];
    expect(await offered('early prod')).toBe('"/spend early prod"');
    expect(await offered('early a1b2c3d4e5')).toBeUndefined();
    // `a1b2c3d4e6` is the name of a project.
    expect(await offered('early a1b2c3d4e6')).toBe('"/spend early a1b2c3d4e6"');
  });
});
