import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** For `npm run mutate`: without the tests that look at no line of the bot's, or look at it through a browser. */
export default mergeConfig(
  config,
  defineConfig({
    test: { exclude: ['test/browser/**', 'test/house/**', 'test/sandbox/**', 'test/delivery/crash.test.ts'] },
  }),
);
