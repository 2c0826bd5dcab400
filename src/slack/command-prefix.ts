/** Renames commands whose names another app uses: with COMMAND_PREFIX=acme, `/spend` becomes `/acme-spend`. */
import type { SlashCommand } from '../domain/command-names.ts';
import { clipText, SLACK_LIMITS } from './block-kit/blocks.ts';

export type CommandNames = ReturnType<typeof createCommandNames>;

/**
 * Button values, records and rendered text always have a command's own name, such as `/spend`. Only text on its way to
 * Slack gets the prefix. @param commands called on first use, because features are created later than this
 */
export function createCommandNames(commands: () => readonly SlashCommand[], prefix?: string) {
  let pattern: RegExp | undefined;
  const inText = (text: string): string => {
    if (prefix === undefined || !text.includes('/')) return text;
    const words = commands().map((name) => name.slice(1));
    // Matches a command, but not inside a URL, a path, or a quotation in “…”, which can be a user's text.
    pattern ??= new RegExp(`“[^”]*”|(?<![\\w/.:-])/(?=(?:${words.join('|')})(?![\\w/-]))`, 'g');
    return text.replace(pattern, (found) => (found === '/' ? `/${prefix}-` : found));
  };
  const inTexts = <T>(payload: T): T => (prefix === undefined ? payload : (withTexts(payload, inText) as T));
  return {
    /** `/acme-spend` → `/spend`; an unknown command stays as typed. */
    parse: (typed: string): string => commands().find((name) => typed.endsWith(name.slice(1))) ?? typed,
    inText,
    /** Renames the commands in all texts of a message, view or acknowledgement. */
    inTexts,
    /** Web API client options that rename commands in everything the client sends. */
    forClient: <T extends { readonly fetch: typeof fetch }>(options: T): T => ({
      ...options,
      fetch: (url: string | URL | Request, init: RequestInit = {}) => {
        const { body } = init;
        if (prefix === undefined || typeof body !== 'string') return options.fetch(url, init);
        return options.fetch(url, { ...init, body: inForm(body, inText, inTexts) });
      },
    }),
  };
}

/** Arguments of Web API methods in which commands are renamed: those that are plain text, and those that are JSON. */
const TEXTS = ['text', 'initial_comment', 'error'];
const JSON_TEXTS = ['blocks', 'view'];

type Rename = (text: string) => string;

function inForm(body: string, rename: Rename, inTexts: <T>(value: T) => T): string {
  const form = new URLSearchParams(body);
  for (const [name, value] of [...form]) {
    if (TEXTS.includes(name)) form.set(name, rename(value));
    if (JSON_TEXTS.includes(name)) form.set(name, JSON.stringify(inTexts(JSON.parse(value))));
  }
  return form.toString();
}

const LIMITS: Readonly<Record<string, number>> = {
  button: SLACK_LIMITS.button,
  header: SLACK_LIMITS.header,
  option: SLACK_LIMITS.option,
};

/** Renames commands in every `text` property and in form errors, but not in quoted text. */
function withTexts(value: unknown, change: Rename, most = Number.POSITIVE_INFINITY): unknown {
  if (Array.isArray(value)) return value.map((entry) => withTexts(entry, change, most));
  if (typeof value !== 'object' || value === null) return value;
  const { type = 'value' in value ? 'option' : undefined } = value as { readonly type?: string };
  if (type === 'rich_text_quote') return value;
  const limit = type === undefined ? most : Math.min(most, LIMITS[type] ?? SLACK_LIMITS.section);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (key === 'errors') return [key, mapValues(entry, change)];
      if (key !== 'text' || typeof entry !== 'string') return [key, withTexts(entry, change, limit)];
      return [key, clipText(change(entry), limit)];
    }),
  );
}

const mapValues = (errors: Readonly<Record<string, string>>, change: Rename) =>
  Object.fromEntries(Object.entries(errors).map(([block, text]) => [block, change(text)]));
