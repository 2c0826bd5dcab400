/** The features of schedules and watches with a real Slack and Redis. `around` stands in for delivery and billing. */
import { afterAll, beforeEach, expect } from 'vitest';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createDeliveryLog } from '../../src/delivery/delivery-log.ts';
import type { AlertResponse, WatchState } from '../../src/delivery/watches/watch-actions.ts';
import type { PreviewFigures } from '../../src/delivery/watches/watch-preview.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { createSchedulesFeature } from '../../src/features/schedules/index.ts';
import { createWatchesFeature } from '../../src/features/watches/index.ts';
import { auditKey, recordKey } from '../../src/redis/keys.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { type Audit, createAudit } from '../../src/workspace/record/audit.ts';
import type { Schedule, Watch } from '../../src/workspace/record/automation-records.ts';
import type { Answer } from './answer.ts';
import { DAY, SATURDAY } from './bot.ts';
import { startListenerBot } from './listener-bot.ts';
import { CHANNEL, clickOf, FINANCE, GENERAL, SHARED, TEAM, UNLIMITED } from './people.ts';
import { storedProject } from './projects.ts';

export const MINUTE = 60_000;
const KEY = recordKey(TEAM);

export interface Automations {
  readonly schedule: Schedule;
  readonly watch: Watch;
}

interface Surroundings {
  now: number;
  isStoreAway: boolean;
  planned: number;
  /** Each new preview waits for the next of these promises. */
  waits: Promise<void>[];
  sent: { schedule: Schedule; why: string; by: string }[];
  refusal: Error | undefined;
  figures: PreviewFigures | Error;
  asked: { project: string; kind: string }[];
  states: Map<string, WatchState>;
  responses: { watch: string; alert: string; response: AlertResponse }[];
  outcome: 'recorded' | 'repeated' | 'gone';
}

/** @param amount what was spent on the day `ago` days before today */
export function previewFigures(
  amount: (ago: number) => string,
  balance: string,
  reported = 200,
): PreviewFigures {
  const dayOf = (ago: number) => new Date(SATURDAY - ago * DAY).toISOString().slice(0, 10);
  const days = Array.from({ length: reported }, (_, n) => [dayOf(n + 1), amount(n + 1)]);
  return {
    today: dayOf(0),
    source: 'main',
    usage: { days: Object.fromEntries(days), until: dayOf(1), zone: 'UTC', at: SATURDAY },
    account: { balance, bonuses: '0', at: SATURDAY },
  };
}

const ONE_DAY = previewFigures(() => '1000', '48210', 1);

export async function startAutomationBot() {
  const fresh = () => ({
    isStoreAway: false,
    planned: 0,
    waits: [],
    sent: [],
    refusal: undefined,
    asked: [],
    responses: [],
    figures: ONE_DAY,
    states: new Map(),
    outcome: 'recorded' as const,
  });
  const around: Surroundings = { now: SATURDAY, ...fresh() };
  const changed = async () => {
    around.planned += 1;
  };
  const bot = await startListenerBot(
    (stored) => {
      const awayAtTimes = <T extends { save: (...change: never[]) => Promise<unknown> }>(store: T): T => ({
        ...store,
        async save(...change: Parameters<T['save']>) {
          if (around.isStoreAway) throw new Failure('store-unavailable');
          await store.save(...change);
        },
      });
      const workspaces = {
        ...stored,
        schedules: awayAtTimes(stored.schedules),
        watches: awayAtTimes(stored.watches),
      };
      const scheduling = {
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
      const record: Audit['record'] = (...entry) => createAudit(bot.redis.client).record(...entry);
      const posts = createSchedulesFeature({ workspaces, scheduling, changed, limits: UNLIMITED });
      const alerts = createWatchesFeature({ workspaces, watching, changed, audit: { record } });
      return {
        commands: { '/billing': routeSubcommands({ ...posts.verbs, ...alerts.verbs }) },
        actions: { ...posts.actions, ...alerts.actions },
        views: { ...posts.views, ...alerts.views },
        options: { ...posts.options, ...alerts.options },
      };
    },
    { clock: () => around.now },
  );
  afterAll(() => bot.stop());

  const members = (channel: string) => bot.slack.workspace.conversation(channel)!.members;
  const CHANNELS = [CHANNEL, GENERAL, FINANCE, SHARED];
  const membersAtFirst = new Map(CHANNELS.map((channel) => [channel, [...members(channel)]]));
  beforeEach(async () => {
    Object.assign(around, fresh());
    around.now += 2 * MINUTE;
    for (const channel of CHANNELS) {
      const conversation = bot.slack.workspace.conversation(channel)!;
      conversation.members = [...membersAtFirst.get(channel)!];
      delete conversation.archived;
    }
    for (const person of [OWNER, MEMBER, ADMIN]) {
      delete bot.slack.workspace.person(person)!.left;
      await bot.closeForm(person);
    }
    await bot.redis.client.del(KEY, auditKey(TEAM));
    // Without a connection everything is shown as paused.
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

  const notWaiting = (person = OWNER) =>
    bot.slack.waitFor(() => !bot.modalText(person).includes('Asking the billing service'));

  /** Opens the form of a `/billing` command, without the fields under More. */
  async function openForm(words: string, person = OWNER, channel = CHANNEL): Promise<string> {
    await bot.slack.say(person, channel, `/billing ${words}`);
    await bot.slack.waitFor(() => bot.modal(person));
    await notWaiting(person);
    return bot.modalText(person);
  }

  /** Changes a field that sends an action. A field that Tally filled in has another action ID. */
  async function change(field: string, chosen: object, person = OWNER): Promise<void> {
    const { id: viewId, view: shown } = bot.modal(person)!;
    const blocks = shown.blocks as { block_id?: string; element?: { action_id?: string } }[];
    const action_id = blocks.find(({ block_id }) => block_id === field)?.element?.action_id;
    const outcome = await bot.slack.act(person, { viewId }, { block_id: field, action_id, ...chosen });
    expect(outcome).toEqual({ ok: true });
  }

  const count = (part: string, person: string, channel: string) =>
    bot.messageTexts(channel, person).filter((text) => text.includes(part)).length;

  return {
    ...bot,
    around,
    add,
    stored,
    openForm,
    change,
    members,
    notWaiting,
    ask: (text: string, person = OWNER, channel = CHANNEL) => bot.ask(`/billing ${text}`, person, channel),
    /** Chooses by value. A value that the field doesn't offer is chosen as in a search. */
    chooseInForm(field: string, value: string, person = OWNER) {
      const blocks = bot.modal(person)!.view.blocks as {
        block_id?: string;
        element?: { options?: { value: string }[] };
      }[];
      const options = blocks.find(({ block_id }) => block_id === field)?.element?.options;
      const selected_option = options?.find((one) => one.value === value) ?? option(value);
      return change(field, { selected_option }, person);
    },
    /** @returns functions that end the wait of each preview */
    holdPreviews(previews: number): readonly (() => void)[] {
      const ends: (() => void)[] = [];
      around.waits = Array.from({ length: previews }, () => new Promise((resolve) => ends.push(resolve)));
      return ends;
    },
    /** Opens the form and saves it. @returns the new schedule or watch */
    async setUp<K extends keyof Automations>(
      kind: K,
      words: string,
      person = OWNER,
      channel = CHANNEL,
    ): Promise<Automations[K]> {
      const before = new Set((await stored(kind)).map(({ id }) => id));
      await openForm(`${kind} ${words}`, person, channel);
      expect(await bot.save({}, person)).toContain('Saved');
      await bot.closeForm(person);
      return (await stored(kind)).find(({ id }) => !before.has(id))!;
    },
    row: (kind: keyof Automations, list: Answer, action: string, id: string, person = OWNER) =>
      bot.choose(list, `${kind}-row`, `${action} ${id}`, person),
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
    /** Clicks even on a button that this person doesn't see. @returns the reply */
    forgedClick: async (
      person: string,
      action_id: string,
      value: string,
      channel = CHANNEL,
    ): Promise<string> =>
      (await bot.next(() => bot.interact(clickOf(person, { action_id, value }, channel)), person, channel))
        .visibleText,
  };
}

export const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
