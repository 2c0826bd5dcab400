/** Masks the credentials of a request in a text that the service sent back. */
export type SecretMask = (text: string) => string;

const MASK = '…';
/** Pieces of a secret are masked if they are at least this long. A shorter piece can be in a text by chance. */
const REVEALING = 10;
/** Shorter secrets aren't masked, because they would match ordinary words. */
const SHORTEST = 4;
/** Amounts and timestamps, which can contain a secret's digits by chance. */
const FIGURE = /^[\d\s.,:+\-TZe]{1,64}$/i;

/**
 * Masks whole secrets and pieces, in any case, plain, URL-encoded or in base64. In numbers, masks only whole secrets.
 */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const figures = secrets.filter((secret) => secret.length >= REVEALING && FIGURE.test(secret));
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  const short = forms.filter(({ length }) => length < REVEALING);
  const pieces = new Set(forms.flatMap(piecesOf));
  return (text) => {
    if (FIGURE.test(text)) return figures.some((secret) => text.includes(secret)) ? MASK : text;
    return maskPieces(
      short.reduce((rest, form) => rest.replaceAll(form, MASK), text),
      pieces,
    );
  };
}

const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
];

const piecesOf = (form: string): readonly string[] =>
  Array.from({ length: Math.max(0, form.length - REVEALING + 1) }, (_, at) =>
    form.slice(at, at + REVEALING).toLowerCase(),
  );

function maskPieces(text: string, pieces: ReadonlySet<string>): string {
  let masked = '';
  let end = -1;
  for (let at = 0; at + REVEALING <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + REVEALING).toLowerCase())) continue;
    if (at > end) masked += text.slice(Math.max(end, 0), at) + MASK;
    end = at + REVEALING;
  }
  return end < 0 ? text : masked + text.slice(end);
}
