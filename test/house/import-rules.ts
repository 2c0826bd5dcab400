/** Who may import whom, types included. CONTRIBUTING.md draws the rooms. */
import { posix } from 'node:path';
import { parseSync } from 'vite';
import type { Source } from './reserved-words.ts';

interface Import {
  readonly from: string;
  /** A file, as a path like `from`, or a package. */
  readonly to: string;
}

interface Rule {
  readonly name: string;
  /** @returns whether the rule forbids the import */
  readonly forbids: (it: Import) => boolean;
}

const room = (path: string) => `^src/${path}/`;
const file = (path: string) => `^src/${path}\\.ts$`;
const packages = (names: readonly string[]) => new RegExp(`^(${names.join('|')})(/|$)`);
const matches = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => new RegExp(pattern).test(path));

interface Room {
  readonly name: string;
  readonly path: string;
  /** What else is the room itself; `$1` is the first group of `path`. */
  readonly itself?: string;
  /** What it may import besides itself. */
  readonly below: readonly string[];
}

const DOMAIN = room('domain');
const VAULT = room('vault');
const HTTP = room('http');
const REDIS_URL = file('redis/url');
const REDIS = room('redis');
const RUNTIME = room('runtime');
const CONFIG = room('config');
const BILLING = room('billing');
const IDENTITY = room('identity');
const WORKSPACE = room('workspace');
const DELIVERY = room('delivery');
const SLACK = room('slack');
const KIT = room('slack/kit');
const CONTRACT = file('features/feature');

/** Each room and what it may import besides itself. The entry points and `app.ts` may import everything. */
const ROOMS: readonly Room[] = [
  { name: 'domain', path: DOMAIN, below: [] },
  { name: 'runtime', path: RUNTIME, below: [DOMAIN] },
  { name: 'vault', path: VAULT, below: [DOMAIN] },
  { name: 'http', path: HTTP, below: [DOMAIN, RUNTIME] },
  { name: 'redis', path: REDIS, below: [DOMAIN, RUNTIME] },
  { name: 'config', path: CONFIG, below: [DOMAIN, HTTP, VAULT, REDIS_URL] },
  { name: 'ops', path: room('ops'), below: [DOMAIN, RUNTIME, VAULT, HTTP, REDIS, WORKSPACE] },
  { name: 'billing', path: BILLING, below: [DOMAIN, HTTP] },
  { name: 'identity', path: IDENTITY, below: [DOMAIN, HTTP] },
  { name: 'workspace', path: WORKSPACE, below: [DOMAIN, RUNTIME, VAULT, REDIS] },
  { name: 'delivery', path: DELIVERY, below: [DOMAIN, RUNTIME, REDIS, WORKSPACE, BILLING, SLACK] },
  { name: 'kit', path: KIT, below: [DOMAIN] },
  { name: 'slack', path: SLACK, below: [DOMAIN, RUNTIME, HTTP, REDIS, WORKSPACE, VAULT, CONFIG] },
  { name: 'contract', path: CONTRACT, below: [DOMAIN, WORKSPACE, BILLING, SLACK, DELIVERY] },
  {
    name: 'feature',
    path: '^src/features/([^/]+)/',
    itself: '^src/features/$1/',
    below: [CONTRACT, DOMAIN, REDIS, WORKSPACE, BILLING, IDENTITY, DELIVERY, SLACK],
  },
];

/** Packages that only some rooms may import. */
const KEEPERS = [
  { name: 'bullmq', rooms: [DELIVERY] },
  { name: 'undici', rooms: [HTTP, SLACK] },
  { name: 'prom-client', rooms: [room('ops')] },
  { name: 'big\\.js', rooms: [DOMAIN] },
  { name: '@slack/(bolt|web-api|socket-mode|oauth)', rooms: [SLACK, room('ops')] },
  { name: 'ioredis', rooms: [REDIS] },
];

/** All that these rooms may import from outside of `src`. */
const ONLY_PACKAGES = [
  {
    name: 'domain',
    path: DOMAIN,
    names: ['big\\.js', 'date-fns', '@date-fns/utc', 'temporal-polyfill', 'lru-cache'],
  },
  { name: 'kit', path: KIT, names: ['@slack/types'] },
];

const ROOF = `${file('(app|tally|main)')}|${room('cli')}`;

const RULES: readonly Rule[] = [
  ...ROOMS.map(({ name, path, itself, below }) => ({
    name: `${name}-imports-downward`,
    forbids: ({ from, to }: Import) => {
      const within = new RegExp(path).exec(from);
      const own = itself?.replace('$1', within?.[1] ?? '') ?? path;
      return within !== null && to.startsWith('src/') && !matches([own, ...below], to);
    },
  })),
  ...KEEPERS.map(({ name, rooms }) => ({
    name: `keeps-${name.replaceAll('\\', '')}`,
    forbids: ({ from, to }: Import) =>
      from.startsWith('src/') && packages([name]).test(to) && !matches([ROOF, ...rooms], from),
  })),
  ...ONLY_PACKAGES.map(({ name, path, names }) => ({
    name: `${name}-stays-pure`,
    forbids: ({ from, to }: Import) =>
      matches([path], from) && !to.startsWith('src/') && !packages(names).test(to),
  })),
  {
    name: 'bot-apart-from-sandbox',
    forbids: ({ from, to }) => from.startsWith('src/') && /^(sandbox|bench|test)\//.test(to),
  },
  {
    name: 'sandbox-apart-from-bot',
    forbids: ({ from, to }) => from.startsWith('sandbox/') && /^(src|bench|test)\//.test(to),
  },
];

/** Imports that are no declaration: of a module when it is needed, or of a type within another one. */
const CALL = /\bimport\(\s*(['"])(.+?)\1/g;

function importsOf({ path, text }: Source): readonly Import[] {
  const { module } = parseSync(path, text);
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
    ...[...text.matchAll(CALL)].map(([, , name]) => name),
  ];
  return [...new Set(names)]
    .filter((name) => name !== undefined)
    .map((name) => ({
      from: path,
      to: name.startsWith('.') ? posix.join(posix.dirname(path), name) : name,
    }));
}

/** @returns for each file that leads back to itself, the files on its way; a circle is found from each of its files */
function circlesIn(imports: readonly Import[]): readonly string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const reachable = new Map<string, ReadonlySet<string>>();
  for (const start of next.keys()) {
    const found = new Set<string>();
    const ahead = [start];
    for (let path = ahead.pop(); path !== undefined; path = ahead.pop())
      for (const to of next.get(path) ?? []) {
        if (!found.has(to)) ahead.push(to);
        found.add(to);
      }
    reachable.set(start, found);
  }
  return [...reachable]
    .filter(([path, found]) => found.has(path))
    .map(([path, found]) =>
      [...found]
        .filter((other) => reachable.get(other)?.has(path))
        .sort()
        .join(' ↔ '),
    );
}

/** @returns a sentence for each import, and each circle, that breaks a rule: its name, a colon, what breaks it */
export function findForbiddenImports(sources: readonly Source[]): readonly string[] {
  const imports = sources.flatMap(importsOf);
  return [
    ...imports.flatMap((it) =>
      RULES.filter(({ forbids }) => forbids(it)).map(({ name }) => `${name}: ${it.from} → ${it.to}`),
    ),
    ...new Set(circlesIn(imports).map((circle) => `no-circles: ${circle}`)),
  ];
}
