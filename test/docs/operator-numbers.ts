/** The phrases with numbers on the pages for people who run or test Tally, each made of its source. */
import { readFile } from 'node:fs/promises';
import { parse, parseAllDocuments } from 'yaml';
import { DEFAULT_LIMITS } from '../../src/domain/rate-limits.ts';
import { DAY, MINUTE } from '../../src/domain/time/calendar.ts';
import { HTTP_LIMITS } from '../../src/http/exchange.ts';
import { MAX_SERIES } from '../../src/ops/metrics.ts';
import { REJECTIONS } from '../../src/slack/server/http-rejections.ts';
import { SERVER_LIMITS } from '../../src/slack/server/signed-request.ts';
import { MOST_QUESTIONS, THREAD_LIFETIME } from '../../src/workspace/thread-store.ts';
import { constantIn, measured, NODE, numbersIn } from './constants.ts';

const megabytes = (bytes: number): string => `${bytes / 1024 ** 2} MB`;
const [cipher, bits, mode] = (await constantIn('vault/keyring.ts', 'CIPHER')).replaceAll("'", '').split('-');
const sealed = `${cipher?.toUpperCase()}-${bits}-${mode?.toUpperCase()}`;

const [silence = 0] = await numbersIn('redis/connect.ts', 'SILENCE_TIMEOUT');
const [wait = 0] = await numbersIn('redis/connect.ts', 'COMMAND_TIMEOUT');
const [shards] = await numbersIn('redis/keys.ts', 'CLUSTER_SHARDS');
const [drain = 0] = await numbersIn('app.ts', 'DRAIN');
const [check = 0] = await numbersIn('cli/doctor.ts', 'CHECK_TIMEOUT');
const [, again = 0] = await numbersIn('slack/install/token-check.ts', 'WAIT');
const [lines] = await numbersIn('ops/work-log.ts', 'LINES_PER_SECOND');
const [input] = await numbersIn('cli/records.ts', 'MAX_INPUT_MIB');
const pauses = await numbersIn('delivery/outbox/send-state.ts', 'PAUSES');
const longest = Math.max(...pauses);
/** Of sysexits.h, as test/cli and test/ops/backup.test.ts get them. */
const [usage, badFile, noFile, notCreated, configuration] = [64, 65, 66, 73, 78];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}
const rules: readonly Rule[] = parse(
  await readFile('deploy/prometheus/tally.rules.yaml', 'utf8'),
).groups.flatMap(({ rules }: { readonly rules: readonly Rule[] }) => rules);
const ruleOf = (name: string): Rule | undefined => rules.find(({ alert }) => alert === name);
/** What a rule compares with. */
const threshold = (name: string): number =>
  Number(/> ([\d.]+)[^>]*$/.exec(ruleOf(name)?.expr ?? '')?.[1] ?? Number.NaN);
const memoryLimit = /\* (\d+) \* 1024 \* 1024/.exec(ruleOf('TallyMemoryHigh')?.expr ?? '')?.[1];

/** @returns the documents of a manifest */
const manifests = async (name: string) =>
  parseAllDocuments(await readFile(`deploy/kubernetes/${name}.yaml`, 'utf8')).map((document) =>
    document.toJS(),
  );
const [{ spec: deployment }] = await manifests('base/deployment');
const { securityContext, containers, terminationGracePeriodSeconds } = deployment.template.spec;
const { requests, limits } = containers[0].resources;
const [{ spec: scaling }] = await manifests('base/horizontal-pod-autoscaler');
const [{ spec: network }] = await manifests('base/network-policy');
const redisPorts = network.egress[1].ports.map(({ port }: { readonly port: number }) => port).join(', ');
const traces = /port: (\d+)/.exec(
  await readFile('deploy/kubernetes/tracing/network-policy.yaml', 'utf8'),
)?.[1];

const image = /node:(\d+)/.exec(await readFile('Dockerfile', 'utf8'))?.[1];
const user = /^USER (\d+)$/m.exec(await readFile('Dockerfile', 'utf8'))?.[1];
const tested = [
  ...(await readFile('test/run.ts', 'utf8')).matchAll(/const NODES = \['(\d+)', '(\d+)'\]/g),
][0];
const deadline = `${HTTP_LIMITS.deadline / 1_000} seconds`;

export const OPERATOR_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  'docs/security.md': [
    sealed,
    `${SERVER_LIMITS.unsignedBytes / 1024} KB at most`,
    `${megabytes(SERVER_LIMITS.bodyBytes)}, else ${REJECTIONS['too-large']}`,
    `${megabytes(SERVER_LIMITS.totalBodyBytes)}; beyond it the largest get a ${REJECTIONS.overloaded}`,
    // 408 is Node's answer, as test/slack/server gets it.
    `${SERVER_LIMITS.requestTimeout / 1_000} s each, else 408`,
    `${SERVER_LIMITS.connections}; the oldest unsigned`,
    `for ${THREAD_LIFETIME / DAY} days, at most ${MOST_QUESTIONS.toLocaleString('en')}`,
    `${megabytes(HTTP_LIMITS.bodyBytes)} of a service`,
  ],
  'docs/keys.md': [],
  'docs/sizing.md': [
    // How large a machine is, rounded up from the figures below.
    ...['with 192 MB of memory', 'with 64 MB'],
    // 460 MB for 100,000 workspaces.
    `${Math.ceil((measured('Redis, with the scheduled runs') * 1_000) / 100_000)} KB for each`,
    'On 2 cores with Node 20',
    `${measured('commands a second, 32 at once')} for`,
    `${measured('CPU a command, 32 at once')} ms when busy, ${measured('CPU a command, one by one')} ms one by one`,
    `${measured('idle memory')} MB idle`,
    `${measured('memory after the load')} MB under load`,
    `${measured('bot after that')} MB after preparing 500,000 schedules`,
    `${measured('start until it listens')} ms; ${measured('_another start, until it listens_')} ms with 100,000 workspaces`,
    '10,000 scheduled posts',
    `${measured('posts: all, 0 lost, 0 twice')} s for two`,
    'Redis for 100,000 workspaces',
    `${measured('Redis, with the scheduled runs')} MB |`,
    `${measured('commands a minute, one bot, nothing due')} for one process, ${measured('commands a minute, two bots, nothing due')} for two`,
  ],
  'docs/redis.md': [
    // The servers in .ci and on the machines of the tests.
    ...['Redis 7 or Valkey 8', 'Redis 7.0 and Valkey 8.0'],
    `after ${wait / 1_000} seconds`,
    `server for ${silence / 1_000} seconds`,
    `over ${shards} shards`,
  ],
  'docs/environment.md': [],
  'docs/running.md': [
    // The codes of the commands, as test/cli gets them.
    ...['| 0 |', '| 1 |', '| 130, 141 |'],
    `| ${usage} |`,
    `| ${badFile}, ${noFile}, ${notCreated} |`,
    `| ${configuration} |`,
    ...['| 200 as long', '| 200 when', 'else 503 with'],
    `every ${again / 1_000} seconds`,
  ],
  'docs/proxy.md': ['on 127.0.0.1 alone'],
  'docs/kubernetes.md': [
    // What kustomize in kubectl and the API autoscaling/v2 need.
    ...['1.21 or newer', 'of 1.23 or newer'],
    // The name of an encoding.
    'are base64',
    `user ${securityContext.runAsUser},`,
    `${requests.cpu} CPU and ${requests.memory}; limit ${limits.memory}`,
    // Slack's.
    'waits 3 seconds',
    `${terminationGracePeriodSeconds} seconds to finish`,
    `${scaling.minReplicas} to ${scaling.maxReplicas} pods at ${scaling.metrics[0].resource.target.averageUtilization} %`,
    `Redis (${redisPorts})`,
  ],
  'docs/upgrade.md': [
    ...['last one answers 200', 'answers 503 with', 'with 503, and goes on'],
    `at most ${drain / 1_000} seconds`,
    // The manifests' grace period without the delay, 5, and some room.
    `and ${terminationGracePeriodSeconds - 10} seconds before`,
  ],
  'docs/backup.md': [
    'ends with 0 when',
    `have ${input} MiB`,
    // Of examples.
    'project 123',
    'scale the bots to 0',
    ...['| 0 |', '| 1 |'],
    ...[usage, badFile, noFile, notCreated, configuration].map((code) => `| ${code} |`),
  ],
  'docs/releases.md': [
    `Node ${NODE} or newer`,
    `Node ${image} and Debian, for user ${user}`,
    // Of `npm sbom`.
    'CycloneDX 1.5',
    // Examples of versions.
    ...['(1.0.1)', '(1.1.0)', '(2.0.0)', 'back to 1.0.0', 'Every 1.x'],
    `on Node ${NODE} and newer`,
    `run ${tested?.[1]} or ${tested?.[2]}`,
    `Node ${NODE.split('.')[0]} gets no fixes`,
    `newest ${image} at`,
    'buildah (1.28 or newer)',
  ],
  'docs/limits.md': [
    // Three processes with a third of it each.
    ...['a workspace 300 requests in 10 seconds'],
    `After ${DEFAULT_LIMITS.requests.person.most} commands`,
    `more than ${DEFAULT_LIMITS.osTokens.most} within any ${DEFAULT_LIMITS.osTokens.per / MINUTE} minutes`,
    `${HTTP_LIMITS.connections} at a time to one host`,
    `at most ${HTTP_LIMITS.queueTimeout / 1_000} seconds for its turn`,
  ],
  'docs/metrics.md': [
    // Values that test/ops/metrics.test.ts and test/ops/alerts.test.ts see.
    ...['| 1, for the version', 'and 1 if it can', '0 if a newer version', 'due; 0 if none', 'start with 0'],
    'includes 0.1 s',
    `More than ${MAX_SERIES} combinations`,
    `for ${ruleOf('TallyProcessDown')?.for?.replace('m', ' minutes')} |`,
    '/readyz says 503',
    `${threshold('TallyCommandsFailing') * 100} % of commands`,
    `p95 over ${threshold('TallyCommandsSlow')} s | Answers`,
    `p99 of Redis over ${threshold('TallyStoreSlow')} s`,
    `over ${(threshold('TallyRunsOverdue') * 1_000) / MINUTE} minutes late`,
    `p95 over ${threshold('TallyServiceSlow')} s | Billing`,
    'gets 429',
    `over ${threshold('TallyEventLoopLag')} s late`,
    `${threshold('TallyMemoryHigh') * 100} % of the limit`,
    `${memoryLimit} MiB`,
  ],
  'docs/logs.md': [
    // test/ops/work-log.test.ts counts them.
    '12 characters made',
    `up to ${lines} lines of what went well and ${lines} of what failed`,
    ...[401, 413].map((status) => `${status}`),
    'or 503, which',
    'ends with 1',
  ],
  'docs/traces.md': [`port ${traces} to`],
  'docs/troubleshooting.md': [
    '“reference 4f2a”',
    '/readyz says 503',
    'says 200',
    'stays 503',
    'is 0 while people ask',
    `answers ${REJECTIONS.unsigned} from Tally; 404, 502 or`,
    'step 2, 3 or 4',
    'is 1.',
    ...['is 0 and', 'run is 0', 'when is 0', 'is 1 and'],
    `| ${configuration}, with names`,
    `| ${configuration}, with another`,
    // A process that the kernel killed: 128 + SIGKILL.
    ...['| 137, no line', '| 134, ', 'end with 137 or 134'],
    `more than ${wait / 1_000} seconds`,
    // When an alert is over: below its threshold by a good deal.
    ...['below 50 ms', 'below 2 seconds'],
    ...['back at 0', 'stays 0', 'is 0 again'],
    '(p95 of each)',
    ...['p95 of commands', 'p99 is', 'p95 is'],
    `at most ${deadline}`,
    `within ${deadline}`,
    `again after ${pauses.slice(0, 2).join(', ')} and ${pauses[2]} minutes, then every ${longest}`,
    ...['answers 5xx, or 4xx without', 'answers 429', 'the 401s stop'],
  ],
  'docs/doctor.md': [
    `after ${check / 1_000} seconds, so the doctor ends within ${check / 1_000 + 2}`,
    ...['| 0 |', '| 1 |'],
    `| ${usage} |`,
    `| ${configuration} |`,
    '500 and above',
  ],
  'docs/testing.md': [
    // THOROUGH in test/domain/language/long-texts.test.ts.
    'text of 100,000 characters',
    `Node ${tested?.[1]} and ${tested?.[2]},`,
    '(1.21 or newer)',
  ],
};
