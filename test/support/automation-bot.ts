import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createDeliveryLog } from '../../src/delivery/delivery-log.ts';
import type { AlertResponse, PreviewFigures, WatchState } from '../../src/delivery/watches/watch-service.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { createSchedules } from '../../src/features/schedules/index.ts';
import { createWatchesFeature } from '../../src/features/watches/index.ts';
import { auditKey, recordKey } from '../../src/redis/keys.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import type { Schedule, Watch } from '../../src/workspace/record/automation-records.ts';
import { CHANNEL, textOf, toAnswer } from './bot.ts';
import { type ListenerBot, startListenerBot } from './listener-bot.ts';
import { storedProject } from './projects.ts';
import { createUserActions } from './user-actions.ts';

export const MINUTE = 60_000;
export const DAY = 86_400_000;
/** Saturday */
const START = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
export const TEAM = 'T0SANDBOX1';
export const KEY = recordKey(TEAM);
export const GENERAL = 'C0GENERAL1';
export const FINANCE = 'C0FINANCE1';
export const SHARED = 'C0SHARED01';

export interface Automations {
  readonly schedule: Schedule;
  readonly watch: Watch;
}

type FormFields = Record<string, string | readonly string[]>;

/** What surrounds the features: the clock, the store and delivery, as the next actions meet them. */
interface Surroundings {
  now: number;
  isStoreAway: boolean;
  /** How often schedules or watches were planned again. */
  planned: number;
  /** Each preview waits for the next of them. */
  waits: Promise<void>[];
  sent: { schedule: Schedule; why: string; by: string }[];
  /** What a manual post fails with. */
  refusal: Error | undefined;
  /** What billing has for previews, or fails with. */
  figures: PreviewFigures | Error;
  asked: { project: string; kind: string }[];
  states: Map<string, WatchState>;
  responses: { watch: string; alert: string; response: AlertResponse }[];
  outcome: 'recorded' | 'repeated' | 'gone';
}

/** @param amount by how many days ago it was; a preview of many days takes longer */
export function previewFigures(
  amount: (ago: number) => string,
  balance: string,
  reported = 200,
): PreviewFigures {
  const dayOf = (ago: number) => new Date(START - ago * DAY).toISOString().slice(0, 10);
  const days = Array.from({ length: reported }, (_, n) => [dayOf(n + 1), amount(n + 1)]);
  return {
    today: dayOf(0),
    source: 'main',
    usage: { days: Object.fromEntries(days), until: dayOf(1), zone: 'UTC', at: START },
    account: { balance, bonuses: '0', at: START },
  };
}

const ONE_DAY = previewFigures(() => '1000', '48210', 1);

/** The features of schedules and watches behind a real Slack and Redis, with delivery and billing as `around` says; starts and stops with the file's tests. */
export function createAutomationBot() {
  let bot: ListenerBot;
  const fresh = () => ({
    ...{ isStoreAway: false, planned: 0, waits: [], sent: [], refusal: undefined, asked: [], responses: [] },
    ...{ figures: ONE_DAY, states: new Map(), outcome: 'recorded' as const },
  });
  const around: Surroundings = { now: START, ...fresh() };
  const refuseIfStoreIsAway = () => {
    if (around.isStoreAway) throw new Failure('store-unavailable');
  };

  beforeAll(async () => {
    bot = await startListenerBot(
      ({ schedules, watches, ...others }) => {
        const workspaces = {
          ...others,
          schedules: {
            ...schedules,
            async save(...change: Parameters<typeof schedules.save>) {
              refuseIfStoreIsAway();
              await schedules.save(...change);
            },
          },
          watches: {
            ...watches,
            async save(...change: Parameters<typeof watches.save>) {
              refuseIfStoreIsAway();
              await watches.save(...change);
            },
          },
        };
        const changed = async () => {
          around.planned += 1;
        };
        const scheduling = {
          changed,
          async loadLog(workspace: string) {
            await around.waits.shift();
            return createDeliveryLog(bot.redis.client).load(workspace);
          },
          async send(_: string, schedule: Schedule, why: string, by: string) {
            if (around.refusal !== undefined) throw around.refusal;
            around.sent.push({ schedule, why, by });
            return 'posted' as const;
          },
          retry: async () => undefined,
        };
        const watching = {
          changed,
          loadStates: async () => around.states,
          async respond(_: string, watch: string, alert: string, response: AlertResponse) {
            around.responses.push({ watch, alert, response });
            return around.outcome;
          },
          async fetchPreview(_: unknown, { project }: { project: string }, { kind }: { kind: string }) {
            await around.waits.shift();
            around.asked.push({ project, kind });
            if (around.figures instanceof Error) throw around.figures;
            return around.figures;
          },
        };
        const record: ReturnType<typeof createAudit>['record'] = (...entry) =>
          createAudit(bot.redis.client).record(...entry);
        const posts = createSchedules({ workspaces, scheduling });
        const alerts = createWatchesFeature({ workspaces, watching, audit: { record } });
        return {
          commands: { '/billing': routeSubcommands({ ...posts.verbs, ...alerts.verbs }) },
          actions: { ...posts.actions, ...alerts.actions },
          views: { ...posts.views, ...alerts.views },
          options: { ...posts.options, ...alerts.options },
        };
      },
      { clock: () => around.now },
    );
  });
  afterAll(() => bot.stop());

  const actions = createUserActions(() => bot);
  const { messageRef, optionOf } = actions;

  beforeEach(async () => {
    Object.assign(around, fresh());
    around.now += 2 * MINUTE;
    await actions.restoreWorkspace([CHANNEL, GENERAL, FINANCE, SHARED], [OWNER, MEMBER, ADMIN]);
    await bot.redis.client.del(KEY, auditKey(TEAM));
    // What has no connection is shown as paused.
    await bot.redis.client.hset(KEY, 'connection:main', '{}');
    await add('prod', '123');
    await add('dev', '456', { product: 2 });
  });

  const add = (alias: string, id: string, given: Partial<Project> = {}) =>
    bot.redis.client.hset(KEY, `project:${alias}`, JSON.stringify(storedProject({ alias, id, ...given })));

  async function stored<K extends keyof Automations>(kind: K): Promise<readonly Automations[K][]> {
    const { schedules, watches } = await bot.workspaces.load(TEAM);
    return (kind === 'schedule' ? schedules : watches) as readonly Automations[K][];
  }

  const modal = (person = OWNER) => bot.slack.modal(person);
  const modalText = (person = OWNER) => textOf(modal(person)?.view);
  const modalSays = async (part: string, person = OWNER): Promise<string> =>
    bot.slack
      .waitFor(() => modalText(person).includes(part) && modalText(person))
      .catch((error: unknown) => {
        expect(modalText(person)).toContain(part);
        throw error;
      });
  const view = (person = OWNER) => JSON.stringify(modal(person)?.view);

  async function openForm(words: string, person = OWNER, channel = CHANNEL): Promise<string> {
    await bot.slack.say(person, channel, `/billing ${words}`);
    await bot.slack.waitFor(() => modal(person));
    await bot.slack.waitFor(() => !modalText(person).includes('Asking the billing service'));
    return modalText(person);
  }

  /** Changes a field that dispatches an action. A field that Tally filled in has another action ID. */
  async function change(field: string, chosen: object, person = OWNER): Promise<void> {
    const { id: viewId, view: shown } = modal(person)!;
    const blocks = shown.blocks as { block_id?: string; element?: { action_id?: string } }[];
    const action_id = blocks.find(({ block_id }) => block_id === field)?.element?.action_id;
    const outcome = await bot.slack.act(person, { viewId }, { block_id: field, action_id, ...chosen });
    expect(outcome).toEqual({ ok: true });
  }

  /** Submits the form. @returns the modal's text after it was processed */
  async function save(fields: FormFields = {}, person = OWNER): Promise<string> {
    await bot.slack.submit(person, fields);
    await bot.slack.waitFor(() => !modalText(person).includes('Saving…'));
    return modalText(person);
  }

  const count = (part: string, person = OWNER, channel = CHANNEL) =>
    bot.messageTexts(channel, person).filter((text) => text.includes(part)).length;

  /** Sends a payload as Slack would, of something that this person may not even see. */
  async function forge(person: string, payload: object): Promise<void> {
    const sender = { team: { id: TEAM }, user: { id: person, team_id: TEAM }, trigger_id: 'x' };
    expect((await bot.interact({ ...sender, ...payload })).status).toBe(200);
  }

  return {
    ...actions,
    ...{ around, add, stored, modal, modalText, modalSays, view, openForm, change, save, count, forge },
    tally: () => bot,
    redis: () => bot.redis.client,
    choose: (field: string, value: string, person = OWNER) =>
      change(field, { selected_option: optionOf(field, value, person) }, person),
    /** Makes the next previews slow. @returns what ends the wait of each of them */
    holdPreviews(previews: number): readonly (() => void)[] {
      const ends: (() => void)[] = [];
      around.waits = Array.from({ length: previews }, () => new Promise((resolve) => ends.push(resolve)));
      return ends;
    },
    /** Opens the form and saves it. @returns what was created */
    async setUp<K extends keyof Automations>(
      kind: K,
      words: string,
      person = OWNER,
      channel = CHANNEL,
    ): Promise<Automations[K]> {
      const before = new Set((await stored(kind)).map(({ id }) => id));
      await openForm(`${kind} ${words}`, person, channel);
      expect(await save({}, person)).toContain('Saved');
      await bot.slack.dismiss(person);
      return (await stored(kind)).find(({ id }) => !before.has(id))!;
    },
    /** Chooses from the menu of a row of the list. */
    row: (
      kind: keyof Automations,
      list: { ts: string },
      action: string,
      id: string,
      person = OWNER,
      channel = CHANNEL,
    ) => bot.slack.choose(person, messageRef(list, channel), `${kind}-row`, `${action} ${id}`),
    /** Newest first: who did what. */
    audit: async () =>
      (await createAudit(bot.redis.client).page(TEAM, 20)).entries.map(
        ({ who, action }) => `${who} ${action}`,
      ),
    /** Waits until `work` has caused one more message with this text. */
    async brings(part: string, work: () => Promise<unknown>, person = OWNER, channel = CHANNEL) {
      const before = count(part, person, channel);
      await work();
      await bot.slack
        .waitFor(() => count(part, person, channel) === before + 1)
        .catch(() => expect(bot.messageTexts(channel, person).slice(-3)).toContain(part));
    },
    /** Sends a click, even on a button that this person does not see. @returns the reply */
    async forgedClick(person: string, action_id: string, value: string, channel = CHANNEL): Promise<string> {
      const before = bot.messageTexts(channel, person).length;
      const actions = [{ type: 'button', block_id: 'b', action_id, value }];
      await forge(person, { type: 'block_actions', channel: { id: channel }, actions });
      return bot.slack.waitFor(() => bot.messageTexts(channel, person)[before]);
    },
    messages: (person = OWNER, channel = CHANNEL) => bot.slack.messages(person, channel).map(toAnswer),
  };
}

export const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
