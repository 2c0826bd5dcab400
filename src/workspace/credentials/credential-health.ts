import { type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { findConnection, type Workspace } from '../record/workspace.ts';
import { type Connection, type Expiring, expiresSoon } from './credential-records.ts';

export type HealthLevel = 'broken' | 'warning' | 'fine';

/** The record is intact, but none of the configured keys can decrypt it. */
export const KEY_IS_GONE =
  'Tally can’t open this with its keys. Your operator has to put the old key back; nothing is lost.';

/** @param isRefused the credential can't be read, or the service has rejected it */
export function credentialHealth(
  credential: Expiring | undefined,
  isRefused: boolean,
  at: Millis,
  zone: Zone,
): HealthLevel {
  if (credential === undefined || isRefused) return 'broken';
  if (credential.expiresAt !== undefined && credential.expiresAt <= at) return 'broken';
  return expiresSoon(credential, at, zone) ? 'warning' : 'fine';
}

export interface ConnectionState {
  readonly name: string;
  readonly connection: Connection | undefined;
  readonly damage: FailureOf<'unseal-failed'>['data']['reason'] | undefined;
  readonly isRejected: boolean;
  readonly isDefault: boolean;
  readonly lastUsed: Millis | undefined;
  readonly health: HealthLevel;
}

export const connectionStates = (workspace: Workspace, at: Millis): readonly ConnectionState[] =>
  workspace.connectionNames.map((name) => {
    const connection = workspace.connections.get(name);
    const damage = damageOf(name, workspace);
    const isRejected = workspace.rejectedAt({ kind: 'connection', name }) !== undefined;
    return {
      name,
      connection,
      damage,
      isRejected,
      isDefault: workspace.defaultConnection === name,
      lastUsed: workspace.lastUsed(name),
      health: credentialHealth(connection, damage !== undefined || isRejected, at, workspace.settings.zone),
    };
  });

/** Decrypts a connection's token only to see whether that works, and discards the token. */
function damageOf(name: string, workspace: Workspace): ConnectionState['damage'] {
  try {
    findConnection(workspace, name)?.token();
    return undefined;
  } catch (error) {
    if (isFailure(error, 'unseal-failed')) return error.data.reason;
    throw error;
  }
}
