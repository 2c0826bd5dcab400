import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderShellCommands } from '../../src/identity/shell-commands.ts';
import { runs } from '../support/test-run.ts';

const AUTH_URL = 'https://identity.example.com/v3';
const computeUrl = 'https://compute.example.com/v2.1';

function run(lines: string, before: Record<string, string> = {}): Record<string, string> {
  const out = execFileSync('/bin/sh', ['-c', `${lines}\nenv -0`], {
    env: { PATH: process.env.PATH, ...before },
    encoding: 'utf8',
  });
  const pairs = out.split('\0').map((pair) => [pair.split('=', 1)[0] ?? '', pair.replace(/^[^=]*=/, '')]);
  return Object.fromEntries(pairs.filter(([name]) => name?.startsWith('OS_')));
}

describe('the shell commands for a token', () => {
  it('set the token and the compute URL, or the identity URL if compute is unknown', () => {
    const variables = (url?: string) =>
      run(renderShellCommands({ token: 'gAAAAA-x', computeUrl: url }, AUTH_URL));
    expect(variables(computeUrl)).toEqual({
      OS_AUTH_TYPE: 'admin_token',
      OS_AUTH_URL: AUTH_URL,
      OS_TOKEN: 'gAAAAA-x',
      OS_ENDPOINT: computeUrl,
    });
    expect(variables().OS_ENDPOINT).toBe(AUTH_URL);
  });

  it('unset the variables of an earlier login', () => {
    const left = {
      OS_PROJECT_NAME: 'old',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_CLOUD: 'old',
      OS_REGION_NAME: 'r1',
    };
    const after = run(renderShellCommands({ token: 't', computeUrl: undefined }, AUTH_URL), left);
    expect(Object.keys(after).sort()).toEqual(
      ['OS_AUTH_TYPE', 'OS_AUTH_URL', 'OS_ENDPOINT', 'OS_REGION_NAME', 'OS_TOKEN'].sort(),
    );
  });

  it('quote any token and any URL safely', () => {
    const printable = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
    const awkward = fc.constantFrom(`'; touch x; '`, '$(id)', '`id`', "''", '\\', '!!', '"', "\\'", '#');
    fc.assert(
      fc.property(fc.oneof(printable, awkward), printable, printable, (token, authUrl, computeUrl) => {
        const after = run(renderShellCommands({ token, computeUrl }, authUrl));
        expect(after).toMatchObject({ OS_TOKEN: token, OS_AUTH_URL: authUrl, OS_ENDPOINT: computeUrl });
        expect(Object.keys(after)).toHaveLength(4);
      }),
      { numRuns: runs(40) },
    );
  });
});
