const MASK = '[masked]';

/** Names that come before a secret: headers of the services and of Slack, fields of forms and payloads. */
const HEADERS = 'x-(?:user|auth|subject)-token|x-slack-signature|authorization|cookie|set-cookie';
const SECRET_FIELDS = '[\\w-]{0,40}(?:token|secret|password)|private_?metadata|response_?url|trigger_?id';

/**
 * A name and the sign between it and its secret: a colon, or a comma as in a raw list of headers. In a list, the name
 * itself must not be the value of a field.
 */
const quotedName = (sign: ':' | ',', quote: string): string =>
  `${sign === ',' ? '(?<!:\\s*)' : ''}${quote}(?:${HEADERS}|${SECRET_FIELDS})`;

const inLine = (sign: ':' | ','): RegExp =>
  new RegExp(`(${quotedName(sign, '"')}"\\s*${sign}\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const inString = (sign: ':' | ','): RegExp =>
  new RegExp(`(?<!\\\\)(${quotedName(sign, '(\\\\+)"')}\\2"\\s*${sign}\\s*\\2")[^"\\\\]*`, 'gi');

const RULES: readonly (readonly [RegExp, string])[] = [
  // A field of the line's JSON.
  [inLine(':'), `$1"${MASK}"`],
  [inLine(','), `$1"${MASK}"`],
  // JSON inside a string of the line: its quotes are escaped.
  [inString(':'), `$1${MASK}`],
  [inString(','), `$1${MASK}`],
  // `X-User-Token: …` as text, to the end of its string.
  [new RegExp(`\\b(${HEADERS})('?\\s*[:=]\\s*)[^"\\\\]+`, 'gi'), `$1$2${MASK}`],
  // `client_secret=value` in a form or a query; `…` for a value tells nothing.
  [new RegExp(`\\b((?:${SECRET_FIELDS})=)(?!(?:xoxb-|xapp-)?…)[^"\\\\\\s&]+`, 'gi'), `$1${MASK}`],
  // Slack's tokens, rotated ones and workflows' included.
  [/\bx(?:ox[a-z]|app|wfp)(?:\.xox[a-z])?-[\w.-]+/g, MASK],
  // An OS_TOKEN is a Fernet token: version byte 0x80, then a timestamp whose first bytes are zero until 2106.
  [/\bgAAAA[\w=-]+/g, MASK],
  [/\b(bearer )[\w.~+/=-]+/gi, `$1${MASK}`],
  // Anyone with a response_url can post.
  [/(\/\/hooks\.slack\.com\/)[^\s"\\]+/g, `$1${MASK}`],
  // `redis://user:password@host`, but not that example itself.
  [/(\w:\/\/)(?!(?:user)?:password@)[^\s"\\/@:]*:[^\s"\\/@]*@/g, `$1${MASK}@`],
];

/**
 * Masks what looks like a secret in a finished log line. JSON stays JSON: a rule puts back every quote and backslash
 * that it matches.
 *
 * Written here, not with pino's `redact` or fast-redact: those mask paths of objects, and a secret may be anywhere in
 * a text.
 */
export function redact(line: string): string {
  return RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
