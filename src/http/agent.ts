import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRefused, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import { checkDestination, isPublicAddress, isTrusted, type TrustedHost } from './address.ts';
import type { HttpLimits } from './limits.ts';

/** Finds every address of a name. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** A pool of kept connections that applies the address rules whenever it opens a new one. */
export function createAgent(
  trusted: readonly TrustedHost[],
  limits: HttpLimits,
  resolve: ResolveHost,
): Agent {
  return new Agent({
    connect: guardedConnect(trusted, limits, resolve),
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: limits.idle,
    maxResponseSize: limits.bodyBytes,
    // The deadline of the whole question rules; undici's own would only cut it up.
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
      // A literal IP never reaches the lookup: it has to be judged here.
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
 * A lookup for `net.connect`. The socket goes to the very addresses that `resolve` gives, so a name that answers
 * differently the next time (DNS rebinding) gains nothing.
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
 * No such name, or one that leads to a private network. One error for both: whoever chooses the address would otherwise
 * learn which names a private network has. The cause is for the log.
 */
class NoPublicAddress extends Error {
  readonly code = NO_PUBLIC_ADDRESS;
}

/** One private address among public ones is enough: which of them gets connected is not ours to choose. */
export function requirePublicAddress(resolve: ResolveHost): ResolveHost {
  return async (hostname) => {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NoPublicAddress('the name was not resolved', { cause });
    });
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NoPublicAddress('the name leads to an address that is not public');
  };
}
