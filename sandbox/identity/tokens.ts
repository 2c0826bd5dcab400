/** Issued tokens, and their description in the API's format. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Access } from './accesses.ts';

/** `mixed`: without a zone when the access expires before the token's hour, otherwise with Z, as Keystone does. */
export type ExpiryForm = 'mixed' | 'no-zone' | 'absent';

interface Issued {
  token: string;
  access: Access;
  issuedAt: number;
  expiresAt: number;
  auditId: string;
}

export interface Tokens {
  issue(access: Access): Issued;
  /** Returns undefined for a token that is unknown, revoked or expired. */
  find(token: string | undefined): Issued | undefined;
  revoke(token: string): void;
}

const LIFETIME = 3_600_000;
const LENGTH = 204;

export function createTokens(now: () => number): Tokens {
  const live = new Map<string, Issued>();
  return {
    issue(access) {
      const issuedAt = now();
      const expiresAt = issuedAt + Math.min(LIFETIME, access.expiresIn ?? LIFETIME);
      const token = `gAAAAA${randomBytes(LENGTH).toString('base64url')}`.slice(0, LENGTH);
      const issued = { token, access, issuedAt, expiresAt, auditId: randomBytes(16).toString('base64url') };
      live.set(token, issued);
      return issued;
    },
    find(token) {
      const issued = token === undefined ? undefined : live.get(token);
      return issued && issued.expiresAt > now() ? issued : undefined;
    },
    revoke: (token) => void live.delete(token),
  };
}

/** Returns the JSON body for a token. */
export function describeToken(issued: Issued, form: ExpiryForm, withCatalog: boolean): string {
  const { access } = issued;
  const domain = { id: 'default', name: 'Default' };
  return JSON.stringify({
    token: {
      methods: ['application_credential'],
      user: { domain, id: 'sandbox-user', name: 'sandbox', password_expires_at: null },
      audit_ids: [issued.auditId],
      ...(form !== 'absent' && { expires_at: expiry(issued, form) }),
      issued_at: microseconds(issued.issuedAt),
      project: { domain, id: 'sandbox-project', name: 'prod' },
      is_domain: false,
      roles: [{ id: 'sandbox-role', name: 'member' }],
      ...(withCatalog && { catalog: [catalogEntry()] }),
      application_credential: { id: access.id, name: access.label, restricted: access.restricted },
    },
  });
}

function expiry({ access, expiresAt }: Issued, form: ExpiryForm): string {
  const withoutZone = form === 'no-zone' || access.expiresIn !== undefined;
  return withoutZone ? new Date(expiresAt).toISOString().slice(0, 19) : microseconds(expiresAt);
}

function microseconds(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

function catalogEntry() {
  const url = 'https://compute.sandbox.example/v2.1';
  const endpoint = { id: randomUUID(), interface: 'public', region: 'sandbox', region_id: 'sandbox', url };
  return { id: randomUUID(), name: 'nova', type: 'compute', endpoints: [endpoint] };
}
