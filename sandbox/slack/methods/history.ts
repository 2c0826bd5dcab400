import { messageOf } from '../payloads.ts';
import { type Method, Refusal } from './method.ts';
import { readable } from './reads.ts';

const PAGE = 100;

/** An ephemeral message is in nobody's history. */
export const history: Record<string, Method> = {
  'conversations.history': {
    required: ['channel'],
    run(args, context) {
      const place = readable(context, args.channel, 'history');
      if (!place.members.includes('bot')) throw new Refusal('not_in_channel');
      const all = context.workspace.messagesFor('', place.id).filter(({ threadTs }) => !threadTs);
      const newest = all.slice(-Number(args.limit ?? PAGE)).reverse();
      return { ok: true, messages: newest.map(messageOf), has_more: newest.length < all.length };
    },
  },
};
