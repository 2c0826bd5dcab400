import { messageOf } from '../payloads.ts';
import { type Method, MethodError } from './method.ts';
import { readableConversation } from './reads.ts';

const PAGE = 100;

/** Without ephemeral messages. */
export const history: Record<string, Method> = {
  'conversations.history': {
    required: ['channel'],
    run(args, context) {
      const conversation = readableConversation(context, args.channel, 'history');
      if (!conversation.members.includes('bot')) throw new MethodError('not_in_channel');
      const [oldest, latest] = [Number(args.oldest ?? 0), Number(args.latest ?? Number.POSITIVE_INFINITY)];
      const all = context.workspace
        .messagesFor('', conversation.id)
        .filter(({ threadTs, ts }) => !threadTs && Number(ts) > oldest && Number(ts) < latest);
      const newest = all.slice(-Number(args.limit ?? PAGE)).reverse();
      const isMarked = String(args.include_all_metadata) === 'true';
      const messages = newest.map((message) => ({
        ...messageOf(message),
        ...(isMarked && message.metadata && { metadata: message.metadata }),
      }));
      return { ok: true, messages, has_more: newest.length < all.length };
    },
  },
};
