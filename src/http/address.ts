import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { AddressRefused, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';

/** A host that the operator exempts from the rules below, plain http included. Without `port`, every port. */
export interface TrustedHost {
  readonly host: string;
  readonly port?: number;
}

/** The parts of a URL that a connection depends on. */
type Destination = Pick<URL, 'protocol' | 'hostname' | 'port'>;

const blocks = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Special-purpose IPv4 blocks, routed ones included (IANA's registry as of 2025, RFC 6890 and later), multicast and
 * reserved blocks. Source: https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const CLOSED_IPV4 = blocks(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`);

/**
 * Addresses that look public but that a cloud serves to its own machines only. Its other metadata addresses are in the
 * blocks above and below: 169.254.0.0/16, 100.100.100.200, 192.0.0.192, fd00:ec2::254.
 */
const PLATFORM_IPV4 = [
  // Azure: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
  // Google: private.googleapis.com, restricted.googleapis.com
  ...['199.36.153.4/30', '199.36.153.8/30'],
  // IBM Cloud: its service network
  ...['161.26.0.0/16', '166.8.0.0/14'],
];
/** Google: restricted.googleapis.com, private.googleapis.com */
const PLATFORM_IPV6 = blocks('2600:2d00:2:1000::/64 2600:2d00:2:2000::/64');

/** The rest of IPv6 is loopback, link-local, private, multicast or unassigned. */
const OPEN_IPV6 = blocks('2000::/3 64:ff9b::/96 ::ffff:0:0/96');

/** Special-purpose blocks within the open ones. Source: https://www.iana.org/assignments/iana-ipv6-special-registry */
const CLOSED_IPV6 = blocks('2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20');

const open = new BlockList();
const closed = new BlockList();

const splitBlock = (block: string): readonly [net: string, bits: number] => {
  const [net = '', bits] = block.split('/');
  return [net, Number(bits)];
};
for (const block of OPEN_IPV6) open.addSubnet(...splitBlock(block), 'ipv6');
for (const block of [...CLOSED_IPV6, ...PLATFORM_IPV6]) closed.addSubnet(...splitBlock(block), 'ipv6');
for (const [net, bits] of [...CLOSED_IPV4, ...PLATFORM_IPV4].map(splitBlock)) {
  closed.addSubnet(net, bits, 'ipv4');
  // An IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4) is as public as what it carries.
  closed.addSubnet(`::ffff:${net}`, 96 + bits, 'ipv6');
  closed.addSubnet(`64:ff9b::${net}`, 96 + bits, 'ipv6');
  closed.addSubnet(`2002:${hextets(net)}::`, 16 + bits, 'ipv6');
}

function hextets(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** @param address in its usual spelling, with or without a zone (`fe80::1%eth0`) */
export function isPublicAddress(address: string): boolean {
  const [ip = ''] = address.split('%');
  if (isIP(ip) === 4) return !closed.check(ip, 'ipv4');
  return isIP(ip) === 6 && open.check(ip, 'ipv6') && !closed.check(ip, 'ipv6');
}

/** Names of this machine or of a local network: RFC 6761, 6762, 8375, ICANN's `.internal`. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Whether the operator exempts the destination's host and port from the address rules. */
export function isTrusted(to: Destination, trusted: readonly TrustedHost[]): boolean {
  const port = Number(to.port || (to.protocol === 'http:' ? 80 : 443));
  return trusted.some(
    (entry) => canonicalHost(entry.host) === canonicalHost(to.hostname) && (entry.port ?? port) === port,
  );
}

/** @returns the URL parser's spelling of a host: it turns 0x7f.1 and 2130706433 into 127.0.0.1 */
function canonicalHost(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? withoutBrackets(new URL(url).hostname) : host;
}

export const withoutBrackets = (hostname: string): string =>
  hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Applies the rules that need no lookup. {@link guardedConnect} checks what a name leads to.
 *
 * @throws {AddressRefused}
 */
export function checkDestination(to: Destination, trusted: readonly TrustedHost[]): void {
  const isExempt = isTrusted(to, trusted);
  const hasProtocol = to.protocol === 'https:' || (isExempt && to.protocol === 'http:');
  const refuse = (problem: string) => new AddressRefused(to.hostname || 'that address', problem);
  if (!hasProtocol) throw refuse('does not begin with https://');
  const problem = isExempt ? undefined : hostProblem(withoutBrackets(to.hostname));
  if (problem !== undefined) throw refuse(problem);
}

/** @returns why a host is not on the internet, by its name or address alone; undefined if it may be */
export function hostProblem(host: string): string | undefined {
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'is not a public address';
  if (LOCAL_NAME.test(host)) return 'is a name for this machine or a private network';
  return host.includes('.') ? undefined : 'is a name without a domain';
}

/** People paste whole endpoints, because the API documentation shows them. */
const PASTED_ENDPOINT = /\/(?:bill\/graphql|auth\/tokens)$/;

/**
 * Reads a base URL that a person typed.
 *
 * @returns the URL without a slash at its end and without the path of an endpoint
 * @throws {AddressRefused} with a reason to show beside the field; it repeats no more than the host
 */
export function checkBaseUrl(text: string, trusted: readonly TrustedHost[]): string {
  // Node 20's `URL.canParse` sometimes refuses a name with non-ASCII letters.
  const url = tryParse(() => new URL(text.trim()));
  if (url === undefined) {
    throw new AddressRefused('that address', 'is not a web address such as https://api.example.com');
  }
  checkDestination(url, trusted);
  if (url.username || url.password) throw new AddressRefused(url.host, 'contains a user name or a password');
  if (url.search || url.hash) throw new AddressRefused(url.host, 'has a “?” or “#” part; leave it out');
  return (
    url.origin + withoutTrailingSlashes(withoutTrailingSlashes(url.pathname).replace(PASTED_ENDPOINT, ''))
  );
}

/** A loop, because a pattern takes quadratic time on a long run of slashes in the middle. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** @returns every address of a host name @throws what the lookup throws */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** Opens connections of a pool, to the addresses that these rules allow. @param timeout in ms, for one connection */
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
      // A literal IP address is never looked up, so it is checked here.
      checkDestination(options, trusted);
    } catch (refusal) {
      return callback(refusal as AddressRefused, null);
    }
    const connect = isTrusted(options, trusted) ? toTrusted : toPublic;
    return connect(options, callback);
  };
}

/**
 * A lookup for `net.connect`. The socket connects to the addresses that `resolve` has returned, so that a second answer
 * for the same name (DNS rebinding) has no effect.
 */
export const createLookup =
  (resolve: ResolveHost): LookupFunction =>
  (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, [...addresses]),
      (error) => callback(error, []),
    );
  };

/**
 * The name is unknown, or leads to a private network. One error for both: otherwise a person could find out which names
 * a private network has. The cause is for the log.
 */
class NoPublicAddress extends Error {
  readonly code = NO_PUBLIC_ADDRESS;
}

/** Refuses a name with any private address, because we don't choose which of its addresses is connected. @throws NoPublicAddress */
export function requirePublicAddress(resolve: ResolveHost): ResolveHost {
  return async (hostname) => {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NoPublicAddress('the name could not be resolved', { cause });
    });
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NoPublicAddress('the name leads to an address that is not public');
  };
}
