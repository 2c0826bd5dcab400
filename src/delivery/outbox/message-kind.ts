/** What each kind of message provides: which are due, their content, and what follows. Sending is in `send.ts`. */
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
  /** New messages and other work that is due. */
  plan(view: RunView): Plan;
  /** When to send or update a stored message; undefined for not now. Default: what its record says. */
  dueAt?(message: OutboxMessage<About>, view: RunView): Millis | undefined;
  /**
   * The current content, for a new message or an update. @returns a draft, or the new state if nothing is to be sent @throws
   * Failure
   */
  prepare(message: OutboxMessage<About>, context: DeliveryContext): Promise<Draft<About> | Transition<About>>;
  /** The question that follow-ups in its thread refer to. */
  questionOf?(message: OutboxMessage<About>, context: DeliveryContext): AskedQuestion | undefined;
  /** When to update it in Slack once it is posted. */
  nextUpdate?(message: OutboxMessage<About>, context: DeliveryContext): Millis | undefined;
  /**
   * The recipient may not see it. Default: pass a personal message to the next responsible person, fail a channel message.
   * @returns undefined for the default
   */
  onRefused?(
    message: OutboxMessage<About>,
    refusal: Refusal,
    context: DeliveryContext,
  ): Transition<About> | undefined;
  /** Preparing or sending failed. @param after the record to store; `failed` if giving up */
  onFailed?(after: OutboxMessage<About>, effect: FailureEffect, context: DeliveryContext): Transition<About>;
}

/** A kind's work besides the stored messages. */
export interface Plan {
  /** New messages, and what is no longer needed. */
  readonly writes?: readonly FieldWrite[];
  /** Done before any message is sent. @throws OvertakenError, store-unavailable */
  readonly task?: ((context: DeliveryContext) => Promise<void>) | undefined;
  /** Next time there is work besides the stored messages; undefined for never. */
  readonly next?: Millis | undefined;
}

export interface Draft<About> {
  /** Projects it names or shows figures of; the recipient must be allowed to see them. */
  readonly projects: readonly ChosenProject[];
  /** Called right before sending. @param at ms since the epoch */
  render(at: Millis, recipient: Recipient): SlackMessage;
  /** Content data to store with the claim. */
  readonly about?: About;
  /** The last update: after it, the record of a posted message is deleted. */
  readonly isLast?: boolean;
  /** A record field the content depends on. If it has changed, the message isn't sent. */
  readonly restsOn?: string;
}

/** A channel or person and what they may see now. */
export interface Recipient {
  /** The record this was decided from. */
  readonly workspace: Workspace;
  /** Which projects can be shown; `isUnlimited` if only a manager reads it. */
  readonly scope: ProjectScope;
  /** A person who can no longer get it, such as a former full member. */
  readonly isGone: boolean;
}

export interface Refusal {
  readonly cause: StoredFailure;
  /** The person has left, so someone else gets it. */
  readonly isGone: boolean;
}

/** A new state without sending. `outcome` appears in logs and metrics. */
export interface Transition<About> {
  readonly outcome: 'skipped' | 'waiting' | 'retrying' | 'paused' | 'refused' | 'failed' | 'changed';
  readonly message: OutboxMessage<About> | undefined;
}

/** The question that a message answers, for follow-ups. */
export type AskedQuestion = Omit<ThreadQuestion, 'at'>;

/**
 * @param words period and comparison @returns undefined if no single command covers all projects: unnamed projects with
 * different products
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

/** Stores what follow-ups below a message refer to. Never rejects, because the message is sent. */
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

/** Setup that posts and watches depend on. */
const SET_UP = [FIELDS.installation, FIELDS.settings, FIELDS.connection, FIELDS.project];

/** Changes when people change the setup: a paused post may work again, a watch may find something else. */
export const hashSetup = ({ fields }: Workspace, kind: 'schedule' | 'watch'): string =>
  hashOf(
    Object.entries(fields).filter(([name]) =>
      [...SET_UP, FIELDS[kind]].some((prefix) => name.startsWith(prefix)),
    ),
  );

/** A workspace's record and log as read by a run. */
export interface RunView {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

/** Services of every run. */
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

/** One pass: what was read, and services. */
export interface DeliveryContext extends RunServices, RunView {
  readonly teamId: SlackId;
  readonly answerCollector: AnswerCollector;
  readonly stopping: AbortSignal;
  /** Start no new work: the process is stopping, or Slack rate-limits. */
  isEnding(): boolean;
  /** Ends the run: Slack rate-limits this workspace until then. */
  backOff(until: Millis): void;
  /** Loads the current record. @throws store-unavailable */
  loadWorkspace(): Promise<Workspace>;
  /** The workspace's client. @throws not-installed, unseal-failed */
  client(): Promise<WebClient>;
  /** Waits until a second has passed since the last message to this channel. */
  waitForChannel(channel: SlackId): Promise<void>;
}
