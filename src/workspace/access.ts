import { NotConnected } from '../domain/failure.ts';
import type { WorkspaceRecord } from './connections.ts';

/** What billing is asked with, unsealed for this one question. @throws NotConnected, SealBroken */
export function accessOf({ connection }: WorkspaceRecord): {
  readonly baseUrl: string;
  readonly token: string;
} {
  if (connection === undefined) throw new NotConnected();
  return { baseUrl: connection.baseUrl, token: connection.token() };
}
