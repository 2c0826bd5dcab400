/** The application accesses of the sandbox's identity service. Their secrets are not real. */

export interface Access {
  label: string;
  id: string;
  secret: string;
  restricted: boolean;
  state: 'good' | 'expired' | 'project-disabled';
  /** How long after a token's issue the access itself expires, in ms. */
  expiresIn?: number;
}

const MINUTE = 60_000;

export const ACCESSES = {
  good: access('Application access', 1, {}),
  expiring: access('Access about to expire', 2, { expiresIn: 20 * MINUTE }),
  unrestricted: access('Unrestricted access', 3, { restricted: false }),
  expired: access('Expired access', 4, { state: 'expired' }),
  disabled: access('Access of a disabled project', 5, { state: 'project-disabled' }),
} as const;

export type AccessName = keyof typeof ACCESSES;

function access(label: string, number: number, rest: Partial<Access>): Access {
  const id = `5a9db0c${String(number).padStart(25, '0')}`;
  return {
    label,
    id,
    secret: `sandbox-access-secret-${number}-not-a-secret`,
    restricted: true,
    state: 'good',
    ...rest,
  };
}
