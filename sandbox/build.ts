import { join } from 'node:path';
import { bundleBot, ROOT, writeFiles } from '../build.js';

export { ROOT };
export const SANDBOX_FOLDER = join(ROOT, '.sandbox');
export const PAGE = join(SANDBOX_FOLDER, 'page');
export const BOT_ENTRY = join(ROOT, 'dist', 'tally.js');
export const CLOCK = join(ROOT, 'sandbox', 'bot-clock.js');

const once = (name: string, build: () => Promise<void>) => {
  let built: Promise<void> | undefined;
  return (log: (line: string) => void): Promise<void> => {
    if (built === undefined) log(`Building the ${name}…`);
    built ??= build();
    return built;
  };
};

export const buildBot = once('bot', bundleBot);

export const buildPage = once('page', async () => {
  const vite = await import('vite');
  const configFile = join(ROOT, 'sandbox/page/vite.config.ts');
  const built = await vite.build({ configFile, logLevel: 'warn', build: { write: false } });
  if (!('output' in built)) throw new Error('Vite builds more than the page.');
  const files = built.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]);
  await writeFiles(PAGE, Object.fromEntries(files));
});
