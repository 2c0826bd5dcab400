import { InvalidWord } from '../domain/failure/index.ts';
import { checkBaseUrl, type TrustedHost } from '../http/address.ts';

/**
 * Reads the address of an identity service that a person typed or pasted: `https://identity.example.com/v3`, with a
 * slash too many or with `/auth/tokens` behind it.
 * @returns the address as {@link IdentityClient} takes it, ending with the version segment `v3` that the contract names
 * @throws {AddressRefused} by the address rules; {@link InvalidWord} where `/v3` is missing, with the corrected address
 */
export function parseAuthUrl(text: string, trusted: readonly TrustedHost[]): string {
  const base = checkBaseUrl(text, trusted);
  const corrected = suggestAuthUrl(base);
  if (corrected === undefined) return base;
  if (withoutEndpoint(base) === corrected) return corrected;
  throw new InvalidWord(base, 'does not end with /v3', `Try ${corrected}`, corrected, 'always');
}

/** What the address of an identity API probably is, seen from one that is not; undefined where nothing is wrong with it. */
export function suggestAuthUrl(authUrl: string): string | undefined {
  const base = withoutEndpoint(authUrl);
  const [upToVersion] = /^https?:\/\/[^/]+\/(?:.*?\/)?v3(?=\/|$)/i.exec(base) ?? [];
  const corrected = upToVersion?.replace(/v3$/i, 'v3') ?? `${base.replace(/\/v2(?:\.0)?$/i, '')}/v3`;
  return corrected === authUrl ? undefined : corrected;
}

/** Without doubled slashes, without one at the end, and without the contract's path or the beginning of it. */
function withoutEndpoint(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  return origin + path.replace(/\/auth(?:\/tokens?)?$/, '');
}
