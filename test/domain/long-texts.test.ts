/**
 * Whatever reads text from outside does work in proportion to its length. Nothing here measures time: over a hundred
 * thousand characters anything quadratic takes ten thousand million steps, and so longer than a test may, and anything
 * that recurses by the character has no stack left. What is exported by these modules tomorrow is tried as well.
 */
import { describe, expect, it } from 'vitest';
import { parseCommandText } from '../../src/domain/language/parse-command.ts';

/** What quadratic patterns and recursions stumble over when it is repeated. */
const UNITS = [
  ...[
    'project : ',
    'project: ',
    ': ',
    '? ',
    '?',
    '!',
    '.',
    ',',
    '-',
    '- ',
    '_',
    '_ ',
    '_-',
    '-*',
    '*',
    '#',
    '#1 ',
  ],
  ...[
    '<',
    '<a|',
    '<@U1|',
    '>',
    '|',
    '&',
    "'",
    '“',
    ' ',
    '\n',
    '/',
    '\\',
    '://',
    ':',
    '=',
    '"token":"',
    '\\"token":',
  ],
  ...[
    'a',
    'A',
    'aB',
    'x ',
    '1',
    '1 ',
    '0',
    '1a',
    '1,',
    '2026-10-01..',
    'q3 ',
    '7 days ',
    '3 october ',
    'monday ',
    'first half of ',
    'between 1 and ',
    'vs ',
    'and it ',
    '7 day ',
    'last ',
    'today ',
  ],
  ...[
    'help ',
    'token ',
    'bearer ',
    'day',
    'yestreday ',
    '\u0301\u0316',
    '\u200b',
    '…',
    'İ',
    '😀',
    'daily ',
    '9:00 ',
  ],
];

/** The beginning is what an address or a number begins with, the end what a pattern with `$` looks for in vain. */
const textsOf = (length: number): readonly string[] =>
  UNITS.map((unit) => `${unit === ':' ? 'x://' : '1'}${unit.repeat(Math.ceil(length / unit.length))}!x`);

const NO_ALIASES: ReadonlySet<string> = new Set();
const FIELDS = [
  ...['alias', 'id', 'product', 'connection', 'currency', 'owner', 'channels', 'token', 'baseUrl', 'project'],
  ...['name', 'role', 'lifetime', 'type', 'account', 'authUrl', 'zone', 'visibility', 'locale', 'managers'],
  ...['managerGroups', 'others', 'access_id', 'secret', 'people', 'groups'],
];
/** Each field takes a tenth, so that a form as a whole is no shorter than other texts. */
const fieldsOf = (text: string) => Object.fromEntries(FIELDS.map((name) => [name, text.slice(0, 10_000)]));

/** Arguments of those that take more than a text, or no text; all the others get the text alone. */
const ARGUMENTS: Readonly<Record<string, (text: string) => readonly unknown[]>> = {
  nearestWord: (text) => [text, [text.slice(1), 'yesterday']],
  nearestWords: (text) => [text, [text.slice(1), 'yesterday']],
  tokenize: (text) => [text, NO_ALIASES],
  parseBalanceText: (text) => [text, NO_ALIASES],
  parseTokenText: (text) => [text, NO_ALIASES],
  parseScheduleText: (text) => [text, NO_ALIASES],
  withoutMatch: (text) => [text, /.*/s.exec(text)],
  parseMention: (text) => [
    text,
    { commands: ['/spend', '/balance'], verbs: ['connect'], aliases: NO_ALIASES, acceptsWords: () => true },
  ],
  parseQuestion: (text) => [text, NO_ALIASES],
  withholdSecrets: (text) => [undefined, text, NO_ALIASES],
  mergeFollowUp: (text) => [text, { command: '/spend', text: '123 last-month' }, NO_ALIASES],
  saysAllTyped: (text) => [text, text.slice(0, 20), text, NO_ALIASES],
  parseProjectsText: (text) => [text, []],
  changesProjects: (text) => [text, []],
  parseDateLiteral: (text) => [text, 0],
  originalSpelling: (text) => [text, text.slice(0, 20).trim()],
  validateAlias: (text) => [text, []],
  checkBaseUrl: (text) => [`https://example.com/${text}`, []],
  parseAuthUrl: (text) => [`https://example.com/${text}`, []],
  suggestAuthUrl: (text) => [`https://example.com/${text}`],
  parseConnectForm: (text) => [fieldsOf(text), { baseUrl: String, authUrl: String }],
  parseProjectForm: (text) => [fieldsOf(text), text, []],
  parseSettingsForm: (text) => [fieldsOf(text)],
  parseAccessForm: (text) => [fieldsOf(text), text, String],
  encodeConnectMetadata: (text) => [fieldsOf(text)],
  encodeWithoutName: (text) => [fieldsOf(text)],
  encodeAccessMetadata: (text) => [fieldsOf(text)],
};

/** Everything that text from outside goes through, as long as it comes. */
const ANY_LENGTH = [
  ...['text', 'secret-detection', 'periods/date-literal'].map((name) => `domain/language/${name}`),
  'domain/money/amount',
  ...[
    'slack/kit/blocks#escapeMarkup',
    'slack/commands/command-buttons',
    'slack/commands/zone-picker',
    'ops/mask',
    'http/address#isPublicAddress',
    'http/address#checkBaseUrl',
    'identity/client#parseAuthUrl',
    'identity/client#suggestAuthUrl',
  ],
  ...['features/os-token/parse-access-form', 'features/connect/parse'],
  ...['features/projects/parse', 'features/settings/index#parseSettingsForm'],
];

/** What reads commands, which are refused beyond a thousand characters: made of the above, and slower by far. */
const COMMANDS = [
  ...[
    'parse-command',
    'parsed-command',
    'tokenizer',
    'parser',
    'questions/parse-question',
    'questions/follow-up',
  ].map((name) => `domain/language/${name}`),
  ...['mentions', 'schedules'].map((name) => `features/${name}/parse`),
  'features/os-token/token-request#parseTokenText',
];

/** @param which a module of src, or with `#name` one function of it */
async function functionsOf(
  which: string,
): Promise<readonly [string, (...given: readonly unknown[]) => unknown][]> {
  const [module, only] = which.split('#');
  const exports = await import(/* @vite-ignore */ new URL(`../../src/${module}.ts`, import.meta.url).href);
  const isMeant = (name: string, one: unknown) => typeof one === 'function' && (!only || name === only);
  return Object.entries(exports).filter(([name, one]) => isMeant(name, one)) as never;
}

/** Refusing a text is a way to read it; running out of stack is none. */
function readAll(
  texts: readonly string[],
  name: string,
  read: (...given: readonly unknown[]) => unknown,
): void {
  for (const text of texts) {
    try {
      read(...(ARGUMENTS[name]?.(text) ?? [text]));
    } catch (error) {
      expect(String(error)).not.toContain('call stack');
    }
  }
}

const LONG = textsOf(100_000);
const SHORTER = textsOf(5_000);

describe.each(ANY_LENGTH)('%s', async (module) => {
  it.each(await functionsOf(module))('%s takes a text of a hundred thousand characters', (name, read) => {
    readAll(LONG, name, read);
  });
});

describe.each(COMMANDS)('%s', async (module) => {
  it.each(await functionsOf(module))('%s takes a text of five thousand characters', (name, read) => {
    readAll(SHORTER, name, read);
  });
});

// The texts above end in an unknown word, which is refused before any date is parsed.
it.each(['3rd ', 'first of ', 'last day of ', 'month of '])(
  'a long text of “%s”, which another date may follow, has enough stack',
  (unit) => {
    readAll([unit.repeat(20_000)], 'parseCommandText', (text) => parseCommandText(String(text)));
  },
);
