const MASK = '[masked]';

/** Header and field names that precede a secret. */
const HEADERS = 'x-(?:user|auth|subject)-token|x-slack-signature|authorization|cookie|set-cookie';
const SECRET_FIELDS = '[\\w-]{0,40}(?:token|secret|password)|private_?metadata|response_?url|trigger_?id';

/** A name followed by its value: `"name": …`, or `"name", …` in a raw header list. */
const quotedName = (sign: ':' | ',', quote: string): string =>
  `${sign === ',' ? '(?<!:\\s*)' : ''}${quote}(?:${HEADERS}|${SECRET_FIELDS})`;

const inLine = (sign: ':' | ','): RegExp =>
  new RegExp(`(${quotedName(sign, '"')}"\\s*${sign}\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const inString = (sign: ':' | ','): RegExp =>
  new RegExp(`(?<!\\\\)(${quotedName(sign, '(\\\\+)"')}\\2"\\s*${sign}\\s*\\2")[^"\\\\]*`, 'gi');

const RULES: readonly (readonly [RegExp, string])[] = [
  // JSON in the line.
  [inLine(':'), `$1"${MASK}"`],
  [inLine(','), `$1"${MASK}"`],
  // JSON inside a string of the line: its quotes are escaped.
  [inString(':'), `$1${MASK}`],
  [inString(','), `$1${MASK}`],
  // `X-User-Token: …` as text, to the end of its string.
  [new RegExp(`\\b(${HEADERS})('?\\s*[:=]\\s*)[^"\\\\]+`, 'gi'), `$1$2${MASK}`],
  // A form or query field. `…` is already masked.
  [new RegExp(`\\b((?:${SECRET_FIELDS})=)(?!(?:xoxb-|xapp-)?…)[^"\\\\\\s&]+`, 'gi'), `$1${MASK}`],
  // All Slack token formats.
  [/\bx(?:ox[a-z]|app|wfp)(?:\.xox[a-z])?-[\w.-]+/g, MASK],
  // Fernet tokens (OS_TOKEN): version byte 0x80 and a timestamp give this prefix until 2106.
  [/\bgAAAA[\w=-]+/g, MASK],
  [/\b(bearer )[\w.~+/=-]+/gi, `$1${MASK}`],
  // A response_url is a secret: anyone who has it can post.
  [/(\/\/hooks\.slack\.com\/)[^\s"\\]+/g, `$1${MASK}`],
  // Credentials in URLs, except the documented placeholder.
  [/(\w:\/\/)(?!(?:user)?:password@)[^\s"\\/@:]*:[^\s"\\/@]*@/g, `$1${MASK}@`],
];

/**
 * Masks secrets in a finished log line; the line stays valid JSON. Not pino's `redact`, which masks object paths:
 * secrets can be anywhere in a text.
 */
export function redact(line: string): string {
  return RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
