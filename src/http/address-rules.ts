import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { Failure, type FailureOf, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';

/** A host that the operator exempts from the rules below, so that it may also use plain http. No `port`: every port. */
export interface TrustedHost {
  readonly host: string;
  readonly port?: number;
}

/** The parts of a URL that a connection depends on. */
type Destination = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Address ranges that look public but that cloud providers use for internal services. */
const OF_CLOUDS = [
  // Azure: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
  // Google: private.googleapis.com, restricted.googleapis.com
  ...['199.36.153.4/30', '199.36.153.8/30', '2600:2d00:2:1000::/64', '2600:2d00:2:2000::/64'],
  // IBM Cloud: its service network
  ...['161.26.0.0/16', '166.8.0.0/14'],
].map((block) => ipaddr.parseCIDR(block));
/** Only this IPv6 block is publicly routed. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 blocks (NAT64, 6to4) whose addresses contain an IPv4 address from this byte on. The IPv4 address is checked. */
const CARRIERS = [
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
] as const;

/** @param address may have an interface suffix: `fe80::1%eth0` */
export function isPublicAddress(address: string): boolean {
  const [text = ''] = address.split('%');
  if (isIP(text) === 0) return false;
  // Turns an IPv4 address written as IPv6, such as ::ffff:127.0.0.1, into IPv4.
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

/** Host names of this machine or a local network, as in RFC 6761, 6762 and 8375, and ICANN's `.internal`. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Whether the operator exempts the destination's host and port from the address rules. */
function isTrusted(to: Destination, trusted: readonly TrustedHost[]): boolean {
  const port = Number(to.port || (to.protocol === 'http:' ? 80 : 443));
  return trusted.some(
    (entry) => canonicalHost(entry.host) === canonicalHost(to.hostname) && (entry.port ?? port) === port,
  );
}

/** @returns the host as the URL parser writes it: 0x7f.1 and 2130706433 become 127.0.0.1 */
function canonicalHost(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? withoutBrackets(new URL(url).hostname) : host;
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$|(?<!\.)\.+$/g, '');

/** Checks a URL without a DNS lookup; {@link guardedConnect} checks the looked-up addresses. @throws address-refused */
export function checkDestination(to: Destination, trusted: readonly TrustedHost[]): void {
  const isExempt = isTrusted(to, trusted);
  const hasProtocol = to.protocol === 'https:' || (isExempt && to.protocol === 'http:');
  const refuse = (problem: string) =>
    new Failure('address-refused', { host: to.hostname || 'that address', why: problem });
  if (!hasProtocol) throw refuse('does not begin with https://');
  const problem = isExempt ? undefined : hostProblem(withoutBrackets(to.hostname));
  if (problem !== undefined) throw refuse(problem);
}

/** @returns why a host can't be on the internet, judged without DNS; undefined if it can */
function hostProblem(host: string): string | undefined {
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'is not a public address';
  if (LOCAL_NAME.test(host)) return 'is a name for this machine or a private network';
  return host.includes('.') ? undefined : 'is a name without a domain';
}

/** The end of an endpoint's URL, which people paste because the API documentation shows it. */
const PASTED_ENDPOINT = /\/(?:bill\/graphql|auth\/tokens)$/;

/** The look-behind makes the pattern start once per run of slashes, or a long run would take quadratic time. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/**
 * Parses a typed base URL.
 * @returns the URL without trailing slash or endpoint path
 * @throws address-refused, with a reason to show at the form field; of the text it quotes only the host
 */
export function checkBaseUrl(text: string, trusted: readonly TrustedHost[]): string {
  // Don't use `URL.canParse`: on Node 20 it rejects some host names with non-ASCII letters.
  const url = tryParse(() => new URL(text.trim()));
  if (url === undefined) {
    throw new Failure('address-refused', {
      host: 'that address',
      why: 'is not a web address such as https://api.example.com',
    });
  }
  checkDestination(url, trusted);
  if (url.username || url.password)
    throw new Failure('address-refused', { host: url.host, why: 'contains a user name or a password' });
  if (url.search || url.hash)
    throw new Failure('address-refused', { host: url.host, why: 'has a “?” or “#” part; leave it out' });
  return (
    url.origin +
    url.pathname.replace(TRAILING_SLASHES, '').replace(PASTED_ENDPOINT, '').replace(TRAILING_SLASHES, '')
  );
}

/** Looks up all IP addresses of a host. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** A connect function that checks every new connection by these rules. @param timeout for connecting, in ms */
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
      // An IP address in the URL isn't looked up, so check it here.
      checkDestination(options, trusted);
    } catch (refusal) {
      return callback(refusal as FailureOf<'address-refused'>, null);
    }
    const connect = isTrusted(options, trusted) ? toTrusted : toPublic;
    return connect(options, callback);
  };
}

/**
 * A lookup for `net.connect`. The socket connects to the very addresses that `resolve` has checked, so that a different
 * answer to a second DNS query (DNS rebinding) has no effect.
 */
export const createLookup =
  (resolve: ResolveHost): LookupFunction =>
  (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, [...addresses]),
      (error) => callback(error, []),
    );
  };

/** The name is unknown or private: one error, so that nobody can find out private names. The log has the cause. */
class NoPublicAddress extends Error {
  readonly code = NO_PUBLIC_ADDRESS;
}

/** Rejects a name if any of its addresses is private, because the socket may choose any. */
export function requirePublicAddress(resolve: ResolveHost): ResolveHost {
  return async (hostname) => {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NoPublicAddress('the name could not be resolved', { cause });
    });
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NoPublicAddress('the name leads to an address that is not public');
  };
}
