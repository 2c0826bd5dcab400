/**
 * The decisions for each kind of message: when a message is due, what it says, and what follows. `send.ts` sends it.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { BillingClient } from '../../billing/client.ts';
import type { SlashCommand } from '../../domain/command-names.ts';
import type { StoredFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { OnFinished } from '../../ops/work-record.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Message as SlackMessage } from '../../slack/block-kit/blocks.ts';
import { askedText } from '../../slack/commands/asked-projects.ts';
import type { UserDirectory } from '../../slack/request/users.ts';
import type { WebClient } from '../../slack/web-client.ts';
import { type ChosenProject, findNamed } from '../../workspace/projects/project-ref.ts';
import type { ProjectScope } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { AnswerCollector, AnswerStore } from '../../workspace/save-service-status.ts';
import type { ThreadQuestion, ThreadStore } from '../../workspace/thread-store.ts';
import type {
  DeliveryLog,
  DeliveryLogSnapshot,
  FieldWrite,
  MessageFormat,
  OutboxMessage,
} from '../delivery-log.ts';
import type { FailureEffect } from './retry-policy.ts';

export interface MessageKind<About = unknown> extends MessageFormat<About> {
  plan(view: RunView): Plan;
  /** When to send or update a stored message; undefined for not now. The default is `dueTime`. */
  dueAt?(message: OutboxMessage<About>, view: RunView): Millis | undefined;
  /** @returns a draft, or the new state if there is nothing to send @throws Failure */
  prepare(message: OutboxMessage<About>, context: DeliveryContext): Promise<Draft<About> | Transition<About>>;
  /** Follow-ups in the message's thread refer to this question. */
  questionOf?(message: OutboxMessage<About>, context: DeliveryContext): AskedQuestion | undefined;
  /** When to update a posted message. */
  nextUpdate?(message: OutboxMessage<About>, context: DeliveryContext): Millis | undefined;
  /**
   * Called if the recipient may not see the message. By default the next responsible person gets a personal message,
   * and a channel's message fails. @returns undefined for the default
   */
  onRefused?(
    message: OutboxMessage<About>,
    refusal: Refusal,
    context: DeliveryContext,
  ): Transition<About> | undefined;
  /** @param after the record to store; its state is `failed` if Tally gives up */
  onFailed?(after: OutboxMessage<About>, effect: FailureEffect, context: DeliveryContext): Transition<About>;
}

export interface Plan {
  readonly writes?: readonly FieldWrite[];
  /** Runs before any message is sent. @throws OvertakenError, store-unavailable */
  readonly task?: ((context: DeliveryContext) => Promise<void>) | undefined;
  /** When to plan again, apart from the stored messages' own times; undefined for never. */
  readonly next?: Millis | undefined;
}

export interface Draft<About> {
  /** The projects that the message names. The recipient must be allowed to see them. */
  readonly projects: readonly ChosenProject[];
  /** Called right before sending. */
  render(at: Millis, recipient: Recipient): SlackMessage;
  /** Absent if unchanged. */
  readonly about?: About;
  /** After the last update, the record of a posted message is deleted. */
  readonly isLast?: boolean;
  /** A field of the workspace's record. If it changes before sending, nothing is sent. */
  readonly restsOn?: string;
}

/** A channel or person that gets a message, and what they may see now. */
export interface Recipient {
  /** Loaded when the recipient was checked, so newer than the run's. */
  readonly workspace: Workspace;
  /** `isUnlimited` if only a manager reads the message. */
  readonly scope: ProjectScope;
  /** The person may get no message any more, as after becoming a guest. */
  readonly isGone: boolean;
}

export interface Refusal {
  readonly cause: StoredFailure;
  readonly isGone: boolean;
}

/** A message's new state, if nothing is sent. `outcome` appears in logs and metrics. */
export interface Transition<About> {
  readonly outcome: 'skipped' | 'waiting' | 'retrying' | 'paused' | 'refused' | 'failed' | 'changed';
  readonly message: OutboxMessage<About> | undefined;
}

export type AskedQuestion = Omit<ThreadQuestion, 'at'>;

/** @param words the period and comparison @returns undefined if no single command can ask about all these projects */
export function askAbout(
  command: SlashCommand,
  projects: readonly ChosenProject[],
  words: string,
  workspace: Workspace,
): AskedQuestion | undefined {
  const named = projects.map((project) => findNamed(project, workspace));
  const products = new Set(named.includes(undefined) ? projects.map(({ product }) => product) : []);
  const [product, ...others] = products;
  if (projects.length === 0 || others.length > 0) return undefined;
  const word = projects.map(({ id }, at) => named[at]?.alias ?? id).join(',');
  const ids = named.flatMap((project) => (project ? [[project.alias, project.id]] : []));
  return { command, text: askedText({ word, product }, words), ids: Object.fromEntries(ids) };
}

/** Never rejects, because the message is already sent. */
export async function rememberQuestion(
  question: AskedQuestion | undefined,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  { teamId, clock, threads, log }: Pick<DeliveryContext, 'teamId' | 'clock' | 'threads' | 'log'>,
): Promise<void> {
  if (question === undefined) return;
  const place = { workspace: teamId, channel, thread: ts };
  await threads
    .remember(place, { ...question, at: Math.floor(clock()) }, 'everybody')
    .catch((err: unknown) =>
      log.warn({ err, workspace: teamId }, 'Could not store what follow-ups below a message refer to'),
    );
}

export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

const SET_UP = [FIELDS.installation, FIELDS.settings, FIELDS.connection, FIELDS.project];

/**
 * A hash that changes with the setup. After such a change a paused post may work, and a watch may find something else.
 */
export const hashSetup = ({ fields }: Workspace, kind: 'schedule' | 'watch'): string =>
  hashOf(
    Object.entries(fields).filter(([name]) =>
      [...SET_UP, FIELDS[kind]].some((prefix) => name.startsWith(prefix)),
    ),
  );

/** A workspace's record and delivery log, read at the start of a pass. */
export interface RunView {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

export interface RunServices {
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  readonly billing: BillingClient;
  /** @throws not-installed, unseal-failed, store-unavailable */
  readonly clientFor: (workspace: SlackId) => Promise<WebClient>;
  readonly users: UserDirectory;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly onFinished: OnFinished;
  readonly answerStore: AnswerStore;
  readonly threads: Pick<ThreadStore, 'remember'>;
}

export interface DeliveryContext extends RunServices, RunView {
  readonly teamId: SlackId;
  readonly answerCollector: AnswerCollector;
  readonly stopping: AbortSignal;
  /** True if the process is stopping or Slack limits the rate: start no new work. */
  isEnding(): boolean;
  /** Ends the run until Slack's rate limit is over. */
  backOff(until: Millis): void;
  /** Loads the record again. @throws store-unavailable */
  loadWorkspace(): Promise<Workspace>;
  /** @throws not-installed, unseal-failed, store-unavailable */
  client(): Promise<WebClient>;
  /** Slack allows about one message a second in a channel. */
  waitForChannel(channel: SlackId): Promise<void>;
}
