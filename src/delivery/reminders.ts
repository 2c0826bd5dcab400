import { FIELDS } from '../workspace/keys.ts';
import { type DeliveryContext, ScheduleChangedError } from './context.ts';
import { responsiblePeople } from './notify-owner.ts';
import { sendOutgoing, sendsAt } from './outgoing.ts';
import { findRefusal } from './recipients.ts';
import { dependentsOf, reminderNotice } from './reminder-blocks.ts';
import {
  type Credential,
  type DueReminder,
  parseReminderState,
  type ReminderMessage,
  type ReminderPlan,
  type ReminderState,
  type ReminderStep,
  reminderName,
} from './reminder-plan.ts';
import { openState, type StateDocument } from './state-document.ts';

/** Reminds people of credentials that expire or were rejected. @throws LeaseLostError, StoreUnavailable */
export async function runReminders({ due, sending }: ReminderPlan, context: DeliveryContext): Promise<void> {
  for (const one of due) if (!context.isOver()) await recordReminder(one, context);
  for (const credential of sending) if (!context.isOver()) await sendReminders(credential, context);
}

const documentOf = (credential: Credential, context: DeliveryContext): StateDocument<ReminderState> =>
  openState(
    reminderName(credential),
    context.logSnapshot.state(reminderName(credential)),
    (json) => stateFor(credential, json),
    context,
  );

/** What is stored about the credential that was replaced is over, messages that are still due as well. */
function stateFor({ id }: Credential, json: string | undefined): ReminderState {
  const stored = parseReminderState(json);
  return stored?.credential === id ? stored : { credential: id, told: [], messages: [] };
}

/** Records the reminder and its messages in one step, unless the credential was replaced since it was read. */
async function recordReminder(
  { credential, step, steps }: DueReminder,
  context: DeliveryContext,
): Promise<void> {
  const at = context.clock();
  const messages = recipientsOf(credential, step, context).map(
    (to): ReminderMessage => ({ step, to, state: 'due', at, tries: 0 }),
  );
  const field = FIELDS[credential.kind] + credential.name;
  const expected = { field, value: context.workspace.fields[field] ?? '' };
  try {
    await documentOf(credential, context).update(
      (state) => ({
        ...state,
        told: [...new Set([...state.told, ...steps])],
        // A reminder that did not go out in time says less than this one.
        messages: [...state.messages.filter((one) => one.state !== 'due'), ...messages],
      }),
      { needsLease: true, expected },
    );
  } catch (error) {
    if (!(error instanceof ScheduleChangedError)) throw error;
  }
}

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

/** A reminder of an application access names its project. */
const projectsNamed = ({ kind, name }: Credential, { workspace }: DeliveryContext) =>
  kind === 'access' ? workspace.projects.filter(({ id }) => id === name) : [];

async function sendReminders(credential: Credential, context: DeliveryContext): Promise<void> {
  const document = documentOf(credential, context);
  for (const message of document.value().messages) {
    const at = sendsAt(message);
    if (at === undefined || at > context.clock()) continue;
    if (context.isOver()) return;
    const { step, to } = message;
    const replace = (change: (one: ReminderMessage) => readonly ReminderMessage[], needsLease = true) =>
      document.update(
        (state) => ({
          ...state,
          messages: state.messages.flatMap((one) => (one.step === step && one.to === to ? change(one) : one)),
        }),
        { needsLease },
      );
    await sendOutgoing(
      {
        message,
        key: `${reminderName(credential)}/${credential.id}/${step}`,
        async refusal() {
          const found = await findRefusal('reminder', to, projectsNamed(credential, context), context);
          return found && { ...found, isGone: true };
        },
        content: (isAgain) =>
          reminderNotice({ credential, ...{ step, to, isAgain }, at: context.clock() }, context.workspace),
        save: (outgoing, needsLease) => replace(() => [{ ...outgoing, step }], needsLease),
        onRefused: async () => {
          const known = document.value().messages.map((one) => one.to);
          const next = responsiblePeople(context.workspace).find((person) => !known.includes(person));
          if (next === undefined) return false;
          const at = context.clock();
          await replace((one) => [
            { ...one, state: 'failed', at },
            { step, to: next, state: 'due', at, tries: 0 },
          ]);
          return true;
        },
      },
      context,
    );
  }
}
