/** Parses a message that the bot sends, and rejects what Slack would. */
import { flattened, problemsOfBlocks } from './blocks.ts';
import { LIMITS } from './limits.ts';

/** Block types that are rejected in ephemeral messages, acknowledgements and `response_url`s. */
export type RefusedBlockTypes = ReadonlySet<string>;

export type ReadMessage =
  | { ok: true; text: string; blocks?: object[] }
  | {
      ok: false;
      error: 'no_text' | 'msg_too_long' | 'invalid_blocks' | 'invalid_blocks_format';
      problems: string[];
    };

/** @param refused block types to reject, in addition to Block Kit's rules */
export function readMessage(
  message: Record<string, unknown>,
  refused: RefusedBlockTypes = new Set(),
): ReadMessage {
  const text = typeof message.text === 'string' ? message.text : '';
  const blocks = parsed(message.blocks);
  if (blocks === undefined) return { ok: false, error: 'invalid_blocks_format', problems: [] };
  if (text === '' && blocks.length === 0) return { ok: false, error: 'no_text', problems: [] };
  if (text.length > LIMITS.message.text) return { ok: false, error: 'msg_too_long', problems: [] };
  const invalid = problemsOfBlocks(blocks, 'message');
  const problems = invalid.length > 0 ? invalid : problemsOfRefusedTypes(blocks, refused);
  if (problems.length > 0) return { ok: false, error: 'invalid_blocks', problems };
  return { ok: true, text, ...(blocks.length > 0 && { blocks }) };
}

/** Forms carry blocks as JSON text. Returns an empty list for no blocks, undefined for invalid ones. */
function parsed(given: unknown): object[] | undefined {
  if (given === undefined || given === null || given === '') return [];
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function problemsOfRefusedTypes(blocks: readonly object[], refused: RefusedBlockTypes): string[] {
  return blocks.flatMap((block, i) => {
    const found = flattened([block]).find(({ type }) => refused.has(String(type)));
    return found ? [`block type ${String(found.type)} not allowed here [json-pointer:/blocks/${i}]`] : [];
  });
}
