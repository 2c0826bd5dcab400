const MASK = '[masked]';

const HEADERS = 'x-(?:user|auth|subject)-token|x-slack-signature|authorization|cookie|set-cookie';
const SECRET_FIELDS = '[\\w-]{0,40}(?:token|secret|password)|private_?metadata|response_?url|trigger_?id';

/** Matches a quoted name before its value: `"name": …`, or `"name", …` in a raw list of headers. */
const quotedName = (sign: ':' | ',', quote: string): string =>
  `${sign === ',' ? '(?<!:\\s*)' : ''}${quote}(?:${HEADERS}|${SECRET_FIELDS})`;

const inLine = (sign: ':' | ','): RegExp =>
  new RegExp(`(${quotedName(sign, '"')}"\\s*${sign}\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const inString = (sign: ':' | ','): RegExp =>
  new RegExp(`(?<!\\\\)(${quotedName(sign, '(\\\\+)"')}\\2"\\s*${sign}\\s*\\2")[^"\\\\]*`, 'gi');

const RULES: readonly (readonly [RegExp, string])[] = [
  // A field of the log line's own JSON.
  [inLine(':'), `$1"${MASK}"`],
  [inLine(','), `$1"${MASK}"`],
  // A field of JSON inside a string, where a backslash escapes each quote.
  [inString(':'), `$1${MASK}`],
  [inString(','), `$1${MASK}`],
  // A header in a text, such as `X-User-Token: …`: masked to the end of the string.
  [new RegExp(`\\b(${HEADERS})('?\\s*[:=]\\s*)[^"\\\\]+`, 'gi'), `$1$2${MASK}`],
  // A form or query field. A value that begins with `…` is already masked.
  [new RegExp(`\\b((?:${SECRET_FIELDS})=)(?!(?:xoxb-|xapp-)?…)[^"\\\\\\s&]+`, 'gi'), `$1${MASK}`],
  [/\bx(?:ox[a-z]|app|wfp)(?:\.xox[a-z])?-[\w.-]+/g, MASK],
  // Fernet tokens (OS_TOKEN): their version byte and timestamp give this prefix until 2106.
  [/\bgAAAA[\w=-]+/g, MASK],
  [/\b(bearer )[\w.~+/=-]+/gi, `$1${MASK}`],
  // A Slack `response_url`: anyone who has it can post.
  [/(\/\/hooks\.slack\.com\/)[^\s"\\]+/g, `$1${MASK}`],
  // Credentials in a URL, but not the placeholder `user:password` of the documentation.
  [/(\w:\/\/)(?!(?:user)?:password@)[^\s"\\/@:]*:[^\s"\\/@]*@/g, `$1${MASK}@`],
];

/**
 * Masks secrets in a finished log line, because a secret can be in any text. Pino's `redact` masks only named fields.
 */
export function redact(line: string): string {
  return RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
