const MASK = '[masked]';

/** Names that stand before a secret: headers of the services and of Slack, and fields of forms and payloads. */
const HEADERS = 'x-(?:user|auth|subject)-token|x-slack-signature|authorization|cookie|set-cookie';
const FIELDS = '[\\w-]{0,40}(?:token|secret|password)|private_?metadata|response_?url|trigger_?id';

/** A name before its secret: behind it a colon, or a comma as in a list of headers; there it is no field's value itself. */
const named = (sign: ':' | ',', quote: string): string =>
  `${sign === ',' ? '(?<!:\\s*)' : ''}${quote}(?:${HEADERS}|${FIELDS})`;

const inLine = (sign: ':' | ','): RegExp =>
  new RegExp(`(${named(sign, '"')}"\\s*${sign}\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const inString = (sign: ':' | ','): RegExp =>
  new RegExp(`(?<!\\\\)(${named(sign, '(\\\\+)"')}\\2"\\s*${sign}\\s*\\2")[^"\\\\]*`, 'gi');

const RULES: readonly (readonly [RegExp, string])[] = [
  // A field of the line's own JSON.
  [inLine(':'), `$1"${MASK}"`],
  [inLine(','), `$1"${MASK}"`],
  // JSON inside a string of the line: its quotes are escaped.
  [inString(':'), `$1${MASK}`],
  [inString(','), `$1${MASK}`],
  // `X-User-Token: …` as text, to the end of its line or of the string.
  [new RegExp(`\\b(${HEADERS})('?\\s*[:=]\\s*)[^"\\\\]+`, 'gi'), `$1$2${MASK}`],
  // `client_secret=…` of a form or a query.
  [new RegExp(`\\b((?:${FIELDS})=)[^"\\\\\\s&]+`, 'gi'), `$1${MASK}`],
  // Slack's tokens, rotated ones included.
  [/\bx(?:ox[a-z]|app)(?:\.xox[a-z])?-[\w.-]+/g, MASK],
  // An OS_TOKEN is a Fernet token: version byte 0x80, then a time whose first bytes are zero until 2106.
  [/\bgAAAA[\w=-]+/g, MASK],
  [/\b(bearer )[\w.~+/=-]+/gi, `$1${MASK}`],
  // A response_url lets anybody post.
  [/(\/\/hooks\.slack\.com\/)[^\s"\\]+/g, `$1${MASK}`],
  // `redis://user:password@host`
  [/(\w:\/\/)[^\s"\\/@:]*:[^\s"\\/@]*@/g, `$1${MASK}@`],
];

/**
 * Masks what looks like a secret in a finished log line. The line stays JSON when it was: a rule never swallows a
 * quote or a backslash that it does not put back.
 */
export function redact(line: string): string {
  return RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
