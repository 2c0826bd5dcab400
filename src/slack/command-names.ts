/** What Slack calls the app's commands: `/acme-spend` instead of `/spend`, where another app has that name. */
import type { SlashCommand } from '../domain/commands.ts';
import { clipText, SLACK_LIMITS } from './kit/limits.ts';

export type CommandNames = ReturnType<typeof createCommandNames>;

/**
 * Everywhere else a command has its own name: in buttons' values, in the record, and in the texts that are rendered. On
 * the way to Slack, texts get the names that people have to type.
 *
 * @param commands the app's own names
 * @param configured `acme`; the commands that arrive say it too, so a bot without it writes their names from then on
 */
export function createCommandNames(commands: () => readonly SlashCommand[], configured?: string) {
  let prefix = configured === undefined ? '' : `${configured}-`;
  let pattern: RegExp | undefined;
  // Features are still being built when this is, and every command that arrives asks.
  let known: readonly SlashCommand[] | undefined;
  const all = () => {
    known ??= commands();
    return known;
  };

  const ownName = (typed: string) => all().find((name) => typed.endsWith(name.slice(1)));

  const inText = (text: string): string => {
    if (prefix === '' || !text.includes('/')) return text;
    const words = all().map((name) => name.slice(1));
    // Not a part of an address or of a path.
    pattern ??= new RegExp(`(?<![\\w/.:-])/(?=(?:${words.join('|')})(?![\\w/-]))`, 'g');
    return text.replace(pattern, `/${prefix}`);
  };

  const inTexts = <T>(payload: T): T => (prefix === '' ? payload : (withTexts(payload, inText) as T));

  return {
    /** The command's own name, `/spend` of `/acme-spend`; any other as it was typed. */
    parse: (typed: string): string => ownName(typed) ?? typed,
    /** Notes what Slack calls the commands. @param typed one that arrived */
    learn(typed: string): void {
      const name = ownName(typed);
      if (name !== undefined) prefix = typed.slice(1, 1 - name.length);
    },
    inText,
    /** A message, a view or an acknowledgement, with these names wherever its reader sees a command. */
    inTexts,
    /** Options of a Web API client with which all that it sends has these names. */
    forClient: <T extends { readonly fetch: typeof fetch }>(options: T): T => ({
      ...options,
      fetch: (url: string | URL | Request, init: RequestInit = {}) => {
        const { body } = init;
        if (prefix === '' || typeof body !== 'string') return options.fetch(url, init);
        return options.fetch(url, { ...init, body: inForm(body, inText, inTexts) });
      },
    }),
  };
}

/** The arguments of Slack's methods that are texts, and those that are JSON. */
const TEXTS = ['text', 'initial_comment', 'error'];
const JSON_TEXTS = ['blocks', 'view'];

function inForm(body: string, inText: (text: string) => string, inTexts: <T>(value: T) => T): string {
  const form = new URLSearchParams(body);
  for (const [name, value] of [...form]) {
    if (TEXTS.includes(name)) form.set(name, inText(value));
    if (JSON_TEXTS.includes(name)) form.set(name, JSON.stringify(inTexts(JSON.parse(value))));
  }
  return form.toString();
}

const LIMITS: Readonly<Record<string, number>> = {
  button: SLACK_LIMITS.button,
  header: SLACK_LIMITS.header,
  option: SLACK_LIMITS.option,
};

/** Changes what is shown, which Block Kit always calls `text`, and the sentences below a form's fields. */
function withTexts(
  value: unknown,
  change: (text: string) => string,
  most = Number.POSITIVE_INFINITY,
): unknown {
  if (Array.isArray(value)) return value.map((entry) => withTexts(entry, change, most));
  if (typeof value !== 'object' || value === null) return value;
  const { type = 'value' in value ? 'option' : undefined } = value as { readonly type?: string };
  const limit = type === undefined ? most : Math.min(most, LIMITS[type] ?? SLACK_LIMITS.section);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (key === 'errors') return [key, mapValues(entry, change)];
      if (key !== 'text' || typeof entry !== 'string') return [key, withTexts(entry, change, limit)];
      const changed = change(entry);
      return [key, changed === entry ? entry : clipText(changed, limit)];
    }),
  );
}

const mapValues = (errors: Readonly<Record<string, string>>, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(errors).map(([block, text]) => [block, change(text)]));
