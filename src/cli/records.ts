/** The commands that work on all records at once. Each can be interrupted, and run again to continue. */
import { createReadStream } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { loadConfig } from '../config/config.ts';
import { commandText } from '../domain/command-names.ts';
import { StoreUnavailable } from '../domain/failure/index.ts';
import { pluralize } from '../domain/language/text.ts';
import type { Millis } from '../domain/time/calendar.ts';
import {
  BackupRefused,
  checkBackup,
  findOccupied,
  readBackup,
  withoutShut,
  writeBackup,
} from '../ops/backup.ts';
import { copyWorkspaces, hasBots, loadWorkspaces } from '../ops/copy-workspaces.ts';
import { refusalCause } from '../ops/doctor/check-redis.ts';
import { formatResealCounts, resealAll } from '../ops/reseal.ts';
import { connectRedis, type RedisConnection, waitUntilReady } from '../redis/connect.ts';
import { guardRead } from '../redis/guard.ts';
import { OtherLayout, requireLayout } from '../redis/layout.ts';
import { RedisUrlError } from '../redis/url.ts';
import { createKeyring } from '../vault/keyring.ts';
import type { WorkspaceDump } from '../workspace/record/workspace-dump.ts';
import { NOT_CREATED, printError, printLine, runCommand, UsageError } from './command.ts';

/** EX_DATAERR and EX_NOINPUT of sysexits.h */
const [BAD_FILE, NO_FILE] = [65, 66];

export const runBackup = () =>
  runCommand(
    {
      usage: [
        'Usage: tally backup FILE',
        '',
        'Writes every workspace in the Redis of REDIS_URL to a new file, while bots run; with - as FILE, to standard output.',
      ],
      options: {},
      takes: 'file',
    },
    async (_, file) => {
      const { redisUrl } = loadConfig(process.env, printError);
      if (file === '-') return backupTo(redisUrl, process.stdout, printError);
      // Never over another file, and for its owner only: it names projects and people.
      const handle = await open(file, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
        const isThere = code === 'EEXIST';
        printError(
          isThere ? `${file} exists already. Name another file.` : `${file} can’t be written (${code}).`,
        );
      });
      if (handle === undefined) return NOT_CREATED;
      const code = await backupTo(redisUrl, handle.createWriteStream({ flush: true }), printLine);
      if (code !== 0) await unlink(file);
      return code;
    },
  );

async function backupTo(
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
    });
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error;
    printError(error.message);
    return NOT_CREATED;
  }
}

/** Standard input stays in memory, because a backup is read twice: first to check it. */
const MAX_INPUT_MIB = 256;

/** @returns opens the backup, as often as it has to be read @throws BackupRefused */
async function backupSource(file: string): Promise<() => Readable> {
  if (file !== '-') return () => createReadStream(file);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_INPUT_MIB * 2 ** 20)
      throw new BackupRefused(
        `The backup on standard input is larger than ${MAX_INPUT_MIB} MiB. Write it to a file, and restore that.`,
      );
    chunks.push(chunk);
  }
  return () => Readable.from(chunks);
}

export const runRestore = () =>
  runCommand(
    {
      usage: [
        'Usage: tally restore [--check] [--replace] [--without-secrets] FILE',
        '',
        'Checks a backup, then writes it to the Redis in REDIS_URL; with - as FILE, from standard input. Stop every bot before.',
      ],
      options: {
        check: ['', 'only checks that the file is whole and that ENCRYPTION_KEYS opens what is sealed'],
        replace: ['', 'also where that Redis has workspaces: everything there becomes what the backup has'],
        'without-secrets': [
          '',
          'if a key is lost: leaves out what ENCRYPTION_KEYS doesn’t open, and names it',
        ],
      },
      takes: 'file',
    },
    async ({ check, replace = false, 'without-secrets': leavesOut = false }, file) => {
      if (check && replace) throw new UsageError('Choose one: --check or --replace.');
      const { keys, redisUrl } = loadConfig(process.env, printError);
      try {
        const [keyring, keyIds] = [createKeyring(keys), keys.map(({ id }) => id)];
        const read = await backupSource(file);
        const { workspaces, version, at, damaged, leftOut } = await checkBackup(
          read(),
          keyring,
          keyIds,
          leavesOut,
        );
        printLine(`A whole backup of ${pluralize(workspaces, 'workspace')}, by Tally ${version} at ${at}.`);
        for (const { says } of damaged)
          printLine(`Of the sealed values, ${says}. They are restored as they are.`);
        if (leftOut.length > 0) for (const line of [LEFT_OUT, ...leftOut]) printLine(line);
        if (check) return 0;
        const backup = () => readBackup(read());
        return await restoreFrom(
          () => (leavesOut ? withoutShut(backup(), keyring) : backup()),
          redisUrl,
          replace,
        );
      } catch (error) {
        if (error instanceof BackupRefused) {
          printError(error.message);
          return BAD_FILE;
        }
        const { code, syscall } = error as NodeJS.ErrnoException;
        if (syscall !== 'open' && syscall !== 'read') throw error;
        printError(`${file === '-' ? 'Standard input' : file} can’t be read (${code}).`);
        return NO_FILE;
      }
    },
  );

const LEFT_OUT = `ENCRYPTION_KEYS doesn’t open these secrets, so they are left out. In each workspace, a Tally manager registers them
again: a connection with ${commandText('/billing connect')}, a project’s access with ${commandText('/billing projects')}; for installation, install Tally again.`;

const restoreFrom = (
  backup: () => AsyncIterable<WorkspaceDump>,
  redisUrl: string,
  replaces: boolean,
): Promise<number> =>
  runResumable(async (connect) => {
    const to = await connect(redisUrl);
    const occupied = replaces ? undefined : await findOccupied(to);
    if (occupied !== undefined) printError(`${occupied} Nothing was changed.`);
    else if (await copyWorkspaces(backup(), to, printLine, replaces)) {
      printLine('Restored. Start the bots: they schedule what is due within a minute.');
      return true;
    }
    return false;
  });

export const runCopy = () =>
  runCommand(
    {
      usage: [
        'Usage: tally copy --from REDIS_URL',
        '',
        'Copies every workspace from that Redis to the one in REDIS_URL. Run it again to copy what has changed since.',
      ],
      options: { from: ['REDIS_URL', 'the Redis to copy from'] },
    },
    async ({ from: url }) => {
      if (url === undefined) throw new UsageError('--from is needed: the URL of the Redis to copy from.');
      const { redisUrl } = loadConfig(process.env, printError);
      try {
        return await runResumable(async (connect) => {
          const to = await connect(redisUrl);
          const from = await connect(url);
          const isDone = await copyWorkspaces(loadWorkspaces(from), to, printLine);
          if (await hasBots(from))
            printLine(
              'Bots still run on the old Redis. Stop them, and run this again before you start them on the new one.',
            );
          return isDone;
        }, ' It checks REDIS_URL: try it with each of the two there.');
      } catch (error) {
        if (!(error instanceof RedisUrlError)) throw error;
        throw new UsageError(`The URL after --from ${error.what}. ${error.works}`);
      }
    },
  );

export const runReseal = () =>
  runCommand(
    {
      usage: ['Usage: tally reseal', '', 'Seals every secret again with the newest of ENCRYPTION_KEYS.'],
      options: {},
    },
    () => {
      const { keys, redisUrl } = loadConfig(process.env, printError);
      return runResumable(async (connect) => {
        const redis = await connect(redisUrl);
        const counts = await resealAll(redis, createKeyring(keys), printLine);
        const keyIds = keys.map(({ id }) => id);
        for (const line of formatResealCounts(keyIds, counts)) printLine(line);
        return counts.failed === 0;
      });
    },
  );

/** How long a start waits for Redis. */
const REDIS_TIMEOUT: Millis = 5_000;

/**
 * Runs a task that can be interrupted at any step, and run again to continue.
 *
 * @param task receives a function that connects to Redis; returns whether everything is done
 * @param hint what else to know where Redis refuses or is away
 * @returns the exit code
 */
async function runResumable(
  task: (connect: (url: string) => Promise<RedisConnection>) => Promise<boolean>,
  hint = '',
): Promise<0 | 1> {
  const opened: RedisConnection[] = [];
  const connect = async (url: string): Promise<RedisConnection> => {
    const redis = connectRedis(url);
    opened.push(redis);
    await waitUntilReady(redis, REDIS_TIMEOUT);
    await requireLayout(redis);
    return redis;
  };
  try {
    return (await guardRead(() => task(connect))) ? 0 : 1;
  } catch (error) {
    const isAway = error instanceof StoreUnavailable;
    const cause = refusalCause(isAway ? error.cause : error) ?? (isAway ? error.message : undefined);
    if (error instanceof OtherLayout) printError(error.message);
    else if (cause === undefined) throw error;
    else
      printError(
        `${cause} \`tally doctor\` says what fixes it.${hint} Nothing is lost. Run this again to continue.`,
      );
    return 1;
  } finally {
    for (const redis of opened) redis.disconnect();
  }
}
