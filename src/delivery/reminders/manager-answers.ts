import { isFailure } from '../../domain/failure/index.ts';
import { answerMessage, requestMessage } from '../../slack/commands/manager-request.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import {
  ANSWER_STATE,
  type ManagerRequest,
  managerRequestSchema,
  REQUEST_LIFETIME,
} from '../../workspace/short-lived/manager-requests.ts';
import { type DeliveryContext, openState } from '../delivery-run.ts';
import { storedMessageSchema } from '../log/delivery-log-entry.ts';
import { sendMessage } from '../outbox/send-message.ts';
import { sendsAt, splitByTime, withSendState } from '../outbox/send-state.ts';
import { editMessage } from '../outbox/update-message.ts';
import { type Job, taskEach } from '../workspace-runner.ts';

/** What a manager answered, on its way to the person who asked. */
const schema = storedMessageSchema.extend({ request: managerRequestSchema });

/** Tells people what managers answered, and redraws their request where the managers have it. */
export const requestAnswersJob: Job = {
  plan(_, snapshot, now) {
    const answers = snapshot
      .statesOf(ANSWER_STATE)
      .map(([name, json]) => ({ name, answer: tryParseRecord(schema, json) }));
    const sends = answers.map(({ name, answer }) => ({ what: name, at: answer && sendsAt(answer) }));
    const { due, next } = splitByTime(sends, snapshot, now);
    return {
      next,
      stale: answers.flatMap(({ name, answer }) =>
        answer === undefined || answer.request.at + REQUEST_LIFETIME <= now ? [name] : [],
      ),
      tasks: taskEach(due, sendAnswer),
    };
  },
};

/** @throws LeaseLostError, StoreUnavailable */
async function sendAnswer(name: string, context: DeliveryContext): Promise<void> {
  const document = openState(name, (json) => tryParseRecord(schema, json), context);
  const answer = document.value();
  if (answer === undefined) return;
  const { request, to, tries } = answer;
  const { state, answeredAt, isGuest } = request;
  if (answer.state === 'due' && tries === 0) await redraw(name, request, context);
  await sendMessage(
    {
      kind: 'answer',
      key: `${name}/${state}/${answeredAt}`,
      to,
      stored: answer,
      right: isGuest ? 'workspaceUser' : 'member',
      prepare: async () => ({ projects: [], render: () => ({ message: answerMessage(request) }) }),
      save: (change, step) =>
        document.update(
          // Unless a later answer has replaced this one.
          (now) =>
            now?.request.state === state && now.request.answeredAt === answeredAt
              ? withSendState(now, change(now))
              : now,
          step,
        ),
    },
    context,
  );
}

/** A message that can't be redrawn says so when its buttons are pressed. */
async function redraw(key: string, request: ManagerRequest, context: DeliveryContext): Promise<void> {
  for (const { to, ...posted } of request.messages)
    try {
      const render = () => requestMessage(request, context.workspace);
      const projects = request.project === undefined ? [] : [request.project];
      await editMessage({ key, to, projects, posted, render }, context);
    } catch (error) {
      if (!isFailure(error)) throw error;
    }
}
