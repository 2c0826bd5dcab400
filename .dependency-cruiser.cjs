/** Who may import whom, types included. CONTRIBUTING.md draws the rooms; `test/house` runs these rules. */

const room = (path) => `^src/${path}/`;
const file = (path) => `^src/${path}\\.ts$`;
/** As installed, and as written where it is not. */
const packages = (...names) => `(^|node_modules/)(${names.join('|')})(/|$)`;

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
const ROOMS = [
  { name: 'domain', path: DOMAIN, below: [] },
  { name: 'runtime', path: RUNTIME, below: [DOMAIN] },
  { name: 'vault', path: VAULT, below: [DOMAIN] },
  { name: 'http', path: HTTP, below: [DOMAIN, RUNTIME] },
  { name: 'redis', path: REDIS, below: [DOMAIN] },
  { name: 'config', path: CONFIG, below: [DOMAIN, HTTP, VAULT, REDIS_URL] },
  { name: 'ops', path: room('ops'), below: [DOMAIN, RUNTIME, REDIS, WORKSPACE] },
  { name: 'billing', path: BILLING, below: [DOMAIN, HTTP] },
  { name: 'identity', path: IDENTITY, below: [DOMAIN, HTTP] },
  { name: 'workspace', path: WORKSPACE, below: [DOMAIN, VAULT, REDIS] },
  { name: 'delivery', path: DELIVERY, below: [DOMAIN, RUNTIME, REDIS, WORKSPACE, BILLING, SLACK] },
  { name: 'kit', path: KIT, below: [DOMAIN] },
  { name: 'slack', path: SLACK, below: [DOMAIN, RUNTIME, HTTP, REDIS, WORKSPACE, VAULT, CONFIG] },
  { name: 'contract', path: CONTRACT, below: [DOMAIN, WORKSPACE, BILLING, SLACK, DELIVERY] },
  { name: 'registry', path: file('features/registry'), below: [CONTRACT, DOMAIN, SLACK] },
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
  { name: 'cockatiel', rooms: [HTTP] },
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
    packages: ['big\\.js', 'date-fns', '@date-fns/utc', 'temporal-polyfill', 'lru-cache'],
  },
  { name: 'kit', path: KIT, packages: ['@slack/types'] },
];

const ROOF = `${file('(app|tally|main)')}|${room('cli')}`;

module.exports = {
  forbidden: [
    { name: 'no-circles', from: {}, to: { circular: true } },
    ...ROOMS.map(({ name, path, itself = path, below }) => ({
      name: `${name}-imports-downward`,
      from: { path },
      to: { path: '^src/', pathNot: [itself, ...below] },
    })),
    ...KEEPERS.map(({ name, rooms }) => ({
      name: `keeps-${name.replaceAll('\\', '')}`,
      from: { path: '^src/', pathNot: [ROOF, ...rooms] },
      to: { path: packages(name) },
    })),
    ...ONLY_PACKAGES.map(({ name, path, packages: known }) => ({
      name: `${name}-stays-pure`,
      from: { path },
      to: { pathNot: ['^src/', packages(...known)] },
    })),
    { name: 'bot-apart-from-sandbox', from: { path: '^src/' }, to: { path: '^(sandbox|bench|test)/' } },
    { name: 'sandbox-apart-from-bot', from: { path: '^sandbox/' }, to: { path: '^(src|bench|test)/' } },
  ].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // Without it imports of types would be missed.
    tsPreCompilationDeps: true,
    // TypeScript 7 has no API that dependency-cruiser could parse with.
    parser: 'swc',
    // Its parser does not read JSX; `test/house/reserved-words.ts` looks at these files.
    exclude: { path: '\\.tsx$' },
    doNotFollow: { path: 'node_modules' },
  },
};
