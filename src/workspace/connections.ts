import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keyring } from '../vault/keyring.ts';
import { parseRecord } from './record.ts';
import { readSettings, type Settings, writeSettings } from './settings.ts';
import { createWorkspaceStore } from './store.ts';

/** The roles and lifetimes of a user access token, as the console offers them. */
export const ROLES = ['administrator', 'read-only', 'accountant', 'engineer'] as const;
export const LIFETIMES = ['30-days', '60-days', '90-days', '1-year', 'none'] as const;

/** A registered token, without the token. */
export interface Connection {
  readonly name: string;
  readonly baseUrl: string;
  /** The token's last four characters, or `····` where four would be a third of it or more. */
  readonly lastFour: string;
  /** 12 hexadecimal digits of the token's SHA-256. */
  readonly fingerprint: string;
  readonly role: (typeof ROLES)[number];
  readonly lifetime: (typeof LIFETIMES)[number];
  /** Slack's id of the person. */
  readonly registeredBy: string;
  /** ms since the epoch */
  readonly registeredAt: number;
  /** ms since the epoch */
  readonly lapsesAt?: number;
}

export type NewConnection = Omit<Connection, 'lastFour' | 'fingerprint'> & { readonly token: string };

/**
 * A part that is damaged throws SealBroken `malformed` when it is touched, and leaves the other one usable.
 * `token()` opens the seal at each call, so that the token lives no longer than the request that needs it.
 */
export interface WorkspaceRecord {
  readonly settings: Settings;
  readonly connection?: OpenableConnection | undefined;
}

type OpenableConnection = Connection & { readonly token: () => string };

/** What a workspace told us. Each method is one round trip. @throws StoreUnreachable from each */
export interface Workspaces {
  read(workspace: string): Promise<WorkspaceRecord>;
  saveSettings(workspace: string, settings: Settings): Promise<void>;
  /** Replaces the connection of the same name. */
  saveConnection(workspace: string, connection: NewConnection): Promise<Connection>;
  /** Whether there was one. */
  removeConnection(workspace: string, name: string): Promise<boolean>;
  /** Deletes everything of the workspace. */
  forget(workspace: string): Promise<void>;
}

const SETTINGS = 'settings';
const DEFAULT_CONNECTION = 'main';
const fieldOf = (name: string) => `connection:${name}`;
const ownerOf = (workspace: string, name: string) => ({ workspace, kind: 'billing-token', id: name });

const schema = z.object({
  name: z.string(),
  baseUrl: z.url(),
  lastFour: z.string(),
  fingerprint: z.string(),
  role: z.enum(ROLES),
  lifetime: z.enum(LIFETIMES),
  registeredBy: z.string(),
  registeredAt: z.int(),
  lapsesAt: z.int().exactOptional(),
  sealed: z.string(),
});

export function createWorkspaces({ redis, keyring }: { redis: Redis; keyring: Keyring }): Workspaces {
  const store = createWorkspaceStore(redis);
  return {
    async read(workspace) {
      const [settings = null, main = null] = await store.read(
        workspace,
        SETTINGS,
        fieldOf(DEFAULT_CONNECTION),
      );
      return {
        get settings() {
          return readSettings(settings);
        },
        get connection() {
          return main === null ? undefined : openable(keyring, workspace, main);
        },
      };
    },
    saveSettings: (workspace, settings) => store.write(workspace, SETTINGS, writeSettings(settings)),
    async saveConnection(workspace, { token, ...rest }) {
      const connection: Connection = { ...rest, lastFour: lastFour(token), fingerprint: fingerprint(token) };
      const sealed = keyring.seal(token, ownerOf(workspace, rest.name));
      await store.write(workspace, fieldOf(rest.name), JSON.stringify({ ...connection, sealed }));
      return connection;
    },
    removeConnection: (workspace, name) => store.remove(workspace, fieldOf(name)),
    forget: (workspace) => store.forget(workspace),
  };
}

function openable(keyring: Keyring, workspace: string, json: string): OpenableConnection {
  const { sealed, ...connection } = parseRecord(schema, json);
  return { ...connection, token: () => keyring.open(sealed, ownerOf(workspace, connection.name)) };
}

function lastFour(token: string): string {
  return token.length < 12 ? '····' : token.slice(-4);
}

/**
 * Plain and not keyed, so that a person can compare it with `printf %s "$TOKEN" | sha256sum`: a service's random
 * token cannot be found by trying, and 48 bits tell two apart.
 */
function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}
