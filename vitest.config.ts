import { createFilter } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { writeGrammar } from './build.js';

await writeGrammar();

/** test/run.ts sets them. */
const { QUICK, THOROUGH } = process.env;

/** Left out of a quick run: they start processes, servers or browsers, take long, or are about what is rare. The longest come first. */
const SLOW = [
  'test/browser/**',
  'test/cli/**',
  'test/tally.test.ts',
  'test/redis/{cluster,connect,sentinel,tls}.test.ts',
  'test/delivery/{crash,watches-year,recipients,watches}.test.ts',
  'test/sandbox/**',
  'test/vault/{reseal,rotation}.test.ts',
  'test/slack/{hostile-requests,install,loading,lost-records,organization,socket-mode,strange-payloads,uninstall}.test.ts',
  'test/features/{forged-values,rate-limits,schedules-promises,usage-counts}.test.ts',
  'test/features/{connect,os-token,settings,thread*}.test.ts',
  'test/features/{ask-manager,audit,help,home,metrics,pasted-secrets}.test.ts',
  'test/domain/{forecast-accuracy,long-texts}.test.ts',
  'test/domain/language/corpus/replies.test.ts',
  'test/docs/examples.test.ts',
  'test/domain/money/watch-simulation.test.ts',
  'test/ops/health.test.ts',
];

/** What takes or waits longest. */
const LONG = [
  ...SLOW,
  ...[
    'test/delivery/{posts,wake-ups}.test.ts',
    'test/slack/{server,request}.test.ts',
    'test/http/request.test.ts',
  ],
  ...['test/features/{rights,mentions,watches,forms}.test.ts', 'test/domain/language/**'],
].map((pattern) => createFilter(pattern));
const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONG.findIndex((matches) => matches(moduleId));
  return rank < 0 ? LONG.length : rank;
};

/** So that no core is idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: QUICK ? SLOW : [],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/setup.ts'],
    pool: 'threads',
    isolate: false,
    // Most slow tests wait for a service, a process or a browser: two cores carry more than two at a time. Each worker costs seconds.
    maxWorkers: THOROUGH ? 5 : 3,
    // What a run has transformed, the next one reads from node_modules.
    experimental: { fsModuleCache: true },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A second is short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
  },
});
