import { messageOf } from '../payloads.ts';
import {
  type Arguments,
  type Method,
  type MethodContext,
  MethodError,
  textArgument,
  writableConversation,
} from './method.ts';

export const files: Record<string, Method> = {
  'files.getUploadURLExternal': {
    scope: 'files:write',
    required: ['filename', 'length'],
    run(args, context) {
      const { id, url } = context.files.expect(textArgument(args.filename));
      return { ok: true, upload_url: url, file_id: id };
    },
  },
  'files.completeUploadExternal': {
    scope: 'files:write',
    required: ['files', 'channel_id'],
    run(args, context) {
      const conversation = writableConversation(context, args.channel_id);
      const shared = requestedFiles(args).map(({ id, title }) => uploadedFile(context, id, title));
      const message = context.workspace.post({
        channel: conversation.id,
        from: 'bot',
        text: textArgument(args.initial_comment),
        threadTs: textArgument(args.thread_ts) || undefined,
        files: shared,
      });
      return { ok: true, files: shared.map(({ id, title }) => ({ id, title })), message: messageOf(message) };
    },
  },
};

function uploadedFile(context: MethodContext, id: string, title: string) {
  const file = context.files.shared(id, title);
  if (!file) throw new MethodError('file_not_found');
  return file;
}

function requestedFiles({ files: given }: Arguments): { id: string; title: string }[] {
  const list = parseList(given);
  if (!Array.isArray(list)) throw new MethodError('invalid_arguments');
  return list.map(({ id, title }: { id?: unknown; title?: unknown }) => ({
    id: textArgument(id),
    title: textArgument(title),
  }));
}

/** Forms carry lists as JSON text. */
function parseList(given: unknown): unknown {
  try {
    return typeof given === 'string' ? JSON.parse(given) : given;
  } catch {
    return undefined;
  }
}
