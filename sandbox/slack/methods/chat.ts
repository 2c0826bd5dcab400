import { messageOf } from '../payloads.ts';
import { readMessage } from '../read-message.ts';
import type { StoredMessage } from '../workspace.ts';
import {
  type Method,
  type MethodContext,
  MethodError,
  textArgument,
  visibleConversation,
  withProblems,
  writableConversation,
} from './method.ts';

function parseMessage(...given: Parameters<typeof readMessage>) {
  const read = readMessage(...given);
  if (!read.ok) throw new MethodError(read.error, withProblems(read.problems));
  return read;
}

function botMessage(context: MethodContext, channel: unknown, ts: unknown, otherwise: string): StoredMessage {
  const conversation = visibleConversation(context, channel);
  const message = context.workspace.find(conversation.id, textArgument(ts));
  if (!message || message.ephemeral) throw new MethodError('message_not_found');
  if (message.from !== 'bot') throw new MethodError(otherwise);
  return message;
}

/** Forms carry metadata as JSON text. */
function parseMetadata(given: unknown): object | undefined {
  try {
    const read: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    throw new MethodError('metadata_must_be_sent_as_json');
  }
}

export const chat: Record<string, Method> = {
  'chat.postMessage': {
    scope: 'chat:write',
    required: ['channel'],
    run(args, context) {
      const conversation = writableConversation(context, args.channel);
      const { text: words, blocks } = parseMessage(args);
      const threadTs = textArgument(args.thread_ts) || undefined;
      // An ephemeral message has no thread.
      if (threadTs !== undefined && context.workspace.find(conversation.id, threadTs)?.ephemeral)
        throw new MethodError('cannot_reply_to_message');
      const message = context.workspace.post({
        channel: conversation.id,
        from: 'bot',
        text: words,
        blocks,
        threadTs,
        // A form has it as text. Slack ignores it without a thread.
        isBroadcast: threadTs !== undefined && String(args.reply_broadcast) === 'true',
        metadata: parseMetadata(args.metadata),
      });
      return { ok: true, channel: conversation.id, ts: message.ts, message: messageOf(message) };
    },
  },
  'chat.postEphemeral': {
    scope: 'chat:write',
    required: ['channel', 'user'],
    run(args, context) {
      const conversation = writableConversation(context, args.channel);
      const viewer = textArgument(args.user);
      if (!conversation.members.includes(viewer)) throw new MethodError('user_not_in_channel');
      const { text: words, blocks } = parseMessage(args, context.refuse);
      const threadTs = textArgument(args.thread_ts) || undefined;
      const draft = { channel: conversation.id, from: 'bot', text: words, blocks, viewer, threadTs };
      return { ok: true, message_ts: context.workspace.post(draft).ts };
    },
  },
  'chat.update': {
    scope: 'chat:write',
    required: ['channel', 'ts'],
    run(args, context) {
      const message = botMessage(context, args.channel, args.ts, 'cant_update_message');
      const read = parseMessage(args);
      context.workspace.edit(message, read);
      const { channel, ts } = message;
      return { ok: true, channel, ts, text: read.text, message: messageOf(message) };
    },
  },
  'chat.delete': {
    scope: 'chat:write',
    required: ['channel', 'ts'],
    run(args, context) {
      const message = botMessage(context, args.channel, args.ts, 'cant_delete_message');
      context.workspace.remove(message);
      return { ok: true, channel: message.channel, ts: message.ts };
    },
  },
  'chat.getPermalink': {
    required: ['channel', 'message_ts'],
    run(args, context) {
      const conversation = visibleConversation(context, args.channel);
      const message = context.workspace.find(conversation.id, textArgument(args.message_ts));
      if (!message || message.ephemeral) throw new MethodError('message_not_found');
      const permalink = `${context.url()}/?channel=${conversation.id}#${message.ts}`;
      return { ok: true, channel: conversation.id, permalink };
    },
  },
};
