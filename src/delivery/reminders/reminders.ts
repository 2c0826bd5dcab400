import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { HOUR } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type DeliveryContext,
  openState,
  ScheduleChangedError,
  type StateDocument,
} from '../delivery-run.ts';
import { findRecipient, responsiblePeople } from '../outbox/check-recipient.ts';
import { classifyFailure } from '../outbox/failures.ts';
import { sendDueMessages } from '../outbox/send-message.ts';
import { newMessage, type OutboxMessage } from '../outbox/send-state.ts';
import { type Job, type Task, taskEach } from '../workspace-runner.ts';
import { dependentsOf, reminderNotice } from './reminder-blocks.ts';
import {
  type Credential,
  type DueReminder,
  parseReminderState,
  planReminders,
  type ReminderMessage,
  type ReminderPlan,
  type ReminderState,
  type ReminderStep,
  reminderName,
} from './reminder-plan.ts';

/** Reminds people of credentials that expire or were rejected. */
export const remindersJob: Job = {
  plan(workspace, snapshot, now) {
    const { next, stale, ...plan } = planReminders(workspace, snapshot, now);
    return { next, stale, tasks: reminderTasks(plan) };
  },
};

/** Tasks that record the reminders that are due, and send the recorded ones. */
const reminderTasks = ({ due, sending }: Pick<ReminderPlan, 'due' | 'sending'>): readonly Task[] => [
  ...taskEach(due, recordReminder),
  ...taskEach(sending, sendReminders),
];

/** Leaves out the state of a credential that was replaced, with its messages that are still due. */
function documentOf(credential: Credential, context: DeliveryContext): StateDocument<ReminderState> {
  const { id } = credential;
  const parse = (json: string | undefined): ReminderState => {
    const stored = parseReminderState(json);
    return stored?.credential === id ? stored : { credential: id, reminded: [], messages: [] };
  };
  return openState(reminderName(credential), parse, context);
}

/** Records the reminder and its messages in one step, unless the credential was replaced since it was read. */
async function recordReminder(
  { credential, step, steps }: DueReminder,
  context: DeliveryContext,
): Promise<void> {
  const admins = await adminsFor(credential, context);
  if (context.isOver()) return;
  const people = recipientsOf(credential, step, context);
  const messages = [...new Set([...people, ...admins])].map((person) =>
    reminderTo(person, step, !people.includes(person), context),
  );
  const field = FIELDS[credential.kind] + credential.name;
  const expected = { field, value: context.workspace.fields[field] ?? '' };
  try {
    await documentOf(credential, context).update(
      (state) => ({
        ...state,
        reminded: [...new Set([...state.reminded, ...steps])],
        // An earlier reminder that was not sent in time is dropped, because this one says more.
        messages: [...state.messages.filter((message) => message.state !== 'due'), ...messages],
      }),
      { needsLease: true, expected },
    );
  } catch (error) {
    if (!(error instanceof ScheduleChangedError)) throw error;
  }
}

const reminderTo = (
  to: string,
  step: ReminderStep,
  isForAdmin: boolean,
  { clock }: DeliveryContext,
): ReminderMessage => ({
  ...newMessage(to, clock()),
  step,
  ...(isForAdmin && { isForAdmin }),
});

/** The person who registered it and the named managers; for a rejected token also the owners of waiting watches. */
function recipientsOf(
  credential: Credential,
  step: ReminderStep,
  { workspace }: DeliveryContext,
): readonly string[] {
  const { managers } = workspace.settings;
  const owners =
    step === 'rejected' ? dependentsOf(credential, workspace).watches.map(({ owner }) => owner) : [];
  return [...new Set([credential.registeredBy, ...managers, ...owners])];
}

/**
 * The workspace's admins and owners, if the person who registered it no longer manages and no named manager is left.
 * None if Slack doesn't list them: somebody who can't get the message is replaced when it is sent.
 */
async function adminsFor({ registeredBy }: Credential, context: DeliveryContext): Promise<readonly string[]> {
  try {
    for (const person of new Set([registeredBy, ...context.workspace.settings.managers]))
      if ((await findRecipient(person, context)).scope.isUnlimited) return [];
    return await fetchAdmins(context);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const effect = classifyFailure(error);
    if (effect.kind === 'wait') await context.backOff(context.clock() + effect.for);
    return [];
  }
}

const fetchAdmins = async ({ users, client, teamId }: DeliveryContext): Promise<readonly string[]> =>
  users(await client(), teamId).admins();

const isSame = (a: ReminderMessage, b: ReminderMessage): boolean => a.step === b.step && a.to === b.to;

async function sendReminders(credential: Credential, context: DeliveryContext): Promise<void> {
  const document = documentOf(credential, context);
  const describe = (message: ReminderMessage): Omit<OutboxMessage, 'to' | 'stored' | 'save'> => {
    const { step, to, isForAdmin = false } = message;
    return {
      kind: 'reminder',
      key: `${reminderName(credential)}/${credential.id}/${step}`,
      prepare: async () => ({
        // A reminder of an application access names its project.
        projects: context.workspace.projects.filter(
          ({ id }) => credential.kind === 'access' && id === credential.name,
        ),
        render: ({ at }) => ({
          message: reminderNotice({ credential, step, to, isForAdmin, at }, context.workspace),
        }),
      }),
      async onRefused() {
        const at = context.clock();
        const others = await insteadOf(message, document.value(), context);
        if (others.length === 0) return false;
        const after =
          others === 'later'
            ? [{ ...message, state: 'due' as const, tries: message.tries + 1, next: at + LOOK_AGAIN }]
            : [{ ...message, state: 'failed' as const, at }, ...others];
        await document.update(
          (state) => ({
            ...state,
            messages: state.messages.flatMap((stored) => (isSame(stored, message) ? after : stored)),
          }),
          { needsLease: true },
        );
        return true;
      },
    };
  };
  await sendDueMessages(document, isSame, describe, context);
}

/** While Slack does not say who manages, it is asked again after this long (ms), and this often. */
const LOOK_AGAIN = HOUR;
const MAX_LOOKS = 72;

/** Who gets a reminder in place of a person who can't: the next manager or, if nobody else can be reached, the admins. */
async function insteadOf(
  { step, to, tries }: ReminderMessage,
  { messages }: ReminderState,
  context: DeliveryContext,
): Promise<readonly ReminderMessage[] | 'later'> {
  const same = messages.filter((message) => message.step === step);
  const isNew = (person: SlackId) => !same.some((message) => message.to === person);
  const next = responsiblePeople(context.workspace).find(isNew);
  if (next !== undefined) return [reminderTo(next, step, false, context)];
  if (same.some((message) => message.to !== to && message.state !== 'failed')) return [];
  try {
    const admins = await fetchAdmins(context);
    return admins.filter(isNew).map((person) => reminderTo(person, step, true, context));
  } catch (error) {
    if (!isFailure(error)) throw error;
    return tries < MAX_LOOKS ? 'later' : [];
  }
}
