import { readMessage } from '../incoming.ts';
import { messageOf } from '../payloads.ts';
import type { Stored } from '../workspace.ts';
import {
  explained,
  type Method,
  type MethodContext,
  Refusal,
  textArgument,
  visiblePlace,
  writablePlace,
} from './method.ts';

function readOrRefuse(...given: Parameters<typeof readMessage>) {
  const read = readMessage(...given);
  if (!read.ok) throw new Refusal(read.error, explained(read.problems));
  return read;
}

function ownMessage(context: MethodContext, channel: unknown, ts: unknown, otherwise: string): Stored {
  const place = visiblePlace(context, channel);
  const message = context.workspace.find(place.id, textArgument(ts));
  if (!message || message.ephemeral) throw new Refusal('message_not_found');
  if (message.from !== 'bot') throw new Refusal(otherwise);
  return message;
}

/** As an object, or as the text of one in a form. */
function metadataIn(given: unknown): object | undefined {
  try {
    const read: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    throw new Refusal('metadata_must_be_sent_as_json');
  }
}

export const chat: Record<string, Method> = {
  'chat.postMessage': {
    scope: 'chat:write',
    required: ['channel'],
    run(args, context) {
      const place = writablePlace(context, args.channel);
      const { text: words, blocks } = readOrRefuse(args);
      const threadTs = textArgument(args.thread_ts) || undefined;
      // A message that one person alone sees has no thread.
      if (threadTs !== undefined && context.workspace.find(place.id, threadTs)?.ephemeral)
        throw new Refusal('cannot_reply_to_message');
      const message = context.workspace.post({
        channel: place.id,
        from: 'bot',
        text: words,
        blocks,
        threadTs,
        // In a form as text; Slack ignores it without a thread.
        isBroadcast: threadTs !== undefined && String(args.reply_broadcast) === 'true',
        metadata: metadataIn(args.metadata),
      });
      return { ok: true, channel: place.id, ts: message.ts, message: messageOf(message) };
    },
  },
  'chat.postEphemeral': {
    scope: 'chat:write',
    required: ['channel', 'user'],
    run(args, context) {
      const place = writablePlace(context, args.channel);
      const viewer = textArgument(args.user);
      if (!place.members.includes(viewer)) throw new Refusal('user_not_in_channel');
      const { text: words, blocks } = readOrRefuse(args, context.refuse);
      const threadTs = textArgument(args.thread_ts) || undefined;
      const draft = { channel: place.id, from: 'bot', text: words, blocks, viewer, threadTs };
      return { ok: true, message_ts: context.workspace.post(draft).ts };
    },
  },
  'chat.update': {
    scope: 'chat:write',
    required: ['channel', 'ts'],
    run(args, context) {
      const message = ownMessage(context, args.channel, args.ts, 'cant_update_message');
      const read = readOrRefuse(args);
      context.workspace.edit(message, read);
      const { channel, ts } = message;
      return { ok: true, channel, ts, text: read.text, message: messageOf(message) };
    },
  },
  'chat.delete': {
    scope: 'chat:write',
    required: ['channel', 'ts'],
    run(args, context) {
      const message = ownMessage(context, args.channel, args.ts, 'cant_delete_message');
      context.workspace.remove(message);
      return { ok: true, channel: message.channel, ts: message.ts };
    },
  },
  'chat.getPermalink': {
    required: ['channel', 'message_ts'],
    run(args, context) {
      const place = visiblePlace(context, args.channel);
      const message = context.workspace.find(place.id, textArgument(args.message_ts));
      if (!message || message.ephemeral) throw new Refusal('message_not_found');
      const permalink = `${context.url()}/?channel=${place.id}#${message.ts}`;
      return { ok: true, channel: place.id, permalink };
    },
  },
};
