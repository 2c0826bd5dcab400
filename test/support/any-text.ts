import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Any character, every third one of ASCII. fast-check's own `binary` first builds a table of all, a second for each worker. */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: FIRST_SURROGATE - 1 }),
    fc.integer({ min: LAST_SURROGATE + 1, max: 0x10ffff }),
  )
  .map(
    (code) => String.fromCodePoint(code),
    (text) => codePointOf(text),
  );

function codePointOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text)
    throw new Error('This is not one character.');
  return code;
}

/** Any text, without halves of characters. @param most characters */
export const anyText = (most?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(most !== undefined && { maxLength: most }) });
