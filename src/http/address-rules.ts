/** Which addresses Tally may connect to: public addresses over https, and hosts that the operator trusts. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { Failure, type FailureOf, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';

/** A host that may have a private address and use plain http. Without a `port`, every port is trusted. */
export interface TrustedHost {
  readonly host: string;
  readonly port?: number;
}

type Destination = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Public addresses that cloud providers use for internal services. */
const OF_CLOUDS = [
  '168.63.129.16/32',
  ...['199.36.153.4/30', '199.36.153.8/30', '2600:2d00:2:1000::/64', '2600:2d00:2:2000::/64'],
  ...['161.26.0.0/16', '166.8.0.0/14'],
].map((block) => ipaddr.parseCIDR(block));
/** The only IPv6 block with public routes. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 blocks (NAT64, 6to4) whose addresses contain an IPv4 address, and the byte where it starts. */
const CARRIERS = [
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
] as const;

export function isPublicAddress(address: string): boolean {
  const [text = ''] = address.split('%');
  if (isIP(text) === 0) return false;
  const ip = ipaddr.process(text);
  if (OF_CLOUDS.some(([net, bits]) => net.kind() === ip.kind() && ip.match(net, bits))) return false;
  if (ip instanceof ipaddr.IPv4) return ip.range() === 'unicast';
  const [, at] = CARRIERS.find(([block]) => ip.match(block)) ?? [];
  if (at !== undefined)
    return isPublicAddress(
      ip
        .toByteArray()
        .slice(at, at + 4)
        .join('.'),
    );
  return ip.range() === 'unicast' && ip.match(GLOBAL_IPV6);
}

function isTrusted(to: Destination, trusted: readonly TrustedHost[]): boolean {
  const port = Number(to.port || (to.protocol === 'http:' ? 80 : 443));
  return trusted.some(
    (entry) => canonicalHost(entry.host) === canonicalHost(to.hostname) && (entry.port ?? port) === port,
  );
}

/** Writes a host as the URL parser does: 0x7f.1 and 2130706433 become 127.0.0.1. */
function canonicalHost(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? withoutBrackets(new URL(url).hostname) : host;
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$|(?<!\.)\.+$/g, '');

/** Checks a URL without a DNS lookup. @throws address-refused */
export function checkDestination(to: Destination, trusted: readonly TrustedHost[]): void {
  const isExempt = isTrusted(to, trusted);
  const hasProtocol = to.protocol === 'https:' || (isExempt && to.protocol === 'http:');
  if (!hasProtocol) throw refused('doesn’t begin with https://', to.hostname);
  const host = withoutBrackets(to.hostname);
  if (!isExempt && isIP(host) !== 0 && !isPublicAddress(host))
    throw refused('isn’t a public address', to.hostname);
}

const refused = (why: string, host = ''): Failure =>
  new Failure('address-refused', { host: host || 'that address', why });

/** People paste an endpoint's URL, because the API documentation shows it. */
const PASTED_ENDPOINT = /\/(?:bill\/graphql|auth\/tokens)$/;

/** Without the look-behind, a long run of slashes would take quadratic time. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/** @returns the URL without trailing slash and endpoint path @throws address-refused, which quotes only the host */
export function checkBaseUrl(text: string, trusted: readonly TrustedHost[]): string {
  // On Node 20, `URL.canParse` rejects some host names with non-ASCII letters.
  const url = tryParse(() => new URL(text.trim()));
  if (url === undefined) throw refused('isn’t a web address such as https://api.example.com');
  checkDestination(url, trusted);
  if (url.username || url.password) throw refused('contains a user name or a password', url.host);
  if (url.search || url.hash) throw refused('has a “?” or “#” part; leave it out', url.host);
  return (
    url.origin +
    url.pathname.replace(TRAILING_SLASHES, '').replace(PASTED_ENDPOINT, '').replace(TRAILING_SLASHES, '')
  );
}

export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: ResolveHost = (hostname) => lookup(hostname, { all: true });

export function guardedConnect(
  trusted: readonly TrustedHost[],
  timeout: Millis,
  resolve: ResolveHost,
): buildConnector.connector {
  const shared = { timeout, autoSelectFamily: true };
  const toTrusted = buildConnector({ ...shared, lookup: createLookup(resolve) });
  const toPublic = buildConnector({ ...shared, lookup: createLookup(requirePublicAddress(resolve)) });
  return (options, callback) => {
    try {
      checkDestination(options, trusted);
    } catch (refusal) {
      return callback(refusal as FailureOf<'address-refused'>, null);
    }
    const connect = isTrusted(options, trusted) ? toTrusted : toPublic;
    return connect(options, callback);
  };
}

/** Connects to the addresses that `resolve` has checked: a second DNS answer (DNS rebinding) changes nothing. */
export const createLookup =
  (resolve: ResolveHost): LookupFunction =>
  (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, [...addresses]),
      (error) => callback(error, []),
    );
  };

/** Unknown and private names get the same error, so nobody can discover private names. The log has the cause. */
class NoPublicAddress extends Error {
  readonly code = NO_PUBLIC_ADDRESS;
}

/** Rejects a name that has any private address, because the socket may choose any address. */
export function requirePublicAddress(resolve: ResolveHost): ResolveHost {
  return async (hostname) => {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NoPublicAddress('the name could not be resolved', { cause });
    });
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NoPublicAddress('the name leads to a private address');
  };
}
