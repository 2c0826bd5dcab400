/**
 * A backup: lines of JSON, compressed by gzip. First what it is, then a line for each workspace, last how many there are and the
 * SHA-256 of everything before. What is sealed in Redis is sealed in it.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import { pluralize } from '../domain/language/text.ts';
import { tryParseJson } from '../domain/try-parse.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import { LAYOUT } from '../redis/layout.ts';
import type { Keyring } from '../vault/keyring.ts';
import { parseDump, type WorkspaceDump } from '../workspace/record/workspace-dump.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { isCopy, loadWorkspaces } from './copy-workspaces.ts';
import { inspectRecords, isShut } from './doctor/check-records.ts';
import { toPlainLine } from './doctor/finding.ts';
import { VERSION } from './version.ts';

/** The file's format. It rises when the previous version can't read it any more. */
const FORMAT = 1;
const header = z.object({
  tally: z.literal('backup'),
  format: z.number(),
  /** The layout of the records in the backup. */
  layout: z.number(),
  /** The version of Tally that wrote it. */
  version: z.string().regex(/^[\w.+-]{1,40}$/),
  at: z.iso.datetime(),
});
const trailer = z.object({ workspaces: z.number(), sha256: z.string() });

export type BackupHeader = z.infer<typeof header>;

/** A file that can't be restored or written. The sentence says why, and what to do. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

/** Left out of backups: a grant must not come back after it was used. */
const isOfMoment = (key: string): boolean => /:(grants|issued)$/.test(key);

/** @returns how many workspaces it has @throws StoreUnavailable; what the stream throws */
export async function writeBackup(redis: RedisConnection, to: NodeJS.WritableStream): Promise<number> {
  let workspaces = 0;
  async function* lines(): AsyncGenerator<string, void> {
    const hash = createHash('sha256');
    const line = (value: object): string => {
      const text = `${JSON.stringify(value)}\n`;
      hash.update(text);
      return text;
    };
    const at = new Date().toISOString();
    yield line({
      tally: 'backup',
      format: FORMAT,
      layout: LAYOUT,
      version: VERSION,
      at,
    } satisfies BackupHeader);
    for await (const { id, keys } of loadWorkspaces(redis)) {
      yield line({ id, keys: keys.filter(({ key }) => !isOfMoment(key)) } satisfies WorkspaceDump);
      workspaces += 1;
    }
    yield line({ workspaces, sha256: hash.copy().digest('hex') });
  }
  const isOutput = to === process.stdout;
  await pipeline(Readable.from(lines()), createGzip(), to, { end: !isOutput }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.syscall !== 'write') throw error;
      throw new BackupRefused(`The backup can’t be written (${error.code}).`);
    },
  );
  return workspaces;
}

/** A line is a workspace: all of it fits into memory, also where it is read for a command. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      yield Buffer.concat([...parts, chunk.subarray(begin, end + 1)]).toString();
      parts = [];
      begin = end + 1;
    }
    parts.push(chunk.subarray(begin));
  }
  if (parts.some(({ length }) => length > 0)) throw cutOff();
}

const cutOff = (): BackupRefused =>
  new BackupRefused('The backup is incomplete: its end is missing. Use another one.');
const altered = (): BackupRefused =>
  new BackupRefused(
    'The backup is damaged: it isn’t what `tally backup` wrote. Use another one; unpack it first if it was compressed, and give `docker compose exec` the option -T when you take one.',
  );

/**
 * Reads every workspace of a backup. Only at its end it is known whether the file is whole.
 *
 * @param source its bytes
 * @param onHeader gets what the file says of itself
 * @throws BackupRefused; an error of the file system
 */
export async function* readBackup(
  source: Readable,
  onHeader: (of: BackupHeader) => void = () => undefined,
): AsyncGenerator<WorkspaceDump, void> {
  const bytes = source.pipe(createGunzip());
  source.once('error', (error) => bytes.destroy(error));
  const hash = createHash('sha256');
  const now = Date.now();
  let [found, isBegun, isEnded] = [0, false, false];
  try {
    for await (const line of splitLines(bytes)) {
      if (isEnded) throw altered();
      const value = tryParseJson(line);
      if (!isBegun) {
        onHeader(parseHeader(value));
        isBegun = true;
      } else if (trailer.safeParse(value).success) {
        const { workspaces, sha256 } = trailer.parse(value);
        if (workspaces !== found || sha256 !== hash.copy().digest('hex')) throw altered();
        isEnded = true;
      } else {
        const copy = parseDump(value);
        if (copy === undefined) throw altered();
        found += 1;
        yield {
          ...copy,
          keys: copy.keys.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now),
        };
      }
      hash.update(line);
    }
    if (!isEnded) throw cutOff();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw cutOff();
    throw code?.startsWith('Z_') ? altered() : error;
  } finally {
    source.destroy();
  }
}

function parseHeader(value: unknown): BackupHeader {
  const parsed = header.safeParse(value);
  if (!parsed.success) throw altered();
  const { format, layout, version } = parsed.data;
  if (format > FORMAT || layout > LAYOUT)
    throw new BackupRefused(
      `The backup is of Tally ${version}, which this one, ${VERSION}, is too old for. Restore it with Tally ${version} or newer.`,
    );
  return parsed.data;
}

/** A key that is missing or has another name: nothing was damaged, and the right keys open it. */
const OF_KEYS: ReadonlySet<string | undefined> = new Set(['unknown-key', 'renamed', 'swapped']);

const recordOf = ({ id, keys }: WorkspaceDump) => keys.find(({ key }) => key === recordKey(id));

/**
 * Reads a whole backup, and opens everything that is sealed in it. Sealed values that are damaged are restored as they are.
 *
 * @param keyIds of the keyring, newest first
 * @param leavesOut whether what doesn't open is left out instead, as {@link withoutShut} does
 * @returns also a line for each workspace that loses something then
 * @throws BackupRefused
 */
export async function checkBackup(
  source: Readable,
  keyring: Keyring,
  keyIds: readonly string[],
  leavesOut: boolean,
) {
  const inspection = inspectRecords(keyring, keyIds);
  const headers: BackupHeader[] = [];
  const leftOut: string[] = [];
  let workspaces = 0;
  for await (const dump of readBackup(source, (of) => void headers.push(of))) {
    const fields = (recordOf(dump)?.commands ?? []).map(
      ([, field = '', value = '']) => [field, value] as const,
    );
    workspaces += 1;
    inspection.add(dump.id, fields);
    const shut = leavesOut ? fields.filter((field) => isShut(keyring, dump.id, ...field)) : [];
    if (shut.length > 0) leftOut.push(`${dump.id}: ${shut.map(([field]) => toPlainLine(field)).join(', ')}`);
  }
  const [about] = headers;
  if (about === undefined) throw cutOff();
  const damaged = leavesOut ? [] : inspection.findings('BACKUP');
  const ofKeys = damaged.filter(({ code }) => OF_KEYS.has(code) || !inspection.anyOpens());
  if (ofKeys.length > 0)
    throw new BackupRefused(
      [
        ...ofKeys.map(({ says, todo }) => `Of the sealed values in the backup, ${says}. ${todo}`),
        'If the key is lost, --without-secrets restores everything else.',
      ].join('\n'),
    );
  return { ...about, workspaces, damaged, leftOut };
}

/** Each workspace without the sealed values that the keys don't open. */
export async function* withoutShut(
  dumps: AsyncIterable<WorkspaceDump>,
  keyring: Keyring,
): AsyncGenerator<WorkspaceDump, void> {
  for await (const dump of dumps) {
    const record = recordOf(dump);
    const commands = record?.commands.filter(
      ([, field = '', value = '']) => !isShut(keyring, dump.id, field, value),
    );
    const keys = dump.keys.map((key) => (key === record ? { ...key, commands: commands ?? [] } : key));
    yield { ...dump, keys };
  }
}

/** @returns why a backup isn’t restored there; undefined if it holds nothing but what an earlier run restored @throws StoreUnavailable */
export async function findOccupied(redis: RedisConnection): Promise<string | undefined> {
  let occupied = 0;
  for await (const id of createWorkspaceIndex(redis).list()) if (!(await isCopy(redis, id))) occupied += 1;
  return occupied === 0
    ? undefined
    : `This Redis has ${pluralize(occupied, 'workspace')} already. With --replace, everything there becomes what the backup has.`;
}
