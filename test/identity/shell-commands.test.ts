import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEndpoint, renderShellCommands } from '../../src/identity/shell-commands.ts';
import { runs } from '../support/thorough.ts';

const AUTH_URL = 'https://identity.example.com/v3';
const compute = { service: 'compute', url: 'https://compute.example.com/v2.1' };
const network = { service: 'network', url: 'https://network.example.com' };

/** The variables of a shell after it has run the lines. */
function run(lines: readonly string[], before: Record<string, string> = {}): Record<string, string> {
  const out = execFileSync('/bin/sh', ['-c', `${lines.join('\n')}\nenv -0`], {
    env: { PATH: process.env.PATH, ...before },
    encoding: 'utf8',
  });
  const pairs = out.split('\0').map((pair) => [pair.split('=', 1)[0] ?? '', pair.replace(/^[^=]*=/, '')]);
  return Object.fromEntries(pairs.filter(([name]) => name?.startsWith('OS_')));
}

it('names the service of its endpoint', () => {
  expect(findEndpoint([network, compute], AUTH_URL)).toEqual(compute);
  expect(findEndpoint([network], AUTH_URL)).toEqual({ service: 'identity', url: AUTH_URL });
});

describe('the lines for a shell', () => {
  it('pass the token unchanged to the compute service, and name the others', () => {
    const lines = renderShellCommands({ token: 'gAAAAA-x', endpoints: [network, compute] }, AUTH_URL);
    expect(run(lines)).toEqual({
      OS_AUTH_TYPE: 'admin_token',
      OS_AUTH_URL: AUTH_URL,
      OS_TOKEN: 'gAAAAA-x',
      OS_ENDPOINT: compute.url,
    });
    expect(lines.at(-1)).toBe(`# network: export OS_ENDPOINT='${network.url}'`);
  });

  it('use the identity service when no other is known', () => {
    expect(run(renderShellCommands({ token: 't', endpoints: [] }, AUTH_URL)).OS_ENDPOINT).toBe(AUTH_URL);
    expect(run(renderShellCommands({ token: 't', endpoints: [network] }, AUTH_URL)).OS_ENDPOINT).toBe(
      AUTH_URL,
    );
  });

  it('unset what an earlier login has set', () => {
    const left = {
      OS_PROJECT_NAME: 'old',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_CLOUD: 'old',
      OS_REGION_NAME: 'r1',
    };
    const after = run(renderShellCommands({ token: 't', endpoints: [] }, AUTH_URL), left);
    expect(Object.keys(after).sort()).toEqual(
      ['OS_AUTH_TYPE', 'OS_AUTH_URL', 'OS_ENDPOINT', 'OS_REGION_NAME', 'OS_TOKEN'].sort(),
    );
  });

  it('are safe for any token, URL or service', () => {
    const printable = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
    const endpoint = fc.record({ service: fc.string(), url: printable });
    const awkward = fc.constantFrom(`'; touch x; '`, '$(id)', '`id`', "''", '\\', '!!', '"', "\\'", '#');
    fc.assert(
      fc.property(
        fc.oneof(printable, awkward),
        printable,
        fc.array(endpoint),
        (token, authUrl, endpoints) => {
          const after = run(renderShellCommands({ token, endpoints }, authUrl));
          expect(after).toMatchObject({ OS_TOKEN: token, OS_AUTH_URL: authUrl });
          expect(Object.keys(after)).toHaveLength(4);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('keep a service’s name on one line', () => {
    const evil = { service: 'x\nexport OS_TOKEN=stolen', url: 'https://x' };
    expect(run(renderShellCommands({ token: 't', endpoints: [evil] }, AUTH_URL)).OS_TOKEN).toBe('t');
  });
});
