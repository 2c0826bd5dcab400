import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/check-one-slot.ts', 'test/support/property-runs.ts'],
    globalSetup: ['test/support/shared-browser.ts'],
    pool: 'threads',
    isolate: false,
    // Most tests wait for a service, a process or a browser: two cores carry six at a time. Each worker loads and compiles
    // the bot once more.
    maxWorkers: 6,
    // What a run has transformed, the next one reads from node_modules.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: SlowestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A second is short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
  },
});
