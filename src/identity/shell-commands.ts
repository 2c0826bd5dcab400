import type { IssuedToken } from './client.ts';

/** Variables that an earlier login may have set, and that conflict with a token. */
const CONFLICTING_VARIABLES = `OS_CLOUD OS_PROJECT_ID OS_PROJECT_NAME OS_PROJECT_DOMAIN_ID OS_PROJECT_DOMAIN_NAME OS_TENANT_ID OS_TENANT_NAME OS_DOMAIN_ID OS_DOMAIN_NAME OS_USER_DOMAIN_ID OS_USER_DOMAIN_NAME`;

/**
 * Makes lines for sh, bash and zsh, after which `openstack` and curl use the token. `OS_AUTH_TYPE=token` and
 * `v3token` would exchange it for another token, which the identity service forbids for tokens of application
 * credentials (403). `admin_token`, despite its name, sends the token unchanged, but only to one endpoint: compute's
 * if the service names it, else identity's. Tested with python-openstackclient 6.0.0 and keystoneauth 5.0.0 against
 * Keystone 22.0.2.
 */
export const renderShellCommands = (
  { token, computeUrl }: Pick<IssuedToken, 'token' | 'computeUrl'>,
  authUrl: string,
): string =>
  [
    `unset ${CONFLICTING_VARIABLES}`,
    'export OS_AUTH_TYPE=admin_token',
    `export OS_AUTH_URL=${shellQuote(authUrl)}`,
    `export OS_TOKEN=${shellQuote(token)}`,
    `export OS_ENDPOINT=${shellQuote(computeUrl ?? authUrl)}`,
  ].join('\n');

const shellQuote = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;
