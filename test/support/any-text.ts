import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** At least a third is ASCII on average. fast-check's `binary` needs a second in each worker to build its table. */
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

/** @param most the maximum number of characters, none of which is half a surrogate pair */
export const anyText = (most?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(most !== undefined && { maxLength: most }) });
