/** Masks secrets in what the traffic panel shows. */

export const MASK = '•••';

const SECRET_NAME = /token|secret|passw|signature|authorization|cookie/i;

/** Tokens of Slack and the identity service, anywhere in a text. */
const SECRET_SHAPE = /\bx(?:ox[a-z]|app|wfp)-[\w-]{6,}|\bgAAAA[\w=-]{12,}/g;

export type Masker = (value: unknown) => unknown;

/** @param known other secrets, which have no recognizable form; read at every call */
export function createMasker(known: () => readonly string[]): Masker {
  const scrub = (text: string) => {
    let scrubbed = text.replace(SECRET_SHAPE, MASK);
    for (const secret of known()) if (secret.length >= 6) scrubbed = scrubbed.replaceAll(secret, MASK);
    return scrubbed;
  };
  const walk = (value: unknown, secret: boolean): unknown => {
    if (typeof value === 'string') return secret ? MASK : scrub(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, secret));
    if (typeof value !== 'object' || value === null) return value;
    const named = secret || isNamedSecret(value);
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [scrub(key), walkEntry(key, part, named, secret)]),
    );
  };
  const walkEntry = (key: string, part: unknown, named: boolean, secret: boolean): unknown => {
    if (key === 'type') return part;
    if (key === 'value' || key === 'initial_value') return walk(part, named);
    return walk(part, secret || (SECRET_NAME.test(key) && holdsSecrets(part)));
  };
  return (value) => walk(value, false);
}

/** An action has its value beside its IDs. */
function isNamedSecret(value: object): boolean {
  const { action_id: action, block_id: block } = value as Record<string, unknown>;
  return SECRET_NAME.test(`${String(action ?? '')} ${String(block ?? '')}`);
}

/** A text, or the state values under an ID, but not a whole view whose name sounds secret. */
function holdsSecrets(part: unknown): boolean {
  return typeof part === 'string' || (typeof part === 'object' && part !== null && !Array.isArray(part));
}
