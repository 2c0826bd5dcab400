import { readFileSync } from 'node:fs';
import module, { SourceMap } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { tryParse } from '../domain/try-parse.ts';

/**
 * For a process that is about to load the bundle. Stack traces name the files of src. From Node 22.8 on, compiled code is
 * kept beside the bundle: others may write to a folder for temporary files. Node works without the cache if it
 * can't write.
 */
export function prepareNode(): void {
  requireWebAssembly();
  nameSourcesInStackTraces();
  // With it, libraries print what they send, such as the password of Redis.
  delete process.env.DEBUG;
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));
}

/** Node's types have it without its values. */
interface WithWebAssembly {
  readonly WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => object };
}

/** undici parses HTTP in WebAssembly. Without it, the first answer ends the process. */
function requireWebAssembly(): void {
  const { WebAssembly: has } = globalThis as unknown as Partial<WithWebAssembly>;
  if (tryParse(() => has && new has.Memory({ initial: 1 })) !== undefined) return;
  process.stderr.write(
    'Tally needs WebAssembly, and this process can’t use it. Take --jitless out of NODE_OPTIONS, or allow more address space: `ulimit -v unlimited` in the shell, `LimitAS=infinity` in a unit of systemd.\n',
  );
  process.exit(78);
}

/**
 * For a process that has started: V8 inlines a third of what it would into each function that it optimizes. It compiles for a
 * fifth less time while a bot answers its first few thousand commands, for which a team may need a day, and later ones are
 * as fast (bench/RESULTS.md). Not before the start, since Node's own compiled code is of no use to V8 with other flags.
 */
export const optimizeForFewCommands = (): void =>
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');

/** What V8 says of one call; lines and columns count from 1. */
type CallSite = NodeJS.CallSite;

/**
 * Has stack traces name the files and lines of src where the bundle runs. Node's own `--enable-source-maps` keeps every map
 * and the text of every bundled file in memory, about 8 MB; here a map is read when the first error of its file is shown. Node also asks for the stack of each
 * error that closes a connection, as when undici ends an idle one: those stay as they are, for nobody sees them.
 */
function nameSourcesInStackTraces(): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string): SourceMap | undefined => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  Error.prepareStackTrace = (error, sites) => {
    const describe = isOfUndici(error) ? String : (site: CallSite) => describeSite(site, mapOf);
    return [messageOf(error), ...sites.map((site) => `    at ${describe(site)}`)].join('\n');
  };
}

const isOfUndici = (error: Error): boolean => 'code' in error && String(error.code).startsWith('UND_ERR');

const messageOf = (error: Error): string => tryParse(() => String(error)) ?? 'Error';

/** @returns undefined when the file has no map beside it, as Node's own files and native code have none */
const readMap = (file: string): SourceMap | undefined =>
  tryParse(() => new SourceMap(JSON.parse(readFileSync(`${pathOf(file)}.map`, 'utf8'))));

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file);

/** The call as V8 would print it, at its place in src. */
function describeSite(site: CallSite, mapOf: (file: string) => SourceMap | undefined): string {
  const printed = String(site);
  const file = site.getFileName();
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (!file || line === null || column === null) return printed;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  // A map may name no source for a place, as in packages that bring a map of their own: Node leaves that undefined.
  if (entry === undefined || !('originalSource' in entry) || !entry.originalSource) return printed;
  const source = resolve(dirname(pathOf(file)), entry.originalSource);
  return printed.replace(
    `${file}:${line}:${column}`,
    () => `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}
