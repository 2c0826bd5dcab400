/** Reminds people of billing tokens and application accesses that expire soon or were rejected. */
import * as z from 'zod';
import type { SlackId } from '../domain/slack-id.ts';
import { addDays, DAY, dayAt, earliest, instantOf, type Millis, type Zone } from '../domain/time/calendar.ts';
import { FIELDS } from '../redis/keys.ts';
import {
  actions,
  button,
  compact,
  context,
  escapeMarkup,
  joinTexts,
  type Message,
  markup,
} from '../slack/block-kit/blocks.ts';
import { describeToken, formatExpiry } from '../workspace/credentials/credential-records.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import { dropMessage, newMessage, type OutboxMessage, putMessage } from './delivery-log.ts';
import type { MessageKind, Plan } from './outbox/message-kind.ts';
import type { RunView } from './run-context.ts';

const REMINDER_DAYS = [14, 3, 1] as const;
const REMINDER_TIME = '09:00';
/** Nobody is reminded of a credential that expired longer ago than this. */
const TOO_LATE: Millis = 7 * DAY;

const about = z.object({
  kind: z.enum(['connection', 'access']),
  name: z.string(),
  id: z.string(),
  step: z.enum(['14', '3', '1', 'rejected']),
});
type ReminderAbout = Readonly<z.infer<typeof about>>;
type ReminderStep = ReminderAbout['step'];

interface Credential extends Pick<ReminderAbout, 'kind' | 'name'> {
  /** A new token or expiry date gives a new ID, so that reminders start again. */
  readonly id: string;
  readonly registeredBy: SlackId;
  readonly registeredAt: Millis;
  readonly expiresAt: Millis | undefined;
}

function credentialsOf({ connections, accesses }: Workspace): readonly Credential[] {
  const all = [
    ...[...connections.values()].map((of) => ({ kind: 'connection', mark: of.fingerprint, of }) as const),
    ...[...accesses.values()].map(
      (of) => ({ kind: 'access', mark: of.lastFour, of: { ...of, name: of.project } }) as const,
    ),
  ];
  return all.map(({ kind, mark, of: { name, registeredBy, registeredAt, lifetime, expiresAt } }) => {
    const expiry = lifetime === undefined && expiresAt !== undefined ? [expiresAt] : [];
    const id = [mark, registeredAt, ...expiry].join('-');
    return { kind, name, id, registeredBy, registeredAt, expiresAt };
  });
}

export const reminderKind: MessageKind<ReminderAbout> = {
  name: 'reminder',
  about,
  plan: planReminders,
  dueAt({ state, about }, { workspace, now }, planned) {
    const isOver = state === 'posted' && !isOpen(about, workspace);
    return planned ?? (isOver ? now : undefined);
  },
  async prepare(message, { workspace }) {
    const { kind, name, id, step } = message.about;
    const isOver = !isOpen(message.about, workspace);
    if (isOver && message.state === 'due') return { outcome: 'skipped', message: undefined };
    const credential = credentialsOf(workspace).find((other) => other.kind === kind && other.name === name);
    return {
      // An access's reminder names its project, so its reader must be allowed to see that project.
      projects: workspace.projects.filter((project) => kind === 'access' && project.id === name),
      isLast: isOver,
      restsOn: FIELDS[kind] + name,
      render: (at, { scope }) => {
        const over = credential && (credential.id === id ? 'works' : 'replaced');
        const state = isOver ? (over ?? 'removed') : 'open';
        const view = { kind, name, step, state, at, expiresAt: credential?.expiresAt } as const;
        return reminderNotice(view, workspace, scope.isUnlimited);
      },
    };
  },
};

/** Whether somebody still has to replace the credential. */
const isOpen = ({ kind, name, id, step }: ReminderAbout, workspace: Workspace): boolean =>
  credentialsOf(workspace).some(
    (credential) => credential.kind === kind && credential.name === name && credential.id === id,
  ) &&
  (step !== 'rejected' || workspace.rejectedAt({ kind, name }) !== undefined);

function planReminders(view: RunView): Plan {
  const { workspace, snapshot } = view;
  const known = snapshot.messagesOf(reminderKind);
  const each = credentialsOf(workspace).map((credential) => planReminder(credential, known, view));
  const isStale = ({ state, about }: OutboxMessage<ReminderAbout>) =>
    state === 'failed' && !isOpen(about, workspace);
  return {
    writes: [
      ...known.filter(isStale).map(dropMessage),
      ...each.flatMap(({ messages }) => messages).map(putMessage),
    ],
    next: earliest(...each.map(({ next }) => next)),
  };
}

/** Plans only the newest reminder that is due. Older reminders that weren't sent are dropped. */
function planReminder(
  credential: Credential,
  known: readonly OutboxMessage<ReminderAbout>[],
  { workspace, now }: RunView,
): { readonly messages: readonly OutboxMessage<ReminderAbout>[]; readonly next?: Millis | undefined } {
  const { kind, name, id, expiresAt = now } = credential;
  const steps = expirySteps(credential, workspace.settings.zone);
  const isRejected = workspace.rejectedAt(credential) !== undefined;
  const passed = now - expiresAt > TOO_LATE ? undefined : steps.findLast(({ at }) => at <= now)?.step;
  const step = isRejected ? 'rejected' : passed;
  const next = steps.find(({ at }) => at > now)?.at;
  if (step === undefined) return { messages: [], next };
  const prefix = `reminder/${kind}:${name}/${id}/${step}`;
  const messages = [...new Set([credential.registeredBy, ...workspace.settings.managers])]
    .filter((person) => !known.some(({ key }) => key === `${prefix}/${person}`))
    .map((person) => newMessage(`${prefix}/${person}`, person, { kind, name, id, step }, now));
  return { messages, next };
}

/** Earliest first, without reminders from before the credential was registered. */
function expirySteps({ expiresAt, registeredAt }: Credential, zone: Zone) {
  if (expiresAt === undefined) return [];
  return REMINDER_DAYS.flatMap((days) => {
    const at = instantOf(addDays(dayAt(expiresAt, zone), -days), REMINDER_TIME, zone);
    return at > registeredAt ? [{ step: String(days) as ReminderStep, at }] : [];
  });
}

export interface ReminderView extends Pick<ReminderAbout, 'kind' | 'name' | 'step'> {
  readonly state: 'open' | 'works' | 'replaced' | 'removed';
  readonly at: Millis;
  readonly expiresAt: Millis | undefined;
}

/** Once the credential is replaced or removed, or works again, the reminder says so. */
export function reminderNotice(view: ReminderView, workspace: Workspace, canReplace: boolean): Message {
  const title = titleOf(view, workspace);
  const isOpen = view.state === 'open';
  const lines = [
    `*${escapeMarkup(title)}*`,
    isOpen && consequenceOf(view),
    isOpen && !canReplace && 'Ask a Tally manager to replace it.',
  ];
  const details = detailsOf(view, workspace);
  return {
    text: title,
    blocks: compact([
      markup(joinTexts('\n', lines)),
      isOpen && canReplace && actions(replaceButton(view)),
      details !== '' && context(escapeMarkup(details)),
    ]),
  };
}

const replaceButton = ({ kind, name }: ReminderView) =>
  kind === 'connection'
    ? button('connect', 'Replace token…', { value: name, style: 'primary' })
    : button('access-form', 'Replace access…', { value: name, style: 'primary' });

const OVER = { works: 'works again', replaced: 'was replaced', removed: 'was removed' } as const;

function titleOf({ kind, name, step, state, at, expiresAt }: ReminderView, workspace: Workspace): string {
  const alias = workspace.projects.find(({ id }) => id === name)?.alias ?? `project ${name}`;
  const what =
    kind === 'connection' ? `access token for connection ${name}` : `application access for ${alias}`;
  if (state !== 'open') return `The ${what} ${OVER[state]}`;
  if (step === 'rejected')
    return `The ${kind === 'connection' ? 'billing' : 'identity'} service rejected the ${what}`;
  const expiry =
    expiresAt === undefined ? 'expires' : formatExpiry({ expiresAt }, at, workspace.settings.zone);
  return `The ${what} ${expiry}`;
}

function consequenceOf({ kind, step }: ReminderView): string {
  if (kind === 'access')
    return step === 'rejected'
      ? 'It may have expired or been revoked. Until it’s replaced, nobody can get an OS_TOKEN with it.'
      : 'After that, nobody can get an OS_TOKEN with it.';
  return step === 'rejected'
    ? 'It may have expired or been revoked. Posts and watches that need it resume when it’s replaced.'
    : 'After that, posts and watches that need it stop.';
}

function detailsOf({ kind, name }: ReminderView, workspace: Workspace): string {
  const connection = kind === 'connection' ? workspace.connections.get(name) : undefined;
  if (connection !== undefined) return describeToken(connection);
  const lastFour = workspace.accesses.get(name)?.lastFour.replaceAll('·', '');
  return lastFour === undefined ? '' : `access ending ${lastFour} · project ${name}`;
}
