import { defineConfig } from 'vitest/config';
import { writeGrammar } from './build.js';

await writeGrammar();

/** Left out of a quick run: they start processes, servers or browsers, or are about what is rare. */
const SLOW = [
  'test/browser/**',
  'test/cli/**',
  'test/sandbox/**',
  'test/tally*.test.ts',
  'test/config/load-env-file.test.ts',
  'test/delivery/{check-recipient,crash,explain-corrections,watches,watches-year}.test.ts',
  'test/domain/{forecast-accuracy,long-texts}.test.ts',
  'test/domain/money/watch-simulation.test.ts',
  'test/features/{ask-manager,audit,help,home,metrics,owned-forms,owned-items,pasted-secrets}.test.ts',
  'test/features/{rate-limits,readers,schedules-promises,usage-counts}.test.ts',
  'test/features/thread*.test.ts',
  'test/ops/health.test.ts',
  'test/redis/{cluster,connect,sentinel,tls}.test.ts',
  'test/slack/{hostile-requests,install,loading,organization,socket-mode,strange-payloads,uninstall}.test.ts',
  'test/vault/{reseal,rotation}.test.ts',
];

export default defineConfig({
  test: {
    setupFiles: ['test/support/check-one-slot.ts', 'test/support/property-runs.ts'],
    pool: 'threads',
    isolate: false,
    // Most tests wait for a service, a process or a browser: two cores carry more than two at a time.
    maxWorkers: 5,
    // What a run has transformed, the next one reads from node_modules.
    experimental: { fsModuleCache: true },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A second is short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: SLOW } },
      {
        extends: true,
        test: { name: 'slow', include: SLOW.map((pattern) => pattern.replace('**', '**/*.test.ts')) },
      },
    ],
  },
});
