const MASK = '[masked]';

/** Names of headers and fields whose values are secrets. */
const HEADERS = 'x-(?:user|auth|subject)-token|x-slack-signature|authorization|cookie|set-cookie';
const SECRET_FIELDS = '[\\w-]{0,40}(?:token|secret|password)|private_?metadata|response_?url|trigger_?id';

/** A pattern for a quoted name before its value: `"name": …`, or `"name", …` in a raw list of headers. */
const quotedName = (sign: ':' | ',', quote: string): string =>
  `${sign === ',' ? '(?<!:\\s*)' : ''}${quote}(?:${HEADERS}|${SECRET_FIELDS})`;

const inLine = (sign: ':' | ','): RegExp =>
  new RegExp(`(${quotedName(sign, '"')}"\\s*${sign}\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const inString = (sign: ':' | ','): RegExp =>
  new RegExp(`(?<!\\\\)(${quotedName(sign, '(\\\\+)"')}\\2"\\s*${sign}\\s*\\2")[^"\\\\]*`, 'gi');

const RULES: readonly (readonly [RegExp, string])[] = [
  // A field in the line's own JSON.
  [inLine(':'), `$1"${MASK}"`],
  [inLine(','), `$1"${MASK}"`],
  // A field of JSON inside a string of the line, where quotes are escaped.
  [inString(':'), `$1${MASK}`],
  [inString(','), `$1${MASK}`],
  // A header such as `X-User-Token: …` within a text: masked up to the end of the string.
  [new RegExp(`\\b(${HEADERS})('?\\s*[:=]\\s*)[^"\\\\]+`, 'gi'), `$1$2${MASK}`],
  // A form or query field. A value that begins with `…` is already masked.
  [new RegExp(`\\b((?:${SECRET_FIELDS})=)(?!(?:xoxb-|xapp-)?…)[^"\\\\\\s&]+`, 'gi'), `$1${MASK}`],
  // All Slack token formats.
  [/\bx(?:ox[a-z]|app|wfp)(?:\.xox[a-z])?-[\w.-]+/g, MASK],
  // Fernet tokens (OS_TOKEN): version byte 0x80 and a timestamp give this prefix until 2106.
  [/\bgAAAA[\w=-]+/g, MASK],
  [/\b(bearer )[\w.~+/=-]+/gi, `$1${MASK}`],
  // A response_url is a secret: anyone who has it can post.
  [/(\/\/hooks\.slack\.com\/)[^\s"\\]+/g, `$1${MASK}`],
  // Credentials in URLs, except the placeholder `user:password` from the documentation.
  [/(\w:\/\/)(?!(?:user)?:password@)[^\s"\\/@:]*:[^\s"\\/@]*@/g, `$1${MASK}@`],
];

/**
 * Masks secrets in a finished log line, which stays valid JSON. Pino's own `redact` wouldn't do: it masks named fields,
 * but a secret can be anywhere in a text.
 */
export function redact(line: string): string {
  return RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
