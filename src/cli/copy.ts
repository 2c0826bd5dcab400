import { loadConfig } from '../config/config.ts';
import { copyWorkspaces, hasBots, readWorkspaces } from '../ops/copy-workspaces.ts';
import { RedisUrlError } from '../redis/url.ts';
import { printLine, runResumable } from './resumable.ts';

const USAGE = [
  'Usage: tally copy --from REDIS_URL',
  '',
  'Copies every workspace from that Redis to the one in REDIS_URL. Run it again to copy what has changed since.',
].join('\n');
/** EX_USAGE of sysexits.h */
const WRONG_USAGE = 64;

/** @returns the exit code */
async function run([option, url, ...more]: readonly string[]): Promise<number> {
  if (option !== '--from' || url === undefined || more.length > 0) {
    printLine(USAGE);
    return WRONG_USAGE;
  }
  const { redisUrl } = loadConfig(process.env, printLine);
  try {
    return await runResumable(async (connect) => {
      const to = await connect(redisUrl);
      const from = await connect(url);
      const isDone = await copyWorkspaces({ from: readWorkspaces(from), to, printLine });
      if (await hasBots(from))
        printLine(
          'Bots still run on the old Redis. Stop them, and run this again before you start them on the new one.',
        );
      return isDone;
    });
  } catch (error) {
    if (!(error instanceof RedisUrlError)) throw error;
    printLine(`The URL after --from ${error.what}. ${error.works}`);
    return WRONG_USAGE;
  }
}

process.exitCode = await run(process.argv.slice(3));
