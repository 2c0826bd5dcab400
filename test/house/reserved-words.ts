/** Words that are reserved for some folders. The import rules are in `import-rules.ts`. */

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The entry points of processes. */
const ENTRY = /^src\/(main|cli\/[\w-]+|config\/load-env-file|runtime\/prepare-node)\.ts$/;
const PURE = /^src\/(domain|slack\/kit)\//;

interface ReservedWord {
  readonly pattern: RegExp;
  readonly name: string;
  readonly isReserved: (path: string) => boolean;
}

const isBot = (path: string): boolean => path.startsWith('src/');
const isPure = (path: string): boolean => PURE.test(path);

const RESERVED: readonly ReservedWord[] = [
  {
    pattern: /\bprocess\.env\b/,
    name: 'process.env',
    isReserved: (path) => isBot(path) && !ENTRY.test(path),
  },
  {
    pattern: /\bnew (Redis|Cluster)\(/,
    name: 'a connection to Redis',
    isReserved: (path) => isBot(path) && path !== 'src/redis/connect.ts',
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/,
    name: 'the clock',
    isReserved: isPure,
  },
  { pattern: /\bMath\.random\b/, name: 'chance', isReserved: isPure },
  { pattern: /\bprocess\.(?!env\b)/, name: 'the process', isReserved: isPure },
];

/** @returns a sentence for each violation */
export function findReservedWords({ path, text }: Source): string[] {
  const code = withoutComments(text);
  return RESERVED.filter(({ pattern, isReserved }) => isReserved(path) && pattern.test(code)).map(
    ({ name }) => `${path}: ${name} is not for this room`,
  );
}

/** Strings are matched first, so that `//` in a URL is not taken for a comment. */
function withoutComments(text: string): string {
  const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
  const either = new RegExp(`(${strings.source})|\\/\\*[\\s\\S]*?\\*\\/|\\/\\/[^\\n]*`, 'g');
  return text.replace(either, (_, string: string | undefined) => string ?? ' ');
}
