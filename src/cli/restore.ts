import { loadConfig } from '../config/config.ts';
import { pluralize } from '../domain/language/text.ts';
import { BackupRefused, checkBackup, findOccupied, readBackup } from '../ops/backup.ts';
import { copyWorkspaces } from '../ops/copy-workspaces.ts';
import { createKeyring } from '../vault/keyring.ts';
import { printLine, runResumable } from './resumable.ts';

const USAGE = [
  'Usage: tally restore [--check | --replace] FILE',
  '',
  'Checks a backup, then writes it to the Redis in REDIS_URL. Stop every bot before.',
  '',
  '  --check    only checks that the file is whole and that ENCRYPTION_KEYS opens what is sealed',
  '  --replace  also where that Redis has workspaces: everything there becomes what the backup has',
].join('\n');
/** EX_USAGE, EX_DATAERR and EX_NOINPUT of sysexits.h */
const [WRONG_USAGE, BAD_FILE, NO_FILE] = [64, 65, 66];

/** @returns the exit code */
async function run(words: readonly string[]): Promise<number> {
  const options = words.filter((word) => word.startsWith('-'));
  const [file, ...more] = words.filter((word) => !word.startsWith('-'));
  const [option, ...others] = options;
  const isKnown = option === undefined || option === '--check' || option === '--replace';
  if (file === undefined || more.length + others.length > 0 || !isKnown) {
    printLine(USAGE);
    return WRONG_USAGE;
  }
  const { keys, redisUrl } = loadConfig(process.env, printLine);
  try {
    const keyIds = keys.map(({ id }) => id);
    const { workspaces, version, at, damaged } = await checkBackup(file, createKeyring(keys), keyIds);
    printLine(`A whole backup of ${pluralize(workspaces, 'workspace')}, by Tally ${version} at ${at}.`);
    for (const { says } of damaged)
      printLine(`Of the sealed values, ${says}. They are restored as they are.`);
    if (option === '--check') return 0;
    return await restore(file, redisUrl, option === '--replace');
  } catch (error) {
    if (error instanceof BackupRefused) {
      printLine(error.message);
      return BAD_FILE;
    }
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'open' && syscall !== 'read') throw error;
    printLine(`${file} can’t be read (${code}).`);
    return NO_FILE;
  }
}

const restore = (file: string, redisUrl: string, replaces: boolean): Promise<number> =>
  runResumable(async (connect) => {
    const to = await connect(redisUrl);
    const occupied = replaces ? undefined : await findOccupied(to);
    if (occupied !== undefined) printLine(`${occupied} Nothing was changed.`);
    else if (await copyWorkspaces({ from: readBackup(file), to, printLine, replaces })) {
      printLine('Restored. Start the bots: they schedule what is due within a minute.');
      return true;
    }
    return false;
  });

process.exitCode = await run(process.argv.slice(3));
