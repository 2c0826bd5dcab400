import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, OTHER_TEAM, OWNER } from '../../sandbox/slack/index.ts';
import { checkRecipient } from '../../src/delivery/outbox/recipients.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { type Handlers, rulesFor } from '../../src/slack/server/handlers.ts';
import { BACKGROUND_OPTIONS, createClientFactory } from '../../src/slack/web-client.ts';
import { stampOf } from '../../src/workspace/record/audited-change.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import type { Right } from '../../src/workspace/roles-and-rights.ts';
import { serve } from '../http/service.ts';
import { BOT_TOKEN, CHANNEL, SATURDAY, startBot, textOf } from '../support/bot.ts';
import { QUIET } from '../support/delivery-runner.ts';
import { FINANCE, SHARED, sentBy, TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { isThorough } from '../support/test-run.ts';

const MINUTE = 60_000;
const HASH = recordKey(TEAM);
const BOT_USER = 'U0TALLYBOT';

let now = SATURDAY;
let requests = 0;
/** What the bot posts first to each request's `response_url`, by request number. */
const posted = new Map<string, { response_type: string; visibleText: string }>();
const inbox = await serve(({ url = '' }, response, nth) => {
  const body = JSON.parse(inbox.requests[nth - 1]!.body);
  const key = url.slice(1);
  if (!posted.has(key)) posted.set(key, { ...body, visibleText: textOf(body.blocks) });
  response.end('ok');
});
const bot = await startBot({ now: () => now });
await bot.connect();
await addProjects(bot, { prod: '123', web: '456', closed: { id: '999', channels: [FINANCE] } });
afterAll(() => bot.stop().then(inbox.close));

/** Registers an access for these people. These tests issue no token, so its secret needn't be readable. */
async function addAccess(project: string, people: readonly string[]) {
  const access = {
    project,
    authUrl: 'http://127.0.0.1/v3',
    lastFour: '0001',
    registeredBy: OWNER,
    registeredAt: 0,
  };
  const record = { ...access, issuers: { people, groups: [] }, sealed: 'v1.test.x.y' };
  await bot.store({ [`access:${project}`]: record });
}
await addAccess('123', [OWNER, ADMIN, MEMBER, GUEST, EXTERNAL, BOT_USER]);
await addAccess('456', ['U0NOBODY01']);

/** Saves these settings and moves the clock past all caches. */
async function useSettings(settings: object) {
  now += 2 * MINUTE;
  await bot.store({ settings });
}

type Loose = Record<string, unknown>;

const homeOf = (person: string) => (person === EXTERNAL ? OTHER_TEAM : TEAM);
const from = (person: string) => sentBy(person, homeOf(person));

function responseUrl(): { key: string; response_url: string } {
  const key = String(++requests);
  return { key, response_url: `${inbox.url}/${key}` };
}

const reply = (key: string) => bot.slack.waitFor(() => posted.get(key), 12_000);

async function command(person: string, text: string) {
  const { key, response_url } = responseUrl();
  const [name = '', ...words] = text.split(' ');
  const fields = {
    team_id: TEAM,
    user_id: person,
    channel_id: CHANNEL,
    command: name,
    text: words.join(' '),
  };
  const ack = await bot.command({ ...fields, response_url });
  expect(ack.status).toBe(200);
  return key;
}

async function action(person: string, given: Loose, around: Loose = {}) {
  const { key, response_url } = responseUrl();
  const ack = await bot.interact({
    ...from(person),
    type: 'block_actions',
    response_url,
    channel: { id: CHANNEL },
    actions: [{ type: 'button', block_id: 'b', ...given }],
    ...around,
  });
  expect(ack.status).toBe(200);
  return key;
}

const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
const field = (value: string) => ({ value: { type: 'plain_text_input', value } });

const selected = (value: string) => ({ value: { selected_option: option(value) } });
const settingsWith = (currency: string) => ({
  currency: field(currency),
  zone: selected('UTC'),
  visibility: selected('asker'),
  locale: selected('en-US'),
});

async function submit(person: string, currency: string, around: Loose = {}) {
  const seen = stampOf({ fields: await bot.redis.client.hgetall(HASH) }, 'settings');
  const ack = await bot.interact({
    ...from(person),
    type: 'view_submission',
    view: {
      id: `V0FORM${++requests}`,
      type: 'modal',
      callback_id: 'settings',
      private_metadata: JSON.stringify({ role: 'admin', right: 'ask', seen }),
      state: { values: settingsWith(currency) },
    },
    ...around,
  });
  expect(ack.status).toBe(200);
}

const SCHEDULES = /\d schedules?\b|No schedules here yet/;
const WATCHES = /watch/;
const saved = async (kind: 'schedule' | 'watch') =>
  (await bot.redis.client.hkeys(HASH)).filter((key) => key.startsWith(`${kind}:`)).length;

/** Submits a valid form. @returns whether it was saved */
async function submitted(person: string, kind: 'schedule' | 'watch'): Promise<boolean> {
  const before = await saved(kind);
  const id = `V0FORM${++requests}`;
  const view = { id, type: 'modal', callback_id: kind, private_metadata: '{"seen":""}' };
  // Tally refuses a schedule or watch that exists already.
  const selected_time = new Date(requests * 60_000).toISOString().slice(11, 16);
  const own = { below: field(`${50_000 + requests}`), time: { value: { selected_time } } };
  const state = { values: { ...FORMS[kind]!.values, ...own } };
  const payload = { ...from(person), type: 'view_submission', view: { ...view, state } };
  const { args } = await calledBy(async () => {
    expect((await bot.interact(payload)).status).toBe(200);
  }, 'views.update');
  const isSaved = done(textOf((args.view as { blocks: object[] }).blocks), 'Saved:');
  expect(await saved(kind)).toBe(before + (isSaved ? 1 : 0));
  return isSaved;
}

async function suggest(person: string, action_id: string, value = '') {
  const ack = await bot.interact({
    ...from(person),
    type: 'block_suggestion',
    action_id,
    block_id: action_id,
    value,
    view: { id: 'V0STALE', type: 'modal', private_metadata: '{"standing":"admin"}', callback_id: 'settings' },
  });
  expect(ack.status).toBe(200);
  return (JSON.parse(ack.body) as { options: unknown[] }).options;
}

/** Returns the first call of these methods that the bot makes during `work`. */
async function calledBy(work: () => Promise<unknown>, ...methods: string[]) {
  const before = bot.slack.calls.length;
  await work();
  return bot.slack.waitFor(() =>
    bot.slack.calls.slice(before).find(({ method }) => methods.includes(method)),
  );
}

const REFUSALS =
  /^(Guests can’t use Tally in this workspace\.|Tally only answers members of the workspace that installed it\.|Only full members of this workspace can set up schedules and watches\.|Only Tally managers can do this\.|You can’t get tokens for \w+\.)\n|^Only Tally managers can do this: <@\w+>(?:, <@\w+>)*, or an admin\.(?:\nAsk a manager)?$/;

/** @returns whether the request was carried out; if not, checks that the reply is only a refusal */
function done(visibleText: string, proof: string | RegExp): boolean {
  if (REFUSALS.test(visibleText)) return false;
  expect(visibleText).toMatch(proof);
  return true;
}

/** @returns whether the form opened; if not, checks that the reply says why */
async function opened(work: () => Promise<string>): Promise<boolean> {
  const before = bot.slack.calls.length;
  const key = await work();
  const isOpened = () => bot.slack.calls.slice(before).some(({ method }) => method === 'views.open');
  await bot.slack.waitFor(() => isOpened() || posted.has(key));
  return isOpened() || done((await reply(key)).visibleText, 'nothing else would do');
}

/** Whether an alert about the project would go to this person's direct messages. */
async function getsAlert(person: string, id: string): Promise<boolean> {
  const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
  const options = { ...BACKGROUND_OPTIONS, slackApiUrl: `${bot.slack.url}/api/`, logger: QUIET };
  const client = createClientFactory(options)(BOT_TOKEN, TEAM);
  const context = {
    loadWorkspace: () => workspaces.load(TEAM),
    users: createUserDirectory(() => now),
    teamId: TEAM,
  };
  const project = { id, product: 1 } as const;
  return (
    (await checkRecipient(person, [project], { ...context, client: async () => client })).refusal ===
    undefined
  );
}

/** For each column of the table, whether this person can do it. */
const COLUMNS: Record<string, (person: string) => Promise<boolean>> = {
  'ask: command': async (person) =>
    done((await reply(await command(person, '/balance 123'))).visibleText, ' left'),
  async 'ask: button'(person) {
    const key = await action(person, { action_id: 'rerun:spend', value: '/spend 123 yesterday' });
    return done((await reply(key)).visibleText, ' spent');
  },
  async 'ask: choice'(person) {
    const selected_option = option('/balance prod');
    const key = await action(person, { type: 'static_select', action_id: 'rerun:project', selected_option });
    return done((await reply(key)).visibleText, ' left');
  },
  async share(person) {
    const key = await action(person, { action_id: 'share', value: `${now} /balance 123` });
    const { visibleText, response_type } = await reply(key);
    const isShared = done(visibleText, `shared by <@${person}>`);
    expect(response_type).toBe(isShared ? 'in_channel' : 'ephemeral');
    return isShared;
  },
  'list projects': async (person) =>
    done((await reply(await command(person, '/billing projects'))).visibleText, 'prod'),
  async 'ask: mention'(person) {
    const ts = `${now / 1000}`;
    const event = { type: 'app_mention', user: person, user_team: homeOf(person), channel: CHANNEL, ts };
    const call = await calledBy(
      () => bot.slack.event({ ...event, text: `<@${BOT_USER}> balance 123` }),
      'chat.postMessage',
      'chat.postEphemeral',
    );
    const isDone = done(textOf(call.args.blocks), ' left');
    expect(call.method).toBe(isDone ? 'chat.postMessage' : 'chat.postEphemeral');
    return isDone;
  },
  'schedule: command': (person) => opened(() => command(person, '/billing schedule 123')),
  'schedule: list': async (person) =>
    done((await reply(await command(person, '/billing schedules'))).visibleText, SCHEDULES),
  'schedule: button': async (person) =>
    done(
      (await reply(await action(person, { action_id: 'schedule-list', value: '' }))).visibleText,
      SCHEDULES,
    ),
  'schedule: form': (person) => submitted(person, 'schedule'),
  'watch: command': (person) => opened(() => command(person, '/billing watch 123')),
  'watch: list': async (person) =>
    done((await reply(await command(person, '/billing watches'))).visibleText, WATCHES),
  'watch: button': async (person) =>
    done((await reply(await action(person, { action_id: 'watch-list', value: '' }))).visibleText, WATCHES),
  'watch: form': (person) => submitted(person, 'watch'),
  'watch: acknowledge': async (person) => {
    const key = await action(person, { action_id: 'watch-acknowledge', value: 'nothing0 e1' });
    return done((await reply(key)).visibleText, 'This watch was deleted.');
  },
  'watch: alert': (person) => getsAlert(person, '123'),
  'watch: alert, limited': (person) => getsAlert(person, '999'),
  'manage: command': (person) => opened(() => command(person, '/billing settings')),
  'manage: button': (person) => opened(() => action(person, { action_id: 'connect', value: '' })),
  async 'manage: form'(person) {
    const label = `L${'abcdefgh'[requests++ % 8]}${'ijklmnop'[Math.floor(requests / 8) % 8]}`;
    const { args } = await calledBy(() => submit(person, label), 'views.update');
    const isSaved = done(textOf((args.view as { blocks: object[] }).blocks), 'Saved.');
    const settings = JSON.parse((await bot.redis.client.hget(HASH, 'settings'))!);
    expect(settings.currency === label).toBe(isSaved);
    return isSaved;
  },
  'manage: search': async (person) => (await suggest(person, 'settings-form:zone', 'tokyo')).length > 0,
  'token: named': (person) => opened(() => command(person, '/os-token prod')),
  'token: not named': (person) => opened(() => command(person, '/os-token web')),
};

const EVERYTHING = { managers: [MEMBER, GUEST, EXTERNAL, BOT_USER], guests: true, externals: true };

/** For each right, the columns above that it allows. Only people who are named get a token. */
const ALLOWS = {
  ask: [
    ...['ask: command', 'ask: button', 'ask: choice', 'share', 'list projects', 'ask: mention'],
    'watch: acknowledge',
  ],
  schedule: [
    ...['schedule: command', 'schedule: list', 'schedule: button', 'schedule: form'],
    ...['watch: command', 'watch: list', 'watch: button', 'watch: form', 'watch: alert'],
  ],
  manage: ['watch: alert, limited', 'manage: command', 'manage: button', 'manage: form', 'manage: search'],
  token: ['token: named'],
};
type Allowed = keyof typeof ALLOWS;

interface Row {
  readonly person: string;
  readonly settings?: object;
  readonly left?: boolean;
  readonly may: readonly Allowed[];
}
const MANAGER: readonly Allowed[] = ['ask', 'schedule', 'manage', 'token'];

/** The same table is in docs/managing.md. */
const ROWS: Record<string, Row> = {
  owner: { person: OWNER, may: MANAGER },
  admin: { person: ADMIN, may: MANAGER },
  'member who was named as a manager': { person: MEMBER, settings: { managers: [MEMBER] }, may: MANAGER },
  'member of a group that was named as managers': {
    person: MEMBER,
    settings: { managerGroups: [FINOPS] },
    may: MANAGER,
  },
  member: { person: MEMBER, may: ['ask', 'schedule', 'token'] },
  guest: { person: GUEST, may: [] },
  'guest, where guests may ask': { person: GUEST, settings: EVERYTHING, may: ['ask', 'token'] },
  'guest who was named as a manager': {
    person: GUEST,
    settings: { managers: [GUEST], externals: true },
    may: [],
  },
  'external person': { person: EXTERNAL, may: [] },
  'external person, where they may ask': { person: EXTERNAL, settings: EVERYTHING, may: ['ask'] },
  'external person who was named as a manager': {
    person: EXTERNAL,
    settings: { managers: [EXTERNAL], guests: true },
    may: [],
  },
  'somebody who left, everything allowed': { person: MEMBER, settings: EVERYTHING, left: true, may: [] },
  'bot, everything allowed': { person: BOT_USER, settings: EVERYTHING, may: [] },
};

describe('a role', () => {
  describe.each(Object.entries(ROWS))('named “%s”', (who, { person, settings = {}, left = false, may }) => {
    beforeAll(async () => {
      await useSettings(settings);
      if (left) bot.slack.workspace.person(person)!.left = true;
    });
    afterAll(() => {
      if (left) delete bot.slack.workspace.person(person)!.left;
    });

    /** A quick run tries a third of each row and of each column. */
    const row = Object.keys(ROWS).indexOf(who);
    const cans = may.flatMap((right) => ALLOWS[right]);
    const tried = Object.keys(COLUMNS)
      .map((column) => [column, cans.includes(column)] as const)
      .filter((_, at) => isThorough || (at + row) % 3 === 0);
    it.each(tried)('grants the right “%s” (expected: %s)', async (column, isAllowed) => {
      expect(await COLUMNS[column]!(person)).toBe(isAllowed);
    });
  });
});

/** People who lack rights, those with more rights last. */
const LESSER_ROLES: Record<string, { person: string; settings?: object; left?: boolean; lacks: Right[] }> = {
  'somebody who left': {
    person: MEMBER,
    settings: EVERYTHING,
    left: true,
    lacks: ['workspaceUser', 'ask', 'member', 'manage'],
  },
  'a bot': { person: BOT_USER, settings: EVERYTHING, lacks: ['workspaceUser', 'ask', 'member', 'manage'] },
  'an external user': { person: EXTERNAL, lacks: ['workspaceUser', 'ask', 'member', 'manage'] },
  'an external user, where external people may ask': {
    person: EXTERNAL,
    settings: EVERYTHING,
    lacks: ['workspaceUser', 'member', 'manage'],
  },
  'a guest': { person: GUEST, lacks: ['ask', 'member', 'manage'] },
  'a guest, where guests may ask': { person: GUEST, settings: EVERYTHING, lacks: ['member', 'manage'] },
  'a member': { person: MEMBER, lacks: ['manage'] },
};

/** The people who lack this right; in a quick run only the one with the most other rights. */
function rolesFor(right: Right): readonly string[] {
  const roles = Object.keys(LESSER_ROLES).filter((role) => LESSER_ROLES[role]!.lacks.includes(right));
  return isThorough ? roles : roles.slice(-1);
}

/** Steps of a workflow have no person: see test/features/workflow-steps.test.ts. */
type Kind = Exclude<keyof Handlers, 'steps'>;

/**
 * The whole policy: handlers that need less than `manage`. All others have to need `manage`, so a new one is tested
 * without being added here.
 */
const MORE_THAN_MANAGERS: Record<Kind, Partial<Record<Right, readonly string[]>>> = {
  commands: {
    ask: [
      ...['/balance', '/spend', '/os-token', '/billing'],
      ...['/billing projects', '/billing projects prod', '/billing default', '/billing status'],
      ...['/billing status prod', '/billing help', '/billing help prod'],
    ],
    member: [
      ...['/billing schedule', '/billing schedule prod', '/billing schedules', '/billing schedules prod'],
      ...['/billing watch', '/billing watch prod', '/billing watches', '/billing watches prod'],
    ],
  },
  actions: {
    workspaceUser: ['os-token-revoke', 'ask-manager'],
    ask: ['watch-acknowledge', 'home-refresh'],
    member: [
      ...['schedule-form', 'schedule-row', 'schedule-list'],
      ...['watch-form', 'watch-row', 'watch-list', 'watch-more'],
    ],
  },
  views: { member: ['schedule', 'watch'] },
  options: {
    member: ['schedule-form:zone', 'schedule-form:projects', 'watch-form:projects'],
  },
  events: { ask: ['app_home_opened', 'app_mention', 'message'] },
};

function expectedRight(kind: Kind, name: string): Right {
  const [right] = Object.entries(MORE_THAN_MANAGERS[kind]).find(([, names]) => names.includes(name)) ?? [];
  return (right as Right | undefined) ?? 'manage';
}

/** Each command and each verb of `/billing`, without words and with one, and the verbs that change a project. */
function commandTexts(): readonly string[] {
  const { registry } = bot;
  const changes = ['add', 'edit', 'rename', 'remove', 'access'];
  return [
    ...registry.commands(),
    ...registry.verbs().flatMap((verb) => [`/billing ${verb}`, `/billing ${verb} prod`]),
    ...changes.map((word) => `/billing projects ${word} prod`),
    '/billing default prod web',
  ];
}

function namesOf(kind: Kind): readonly string[] {
  return kind === 'commands' ? commandTexts() : Object.keys(bot.registry.handlers()[kind]);
}

/** Valid submissions, so that only a missing right can refuse them. */
const FORMS: Record<string, { values: object; metadata?: string }> = {
  settings: { values: settingsWith('EUR') },
  project: {
    values: {
      alias: field('other'),
      id: field('789'),
      product: selected('1'),
      owner: { value: { selected_user: OWNER } },
    },
  },
  connect: {
    values: {
      name: field('second'),
      baseUrl: field('http://127.0.0.1/api'),
      token: field('abcdefgh-token'),
      type: selected('for-oneself'),
      role: selected('read-only'),
      lifetime: selected('90-days'),
      project: field('123'),
    },
  },
  'application-access': {
    values: {
      authUrl: field('http://127.0.0.1/v3'),
      people: { value: { selected_users: [OWNER] } },
    },
    metadata: '123 -',
  },
  'connection-expiry': {
    values: { expires: { value: { selected_date: '2027-02-19' } } },
    metadata: 'main -',
  },
  disconnect: { values: { name: selected('main') } },
  watch: {
    values: {
      projects: selected('123:1'),
      kind: selected('balance'),
      below: field('50000'),
      to: selected('channel'),
      channel: { value: { selected_conversation: CHANNEL } },
    },
  },
  schedule: {
    values: {
      projects: { value: { selected_options: [option('123:1')] } },
      report: selected('yesterday'),
      cadence: selected('daily'),
      zone: selected('UTC'),
      waits: selected('3'),
      time: { value: { selected_time: '09:00' } },
      channel: { value: { selected_conversation: CHANNEL } },
    },
  },
};

/** Valid events, so that only a missing right can refuse them. */
const EVENTS: Record<string, object> = {
  app_home_opened: { tab: 'home' },
  app_mention: { channel: CHANNEL, text: `<@${BOT_USER}> balance 123` },
  message: { channel: 'D0ANYBODY1', channel_type: 'im', text: 'balance 123' },
};

/** The bot's answers to a request of this person, as one text. */
const SAID: Record<Kind, (person: string, name: string) => Promise<string>> = {
  commands: async (person, text) => (await reply(await command(person, text))).visibleText,
  actions: async (person, action_id) =>
    (await reply(await action(person, { action_id, value: 'prod', text: { text: 'Press' } }))).visibleText,
  async views(person, callback_id) {
    const form = FORMS[callback_id];
    if (form === undefined) throw new Error(`no valid form for the view ${callback_id} in FORMS`);
    const id = `V0FORM${++requests}`;
    const view = { id, type: 'modal', callback_id, private_metadata: form.metadata ?? '' };
    const payload = {
      ...from(person),
      type: 'view_submission',
      view: { ...view, state: { values: form.values } },
    };
    const ack = await bot.interact(payload);
    expect(JSON.parse(ack.body || '{}'), callback_id).not.toHaveProperty('errors');
    const call = await bot.slack.waitFor(() => bot.slack.calls.find(({ args }) => args.view_id === id));
    return textOf((call.args.view as { blocks: object[] }).blocks);
  },
  async options(person, action_id) {
    const found = await suggest(person, action_id);
    return found.length === 0 ? NOTHING_FOUND : `${found.length} found`;
  },
  async events(person, type) {
    const fields = EVENTS[type];
    if (fields === undefined) throw new Error(`no event of the type ${type} in EVENTS`);
    const ts = `${now / 1000}${++requests}`;
    const event = { type, user: person, user_team: homeOf(person), ts, ...fields };
    const work = () => bot.slack.event(event);
    const { args } = await calledBy(work, 'chat.postMessage', 'chat.postEphemeral', 'views.publish');
    return textOf((args.view as { blocks: object[] } | undefined)?.blocks ?? args.blocks);
  },
};

const NOTHING_FOUND = 'nothing found';
const isRefusal = (said: string) => said === NOTHING_FOUND || REFUSALS.test(said);

const KINDS = ['commands', 'actions', 'views', 'options', 'events'] as const satisfies Kind[];

describe('each handler of a command, button or form', () => {
  it('returns suggestions to an owner if it is for a search field', async () => {
    await useSettings({});
    for (const name of namesOf('options')) expect(await SAID.options(OWNER, name), name).toMatch(/ found$/);
  });

  const refusedTo = (role: string) =>
    KINDS.map((kind) => {
      const names = namesOf(kind).filter((name) => rolesFor(expectedRight(kind, name)).includes(role));
      return [kind, names] as const;
    }).filter(([, names]) => names.length > 0);
  const roles = Object.entries(LESSER_ROLES).filter(([role]) => refusedTo(role).length > 0);

  describe.each(roles)('when used by %s', (role, { person, settings = {}, left }) => {
    beforeAll(async () => {
      await useSettings(settings);
      if (left) bot.slack.workspace.person(person)!.left = true;
    });
    afterAll(() => {
      if (left) delete bot.slack.workspace.person(person)!.left;
    });

    it.each(refusedTo(role))(
      'refuses a request if this person lacks the required right: %s',
      async (kind, names) => {
        const letIn: string[] = [];
        for (const name of names) {
          const said = await SAID[kind](person, name);
          if (!isRefusal(said)) letIn.push(`${name}: ${said.slice(0, 80)}`);
        }
        expect(letIn).toEqual([]);
      },
      60_000,
    );
  });
});

describe('a member', () => {
  beforeEach(() => useSettings({}));

  it('gets the button “Ask a manager” instead of each form that only managers can open', async () => {
    const { actions } = bot.registry.handlers();
    const without: string[] = [];
    for (const name of Object.keys(actions)) {
      const { right, opensForm } = rulesFor(actions[name]!, 'prod');
      if (right !== 'manage' || !opensForm) continue;
      if (!(await SAID.actions(MEMBER, name)).endsWith('\nAsk a manager')) without.push(name);
    }
    expect(without).toEqual([]);
  });

  it.each(['/billing settings', '/billing audit', '/billing projects remove prod'])(
    'is refused even with a forged button that runs or shares %s',
    async (text) => {
      const rerun = await action(MEMBER, { action_id: 'rerun:x', value: text });
      expect((await reply(rerun)).visibleText).toMatch(REFUSALS);
      const share = await action(MEMBER, { action_id: 'share', value: `${now} ${text}` });
      expect((await reply(share)).visibleText).toMatch(REFUSALS);
    },
  );
});

describe('a person who may not ask questions', () => {
  beforeEach(() => useSettings({}));

  it.each([
    [GUEST, 'Guests can’t use Tally in this workspace.'],
    [EXTERNAL, 'Tally only answers members of the workspace that installed it.'],
  ])('gets the same refusal for every command: %s', async (person, refusal) => {
    const long = `/billing default x ${'project : '.repeat(1_000)}`;
    const secret = '/billing gAAAAABnotATokenButItLooksLikeOne0123456789';
    const answers = new Set<string>();
    // Only some commands have the button Ask a manager, so the comparison leaves it out.
    for (const text of ['/billing', '/billing connect', '/billing nothing', '/spend nothing', long, secret])
      answers.add((await reply(await command(person, text))).visibleText.replace(/\nAsk a manager$/, ''));
    expect([...answers]).toEqual([expect.stringContaining(refusal)]);
  });
});

describe('a manager', () => {
  it('cannot share a list of projects in a channel', async () => {
    await useSettings({});
    const key = await action(OWNER, { action_id: 'share', value: `${now} /billing projects` });
    expect(await reply(key)).toMatchObject({ response_type: 'ephemeral' });
  });

  it('can ask privately, but not publicly, about a project limited to other channels', async () => {
    bot.billing.setBalance('7001', '{"balance":10,"bonuses":0}');
    await addProjects(bot, { secret: { id: '7001', channels: [FINANCE] } });
    await useSettings({});
    expect((await reply(await command(OWNER, '/balance secret'))).visibleText).toContain('left');
    const share = await action(OWNER, { action_id: 'share', value: `${now} /balance secret` });
    expect((await reply(share)).visibleText).toContain('can’t ask about this project here');
    await useSettings({ visibility: 'channel' });
    expect(await reply(await command(OWNER, '/balance secret'))).toMatchObject({
      response_type: 'ephemeral',
      visibleText: expect.stringContaining('can’t ask about this project here'),
    });
    await bot.drop('project:secret');
  });

  describe('who loses the role', () => {
    const becomes = (role: 'admin' | 'member') => {
      bot.slack.workspace.person(ADMIN)!.role = role;
    };
    beforeEach(() => useSettings({}));
    afterAll(() => becomes('admin'));

    it.each(['manage: command', 'manage: button', 'manage: form', 'manage: search'])(
      'loses the right “%s” at once, but can still ask questions',
      async (column) => {
        becomes('admin');
        expect(await COLUMNS[column]!(ADMIN)).toBe(true);
        becomes('member');
        expect(await COLUMNS[column]!(ADMIN)).toBe(false);
        expect(await COLUMNS['ask: command']!(ADMIN)).toBe(true);
      },
    );
  });
});

describe('a failed look-up of a person’s role', () => {
  beforeEach(() => useSettings({}));

  it.each(['user_not_found', 'missing_scope'])(
    'leads to a refusal that names Slack’s error: %s',
    async (error) => {
      bot.slack.failNext('users.info', { error });
      const before = bot.billing.requests.length;
      const { visibleText } = await reply(await command(OWNER, '/balance 123'));
      expect(visibleText).toContain(`Slack returned an error (${error}).`);
      expect(bot.billing.requests).toHaveLength(before);
      expect(await COLUMNS['ask: command']!(OWNER)).toBe(true);
    },
  );

  it('prevents a change of the settings', async () => {
    bot.slack.failNext('users.info', { error: 'internal_error' });
    const { args } = await calledBy(() => submit(OWNER, 'XYZ'), 'views.update');
    expect(textOf(args.view)).toContain('Slack returned an error (');
    expect(await bot.redis.client.hget(HASH, 'settings')).toBe('{}');
  });

  it('doesn’t delay the acknowledgement of a command, even if Slack doesn’t answer', async () => {
    bot.slack.failNext('users.info', 'hang');
    const key = command(OWNER, '/balance 123');
    const suggestions = suggest(OWNER, 'settings-form:zone', 'tokyo');
    expect(await suggestions).toEqual([]);
    expect((await reply(await key)).visibleText).toContain('Slack didn’t answer (');
  }, 20_000);
});

describe('a request with a wrong or foreign workspace', () => {
  beforeEach(() => useSettings({}));

  it.each([
    ['says that a member is an external user', MEMBER, { team: { id: TEAM }, home: OTHER_TEAM }],
    ['says that an external user is a member', EXTERNAL, { team: { id: TEAM }, home: TEAM }],
    ['comes from another workspace', EXTERNAL, { team: { id: OTHER_TEAM }, home: OTHER_TEAM }],
    ['comes from another workspace, but names a member', MEMBER, { team: { id: OTHER_TEAM }, home: TEAM }],
    [
      'comes from another workspace, but names an owner',
      OWNER,
      { team: { id: OTHER_TEAM }, home: OTHER_TEAM },
    ],
  ])('is refused if it %s', async (_, person, { team, home }) => {
    const around = { team, user: { id: person, team_id: home } };
    const button = await action(person, { action_id: 'rerun:x', value: '/balance 123' }, around);
    expect((await reply(button)).visibleText).toMatch(REFUSALS);
    const manage = await action(person, { action_id: 'connect' }, around);
    expect((await reply(manage)).visibleText).toMatch(REFUSALS);
  });

  it('is refused if it is an external user’s form in a shared channel', async () => {
    const id = `V0FORM${++requests}`;
    const view = { id, type: 'modal', callback_id: 'settings', private_metadata: '' };
    const state = { values: settingsWith('EUR') };
    const around = {
      team: { id: OTHER_TEAM },
      user: { id: EXTERNAL, team_id: OTHER_TEAM },
      view: { ...view, state, app_installed_team_id: TEAM },
    };
    const { args } = await calledBy(() => submit(EXTERNAL, '', around), 'views.update');
    expect(textOf(args.view)).toContain('Tally only answers members of the workspace that installed it.');
  });
});

describe('an external user in a shared channel', () => {
  beforeEach(() => useSettings({}));
  it('sees a public answer, but cannot use its buttons', async () => {
    await useSettings({ visibility: 'channel' });
    const work = () => bot.slack.say(MEMBER, SHARED, '/balance 123');
    const message = await bot.next(work, EXTERNAL, SHARED);
    expect(message.labels).not.toContain('Share');
    const refused = await bot.next(() => bot.press(message, 'Spend', EXTERNAL), EXTERNAL, SHARED);
    expect(refused.ephemeral).toBe(true);
    expect(refused.visibleText).toMatch(REFUSALS);
  });
});
