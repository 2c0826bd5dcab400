import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BillingService, startBilling } from '../sandbox/billing.ts';
import { BOT_ENTRY, buildBot, ROOT } from '../sandbox/build.ts';
import { POINT_IDS } from '../src/billing/conformance/points.ts';
import { answerWith } from './support/service-replies.ts';

let folder: string;
beforeAll(async () => {
  await buildBot(() => {});
  folder = await mkdtemp(join(tmpdir(), 'tally-check-'));
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

let billing: BillingService;
let token: string;
beforeEach(async () => {
  billing = await startBilling();
  token = billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
});
afterEach(() => billing.close());

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `tally check-billing` as a process with only this environment. */
function checkBilling(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const options = {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', TRUSTED_API_HOSTS: '127.0.0.1', ...env },
    };
    const child = execFile(
      process.execPath,
      [BOT_ENTRY, 'check-billing', ...args],
      options,
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
    child.stdin?.end(input);
  });
}

const project = ['--project', '123'];
const withToken = () => ({ BILLING_BASE_URL: billing.url, BILLING_TOKEN: token });

describe('tally check-billing', () => {
  it('ends with 0 for a service that conforms, with a line for each point', async () => {
    const { code, output, errors } = await checkBilling(project, withToken());
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect([...output.matchAll(/^pass {2}(\S+) /gm)].map(([, id]) => id)).toEqual(POINT_IDS);
    expect(output).toMatch(/\nThe service conforms\. 13 questions, 13 requests\.\n$/);
  });

  it('ends with 1 for one that does not, and says what it costs and what was not checked', async () => {
    answerWith(billing, 'careless');
    const careless = await checkBilling(project, withToken());
    expect(careless.code).toBe(1);
    expect(careless.output).toMatch(
      /\nFAIL {2}wrong-product .*figures.*\n {6}wanted: .*\n {6}people get: .*\n {6}sent: query/,
    );
    expect(careless.output).toContain('1 of 25 points failed.');
    answerWith(billing, 'redirect');
    const redirected = await checkBilling(project, withToken());
    expect(redirected.code).toBe(1);
    expect(redirected.output).toContain('not checked, because redirect ended the check: http, ');
  });

  it('prints what docs/billing-contract.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs/billing-contract.md'), 'utf8');
    const [, shown] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
    answerWith(billing, 'redirect');
    const { output } = await checkBilling(project, withToken());
    expect(output.split('\n').slice(2).join('\n')).toBe(shown);
  });

  it.each([
    ['nothing listens', 'http://127.0.0.1:1', 'It can’t be reached: nothing listens at 127.0.0.1:1'],
    ['nothing is at the path', '/other', 'has no billing service (HTTP 404). Write the address in front of'],
  ])('says how to fix it when %s', async (_, address, fix) => {
    const url = address.startsWith('/') ? `${billing.url}${address}` : address;
    const { code, output } = await checkBilling([...project, '--url', url, '--json'], withToken());
    const { points } = JSON.parse(output);
    expect([code, points.find(({ verdict }: { verdict: string }) => verdict === 'fail')]).toEqual([
      1,
      expect.objectContaining({ fix: expect.stringContaining(fix) }),
    ]);
  });

  it('ends without a word when nobody reads on', async () => {
    const line = `${process.execPath} ${BOT_ENTRY} check-billing --project 123 | head -1; echo \${PIPESTATUS[0]}`;
    const env = { PATH: process.env.PATH ?? '', TRUSTED_API_HOSTS: '127.0.0.1', ...withToken() };
    const ran = await new Promise<readonly string[]>((resolve) => {
      execFile('bash', ['-c', line], { cwd: ROOT, env }, (_, output, errors) => resolve([output, errors]));
    });
    expect(ran).toEqual([expect.stringMatching(/^http.*\n141\n$/), expect.not.stringContaining('EPIPE')]);
  });

  it('prints JSON for programs', async () => {
    const { code, output } = await checkBilling([...project, '--json'], withToken());
    expect(code).toBe(0);
    const said = JSON.parse(output);
    expect(said).toMatchObject({
      url: billing.url,
      project: '123',
      product: 1,
      conforms: true,
      requests: 13,
    });
    expect(said.points.map(({ id }: { id: string }) => id)).toEqual(POINT_IDS);
    expect(said.points[0]).toEqual({
      ...{ id: 'reach', verdict: 'pass', came: 'connected' },
      ...{ asked: expect.any(String), wanted: expect.any(String) },
    });
  });

  it('takes the token from the environment, a file, standard input or an option, and prints it nowhere', async () => {
    const path = join(folder, 'token');
    await writeFile(path, `${token}\n`, { mode: 0o600 });
    const url = ['--url', billing.url];
    const ways = await Promise.all([
      checkBilling([...project, ...url, '--token-file', path]),
      checkBilling([...project, ...url, '--token-file', '-'], {}, `${token}\n`),
      checkBilling([...project, ...url, '--token', token]),
      checkBilling([...project, ...url, '--json'], { BILLING_TOKEN: token }),
    ]);
    expect(ways.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    for (const { output, errors } of ways) expect(output + errors).not.toContain(token);
  });

  it('prints nothing of the token when a service sends it back', async () => {
    billing.setBalance('123', JSON.stringify({ balance: token, bonuses: `x\u001b[31m${token.slice(2)}` }));
    const { code, output } = await checkBilling(project, withToken());
    expect(code).toBe(1);
    expect(output).not.toContain(token.slice(2, 30));
    expect(output).not.toContain('\u001b');
  });

  it.each<[string, string[], Record<string, string>]>([
    ['--project needs the ID', [], {}],
    ['--project needs the ID', ['--project', '0123'], {}],
    ['--project needs the ID', ['--project', 'prod'], {}],
    ['--product is cloud, storage or virtualization', [...project, '--product', '4'], {}],
    ['--zone is a name', [...project, '--zone', '+02:00'], {}],
    ['--url is needed', project, { BILLING_BASE_URL: '' }],
    [
      'If you trust it: TRUSTED_API_HOSTS=10.0.0.1',
      project,
      { TRUSTED_API_HOSTS: '', BILLING_BASE_URL: 'https://10.0.0.1' },
    ],
    [
      'TRUSTED_API_HOSTS is invalid: entry 1 is not host or host:port',
      project,
      { TRUSTED_API_HOSTS: 'https://a.example' },
    ],
    ['A token is needed', project, { BILLING_TOKEN: '' }],
    ['no HTTP header can carry it', project, { BILLING_TOKEN: 'with a space' }],
    ['can’t be read (ENOENT)', [...project, '--token-file', '/nowhere/at/all'], {}],
    ['Unknown option --tokens.', [...project, '--tokens', 'a-secret-by-mistake'], {}],
  ])('ends with 64 and says “%s” for %j %j', async (says, args, env) => {
    const { code, output, errors } = await checkBilling(args, { ...withToken(), ...env });
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors.split('\n')[0]).toContain(says);
    expect(errors).toContain('Usage: tally check-billing');
    expect(errors).not.toContain('a-secret-by-mistake');
    expect(billing.requests).toEqual([]);
  });

  it('prints its help', async () => {
    const { code, output } = await checkBilling(['--help']);
    expect(code).toBe(0);
    for (const said of ['--project ID', '--token-file PATH', 'BILLING_TOKEN', '13 questions'])
      expect(output).toContain(said);
  });
});
