/** Each broken setup, built for real: the doctor names its cause and what fixes it, and shows no secret. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { variables } from '../../src/config/variables.ts';
import type { Finding } from '../../src/ops/doctor/finding.ts';
import { BROKEN_SETUPS, SETUP_SECRETS, World } from '../support/broken-setups.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { NO_TLS } from '../support/redis-servers.ts';

interface Ran {
  readonly code: number;
  readonly findings: readonly Finding[];
  readonly output: string;
}

/** Runs the doctor as a process with only this environment. */
const doctor = (env: Readonly<Record<string, string>>, openFiles = 4_096) =>
  new Promise<Ran>((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } };
    const command = `ulimit -n ${openFiles}; exec "$@"`;
    const args = ['-c', command, 'sh', process.execPath, BOT_ENTRY, 'doctor', '--json'];
    execFile('sh', args, options, (error, output) =>
      resolve({ code: Number(error?.code ?? 0), findings: JSON.parse(output), output }),
    );
  });

/** Where others keep the machine busy, the doctor says that it can't tell, and to run it again. */
async function doctorWithTime(run: () => Promise<Ran>, expected: string | undefined): Promise<Ran> {
  const ran = await run();
  const isBusy = ({ code, says }: Finding) => code === 'event loop' || says.startsWith('no answer within');
  return expected !== 'event loop' && ran.findings.some(isBusy) ? doctorWithTime(run, expected) : ran;
}

describeUnless(NO_TLS, 'the doctor', () => {
  const surroundings = new World();
  let healthy: Readonly<Record<string, string>>;
  beforeAll(async () => {
    await buildBot(() => undefined);
    healthy = await surroundings.healthy();
  }, 60_000);
  afterAll(() => surroundings.close());

  const test = it.extend<{ world: World }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
    world: async ({}, use) => {
      const world = new World();
      await use(world);
      await world.close();
    },
  });

  test('finds nothing where nothing is broken, and writes nothing', async ({ world }) => {
    const redis = await world.server();
    const { code, findings } = await doctor({ ...healthy, REDIS_URL: `redis://127.0.0.1:${redis.port}` });
    expect(findings.filter(({ verdict }) => verdict !== 'good')).toEqual([]);
    expect(code).toBe(0);
    expect(await redis.client.dbsize()).toBe(0);
  });

  test.concurrent.for(BROKEN_SETUPS)(
    'names $name',
    // A Cluster takes its time on a busy machine.
    { timeout: 180_000 },
    async ({ build, finding, openFiles }, { world, expect }) => {
      const { check, code, says, todo, verdict = 'bad' } = finding;
      const env = { ...healthy, ...(await build(world)) };
      const ran = await doctorWithTime(() => doctor(env, openFiles), code);
      expect(ran.findings).toContainEqual(
        expect.objectContaining({
          ...{ check, verdict, says: expect.stringMatching(says), todo: expect.stringMatching(todo) },
          ...(code !== undefined && { code }),
        }),
      );
      const bad = ran.findings.filter((found) => found.verdict === 'bad');
      expect(ran.code).toBe(bad.length === 0 ? 0 : bad.every((found) => isUnreadable(found)) ? 78 : 1);
      for (const secret of SETUP_SECRETS) expect(ran.output).not.toContain(secret);
    },
  );
});

/** The code of a variable that can't be read is its name. */
const isUnreadable = ({ code = '' }: Finding): boolean => code in variables.shape;
