/** What each kind of message decides: when one is due, what it says, and what follows. `send.ts` does the sending. */
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
  /** Finds new messages and other work that is due. */
  plan(view: RunView): Plan;
  /** When to send or update a stored message; undefined for not now. By default, its record decides. */
  dueAt?(message: OutboxMessage<About>, view: RunView): Millis | undefined;
  /**
   * Makes the content of a new message or of an update. @returns a draft, or the new state if nothing is to be sent
   * @throws Failure
   */
  prepare(message: OutboxMessage<About>, context: DeliveryContext): Promise<Draft<About> | Transition<About>>;
  /** The question that the message answers. Follow-ups in its thread refer to that question. */
  questionOf?(message: OutboxMessage<About>, context: DeliveryContext): AskedQuestion | undefined;
  /** When to update the message in Slack once it is posted. */
  nextUpdate?(message: OutboxMessage<About>, context: DeliveryContext): Millis | undefined;
  /**
   * Called if the recipient may not see the message. By default a personal message goes to the next responsible person,
   * and a channel's fails. @returns undefined for the default
   */
  onRefused?(
    message: OutboxMessage<About>,
    refusal: Refusal,
    context: DeliveryContext,
  ): Transition<About> | undefined;
  /** Called when the message couldn't be made or sent. @param after the record to store; `failed` if Tally gives up */
  onFailed?(after: OutboxMessage<About>, effect: FailureEffect, context: DeliveryContext): Transition<About>;
}

/** What a kind of message has to do apart from sending the stored messages. */
export interface Plan {
  /** Adds new messages to the log, and deletes those no longer needed. */
  readonly writes?: readonly FieldWrite[];
  /** Runs before any message is sent. @throws OvertakenError, store-unavailable */
  readonly task?: ((context: DeliveryContext) => Promise<void>) | undefined;
  /** When this kind next has something to do apart from the stored messages; undefined for never. */
  readonly next?: Millis | undefined;
}

export interface Draft<About> {
  /** The projects that the message names or shows figures of. The recipient must be allowed to see them. */
  readonly projects: readonly ChosenProject[];
  /** Renders the message right before it is sent. @param at ms since the epoch */
  render(at: Millis, recipient: Recipient): SlackMessage;
  /** What the message is about, stored before it is sent; absent if unchanged. */
  readonly about?: About;
  /** Whether this is the last update: after it, the record of a posted message is deleted. */
  readonly isLast?: boolean;
  /** A field of the workspace's record that the message depends on. If it has changed, nothing is sent. */
  readonly restsOn?: string;
}

/** A channel or person that gets a message, and what they may see now. */
export interface Recipient {
  /** The workspace's record, as it was when this recipient was checked. */
  readonly workspace: Workspace;
  /** Which projects the recipient may see; `isUnlimited` if only a manager reads the message. */
  readonly scope: ProjectScope;
  /** Whether this is a person who can no longer get the message, such as a former full member. */
  readonly isGone: boolean;
}

export interface Refusal {
  readonly cause: StoredFailure;
  /** Whether the person can no longer get the message, so that someone else does. */
  readonly isGone: boolean;
}

/** A message's new state without sending it. `outcome` appears in logs and metrics. */
export interface Transition<About> {
  readonly outcome: 'skipped' | 'waiting' | 'retrying' | 'paused' | 'refused' | 'failed' | 'changed';
  readonly message: OutboxMessage<About> | undefined;
}

/** The question that a message answers. Follow-ups in its thread refer to that question. */
export type AskedQuestion = Omit<ThreadQuestion, 'at'>;

/**
 * @param words the period and comparison @returns undefined if no single command asks about all projects, because
 * unnamed ones have different products
 */
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

/** Stores which question a message answered, for follow-ups. Never rejects, because the message is already sent. */
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

/** The fields of the workspace's record that posts and watches depend on. */
const SET_UP = [FIELDS.installation, FIELDS.settings, FIELDS.connection, FIELDS.project];

/** A hash that changes with the setup. Then a paused post may work again, and a watch may find something else. */
export const hashSetup = ({ fields }: Workspace, kind: 'schedule' | 'watch'): string =>
  hashOf(
    Object.entries(fields).filter(([name]) =>
      [...SET_UP, FIELDS[kind]].some((prefix) => name.startsWith(prefix)),
    ),
  );

/** A workspace's record and delivery log as a run read them. */
export interface RunView {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

/** What every run uses, whichever workspace it is for. */
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

/** What one pass of a run read, and what it uses. */
export interface DeliveryContext extends RunServices, RunView {
  readonly teamId: SlackId;
  readonly answerCollector: AnswerCollector;
  readonly stopping: AbortSignal;
  /** Whether to start no new work, because the process is stopping or Slack limits the rate. */
  isEnding(): boolean;
  /** Ends the run because Slack limits this workspace's rate until the given time. */
  backOff(until: Millis): void;
  /** Loads the workspace's record as it is now. @throws store-unavailable */
  loadWorkspace(): Promise<Workspace>;
  /** Slack's API for this workspace. @throws not-installed, unseal-failed */
  client(): Promise<WebClient>;
  /** Waits until about a second has passed since the last message to this channel. */
  waitForChannel(channel: SlackId): Promise<void>;
}
