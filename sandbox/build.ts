/** Builds the bot and the page, each only when its sources have changed since the last build. */
import { join } from 'node:path';
import { BOT } from '../build.js';
import { type BuildTarget, buildIfChanged, ROOT } from '../build-if-changed.js';

export { ROOT };
/** Holds everything that the sandbox writes to disk. */
export const SANDBOX_FOLDER = join(ROOT, '.sandbox');
export const PAGE = join(SANDBOX_FOLDER, 'page');
export const BOT_ENTRY = join(BOT.folder, 'tally.js');
export const CLOCK = join(ROOT, 'sandbox', 'bot-clock.js');

type Log = (line: string) => void;

const page: BuildTarget = {
  name: 'page',
  sources: ['sandbox/page', 'sandbox/protocol.ts', 'package-lock.json'],
  folder: PAGE,
  async run() {
    const vite = await import('vite');
    await vite.build({
      configFile: join(ROOT, 'sandbox/page/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: PAGE },
    });
  },
};

export const buildBot = (log: Log) => buildIfChanged(BOT, log);
export const buildPage = (log: Log) => buildIfChanged(page, log);
