import { open, unlink } from 'node:fs/promises';
import { loadConfig } from '../config/config.ts';
import { pluralize } from '../domain/language/text.ts';
import { BackupRefused, writeBackup } from '../ops/backup.ts';
import { printLine, runResumable } from './resumable.ts';

const USAGE = [
  'Usage: tally backup FILE',
  '',
  'Writes every workspace in the Redis of REDIS_URL to a new file, while bots run; with - as FILE, to standard output.',
].join('\n');
/** EX_USAGE and EX_CANTCREAT of sysexits.h */
const [WRONG_USAGE, NOT_CREATED] = [64, 73];

/** Standard output may be the backup itself. */
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** @returns the exit code */
async function run([file, ...more]: readonly string[]): Promise<number> {
  if (file === undefined || more.length > 0 || (file.startsWith('-') && file !== '-')) {
    printError(USAGE);
    return WRONG_USAGE;
  }
  const { redisUrl } = loadConfig(process.env, printError);
  if (file === '-') return writeTo(redisUrl, process.stdout, printError);
  // Never over another file, and for its owner only: it names projects and people.
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    printError(
      error.code === 'EEXIST'
        ? `${file} exists already. Name another file.`
        : `${file} can’t be written (${error.code}).`,
    );
  });
  if (handle === undefined) return NOT_CREATED;
  const code = await writeTo(redisUrl, handle.createWriteStream({ flush: true }), printLine);
  if (code !== 0) await unlink(file);
  return code;
}

async function writeTo(
  redisUrl: string,
  stream: NodeJS.WritableStream,
  print: (line: string) => void,
): Promise<number> {
  try {
    return await runResumable(async (connect) => {
      const workspaces = await writeBackup(await connect(redisUrl), stream);
      print(
        `${pluralize(workspaces, 'workspace')} backed up. Keep ENCRYPTION_KEYS somewhere else: they aren’t in it.`,
      );
      return true;
    }, print);
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error;
    print(error.message);
    return NOT_CREATED;
  }
}

process.exitCode = await run(process.argv.slice(3));
