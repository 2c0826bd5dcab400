/** `/billing watch` and `/billing watches`, for full members, and the buttons of alerts. */
import type { DeliveryService } from '../../delivery/delivery-service.ts';
import type { WatchActions, WatchState } from '../../delivery/watches/watch-actions.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import {
  addDays,
  DAY,
  dayAt,
  endOfUnit,
  MINUTE,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  type AutomationKind,
  type AutomationNeed,
  canReadAutomation,
  changeAutomation,
  deletedText,
  requireAutomation,
  stopReasonOf,
} from '../../slack/automations/automation.ts';
import { createAutomationFeature } from '../../slack/automations/automation-feature.ts';
import { PAUSED_BY_TALLY } from '../../slack/automations/automation-list.ts';
import { markupMessage } from '../../slack/block-kit/blocks.ts';
import { toCommand } from '../../slack/commands/command-buttons.ts';
import { type HelpLine, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import type { Request } from '../../slack/request/request.ts';
import { type ActionHandler, lookUp, onClick } from '../../slack/server/handlers.ts';
import { projectKey } from '../../workspace/projects/chosen-project.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import { MAX_WATCH_PEOPLE, MAX_WATCHES, type Watch } from '../../workspace/record/automation-records.ts';
import { findWatch, requireSettings } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { describeWatch, watchAuditText, watchMarkup } from './describe-watch.ts';
import { KIND_EXAMPLES, parseWatchText } from './parse-watch-command.ts';
import { createWatchForm } from './watch-form.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: `${commandText('/billing watch')} [project] [balance 50000 | runway 14 | budget 500000 | spike 2x over 1000]`,
    what: 'Get an alert when money runs low, a budget is reached, or a day costs too much.',
    short: 'Get an alert before the money runs out.',
    examples: [
      `${commandText('/billing watch')} prod balance 50000`,
      `${commandText('/billing watch')} prod runway 14`,
    ],
    right: 'member',
  },
  {
    usage: commandText('/billing watches'),
    what: 'List watches with their last value and next check. Pause, edit or delete them there.',
    right: 'member',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} What to watch: ${KIND_EXAMPLES}. ${PERIOD_EXAMPLES.products}`;

interface WatchServices extends Pick<Services, 'workspaces'>, Pick<DeliveryService, 'watching' | 'changed'> {
  readonly audit: Pick<Audit, 'record'>;
}

export function createWatchesFeature(services: WatchServices): Feature {
  const kind = createWatchKind(services);
  const form = createWatchForm(kind, services);
  const feature = createAutomationFeature({ kind, form, help: HELP, small: SMALL, parse: parseWatchText });
  return { ...feature, actions: { ...feature.actions, ...alertActions(kind, services) } };
}

type WatchKind = AutomationKind<Watch>;

const STILL = 'Tally alerts if the threshold is still crossed.';

const createWatchKind = ({ workspaces, watching, changed }: WatchServices): WatchKind => ({
  noun: 'watch',
  sends: 'alerts',
  max: MAX_WATCHES,
  maxProjects: 1,
  maxPeople: MAX_WATCH_PEOPLE,
  workspaces,
  store: workspaces.watches,
  changed,
  find: findWatch,
  isShownHere: (watch, viewer) =>
    (watch.people === undefined ? watch.channel === viewer.channel : watch.people.includes(viewer.user.id)) &&
    canReadAutomation(watch, viewer),
  async viewFor(reader) {
    const stateOf = await loadStates(watching, reader);
    return {
      describe: (watch) => describeWatch(watch, reader, stateOf(watch)),
      needOf: (watch) => needOf(watch, reader, stateOf(watch)),
      choices: () => [],
    };
  },
  resumed: ({ paused: _, snoozedUntil: __, ...running }) => running,
  actions: {},
  words: {
    title: 'Watches',
    count: (watches) => pluralize(watches, 'watch', 'watches'),
    create: 'Set up a watch…',
    none: 'No watches here yet. Tally can alert you when money runs low, a budget is reached, or a day costs too much.',
    summary: watchMarkup,
    auditText: watchAuditText,
    paused: 'Paused. No alerts until you resume.',
    resumed: `Resumed. ${STILL}`,
  },
});

async function loadStates(watching: WatchActions, viewer: Request) {
  const { workspace } = viewer;
  const states = workspace.watches.length === 0 ? undefined : await watching.loadStates(workspace);
  return (watch: Watch) => (canReadAutomation(watch, viewer) ? states?.get(watch.id) : undefined);
}

/** @returns undefined if the watch works and its threshold isn't crossed, or if a person paused it */
function needOf(
  watch: Watch,
  { workspace }: Request,
  { isPaused, problem, undelivered, isCrossed }: Partial<WatchState> = {},
): AutomationNeed | undefined {
  const need = { level: 'broken', fix: ['Edit…', 'edit'] } as const;
  const stopped = stopReasonOf(watch, workspace);
  if (watch.paused !== undefined) return undefined;
  if (stopped === 'project-limited') return { ...need, what: PAUSED_BY_TALLY };
  const isTold =
    stopped === 'not-connected' ||
    (problem !== undefined && workspace.failures.has(projectKey(watch.projects[0])));
  if (isTold || isPaused) return { ...need, what: PAUSED_BY_TALLY, isTold };
  if (problem !== undefined || undelivered !== undefined) return { ...need, what: 'with a problem' };
  return isCrossed ? { level: 'news', what: 'past the threshold' } : undefined;
}

const alertActions = (kind: WatchKind, services: WatchServices): Readonly<Record<string, ActionHandler>> => ({
  'watch-acknowledge': onClick('ask', { changes: true }, (value, request) =>
    acknowledge(kind, value, request, services),
  ),
  'watch-more': {
    right: 'member',
    needs: (value) => (OF_COMMANDS.test(value) ? {} : { changes: true }),
    async run({ value }, request, rerun) {
      const [, what, id = ''] = OF_COMMANDS.exec(value) ?? [];
      if (what === undefined) return snooze(kind, value, request, services);
      // The alert stays, and the command's answer is a new message below it.
      const words = what === 'threshold' ? `edit ${id}` : '';
      await rerun(toCommand('/billing watches', words), { replaces: false });
    },
  },
});

/** Matches a choice in an alert's menu that runs a command: `threshold abcd1234` */
const OF_COMMANDS = /^(manage|threshold) (\S+)/;

/** @param value `<watch> <alert>` @throws not-allowed if the person may not ask about the project in this channel */
async function acknowledge(
  kind: WatchKind,
  value: string,
  request: Request,
  { watching, audit }: WatchServices,
): Promise<void> {
  const [id = '', alert = ''] = value.split(' ');
  const watch = kind.find(request.workspace, id);
  if (watch === undefined) return say(deletedText(kind), request);
  if (!canReadAutomation(watch, request)) throw new Failure('not-allowed', { reason: 'channel' });
  const { user, at } = request;
  const outcome = await watching.respond(user.teamId, id, alert, { acknowledged: { by: user.id, at } });
  if (outcome === 'gone') return say('This alert is too old to change.', request);
  if (outcome === 'repeated') return;
  const about = watchAuditText(watch, request.workspace);
  await audit.record(user.teamId, { at, who: user.id, action: 'acknowledged an alert:', about });
}

const SNOOZES: Readonly<Record<string, (at: Millis, zone: Zone) => Millis>> = {
  day: (at) => at + DAY,
  week: (at) => at + 7 * DAY,
  month: (at, zone) => startOfDay(addDays(endOfUnit('month', dayAt(at, zone)), 1), zone),
};

/** @param value `<length> <watch> <alert>` @throws not-allowed for people other than the watch's owner and managers */
async function snooze(
  kind: WatchKind,
  value: string,
  request: Request,
  { watching }: WatchServices,
): Promise<void> {
  const { user, workspace, at } = request;
  const [choice = '', id = '', alert = ''] = value.split(' ');
  if (requireAutomation(kind, id, request) === undefined) return say(deletedText(kind), request);
  const until = lookUp(SNOOZES, choice)?.(at, requireSettings(workspace).zone);
  if (until === undefined) return;
  await changeAutomation(kind, id, request, 'snoozed', (watch) =>
    // The second press of a double click would end the snooze less than a minute later.
    Math.abs((watch.snoozedUntil ?? 0) - until) < MINUTE
      ? undefined
      : { save: { ...watch, snoozedUntil: until } },
  );
  await watching.respond(user.teamId, id, alert, { snoozed: { by: user.id, at, until } });
}

/** In a direct message, `update` would replace the alert, so the answer is a new message. */
const say = (text: string, request: Request): Promise<void> => request.reply.private(markupMessage(text));
