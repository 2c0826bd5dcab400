import { execFile } from 'node:child_process';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { BOT_ENTRY, buildBot, ROOT } from '../../sandbox/build.ts';
import { POINTS } from '../../src/cli/check-billing.ts';

beforeAll(() => buildBot(() => {}), 60_000);

let billing: BillingService;
let token: string;
beforeEach(async () => {
  billing = await startBilling();
  token = billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
});
afterEach(() => billing.close());

/** Runs `tally check-billing` with only this environment, and checks that it doesn't print the token. */
async function checkBilling(args: readonly string[], env: Record<string, string> = {}, input = '') {
  const ran = await new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    const ours = {
      PATH: process.env.PATH ?? '',
      TRUSTED_API_HOSTS: '127.0.0.1',
      BILLING_BASE_URL: billing.url,
    };
    const child = execFile(
      process.execPath,
      [BOT_ENTRY, 'check-billing', ...args],
      { cwd: ROOT, env: { ...ours, ...env } },
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
    child.stdin?.on('error', () => undefined).end(input);
  });
  expect(ran.output + ran.errors).not.toContain(token.slice(2, 30));
  return ran;
}

const project = ['--project', '123'];
const item = (day: string, totalAmount: unknown = '10.50') => ({ day, totalAmount, totalBonuses: '0.00' });
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

it('check-billing exits with 0 if the billing service passes all seven checks', async () => {
  const { code, output, errors } = await checkBilling(project, { BILLING_TOKEN: token });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect([...output.matchAll(/^pass +(\S+) /gm)].map(([, id]) => id)).toEqual(Object.keys(POINTS));
  expect(output).toMatch(/\nAll checks passed\.\n$/);
  expect(billing.requests.map((request) => request.token)).toEqual([
    ...['Read-only', 'Read-only', 'Read-only', 'unknown', 'unknown', 'Read-only'],
  ]);
});

it.each<[string, string, () => void]>([
  ['answers with HTTP 500', 'reached', () => billing.respond(() => ({ status: 500, headers: {}, body: '' }))],
  [
    'answers with a web page',
    'reached',
    () => billing.respond(() => ({ status: 200, headers: {}, body: '<html>' })),
  ],
  ['refuses the token', 'token', () => billing.respond(() => ({ status: 401, headers: {}, body: '' }))],
  [
    'sends an unreadable balance',
    'balance',
    () => billing.setBalance('123', '{"balance":"soon","bonuses":"0"}'),
  ],
  [
    'sends an unreadable day',
    '31-days',
    () =>
      billing.respond(({ query }) =>
        /periodFrom: "(\S{10})(?!.*periodTo: "\1)/.test(query) ? items([item('someday')]) : undefined,
      ),
  ],
  [
    'sends a day too many',
    'one-day',
    () =>
      billing.respond(({ query, token: by }) =>
        by === 'Read-only' && /periodFrom/.test(query) && !query.includes('2001-')
          ? items([item(dayBefore(2)), item(dayBefore(3))])
          : undefined,
      ),
  ],
  [
    'accepts any token',
    'wrong-token',
    () => billing.respond(({ token: by }) => (by === 'unknown' ? items([]) : undefined)),
  ],
  [
    'reports a charge in 2001',
    'empty-period',
    () => billing.respond(({ query }) => (query.includes('2001-') ? items([item('2001-01-01')]) : undefined)),
  ],
])(
  'check-billing exits with 1 if the billing service %s, and names the failed check “%s”',
  async (_, id, change) => {
    change();
    const { code, output } = await checkBilling(project, { BILLING_TOKEN: token });
    expect([code, [...output.matchAll(/^FAIL +(\S+) .*\n +wanted: /gm)].map(([, failed]) => failed)]).toEqual(
      [1, [id]],
    );
  },
);

const items = (all: readonly object[]) => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ data: { bill: { reportSubscriptionConsuming: { items: all } } } }),
});

it('check-billing reads the token from standard input, but refuses a --token option', async () => {
  expect(await checkBilling(project, {}, `${token}\n`)).toMatchObject({ code: 0 });
  const { code, errors } = await checkBilling([...project, '--token', token]);
  expect([code, errors]).toEqual([64, expect.stringContaining("Unknown option '--token'")]);
});

it('check-billing never prints the token, even if the billing service sends it back', async () => {
  billing.setBalance('123', JSON.stringify({ balance: token, bonuses: `x\u001b[31m${token}` }));
  const { code, output } = await checkBilling(project, { BILLING_TOKEN: token });
  expect([code, output]).toEqual([1, expect.stringContaining('FAIL')]);
  expect(output).not.toContain('\u001b');
});

it.each<[string, string[], Record<string, string>]>([
  ['--project needs the ID', [], {}],
  ['--project needs the ID', ['--project', '0123'], {}],
  ['--product must be cloud, storage or virtualization', [...project, '--product', '4'], {}],
  ['--zone must be a time zone', [...project, '--zone', '+02:00'], {}],
  ['--url is missing', project, { BILLING_BASE_URL: '' }],
  ['TRUSTED_API_HOSTS can exempt a host', project, { BILLING_BASE_URL: 'https://10.0.0.1' }],
  ['TRUSTED_API_HOSTS is invalid', project, { TRUSTED_API_HOSTS: 'https://a.example' }],
  ['The token is empty', project, {}],
  ['has a character that can’t be sent', project, { BILLING_TOKEN: 'with a space' }],
  ['This command only takes options.', [...project, 'a-secret-by-mistake'], {}],
])(
  'check-billing exits with 64 and says “%s” for the options %j and the environment %j',
  async (says, args, env) => {
    const { code, output, errors } = await checkBilling(args, env);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors.split('\n')[0]).toContain(says);
    expect(errors).toContain('Usage: tally check-billing');
    expect(errors).not.toContain('a-secret-by-mistake');
    expect(billing.requests).toEqual([]);
  },
);

it('check-billing exits without an error message when its output pipe closes', async () => {
  const line = `${process.execPath} ${BOT_ENTRY} check-billing --help | head -1; echo \${PIPESTATUS[0]}`;
  const ran = await new Promise<readonly string[]>((resolve) => {
    execFile('bash', ['-c', line], (_, output, errors) => resolve([output, errors]));
  });
  expect(ran).toEqual([expect.stringMatching(/^Usage.*\n(0|141)\n$/), '']);
});
