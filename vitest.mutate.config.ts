import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

/**
 * For `npm run mutate`: without tests that do not run the bot's code in their own process, where alone a mutant is
 * active, and with time for the slow first run.
 */
export default mergeConfig(
  config,
  defineConfig({
    test: {
      exclude: ['test/browser/**', 'test/house/**', 'test/sandbox/**', 'test/delivery/crash.test.ts'],
      testTimeout: 60_000,
    },
  }),
);
