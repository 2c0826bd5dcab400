/** Who may import whom under `src`, and which words belong to one room only: house rules as data, and their checker. */

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

/** A room and what it may import besides itself. `main` and `app` are the roof: they may import everything. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  timeout: [],
  vault: ['domain'],
  http: ['domain', 'timeout'],
  redis: ['domain'],
  environment: ['http'],
  config: ['environment', 'http'],
  ops: ['domain', 'timeout'],
  billing: ['domain'],
  identity: ['domain', 'http'],
  workspace: ['domain', 'vault', 'redis'],
  delivery: ['domain', 'timeout', 'redis', 'workspace', 'billing', 'slack', 'slack/kit'],
  'slack/kit': [],
  slack: ['domain', 'http', 'workspace', 'timeout', 'slack/kit'],
  'features/feature': [],
  'features/together': ['features/feature', 'slack'],
};
const FEATURE = [
  'features/feature',
  'workspace',
  'billing',
  'identity',
  'delivery',
  'slack',
  'slack/kit',
  'domain',
];
/** Where a process begins. */
const ENTRIES = new Set(['main', 'doctor', 'reseal', 'env-file']);
const ROOF = new Set([...ENTRIES, 'app']);

/** Types are no weight: these rooms may be named by them. */
const TYPES_FROM: Readonly<Record<string, readonly string[]>> = {
  'slack/kit': ['domain'],
  slack: ['config', 'vault'],
  billing: ['http'],
  // A contract, and nothing that runs.
  'features/feature': ['slack', 'slack/kit', 'delivery'],
  config: ['vault'],
};

/** Packages that one room alone may load; types of them are everybody's. */
const KEEPERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^ioredis$/, ['redis']],
  [/^bullmq$/, ['delivery']],
  [/^@slack\/(bolt|web-api|socket-mode|oauth)$/, ['slack', 'ops']],
  [/^undici$/, ['http', 'slack']],
  [/^cockatiel$/, ['http']],
];
/** All that these rooms may take from outside. */
const ONLY_PACKAGES: Readonly<Record<string, RegExp>> = {
  domain: /^(big\.js|date-fns\/\w+|@date-fns\/utc|temporal-polyfill|lru-cache)$/,
  'slack/kit': /^@slack\/types$/,
};

const WORDS: readonly (readonly [RegExp, string, (room: string) => boolean])[] = [
  [/\bprocess\.env\b/, 'process.env', (room) => !ENTRIES.has(room)],
  [/\bnew Redis\(/, 'new Redis', (room) => room !== 'redis'],
  [/\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/, 'the clock', (room) => isPure(room)],
  [/\bMath\.random\b/, 'chance', (room) => isPure(room)],
  [/\bprocess\./, 'the process', (room) => isPure(room)],
];
const isPure = (room: string) => room === 'domain' || room === 'slack/kit';

/** Sentences, one a violation. */
export function violations(source: Source): string[] {
  const code = withoutComments(source.text);
  const room = roomOf(source.path);
  const found = importsOf(code).flatMap((one) => refusalOf(source.path, one) ?? []);
  const words = WORDS.filter(
    ([pattern, , forbidden]) => room !== undefined && forbidden(room) && pattern.test(code),
  );
  return [
    ...found.map((why) => `${source.path}: ${why}`),
    ...words.map(([, name]) => `${source.path}: ${name} is not for this room`),
  ];
}

function refusalOf(path: string, { from, typeOnly }: Import): string | undefined {
  const room = roomOf(path);
  if (from.startsWith('.')) {
    const target = new URL(from, `file:///${path}`).pathname.slice(1);
    return mayReach(path, room, target, typeOnly) ? undefined : `may not import ${target}`;
  }
  if (room === undefined) return undefined;
  const only = ONLY_PACKAGES[room];
  const keepers = KEEPERS.find(([name]) => name.test(from))?.[1];
  const refused = only
    ? !only.test(from)
    : keepers && !typeOnly && !keepers.includes(room) && !ROOF.has(room);
  return refused ? `may not import ${from}` : undefined;
}

function mayReach(path: string, room: string | undefined, target: string, typeOnly: boolean): boolean {
  const aim = roomOf(target);
  if (room === undefined) return !(path.startsWith('sandbox/') && aim !== undefined);
  if (aim === undefined) return false;
  if (ROOF.has(room) || aim === room) return true;
  const allowed = ROOMS[room] ?? (room.startsWith('features/') ? FEATURE : []);
  return allowed.includes(aim) || (typeOnly && (TYPES_FROM[room] ?? []).includes(aim));
}

/** `features/spend`, `slack/kit`, `domain`, or the name of a file directly in `src`; nothing outside of `src`. */
function roomOf(path: string): string | undefined {
  const [top, first, second] = path.split('/');
  if (top !== 'src' || first === undefined) return undefined;
  if (second === undefined) return first.replace(/\.ts$/, '');
  if (first === 'features') return `features/${second.replace(/\.ts$/, '')}`;
  return first === 'slack' && second === 'kit' ? 'slack/kit' : first;
}

const STATEMENT = /\b(?:import|export)\s+(type\s+)?((?:[\w$*,\s]|\{[^}]*\})*?)\s*\bfrom\s*['"]([^'"]+)['"]/g;
const BARE = /\b(?:import|require)\s*\(?\s*['"]([^'"]+)['"]/g;

function importsOf(code: string): Import[] {
  const statements = [...code.matchAll(STATEMENT)].map(([, type, names = '', from = '']) => ({
    from,
    typeOnly: type !== undefined || onlyTypes(names),
  }));
  const bare = [...code.matchAll(BARE)].map(([, from = '']) => ({ from, typeOnly: false }));
  return [...statements, ...bare];
}

function onlyTypes(names: string): boolean {
  const inside = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const each = inside?.split(',').filter((name) => name.trim() !== '') ?? [];
  return each.length > 0 && each.every((name) => name.trim().startsWith('type '));
}

/** Strings are matched first, so that `//` inside an address does not begin a comment. */
function withoutComments(text: string): string {
  const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
  const either = new RegExp(`(${strings.source})|\\/\\*[\\s\\S]*?\\*\\/|\\/\\/[^\\n]*`, 'g');
  return text.replace(either, (_, string: string | undefined) => string ?? ' ');
}
