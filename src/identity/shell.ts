import type { IssuedToken } from './client.ts';

/**
 * Left over from an earlier login, each of these makes the client refuse the plugin's few options, or use another
 * login altogether.
 */
const IN_THE_WAY = [
  'OS_CLOUD',
  'OS_PROJECT_ID',
  'OS_PROJECT_NAME',
  'OS_PROJECT_DOMAIN_ID',
  'OS_PROJECT_DOMAIN_NAME',
  'OS_TENANT_ID',
  'OS_TENANT_NAME',
  'OS_DOMAIN_ID',
  'OS_DOMAIN_NAME',
  'OS_USER_DOMAIN_ID',
  'OS_USER_DOMAIN_NAME',
] as const;

interface Endpoint {
  readonly service: 'compute' | 'identity';
  readonly url: string;
}

/** The one that `OS_ENDPOINT` is: of compute, and of identity where compute is not in the catalog. */
export function findEndpoint(endpoints: IssuedToken['endpoints'], authUrl: string): Endpoint {
  const compute = endpoints.find(({ service }) => service === 'compute');
  return compute === undefined
    ? { service: 'identity', url: authUrl }
    : { service: 'compute', url: compute.url };
}

/**
 * Lines for sh and bash, and for zsh up to the comments, after which `openstack` and curl use the token.
 *
 * `OS_AUTH_TYPE=token` and `v3token` would ask the identity service to make another token out of this one, which it
 * forbids for tokens of application credentials (403). `admin_token` (that is only its name) sends the token as it is,
 * without a catalog: to one endpoint at a time, so the other services' stand below as comments.
 * Seen to work with python-openstackclient 6.0.0 and keystoneauth 5.0.0 against Keystone 22.0.2.
 */
export function renderShellCommands(
  { token, endpoints }: Pick<IssuedToken, 'token' | 'endpoints'>,
  authUrl: string,
): readonly string[] {
  const chosen = findEndpoint(endpoints, authUrl);
  const others = endpoints.filter(({ service }) => service !== chosen.service && isPlain(service));
  return [
    `unset ${IN_THE_WAY.join(' ')}`,
    'export OS_AUTH_TYPE=admin_token',
    `export OS_AUTH_URL=${quoted(authUrl)}`,
    `export OS_TOKEN=${quoted(token)}`,
    `export OS_ENDPOINT=${quoted(chosen.url)}`,
    ...others.map(({ service, url }) => `# ${service}: export OS_ENDPOINT=${quoted(url)}`),
  ];
}

/** Nothing has a meaning between single quotes but the next one. */
const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** A service's type in the catalog is outside text, and a line break would end its comment. */
const isPlain = (service: string): boolean => /^[\w.-]+$/.test(service);
