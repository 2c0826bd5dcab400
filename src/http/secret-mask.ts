/** Replaces what a service repeats of the credentials that it was sent. */
export type SecretMask = (text: string) => string;

const MASK = '…';
/** This many characters of a secret in a row are masked; fewer also occur in other words. */
const REVEALING = 10;
/** A shorter secret occurs in ordinary words. */
const SHORTEST = 4;
/** Amounts and timestamps share digits with a secret by chance. */
const FIGURE = /^[\d\s.,:+\-TZe]{1,64}$/i;

/**
 * Masks the credentials of a request in any part of its answer: whole or in pieces of ten characters, in either case,
 * as they are, escaped for an address, HTML or JSON, in hexadecimal or in base64. A figure is masked only where it
 * contains a whole secret.
 */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const figures = secrets.filter((secret) => secret.length >= REVEALING && FIGURE.test(secret));
  // Made for the first text that isn't a figure: most answers have none, and this takes longer than the rest of them.
  let known: { readonly short: readonly string[]; readonly pieces: ReadonlySet<string> } | undefined;
  return (text) => {
    if (FIGURE.test(text)) return figures.some((secret) => text.includes(secret)) ? MASK : text;
    known ??= shapesOf(secrets);
    const { short, pieces } = known;
    const hide = (outside: string): string =>
      maskPieces(
        short.reduce((rest, form) => rest.replaceAll(form, MASK), outside),
        pieces,
      );
    const [masked, plain] = [hide(text), withoutEscapes(text)];
    const plainMasked = plain === text ? plain : hide(plain);
    return plainMasked === plain ? masked : plainMasked;
  };
}

/** A character in an address, in HTML, or in JSON within a string. */
const ESCAPE = /%([\da-f]{2})|&#x([\da-f]{1,6});|\\u([\da-f]{4})|&#(\d{1,7});/gi;

const withoutEscapes = (text: string): string =>
  text.replace(ESCAPE, (escaped, ...codes: (string | undefined)[]) => {
    const [percent, html, json, decimal] = codes;
    const hexadecimal = percent ?? html ?? json;
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code < 128 ? String.fromCharCode(code) : escaped;
  });

function shapesOf(secrets: readonly string[]) {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  return {
    short: forms.filter(({ length }) => length < REVEALING),
    pieces: new Set(forms.flatMap(piecesOf)),
  };
}

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

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // What comes before a secret shifts its base64. The characters at its ends depend on its neighbours.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6)),
  );
  const urlSafe = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64, ...urlSafe];
}

const piecesOf = (form: string): readonly string[] =>
  Array.from({ length: Math.max(0, form.length - REVEALING + 1) }, (_, at) =>
    form.slice(at, at + REVEALING).toLowerCase(),
  );
