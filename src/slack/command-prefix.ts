/**
 * What Slack calls the app and its commands: `@Tally acme` instead of `@Tally`, and `/acme-spend` instead of `/spend` where
 * another app has that name.
 */
import { LRUCache } from 'lru-cache';
import type { SlashCommand } from '../domain/command-names.ts';
import { clipText, SLACK_LIMITS } from './kit/blocks.ts';
import type { WebClient } from './web-client.ts';

type CallSlack = (method: string, args: Record<string, string>) => Promise<unknown>;

interface Self {
  readonly id: string;
  readonly name: string;
}

/** What people see and type instead of `/spend` and `@Tally`. @param isMarkup whether Slack reads mrkdwn in the text */
type Rename = (text: string, isMarkup: boolean) => string;

export type CommandNames = ReturnType<typeof createCommandNames>;

/**
 * Everywhere else a command has its own name: in buttons' values, in the record, and in the texts that are rendered. On
 * the way to Slack, texts get the names that people have to type.
 * @param commands the app's own names
 * @param configured `acme`; the commands that arrive say it too, so a bot without it writes their names from then on
 */
export function createCommandNames(commands: () => readonly SlashCommand[], configured?: string) {
  let prefix = configured === undefined ? '' : `${configured}-`;
  let pattern: RegExp | undefined;
  // Read late, because features are still being created here, and kept, because every command needs it.
  let known: readonly SlashCommand[] | undefined;
  const all = () => {
    known ??= commands();
    return known;
  };

  const ownName = (typed: string) => all().find((name) => typed.endsWith(name.slice(1)));

  const inText = (text: string): string => {
    if (prefix === '' || !text.includes('/')) return text;
    const words = all().map((name) => name.slice(1));
    // Not a part of an address, of a path or of what somebody else wrote, which is between quotation marks.
    pattern ??= new RegExp(`“[^”]*”|(?<![\\w/.:-])/(?=(?:${words.join('|')})(?![\\w/-]))`, 'g');
    return text.replace(pattern, (found) => (found === '/' ? `/${prefix}` : found));
  };

  /** By token. The name rarely changes; a new name is seen after a restart. */
  const selves = new LRUCache<string, Promise<Self | undefined>>({ max: 500 });
  const selfOf = (token: string, call: CallSlack): Promise<Self | undefined> => {
    const asked = selves.get(token) ?? fetchSelf(call).catch(() => void selves.delete(token));
    selves.set(token, asked);
    return asked;
  };

  const rename =
    (self?: Self): Rename =>
    (text, isMarkup) =>
      inSelf(inText(text), self, isMarkup);
  const inTexts = <T>(payload: T, self?: Self): T =>
    prefix === '' && self === undefined ? payload : (withTexts(payload, rename(self)) as T);

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
    inTexts: <T>(payload: T): T => inTexts(payload),
    /** The same as JSON, with Tally's own name too. @param client of the workspace that gets it, if there is one */
    inJson: async (payload: object, client?: WebClient): Promise<string> => {
      const json = JSON.stringify(payload);
      const self =
        client !== undefined && json.includes(SELF)
          ? await selfOf(`Bearer ${client.token}`, (method, args) => client.apiCall(method, args))
          : undefined;
      const named = inTexts(payload, self);
      return named === payload ? json : JSON.stringify(named);
    },
    /** Options of a Web API client with which all that it sends has these names. */
    forClient: <T extends { readonly fetch: typeof fetch }>(options: T): T => ({
      ...options,
      fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
        const { body, headers } = init;
        const namesSelf = typeof body === 'string' && body.includes(encodeURIComponent(SELF));
        if (typeof body !== 'string' || (prefix === '' && !namesSelf)) return options.fetch(url, init);
        const call: CallSlack = async (method, args) => {
          const sent = new URLSearchParams(args).toString();
          return JSON.parse(
            await (await options.fetch(new URL(method, String(url)), { ...init, body: sent })).text(),
          );
        };
        const { Authorization: token = '' } = headers as Record<string, string>;
        const self = namesSelf ? await selfOf(token, call) : undefined;
        return options.fetch(url, {
          ...init,
          body: inForm(body, rename(self), (value) => inTexts(value, self)),
        });
      },
    }),
  };
}

const SELF = '@Tally';

/** @throws what `call` throws; TypeError for an error of Slack */
async function fetchSelf(call: CallSlack): Promise<Self | undefined> {
  const { user_id: id } = (await call('auth.test', {})) as { user_id: string };
  const { user } = (await call('users.info', { user: id })) as {
    user: { real_name?: string; name: string; profile?: { display_name?: string } };
  };
  const name = user.profile?.display_name || user.real_name || user.name;
  return { id, name };
}

/** A mention where Slack shows one, before code too; else the name. What people type needs no mention where it is the same. */
function inSelf(text: string, self: Self | undefined, isMarkup: boolean): string {
  if (self === undefined || `@${self.name}` === SELF || !text.includes(SELF)) return text;
  if (!isMarkup) return text.replaceAll(SELF, `@${self.name}`);
  return text.replace(/`@Tally ([^`]*)`/g, `<@${self.id}> \`$1\``).replaceAll(SELF, `<@${self.id}>`);
}

/** The arguments of Slack's methods that are texts, and those that are JSON. */
const TEXTS = ['text', 'initial_comment', 'error'];
const JSON_TEXTS = ['blocks', 'view'];

function inForm(body: string, rename: Rename, inTexts: <T>(value: T) => T): string {
  const form = new URLSearchParams(body);
  for (const [name, value] of [...form]) {
    if (TEXTS.includes(name)) form.set(name, rename(value, true));
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
  const isMarkup = type === undefined || type === 'mrkdwn';
  const limit = type === undefined ? most : Math.min(most, LIMITS[type] ?? SLACK_LIMITS.section);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (key === 'errors') return [key, mapValues(entry, change)];
      if (key !== 'text' || typeof entry !== 'string') return [key, withTexts(entry, change, limit)];
      const changed = change(entry, isMarkup);
      return [key, changed === entry ? entry : clipText(changed, limit)];
    }),
  );
}

const mapValues = (errors: Readonly<Record<string, string>>, change: Rename) =>
  Object.fromEntries(Object.entries(errors).map(([block, text]) => [block, change(text, false)]));
