/** Masks the credentials of a request in a text that the service sent back. */
export type SecretMask = (text: string) => string;

/** Shorter secrets aren't masked, because they would match ordinary words. */
const SHORTEST = 4;

/** Masks whole secrets, in any case, plain, URL-encoded or in base64. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const patterns = secrets
    .filter(({ length }) => length >= SHORTEST)
    .flatMap(formsOf)
    .map((form) => new RegExp(form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi'));
  return (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, '…'), text);
}

const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
];
