/** The fewest decimal places that no price list has. */
const PLACES = 8;

/**
 * Whether a decimal is how a binary number prints: 0.30000000000000004, its shortest form, or 0.1000000000000000055511…,
 * all of its digits. A guess: no other amount of so many digits does so but by chance.
 *
 * @param raw as the service sent it
 */
export function looksBinary(raw: string): boolean {
  const digits = raw.includes('.') ? raw.replace(/0+$/, '') : raw;
  const places = digits.split('.')[1]?.length ?? 0;
  const significant = digits.replace(/\D/g, '').replace(/^0+/, '').length;
  if (places < PLACES || significant < 16) return false;
  return significant <= 17
    ? String(Number(digits)) === digits
    : places <= 100 && Number(digits).toFixed(places) === digits;
}
