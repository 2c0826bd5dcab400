import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRefused, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { checkDestination, isPublicAddress, isTrusted, type TrustedHost } from './address.ts';

/** How long and how often Tally asks a service, and how much it accepts. Durations in milliseconds. */
export interface HttpLimits {
  /** One request from its turn in the queue to the last byte, with all tries and the pauses between them. */
  readonly deadline: Millis;
  readonly tries: number;
  /** The pause before the next try is random between these two; its upper end grows with each try. */
  readonly shortestBackoff: Millis;
  readonly longestBackoff: Millis;
  /** After this many outages in a row, a connection does not ask an origin for `breakerPause`. */
  readonly breakerThreshold: number;
  readonly breakerPause: Millis;
  /** How many failing connections are remembered; beyond it, the one that failed longest ago is forgotten. */
  readonly failingConnections: number;
  readonly bodyBytes: number;
  /** {@link Limits.serviceConnections} */
  readonly connections: number;
  /** How many interactive requests of a workspace may wait for one origin; the next one is refused. */
  readonly queueLength: number;
  /** How long an interactive request may wait for its turn. A background request waits without limit. */
  readonly queueTimeout: Millis;
  /** How long an unused connection is kept, unless the service names a time. */
  readonly keepAlive: Millis;
}

export const HTTP_LIMITS: HttpLimits = {
  deadline: 10_000,
  tries: 3,
  shortestBackoff: 100,
  longestBackoff: 800,
  breakerThreshold: 10,
  breakerPause: 5_000,
  failingConnections: 1_024,
  bodyBytes: 4 * 1024 * 1024,
  connections: DEFAULT_LIMITS.serviceConnections,
  queueLength: 500,
  queueTimeout: 10_000,
  keepAlive: 20_000,
};

/** @returns every address of a host name @throws what the lookup throws */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** A connection pool that applies the address rules whenever it opens a connection. */
export function createAgent(
  trusted: readonly TrustedHost[],
  limits: HttpLimits,
  resolve: ResolveHost,
): Agent {
  return new Agent({
    connect: guardedConnect(trusted, limits, resolve),
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: limits.keepAlive,
    maxResponseSize: limits.bodyBytes,
    // The deadline of the whole request applies instead of undici's own timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function guardedConnect(
  trusted: readonly TrustedHost[],
  limits: HttpLimits,
  resolve: ResolveHost,
): buildConnector.connector {
  const shared = { timeout: limits.deadline, autoSelectFamily: true };
  const toTrusted = buildConnector({ ...shared, lookup: createLookup(resolve) });
  const toPublic = buildConnector({ ...shared, lookup: createLookup(requirePublicAddress(resolve)) });
  return (options, callback) => {
    try {
      // A literal IP address is never looked up, so it is checked here.
      checkDestination(options, trusted);
    } catch (refusal) {
      callback(refusal as AddressRefused, null);
      return;
    }
    const connect = isTrusted(options, trusted) ? toTrusted : toPublic;
    connect(options, callback);
  };
}

/**
 * A lookup for `net.connect`. The socket connects to the addresses that `resolve` has returned, so that a second answer
 * for the same name (DNS rebinding) has no effect.
 */
export function createLookup(resolve: ResolveHost): LookupFunction {
  return (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, [...addresses]),
      (error) => callback(error, []),
    );
  };
}

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
