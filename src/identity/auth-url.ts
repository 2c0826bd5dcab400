import { InvalidWord } from '../domain/failure/index.ts';
import { checkBaseUrl, type TrustedHost } from '../http/address.ts';

/**
 * Reads the address of an identity service that a person typed or pasted: `https://identity.example.com/v3`, perhaps with
 * extra slashes or with `/auth/tokens` at its end.
 *
 * @returns the address for {@link IdentityClient}, ending with `/v3`
 * @throws {AddressRefused} by the address rules
 * @throws {InvalidWord} if `/v3` is missing, with the corrected address
 */
export function parseAuthUrl(text: string, trusted: readonly TrustedHost[]): string {
  const base = checkBaseUrl(text, trusted);
  const corrected = suggestAuthUrl(base);
  if (corrected === undefined) return base;
  if (withoutEndpoint(base) === corrected) return corrected;
  throw new InvalidWord(base, 'does not end with /v3', `Try ${corrected}`, corrected, 'always');
}

/** @returns the address that was probably meant; undefined if nothing is wrong with `authUrl` */
export function suggestAuthUrl(authUrl: string): string | undefined {
  const base = withoutEndpoint(authUrl);
  const [upToVersion] = /^https?:\/\/[^/]+\/(?:.*?\/)?v3(?=\/|$)/i.exec(base) ?? [];
  const corrected = upToVersion?.replace(/v3$/i, 'v3') ?? `${base.replace(/\/v2(?:\.0)?$/i, '')}/v3`;
  return corrected === authUrl ? undefined : corrected;
}

/** Removes doubled slashes, one at the end, and the path of the endpoint, whole or in part. */
function withoutEndpoint(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  return origin + path.replace(/\/auth(?:\/tokens?)?$/, '');
}
