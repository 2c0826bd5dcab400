/** What people see and type where another app has the commands' names: `/acme-spend` in place of `/spend`, if COMMAND_PREFIX is acme. */
import type { SlashCommand } from '../domain/command-names.ts';
import { clipText, SLACK_LIMITS } from './block-kit/blocks.ts';

export type CommandNames = ReturnType<typeof createCommandNames>;

/**
 * Everywhere else a command has its own name: in buttons' values, in the record, and in the texts that are rendered. On
 * the way to Slack, texts get the names that people have to type.
 * @param commands the app's own names; read late, because features are still being created here
 */
export function createCommandNames(commands: () => readonly SlashCommand[], prefix?: string) {
  let pattern: RegExp | undefined;
  const inText = (text: string): string => {
    if (prefix === undefined || !text.includes('/')) return text;
    const words = commands().map((name) => name.slice(1));
    // Not a part of an address, of a path or of what somebody else wrote, which is between quotation marks.
    pattern ??= new RegExp(`“[^”]*”|(?<![\\w/.:-])/(?=(?:${words.join('|')})(?![\\w/-]))`, 'g');
    return text.replace(pattern, (found) => (found === '/' ? `/${prefix}-` : found));
  };
  const inTexts = <T>(payload: T): T => (prefix === undefined ? payload : (withTexts(payload, inText) as T));
  return {
    /** The command's own name, `/spend` of `/acme-spend`; any other as it was typed. */
    parse: (typed: string): string => commands().find((name) => typed.endsWith(name.slice(1))) ?? typed,
    inText,
    /** A message, a view or an acknowledgement, with these names wherever its reader sees a command. */
    inTexts,
    /** Options of a Web API client with which all that it sends has these names. */
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

/** The arguments of Slack's methods that are texts, and those that are JSON. */
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

/** Changes what is shown, which Block Kit always calls `text`, and the sentences below a form's fields; no quotation. */
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
