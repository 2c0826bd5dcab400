/** From a payload that Bolt hands over to a listener and the answer, without Slack on the other side. */
import type { App } from '@slack/bolt';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SlashCommand } from '../../src/domain/commands.ts';
import { NotConnected, PeriodJustBegan, Throttled } from '../../src/domain/failure/index.ts';
import type { Work } from '../../src/runtime/work.ts';
import { createCommandNames } from '../../src/slack/command-names.ts';
import { section } from '../../src/slack/kit/atoms.ts';
import { modal } from '../../src/slack/kit/modal.ts';
import { createErrorReply } from '../../src/slack/reply/error-reply.ts';
import type { SlackEvent } from '../../src/slack/request/payload.ts';
import type { Request } from '../../src/slack/request/request.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import type { ActionHandler, Listeners } from '../../src/slack/server/listeners.ts';
import type { Limited, RateLimiter } from '../../src/slack/server/rate-limit.ts';
import { registerListeners } from '../../src/slack/server/register-listeners.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connections.ts';
import type { Workspace } from '../../src/workspace/record/workspaces.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { textOf } from '../support/bot.ts';

type Handler = (given: Record<string, unknown>) => Promise<void>;
type Kind = 'command' | 'action' | 'view' | 'options' | 'event';

/** Looks like nothing in particular. */
const REGISTERED = 'correct-horse';
const NOW = 1_800_000_000_000;
const AT = { at: NOW, audience: 'asker', channel: 'C1' };
/** What ran and what went out, in order. */
let happened: string[];
let logged: string[];
/** The blocks of each message to the asker, as JSON. */
let shown: string[];
/** What each limit says, in turn; nothing more is let through at once. */
let limits: Partial<Record<Limited, (Throttled | undefined)[]>>;
let requests: Request[];
let user: object;
let visibility: 'asker' | 'channel';
let guests: boolean;
let managers: string[];
let managerGroups: readonly string[];
let firstEvents: Set<string>;
let outcomes: string[];
/** What Bolt was told to hand over. */
let constraints: unknown[];
const throttled = () => new Throttled('person', 'asking faster than Tally can answer', 2_000);

const say = (what: string, ...about: readonly unknown[]) =>
  void happened.push([what, ...about.filter((one) => one !== undefined && one !== '')].join(' '));
const client = {
  auth: { test: async () => ({ team_id: 'T1' }) },
  users: { info: async () => ({ user: { team_id: 'T1', ...user } }) },
  usergroups: {
    users: {
      list: async ({ usergroup }: { usergroup: string }) => {
        say('members of', usergroup);
        return { users: ['U1'] };
      },
    },
  },
  chat: {
    postMessage: async ({ channel, thread_ts, text }: Record<string, string>) => {
      say('post', channel, thread_ts, text);
      return { channel, ts: '9.9' };
    },
    postEphemeral: async ({ channel, text, blocks }: Record<string, string>) => {
      shown.push(JSON.stringify(blocks));
      say('ephemeral', channel, text);
    },
    update: async ({ channel, text }: Record<string, string>) => say('replace', channel, text),
    delete: async ({ channel, ts }: Record<string, string>) => say('delete', channel, ts),
  },
  views: {
    open: async ({ view }: { view: { title: { text: string } } }) => {
      say('open', view.title.text);
      return { view: { id: 'V9', hash: 'h9' } };
    },
    update: async ({
      view_id,
      hash,
      view,
    }: {
      view_id: string;
      hash?: string;
      view: { title: { text: string } };
    }) => {
      say('update', view_id, view.title.text, hash);
      return { view: { hash: 'h9' } };
    },
  },
};

const listeners: Listeners = {
  commands: {
    '/spend': {
      right: 'ask',
      isQuestion: true,
      does: 'answer',
      run: async (text, request) => {
        requests.push(request);
        say('spend', text);
        if (text === 'answer') await request.reply.update({ text: 'Figures', blocks: [section('Figures')] });
        if (text === 'fail') throw new NotConnected();
        if (text === 'bug') throw new TypeError('a bug');
        if (text.startsWith('early')) throw new PeriodJustBegan('today');
        if (text === 'long') await new Promise((resolve) => setTimeout(resolve, 60));
      },
    },
    '/billing': (text) => {
      const work = async (_: string, request: Request) => {
        requests.push(request);
        say('billing', text);
        if (text.startsWith('form slow')) await new Promise((resolve) => setTimeout(resolve, 40));
        if (text.endsWith('fail')) throw new NotConnected();
        if (text === 'form') await request.reply.modal.open(modal({ title: 'Form', blocks: [] }));
      };
      const right = text === 'manage' ? 'manage' : 'ask';
      return { right, does: text.startsWith('form') ? 'openForm' : 'change', run: work };
    },
  },
  actions: {
    edit: (button) => {
      const work: ActionHandler['run'] = async ({ value, fields, metadata }, request, rerun) => {
        requests.push(request);
        say('edit', value, JSON.stringify(fields), metadata);
        if (value === 'again') await rerun({ command: '/spend', text: 'again' });
        if (value === 'fail') throw new NotConnected();
        if (value === 'form' || value === 'slow') await new Promise((resolve) => setTimeout(resolve, 40));
        if (value === 'refresh')
          await request.reply.modal.updateIfUnchanged(modal({ title: 'New', blocks: [] }));
      };
      return { right: 'ask', does: button?.endsWith('form') ? 'openForm' : 'answer', run: work };
    },
    remove: {
      right: 'manage',
      does: 'change',
      command: () => ({ command: '/billing', text: 'remove' }),
      run: async () => say('remove'),
    },
  },
  views: {
    form: {
      right: 'member',
      waiting: modal({ title: 'Wait', blocks: [] }),
      read: (fields, metadata) => {
        if (fields.name === 'broken') throw new SyntaxError('broken');
        return fields.name === '' ? { errors: { name: 'Type a name.' } } : { input: { ...fields, metadata } };
      },
      submit: async (input, request) => {
        requests.push(request);
        say('work', JSON.stringify(input));
        if ((input as { name: string }).name === 'fail') throw new NotConnected();
      },
    },
  },
  options: {
    words: {
      right: 'ask',
      find: async (query, request, metadata) => {
        requests.push(request);
        say('find', query, metadata);
        if (query === 'fail') throw new NotConnected();
        if (query === 'hang') await new Promise(() => undefined);
        return [{ text: { type: 'plain_text', text: 'A' }, value: 'a' }];
      },
    },
    managed: { right: 'manage', find: () => [] },
  },
  events: {
    app_mention: {
      right: 'ask',
      once: true,
      wants: ({ bot_id }) => bot_id === undefined,
      answer: async (event, request, { rerun }) => {
        requests.push(request);
        say('mention', event.text);
        if (event.text === 'run') await rerun({ command: '/spend', text: 'answer' });
        if (event.text === 'fail') throw new NotConnected();
      },
    },
    app_home_opened: {
      right: 'belong',
      answer: async (event, request, { rerun }) => {
        requests.push(request);
        say('home', event.tab);
        if (event.text === 'fail') throw new NotConnected();
        if (event.text === 'run') await rerun({ command: '/spend', text: 'answer' });
      },
      onError: async ({ text }) => say('home error', text),
    },
  },
};

function register(
  given: Listeners = listeners,
  loadingDelays = { message: 20, modal: 10 },
  isCounted = true,
) {
  const handlers = new Map<Kind | 'error', Handler>();
  const keep = (kind: Kind | 'error') => (first: unknown, second?: unknown) => {
    if (second !== undefined) constraints.push([kind, first]);
    handlers.set(kind, (second ?? first) as Handler);
  };
  const app = {
    ...{ command: keep('command'), action: keep('action'), view: keep('view'), options: keep('options') },
    // Steps have tests of their own, with a bot.
    event: (name: unknown, handler: Handler) =>
      name === 'function_executed' ? undefined : keep('event')(name, handler),
    error: keep('error'),
  };
  const limiter: RateLimiter = {
    take: (what) => limits[what]?.shift(),
    demand(what) {
      const refused = limits[what]?.shift();
      if (refused !== undefined) throw refused;
    },
    firstOfBurst: (refusal) => (limits.refusals?.shift() === undefined ? refusal : undefined),
  };
  const log = {
    ...{ info: () => undefined, debug: (_: object, text: string) => void logged.push(`debug ${text}`) },
    warn: (about: object, text: string) => void logged.push(`warn ${text} ${JSON.stringify(about)}`),
    error: (_: object, text: string) => void logged.push(`error ${text}`),
  };
  const workspace = () =>
    ({
      ...{
        settings: { ...DEFAULT_SETTINGS, visibility, guests, managers, managerGroups },
        aliases: new Set(['prod', 'a1b2c3d4e6']),
      },
      ...{ projects: new Map(), accesses: new Map(), connectionNames: ['main'] },
      connections: new Map([['main', { fingerprint: fingerprintOf(REGISTERED) }]]),
    }) as unknown as Workspace;
  const parts = {
    users: createUserDirectory(() => 0),
    workspaces: { read: async () => workspace() },
    responseUrls: {
      post: async (
        _: string,
        { text, blocks }: { text: string; blocks: object },
        { everyone = false, replace = false } = {},
      ) => {
        shown.push(JSON.stringify(blocks));
        say('url', everyone ? 'everyone' : '', replace ? 'replace' : '', text);
      },
    },
    eventDedup: {
      first: async (team: string, id: string) =>
        !firstEvents.has(`${team} ${id}`) && Boolean(firstEvents.add(`${team} ${id}`)),
    },
    names: createCommandNames(() => Object.keys(given.commands ?? {}) as SlashCommand[]),
    ...{ limits: limiter, log, errorReply: createErrorReply(log as never), clock: () => NOW, loadingDelays },
    onFinished(work: Work) {
      if (work.kind === 'request' && isCounted) outcomes.push(`${work.route} ${work.outcome}`);
    },
  };
  registerListeners(
    app as unknown as App,
    { commands: {}, actions: {}, views: {}, options: {}, events: {}, steps: {}, ...given },
    parts as never,
  );
  /** @returns what was acknowledged, and what happened */
  return async (kind: Kind, payload: Record<string, unknown>, isFirst?: Promise<boolean>) => {
    happened = [];
    const acks: unknown[] = [];
    const ack = async (answer?: unknown) => {
      acks.push(answer);
      say('ack');
    };
    const body = { team_id: 'T1', user_id: 'U1', ...payload };
    await handlers.get(kind)?.({ ack, body, client, context: { isFirst }, ...payload });
    return { acks, happened };
  };
}

beforeEach(() => {
  happened = [];
  logged = [];
  shown = [];
  limits = {};
  requests = [];
  user = {};
  visibility = 'asker';
  guests = false;
  managers = [];
  managerGroups = [];
  firstEvents = new Set();
  outcomes = [];
  constraints = [];
});

const NOT_CONNECTED = 'Tally isn’t connected to a billing service yet.';
const URL = { response_url: 'https://hooks.example/1' };
const IN_CHANNEL = { channel_id: 'C1', ...URL };
const command = (text: string, given: object = {}) => ({ command: '/spend', text, ...IN_CHANNEL, ...given });

describe('a command', () => {
  it('is acknowledged, run as of now, and answered', async () => {
    const { acks, happened } = await register()('command', command('answer'));
    expect(happened).toEqual(['ack', 'spend answer', 'url Figures']);
    expect(acks).toEqual([undefined]);
    expect(requests[0]).toMatchObject(AT);
    expect(outcomes).toEqual(['/spend ok']);
  });

  it.each(['/spend', '/acme-spend', '/staging-acme-spend'])('is known by its end: %s', async (name) => {
    const { happened } = await register()('command', command('prod', { command: name }));
    expect(happened).toEqual(['ack', 'spend prod']);
  });

  it('may come without words', async () => {
    const { happened } = await register()('command', { command: '/spend', ...IN_CHANNEL });
    expect(happened).toEqual(['ack', 'spend']);
  });

  it.each(['/other', 'constructor', '/'])('that nobody knows is refused: %s', async (name) => {
    const { happened } = await register()('command', command('prod', { command: name }));
    expect(happened).toEqual([
      'ack',
      expect.stringContaining(`url Unknown command “${name}”. Type /billing help`),
    ]);
    expect(outcomes).toEqual(['other invalid-word']);
  });

  it('is answered for the channel where the workspace wants it and the command is open', async () => {
    visibility = 'channel';
    const deliver = register();
    expect((await deliver('command', command('answer'))).happened.at(-1)).toBe('url everyone Figures');
    await deliver('command', command('', { command: '/billing' }));
    expect(requests.map(({ audience }) => audience)).toEqual(['channel', 'asker']);
  });

  it('that fails is answered with why, an unknown error with a reference', async () => {
    const deliver = register();
    expect((await deliver('command', command('fail'))).happened.at(-1)).toBe(`url ${NOT_CONNECTED}`);
    const { happened } = await deliver('command', command('bug'));
    expect(happened.at(-1)).toMatch(/^url Something went wrong in Tally. Nothing was changed.\s+If it keeps/);
    expect(logged).toEqual([]);
    expect(outcomes).toEqual(['/spend not-connected', '/spend unknown']);
    const changing = await deliver('command', command('bug fail', { command: '/billing' }));
    expect(changing.happened.at(-1)).toContain(NOT_CONNECTED);
  });

  it('is refused without the right, which its words decide', async () => {
    const deliver = register();
    const { happened } = await deliver('command', command('manage', { command: '/billing' }));
    expect(happened).toEqual(['ack', expect.stringContaining('Only Tally managers can do this')]);
    user = { is_restricted: true };
    const guest = await register()('command', command('answer', { user_id: 'U2' }));
    expect(guest.happened).toEqual(['ack', expect.stringContaining('Guests can’t use Tally')]);
  });

  it('that holds too much text, or a secret, reaches no listener', async () => {
    const deliver = register();
    expect((await deliver('command', command('a'.repeat(1_001)))).happened[1]).toContain('too long');
    const text = 'a '.repeat(500);
    expect((await deliver('command', command(text))).happened[1]).toBe(`spend ${text}`);
    const { happened } = await deliver('command', command(`prod ${REGISTERED}`));
    expect(happened).toEqual(['ack', expect.stringMatching(/^url That looks like a token or a password/)]);
  });

  it('that is replayed is acknowledged and nothing more', async () => {
    const { happened } = await register()('command', command('answer'), Promise.resolve(false));
    expect(happened).toEqual(['ack']);
    expect(outcomes).toEqual(['/spend replayed']);
    expect((await register()('command', command('x'), Promise.resolve(true))).happened).toHaveLength(2);
  });

  it('too many is refused in the acknowledgement, without a call to Slack', async () => {
    limits = { requests: [throttled()] };
    const { acks, happened } = await register()('command', command('answer'));
    expect(happened).toEqual(['ack']);
    expect(textOf(acks[0])).toContain('You’re asking faster than Tally can answer.');
    expect(JSON.stringify(acks[0])).toContain('/spend answer');
  });

  it('shows that it works where that takes long, and the answer takes its place', async () => {
    const { happened } = await register()('command', command('long'));
    expect(happened).toEqual(['ack', 'spend long', expect.stringMatching(/^url Asking the billing service/)]);
    const quick = await register(listeners, { message: 5_000, modal: 5_000 })('command', command('long'));
    expect(quick.happened).toEqual(['ack', 'spend long']);
    const noMessage = await register()('command', command('long', { command: '/billing' }));
    expect(noMessage.happened).toEqual(['ack', 'billing long']);
  });

  it('that opens a form shows a loading view where that takes long, and the form at once where not', async () => {
    const form = (text: string) => command(text, { command: '/billing', trigger_id: 't1' });
    const deliver = register();
    expect((await deliver('command', form('form'))).happened).toEqual(['ack', 'billing form', 'open Form']);
    expect((await deliver('command', form('form slow'))).happened).toEqual([
      ...['ack', 'billing form slow', 'open Tally'],
    ]);
    expect((await deliver('command', form('form slow fail'))).happened).toEqual([
      ...['ack', 'billing form slow fail', 'open Tally', 'update V9 That did not work'],
    ]);
    expect((await deliver('command', { ...form('form slow'), trigger_id: undefined })).happened).toEqual([
      ...['ack', 'billing form slow'],
    ]);
    expect((await deliver('command', form('x slow'))).happened).toEqual(['ack', 'billing x slow']);
  });
});

const click = (action_id: string, value?: string, given: object = {}) => {
  const action = { action_id, ...(value !== undefined && { value }) };
  return { action, ...IN_CHANNEL, container: { message_ts: '1.1', is_ephemeral: true }, ...given };
};

describe('a click', () => {
  it('is acknowledged, then reaches the listener of its first part', async () => {
    const { happened } = await register()('action', click('edit:one', 'x'));
    expect(happened).toEqual(['ack', 'edit x {}']);
    expect(requests[0]).toMatchObject(AT);
    const chosen = { action: { action_id: 'edit', selected_option: { value: 'y' } }, ...IN_CHANNEL };
    expect((await register()('action', chosen)).happened).toEqual(['ack', 'edit y {}']);
    const nothing = { action: { action_id: 'edit', selected_option: null }, ...IN_CHANNEL };
    expect((await register()('action', nothing)).happened).toEqual(['ack', 'edit {}']);
  });

  it.each(['other', 'constructor', ''])('that nobody listens to is logged: “%s”', async (name) => {
    const { happened } = await register()('action', click(name, 'x'));
    expect(happened).toEqual(['ack']);
    expect(logged).toHaveLength(1);
    expect((await register()('action', { action: {}, ...IN_CHANNEL })).happened).toEqual(['ack']);
  });

  it('comes with the fields of the message or the form that it was in', async () => {
    const values = (text: string) => ({ name: { value: { value: text } } });
    const inMessage = click('edit', 'x', { state: { values: values('a') } });
    expect((await register()('action', inMessage)).happened[1]).toBe('edit x {"name":"a"}');
    const view = { id: 'V1', type: 'modal', private_metadata: 'm', state: { values: values('b') } };
    const inForm = click('edit', 'x', { view, state: { values: values('a') } });
    expect((await register()('action', inForm)).happened[1]).toBe('edit x {"name":"b"} m');
  });

  it('on a command runs it: in place of the message, below it, or for the channel', async () => {
    const deliver = register();
    expect((await deliver('action', click('rerun:a', '/spend answer'))).happened).toEqual([
      ...['ack', 'spend answer', 'url replace Figures'],
    ]);
    expect((await deliver('action', click('run:a', '/spend answer'))).happened).toEqual([
      ...['ack', 'spend answer', 'url Figures'],
    ]);
    expect((await deliver('action', click('share', `${NOW - 5} /spend answer`))).happened).toEqual([
      ...['ack', 'spend answer', 'url everyone Figures'],
    ]);
    expect(requests.map(({ sharedFrom, at }) => [sharedFrom, at])).toEqual([
      ...[
        [undefined, NOW],
        [undefined, NOW],
        [NOW - 5, NOW],
      ],
    ]);
    await deliver('action', click('share', `${NOW + 5} /spend answer`));
    expect(requests.at(-1)?.sharedFrom).toBe(NOW);
    visibility = 'channel';
    expect((await deliver('action', click('rerun:a', '/spend answer'))).happened.at(-1)).toBe(
      'url replace Figures',
    );
    expect((await deliver('action', click('run:a', '/spend answer'))).happened.at(-1)).toBe(
      'url everyone Figures',
    );
  });

  it.each([
    ['only the user sees', { container: { message_ts: '1.1', is_ephemeral: true } }, true],
    ['everybody sees', { container: { message_ts: '1.1', is_ephemeral: false } }, false],
    ['nobody says who sees', { container: { message_ts: '1.1', is_ephemeral: null } }, false],
    ['is a direct message', { container: {}, channel: { id: 'D1' } }, true],
    ['is in no channel', { container: {}, channel: null }, false],
  ])('in a message that %s replaces it: %s', async (_, given, replaces) => {
    const { happened } = await register()('action', click('rerun:a', '/spend answer', given));
    expect(happened.at(-1)).toBe(replaces ? 'url replace Figures' : 'url Figures');
    const again = await register()('action', click('edit', 'again', given));
    expect(again.happened).toEqual(['ack', 'edit again {}', 'spend again']);
  });

  it('on a command in a message that everybody sees answers the user alone', async () => {
    visibility = 'channel';
    const given = { container: { message_ts: '1.1', is_ephemeral: false }, channel: { id: 'C1' } };
    expect((await register()('action', click('run:a', '/spend answer', given))).happened.at(-1)).toBe(
      'url Figures',
    );
  });

  it('without the right is refused, and a replayed one does nothing', async () => {
    const deliver = register();
    const { happened } = await deliver('action', click('remove', 'x'));
    expect(happened).toEqual(['ack', expect.stringContaining('Only Tally managers')]);
    expect((await deliver('action', click('edit', 'x'), Promise.resolve(false))).happened).toEqual(['ack']);
  });

  it('that fails says why, privately or in its form', async () => {
    const deliver = register();
    expect((await deliver('action', click('edit', 'fail'))).happened.at(-1)).toBe(`url ${NOT_CONNECTED}`);
    const opened = await deliver('action', click('edit', 'form', { trigger_id: 't1' }));
    expect(opened.happened).toEqual(['ack', 'edit form {}', 'open Tally']);
    const closed = await deliver('action', click('edit', 'x', { trigger_id: 't1' }));
    expect(closed.happened).toEqual(['ack', 'edit x {}']);
  });

  it('too many gets one warning, then no answer', async () => {
    const deliver = register();
    limits = { requests: [throttled()] };
    const told = await deliver('action', click('rerun:a', '/spend answer'));
    expect(told.happened).toEqual(['ack', expect.stringMatching(/^url You’re asking faster/)]);
    limits = { requests: [throttled()], refusals: [throttled()] };
    expect((await deliver('action', click('rerun:a', '/spend answer'))).happened).toEqual(['ack']);
  });

  const HOME = { view: { id: 'VH', type: 'home' }, container: {} };

  it('on Home redraws it, whatever came of the click', async () => {
    const deliver = register();
    expect((await deliver('action', click('edit', 'x', HOME))).happened).toEqual([
      ...['ack', 'edit x {}', 'home home'],
    ]);
    expect(
      (await deliver('action', click('edit', 'x', { view: { id: 'V1', type: 'modal' } }))).happened,
    ).toEqual(['ack', 'edit x {}']);
    expect((await deliver('action', click('remove', 'x', HOME))).happened.at(-1)).toBe('home home');
    const { events: _, ...without } = listeners;
    expect((await register(without)('action', click('edit', 'x', HOME))).happened).toHaveLength(2);
    user = { deleted: true };
    const gone = await register()('action', click('edit', 'x', { ...HOME, user_id: 'U3' }));
    expect(gone.happened).not.toContain('home home');
    expect(logged).toContain('debug Home was not redrawn after a click');
  });
});

describe('a form', () => {
  const submit = (name: string, given: object = {}) => ({
    view: {
      ...{ callback_id: 'form', id: 'V1', type: 'modal', private_metadata: 'm' },
      state: { values: { name: { value: { value: name } } } },
      blocks: [
        { type: 'input', block_id: 'first' },
        { type: 'input', block_id: 'last' },
        { type: 'section' },
      ],
      ...given,
    },
  });

  it('is read, acknowledged with what waits, and worked on', async () => {
    const { acks, happened } = await register()('view', submit('a'));
    expect(happened).toEqual(['ack', 'work {"name":"a","metadata":"m"}']);
    expect(acks).toMatchObject([{ response_action: 'update', view: { title: { text: 'Wait' } } }]);
    expect(requests[0]?.at).toBe(NOW);
    const bare = await register()('view', submit('a', { private_metadata: undefined, state: undefined }));
    expect(bare.happened).toEqual(['ack', 'work {"metadata":""}']);
  });

  it('with a wrong field keeps what was typed, and says what is wrong', async () => {
    const { acks, happened } = await register()('view', submit(''));
    expect(happened).toEqual(['ack']);
    expect(acks).toEqual([{ response_action: 'errors', errors: { name: 'Type a name.' } }]);
  });

  it('that cannot be read is replaced by what went wrong', async () => {
    const { acks, happened } = await register()('view', submit('broken'));
    expect(happened).toEqual(['ack']);
    expect(acks).toMatchObject([
      { response_action: 'update', view: { title: { text: 'That did not work' } } },
    ]);
    expect(textOf(acks[0])).toContain('Nothing was changed.');
  });

  it.each(['other', 'constructor'])('that nobody listens to is acknowledged: %s', async (name) => {
    const { acks, happened } = await register()('view', submit('a', { callback_id: name }));
    expect([acks, happened]).toEqual([[undefined], ['ack']]);
  });

  it('is not worked on without the right, nor when it is replayed', async () => {
    user = { is_restricted: true };
    for (guests of [false, true])
      expect((await register()('view', submit('a'))).happened).toEqual([
        'ack',
        'update V1 That did not work',
      ]);
    user = {};
    const replayed = await register()('view', submit('a'), Promise.resolve(false));
    expect(replayed.happened).toEqual(['ack']);
    const failed = await register()('view', submit('fail'));
    expect(failed.happened.at(-1)).toBe('update V1 That did not work');
  });

  it('too many keeps what was typed, with an error below the last field', async () => {
    const deliver = register();
    limits = { requests: [throttled(), throttled()] };
    expect((await deliver('view', submit('a'))).acks).toEqual([
      { response_action: 'errors', errors: { last: expect.stringContaining('You’re asking faster') } },
    ]);
    const { acks } = await deliver('view', submit('a', { blocks: [{ type: 'section', block_id: 's' }] }));
    expect(acks).toMatchObject([
      { response_action: 'update', view: { title: { text: 'That did not work' } } },
    ]);
  });
});

describe('suggestions', () => {
  const type = (value: string | undefined, given: object = {}) => ({
    options: { action_id: 'words', ...(value !== undefined && { value }), ...given },
    view: { private_metadata: 'm' },
  });

  it('are looked up before the acknowledgement, which holds them', async () => {
    const { acks, happened } = await register()('options', type('a'));
    expect(happened).toEqual(['find a m', 'ack']);
    expect(acks).toMatchObject([{ options: [{ value: 'a' }] }]);
    expect(requests[0]?.at).toBe(NOW);
    expect((await register()('options', { ...type(undefined), view: undefined })).happened[0]).toBe('find');
  });

  it.each<[string, object, (Throttled | undefined)[]]>([
    ['nobody listens', type('a', { action_id: 'constructor' }), []],
    ['too many are asked for', type('a'), [throttled()]],
    ['the look-up fails', type('fail'), []],
    ['more is typed than any name has', type('a'.repeat(101)), []],
  ])('are none where %s', async (_, payload, suggestions) => {
    limits = { suggestions };
    const { acks } = await register()('options', payload as Record<string, unknown>);
    expect(acks).toEqual([{ options: [] }]);
  });

  it('look up a managers’ group once, however many keys are typed', async () => {
    managerGroups = ['S1'];
    const deliver = register();
    const typed = { options: { action_id: 'managed', value: 'a' } };
    expect((await deliver('options', typed)).happened).toEqual(['members of S1', 'ack']);
    expect((await deliver('options', typed)).happened).toEqual(['ack']);
  });

  it('are none for guests, and the same for what is sent twice', async () => {
    const replayed = await register()('options', type('a'), Promise.resolve(false));
    expect(replayed.happened).toEqual(['find a m', 'ack']);
    user = { is_restricted: true };
    expect((await register()('options', type('a'))).acks).toEqual([{ options: [] }]);
  });
});

describe('an event', () => {
  const hear = (
    event: Omit<Partial<SlackEvent>, 'user_team'> & { user_team?: string | null | undefined },
    given: object = {},
  ) => {
    const payload = { type: 'app_mention', user: 'U1', channel: 'C1', ts: '5.5', text: 'x', ...event };
    return { event: payload, event_id: 'Ev1', team_id: 'T1', ...given };
  };

  it('reaches its listener, in the workspace that has the app', async () => {
    expect((await register()('event', hear({}))).happened).toEqual(['mention x']);
    expect(requests[0]).toMatchObject(AT);
    const shared = hear({}, { team_id: 'T9', authorizations: [{ team_id: 'T1' }] });
    expect((await register()('event', { ...shared, event_id: 'Ev2' })).happened).toEqual(['mention x']);
    const none = hear({}, { authorizations: [{ team_id: null }], event_id: 'Ev3' });
    expect((await register()('event', none)).happened).toEqual(['mention x']);
  });

  it('that comes again is handled once, in each workspace', async () => {
    const deliver = register();
    expect((await deliver('event', hear({}))).happened).toHaveLength(1);
    expect((await deliver('event', hear({}))).happened).toEqual([]);
    expect((await deliver('event', hear({}, { event_id: undefined }))).happened).toHaveLength(1);
    expect((await deliver('event', hear({}, { event_id: 'Ev2' }))).happened).toHaveLength(1);
    // Of another workspace it is heard, and its sender refused.
    expect((await deliver('event', hear({}, { team_id: 'T2' }))).happened).toHaveLength(1);
    const home = () => deliver('event', hear({ type: 'app_home_opened' }));
    expect([(await home()).happened, (await home()).happened]).toEqual([['home'], ['home']]);
  });

  it.each([
    ['of a kind that nobody listens to', hear({ type: 'constructor' })],
    ['that its listener does not want', hear({ bot_id: 'B1' })],
    ['of nobody', { ...hear({}), event: { type: 'app_mention', channel: 'C1' } }],
    ['of no workspace', { ...hear({}), team_id: undefined }],
  ])('%s is dropped', async (_, payload) => {
    limits = { requests: [throttled()] };
    expect((await register()('event', payload)).happened).toEqual([]);
    expect(limits.requests).toHaveLength(1);
  });

  it('of a person of another organisation is refused', async () => {
    const { happened } = await register()('event', hear({ user_team: 'T9' }));
    expect(happened).toEqual([expect.stringMatching(/^ephemeral C1 Tally only answers members/)]);
  });

  it('that asks for an answer gets it in a thread of the channel, in a direct message plainly', async () => {
    const run = (event: Partial<SlackEvent>) => register()('event', hear({ text: 'run', ...event }));
    expect((await run({})).happened).toEqual(['mention run', 'spend answer', 'post C1 5.5 Figures']);
    firstEvents.clear();
    expect((await run({ thread_ts: '4.4' })).happened.at(-1)).toBe('post C1 4.4 Figures');
    firstEvents.clear();
    expect((await run({ channel: 'D1' })).happened.at(-1)).toBe('post D1 Figures');
    expect(requests.filter((_, at) => at % 2 === 1).map(({ audience }) => audience)).toEqual([
      ...['channel', 'channel', 'asker'],
    ]);
  });

  it('that fails is answered where it happened, or as its listener wants', async () => {
    expect((await register()('event', hear({ text: 'fail' }))).happened.at(-1)).toBe(
      `ephemeral C1 ${NOT_CONNECTED}`,
    );
    const home = hear({ type: 'app_home_opened', text: 'fail' });
    expect((await register()('event', home)).happened.at(-1)).toBe(`home error ${NOT_CONNECTED}`);
  });

  it('too many gets one warning, then no answer', async () => {
    limits = { requests: [throttled()] };
    const { happened } = await register()('event', hear({}));
    expect(happened).toEqual([expect.stringMatching(/^ephemeral C1 You’re asking faster/)]);
    limits = { requests: [throttled()], refusals: [throttled()] };
    expect((await register()('event', hear({}))).happened).toEqual([]);
  });

  it('that is replayed reaches nobody', async () => {
    expect((await register()('event', hear({}), Promise.resolve(false))).happened).toEqual([]);
  });
});

describe('what Bolt hands over', () => {
  it('is every command and event, clicks in messages and views, and forms that are sent', () => {
    register();
    expect(constraints).toEqual([
      ['command', /.*/],
      ['action', { type: 'block_actions' }],
      ['view', { type: 'view_submission' }],
      ['options', /.*/],
      ['event', /.*/],
    ]);
  });

  it('is answered although nobody counts the answers', async () => {
    const deliver = register(listeners, { message: 20, modal: 10 }, false);
    expect((await deliver('command', command('answer'))).happened.at(-1)).toBe('url Figures');
    expect((await deliver('command', command('fail'))).happened.at(-1)).toBe(`url ${NOT_CONNECTED}`);
  });
});

describe('what is offered with an error', () => {
  it('is to run the same command again, unless a word of it could be a secret', async () => {
    const deliver = register();
    await deliver('command', command('early prod'));
    await deliver('command', command('early a1b2c3d4e5'));
    await deliver('command', command('early a1b2c3d4e6'));
    expect(shown.map((blocks) => /"\/spend [^"]*"/.exec(blocks)?.[0])).toEqual([
      ...['"/spend early prod"', undefined, '"/spend early a1b2c3d4e6"'],
    ]);
  });

  it('is to run a throttled command again, and no other click', async () => {
    const deliver = register();
    for (const [id, value] of [
      ['rerun:a', '/spend prod'],
      ['run:a', '/spend prod'],
      ['edit', '/spend prod'],
    ] as const) {
      limits = { requests: [throttled()] };
      await deliver('action', click(id, value));
    }
    expect(shown.map((blocks) => blocks.includes('"/spend prod"'))).toEqual([true, true, false]);
  });

  it('is to ask a manager to run the command that does the same as a refused button', async () => {
    managers = ['U0MANAGER1'];
    await register()('action', click('remove', 'prod'));
    expect(shown.map((blocks) => /"manager [^"]*"/.exec(blocks)?.[0])).toEqual([
      '"manager C1 /billing remove"',
    ]);
  });

  it('is to connect, for people who may: after a command, a click, a mention and a form', async () => {
    user = { is_admin: true };
    const deliver = register();
    await deliver('command', command('fail'));
    await deliver('action', click('edit', 'fail'));
    const mention = { type: 'app_mention', user: 'U1', channel: 'C1', ts: '5.5', text: 'fail' };
    await deliver('event', { event: mention, event_id: 'Ev1' });
    expect(shown.map((blocks) => blocks.includes('Connect…'))).toEqual([true, true, true]);
    shown = [];
    user = {};
    await register()('command', command('fail'));
    expect(shown.map((blocks) => blocks.includes('Connect…'))).toEqual([false]);
  });
});

describe('while it works', () => {
  it('a command with a trigger that opens no form shows no loading view', async () => {
    const { happened } = await register()('command', command('long', { trigger_id: 't1' }));
    expect(happened).toEqual(['ack', 'spend long', expect.stringMatching(/^url Asking/)]);
  });

  it('a click that replaces its message shows the loading message in its place', async () => {
    const { happened } = await register()('action', click('rerun:a', '/spend long'));
    expect(happened).toEqual(['ack', 'spend long', expect.stringMatching(/^url replace Asking/)]);
  });

  it('a click that opens no form shows no loading view, nor one whose form came at once', async () => {
    const deliver = register();
    const slow = await deliver('action', click('edit', 'slow', { trigger_id: 't1' }));
    expect(slow.happened).toEqual(['ack', 'edit slow {}']);
    await deliver('action', click('edit', 'quick form', { trigger_id: 't1' }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(happened).toEqual(['ack', 'edit quick form {}']);
  });

  it('a click in a form knows the form as it was clicked', async () => {
    const view = { id: 'V1', type: 'modal', hash: 'h1' };
    const known = await register()('action', click('edit', 'refresh', { view, trigger_id: 't1' }));
    expect(known.happened.at(-1)).toBe('update V1 New h1');
    const unknown = await register()(
      'action',
      click('edit', 'refresh', { view: { ...view, hash: undefined } }),
    );
    expect(unknown.happened.at(-1)).toBe('edit refresh {}');
  });

  it('suggestions that take too long are none', async () => {
    const typed = { options: { action_id: 'words', value: 'hang' } };
    expect((await register()('options', typed)).acks).toEqual([{ options: [] }]);
  });

  it('Home is redrawn as of the click, and nothing is logged without it', async () => {
    const home = { view: { id: 'VH', type: 'home' }, container: {} };
    await register()('action', click('edit', 'x', home));
    expect(requests.map(({ at }) => at)).toEqual([NOW, NOW]);
    const { events: _, ...without } = listeners;
    await register(without)('action', click('edit', 'x', home));
    await register()('options', { options: { action_id: 'nobody', value: 'a' } });
    expect(logged).toEqual([]);
  });
});
