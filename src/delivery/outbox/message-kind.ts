/** What each kind of message adds to the outbox. */
import type * as z from 'zod';
import type { SlashCommand } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Message as SlackMessage } from '../../slack/block-kit/blocks.ts';
import { askedText } from '../../slack/commands/project-answers.ts';
import { type ChosenProject, referenceTo } from '../../workspace/projects/chosen-project.ts';
import { resolveProject, UNLIMITED } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ThreadPlace, ThreadQuestion } from '../../workspace/thread-store.ts';
import type { DeliveryContext, RunView } from '../context.ts';
import type { DeliveryLogSnapshot, WriteConditions } from '../delivery-log.ts';
import type { FailureEffect } from './failure-effect.ts';
import { type MessageKindName, messageKindOf, type OutboxMessage } from './message.ts';
import type { Recipient, Refusal } from './recipient.ts';

/** What a kind of message does. Nothing of it sends: the outbox does. */
export interface MessageKind<About> {
  readonly name: MessageKindName;
  readonly about: z.ZodType<About>;
  /** When it is sent, or drawn again, in ms; undefined for not as things are. By default as its record says. */
  readonly dueAt?: (message: OutboxMessage<About>, view: RunView) => Millis | undefined;
  /**
   * What the message says now: to be sent, or once it is `posted`, to stand in its place.
   * @returns a draft, or how the record goes on without sending @throws Failure
   */
  prepare(message: OutboxMessage<About>, context: DeliveryContext): Promise<Draft<About> | Step<About>>;
  /** What follow-ups in its thread refer to once Slack has it. */
  readonly topic?: (message: OutboxMessage<About>, context: DeliveryContext) => MessageTopic | undefined;
  /** Written in the same step as that Slack has it, for the first time or with a new content. */
  readonly afterSent?: (
    message: OutboxMessage<About>,
    context: DeliveryContext,
  ) => WriteConditions & {
    /** The record after it; `next` says when it is drawn again. */
    readonly message?: OutboxMessage<About>;
  };
  /**
   * Its recipient may not see it. By default a message to a person goes to the next responsible person, one to a
   * channel has failed. @returns undefined for the default
   */
  readonly onRefused?: (
    message: OutboxMessage<About>,
    refusal: Refusal,
    context: DeliveryContext,
  ) => Step<About> | undefined;
  /** It could not be made or sent. @param after the record that the outbox would store, `failed` if it gives up */
  readonly onFailed?: (
    after: OutboxMessage<About>,
    effect: FailureEffect,
    context: DeliveryContext,
  ) => Step<About>;
}

/** A message that could go out now. */
export interface Draft<About> {
  /** The projects that it names or has figures of: its recipient must be allowed to see them. */
  readonly projects: readonly ChosenProject[];
  /** In the moment before it goes out. @param at ms since the epoch */
  render(at: Millis, recipient: Recipient): SlackMessage;
  /** Stored with the claim: what the message shows. */
  readonly about?: About;
  /** A field of the workspace's record: if it has changed since that was read, the message isn't sent. */
  readonly restsOn?: string;
}

/** How a record goes on without its message being sent, for log and metrics in a word. */
export interface Step<About> extends WriteConditions {
  readonly outcome: 'skipped' | 'waiting' | 'retrying' | 'paused' | 'refused' | 'failed' | 'changed';
  /** Undefined deletes the record. */
  readonly message: OutboxMessage<About> | undefined;
}

/** For a job's `kinds`: each message is read by the schema of its own kind, so its type is known there. */
export const anyKind = <About>(kind: MessageKind<About>): MessageKind<unknown> =>
  kind as MessageKind<unknown>;

/** Each message is parsed once, however many ask for it. */
const parsed = new WeakMap<OutboxMessage, OutboxMessage | undefined>();

/** The messages of a kind, with what they are about; those whose record is damaged are left out. */
export const messagesOf = <About>(
  { name, about }: Pick<MessageKind<About>, 'name' | 'about'>,
  { messages }: Pick<DeliveryLogSnapshot, 'messages'>,
): readonly OutboxMessage<About>[] =>
  messages.flatMap((message) => {
    if (messageKindOf(message) !== name) return [];
    if (!parsed.has(message)) {
      const { data, success } = about.safeParse(message.about);
      parsed.set(message, success ? { ...message, about: data } : undefined);
    }
    return (parsed.get(message) as OutboxMessage<About> | undefined) ?? [];
  });

/** The question that a message answers. */
export interface MessageTopic {
  readonly command: SlashCommand;
  /** The projects that the message shows. */
  readonly projects: readonly ChosenProject[];
  /** Its period in canonical words, if it has one, and what that is compared with. */
  readonly days?: string;
}

/**
 * What is remembered in a message's thread, so that “why?” is enough there. Never throws: the message is sent
 * already, and without this a follow-up only has to name its project.
 */
export function threadQuestions(
  topic: MessageTopic,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  { workspace, clock, log }: Pick<DeliveryContext, 'workspace' | 'clock' | 'log'>,
): readonly (readonly [ThreadPlace, ThreadQuestion])[] {
  try {
    const question = questionOf(topic, workspace);
    if (question === undefined) return [];
    const place = { workspace: workspace.teamId, channel, thread: ts };
    return [[place, { at: Math.floor(clock()), ...question }]];
  } catch (err) {
    log.warn({ err, workspace: workspace.teamId }, 'Could not remember a message for follow-ups');
    return [];
  }
}

/** @returns undefined if no single command asks about all of them: they have several products, or one has no name */
function questionOf(
  { command, days = '', projects }: MessageTopic,
  workspace: Workspace,
): Omit<ThreadQuestion, 'at'> | undefined {
  const references = projects.map((project) => referenceTo(project, workspace));
  const words = references.map(({ alias, project }) => alias ?? project);
  const isUsual = references.every(
    ({ product, ...named }) => resolveProject(named, workspace, UNLIMITED).product === product,
  );
  const [product, ...others] = isUsual ? [] : new Set(projects.map((project) => project.product));
  if (words.length === 0 || others.length > 0) return undefined;
  const ids = references.flatMap(({ alias }, at) =>
    alias === undefined ? [] : [[alias, projects[at]?.id ?? '']],
  );
  return { command, text: askedText({ word: words.join(','), product }, days), ids: Object.fromEntries(ids) };
}
