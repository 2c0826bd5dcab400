import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../src/ops/metrics.ts';

const run = promisify(execFile);
const runs = (command: string, ...args: string[]) =>
  run(command, args).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
const kubectl = await runs('kubectl', 'version', '--client', '-o', 'json');
const hasPromtool = (await runs('promtool', '--version')) !== undefined;
const NO_KUBECTL = 'kubectl is not installed';
const NO_PROMTOOL = 'promtool is not installed';

// biome-ignore lint/suspicious/noExplicitAny: what YAML holds is what these tests look at
type Manifest = Record<string, any>;

const RULES = 'deploy/prometheus/tally.rules.yaml';
const rules: Manifest[] = parse(await readFile(RULES, 'utf8')).groups.flatMap(
  (group: Manifest) => group.rules,
);
const dashboard: Manifest = JSON.parse(await readFile('deploy/grafana/tally.json', 'utf8'));

/** What `GET /metrics` shows after one of each thing happened: name → its labels. */
const shown = await shownMetrics();

async function shownMetrics(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics();
  const work = { workspace: 'T1', began: 0, ms: 1, user: 'U1', outcome: 'ok' } as const;
  metrics.finished({ ...work, kind: 'request', via: 'command', route: '/spend' });
  metrics.finished({ ...work, kind: 'run' });
  metrics.finished({ ...work, kind: 'message', message: 'post' });
  metrics.exchange({
    ...{ service: 'billing', method: 'POST', origin: 'https://api.example.com', outcome: 200 },
    ...{ tries: 1, took: 1 },
  });
  metrics.storeOperation(1);
  metrics.slackCall({ method: 'chat.postMessage', outcome: 'ok', took: 1 });
  metrics.throttled({ what: 'requests', whose: 'person' });
  metrics.storeError('full');
  metrics.rejected('unsigned');
  const { body } = await metrics.page();
  metrics.stop();
  const found = new Map<string, Set<string>>();
  for (const line of body.split('\n')) {
    const [, name, labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

/** Labels that Prometheus adds to every series. */
const ADDED = ['job', 'instance'];

/** What of a PromQL expression `GET /metrics` does not show: names, and labels in braces or after `by`. */
function unknownIn(expr: string): string[] {
  const named = [...expr.matchAll(/\b((?:tally|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  const labels = new Set([...ADDED, ...named.flatMap(([, name = '']) => [...(shown.get(name) ?? [])])]);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [
    ...named.map(([, name = '']) => name).filter((name) => !shown.has(name)),
    ...named.flatMap(([, name = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*[=!]/g)]
        .map(([, label = '']) => label)
        .filter((label) => !ADDED.includes(label) && !shown.get(name)?.has(label)),
    ),
    ...grouped.filter((label) => label !== '' && !labels.has(label)),
  ];
}

const expressions = (): string[] =>
  dashboard.panels.flatMap((panel: Manifest) => (panel.targets ?? []).map((target: Manifest) => target.expr));

describe('the alert rules', () => {
  it('use metrics and labels that the bot has', () => {
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
  });

  it('would fail this check with a name or a label that the bot does not have', () => {
    expect(unknownIn('rate(tally_command_total{outcome="ok"}[5m])')).toEqual([
      'tally_command_total',
      'outcome',
    ]);
    expect(unknownIn('sum by (verb) (tally_commands_total{status="ok"})')).toEqual(['status', 'verb']);
  });

  it('name only kinds of failures that exist', async () => {
    const files = await readdir('src/domain/failure', { recursive: true });
    const texts = await Promise.all(
      files
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFile(join('src/domain/failure', name), 'utf8')),
    );
    const source = texts.join('\n');
    const kinds = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/tally_commands_total\{outcome=~?"([^"]+)"/g)].flatMap(([, list = '']) =>
        list.split('|'),
      ),
    );
    expect(kinds).toContain('store-unavailable');
    expect(kinds.filter((kind) => kind !== 'unknown' && !source.includes(`'${kind}'`))).toEqual([]);
  });

  it('say in each alert how bad it is, what happened, what to do and where that is described', async () => {
    const [runbook, metricsPage] = await Promise.all(
      ['docs/troubleshooting.md', 'docs/metrics.md'].map((name) => readFile(name, 'utf8')),
    );
    const sections = new Set(
      [...(runbook ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    for (const { alert, labels, annotations } of rules) {
      expect([alert, ['warning', 'critical'].includes(labels.severity)]).toEqual([alert, true]);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description.length).toBeGreaterThan(20);
      const [page, anchor = ''] = annotations.runbook_url.split('#');
      expect([alert, page]).toEqual([
        alert,
        '{{ or $externalLabels.tally_runbook "docs/troubleshooting.md" }}',
      ]);
      expect([alert, sections.has(anchor)]).toEqual([alert, true]);
      expect(metricsPage).toContain(`| \`${alert}\` (${labels.severity}) `);
      expect(metricsPage).toContain(`(troubleshooting.md#${anchor})`);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('fire when they should and are silent otherwise, by promtool', async ({ skip }) => {
    if (!hasPromtool) return skip(NO_PROMTOOL);
    const { stdout } = await run('promtool', ['check', 'rules', RULES]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
    await run('promtool', ['test', 'rules', 'deploy/prometheus/tally.rules.test.yaml']);
  });
});

describe('the dashboard', () => {
  it('uses metrics and labels that the bot has, and leaves none out', () => {
    expect(expressions().flatMap(unknownIn)).toEqual([]);
    const all = expressions().join('\n');
    const families = [...shown.keys()].filter((name) => name.startsWith('tally_'));
    expect(families.length).toBeGreaterThan(5);
    const unused = families.filter((name) => !all.includes(name.replace(/_(bucket|sum|count)$/, '')));
    expect(unused).toEqual([]);
  });

  it('asks the data source and the job that its reader chooses', () => {
    const targets = dashboard.panels.flatMap(({ targets = [] }: Manifest) => targets);
    for (const { datasource, expr } of targets) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own placeholder
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(expr).toContain('job=~"$job"');
    }
    expect(dashboard.templating.list.map(({ name }: Manifest) => name)).toEqual([
      ...['datasource', 'job', 'version'],
    ]);
    for (const { definition = '' } of dashboard.templating.list) expect(unknownIn(definition)).toEqual([]);
  });

  it('has panels with titles of their own that do not overlap', () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      expect(title).not.toBe('');
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect([title, x < 24, taken.has(`${x}/${y}`)]).toEqual([title, true, false]);
          taken.add(`${x}/${y}`);
        }
    }
    const ids = dashboard.panels.map(({ id }: Manifest) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('holds valid PromQL, by promtool', async ({ skip }) => {
    if (!hasPromtool) return skip(NO_PROMTOOL);
    const dir = await mkdtemp(join(tmpdir(), 'tally-rules-'));
    const filled = expressions().map((expr, i) => ({
      record: `panel_${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'tally'),
    }));
    const file = join(dir, 'panels.json');
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules: filled }] }));
    const { stdout } = await run('promtool', ['check', 'rules', file]);
    await rm(dir, { recursive: true });
    expect(stdout).toContain(`SUCCESS: ${filled.length} rules found`);
  });
});

const DIR = 'deploy/kubernetes';

/** The documents that a kustomization names, as they are written. */
async function written(name: string): Promise<Manifest[]> {
  const { resources } = parse(await readFile(join(DIR, name, 'kustomization.yaml'), 'utf8')) as Manifest;
  const files = (resources as string[]).filter((one) => one.endsWith('.yaml'));
  const texts = await Promise.all(files.map((file) => readFile(join(DIR, name, file), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
}

const ofKind = (all: readonly Manifest[], kind: string): Manifest => {
  const found = all.filter((one) => one.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as Manifest;
};

describe('the Kubernetes manifests', () => {
  let base: Manifest[];
  let monitoring: Manifest[];
  let config: Manifest;
  beforeAll(async () => {
    [base, monitoring] = await Promise.all([written('base'), written('monitoring')]);
    config = parse(await readFile(join(DIR, 'base/kustomization.yaml'), 'utf8'));
  });
  const pod = () => ofKind(base, 'Deployment').spec.template.spec;
  const container = () => pod().containers[0];

  it('name every file of their folder', async () => {
    for (const name of ['base', 'monitoring', 'example']) {
      const { resources } = parse(await readFile(join(DIR, name, 'kustomization.yaml'), 'utf8'));
      const files = (await readdir(join(DIR, name))).filter((file) => file !== 'kustomization.yaml');
      expect(resources.filter((one: string) => !one.startsWith('..')).sort()).toEqual(files.sort());
    }
  });

  it('run it as the user of the image, without rights, and with a root filesystem that nobody writes to', () => {
    expect(pod()).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(container().resources.requests)).toEqual(['cpu', 'memory']);
    expect(container().resources.limits.memory).toBeDefined();
  });

  it('probe the pages that the bot serves, on the port that it is given', async () => {
    const app = await readFile('src/app.ts', 'utf8');
    const { startupProbe, livenessProbe, readinessProbe, ports } = container();
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(startupProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    for (const path of ['/healthz', '/readyz', '/metrics']) expect(app).toContain(`'${path}'`);
    expect(config.configMapGenerator[0].literals).toContain(`PORT=${ports[0].containerPort}`);
  });

  it('leave the bot the time to let its answers out', async () => {
    const [, drain = ''] = /DRAIN = ([\d_]+)/.exec(await readFile('src/app.ts', 'utf8')) ?? [];
    const literals: string[] = config.configMapGenerator[0].literals;
    const wait = literals.find((literal) => literal.startsWith('SHUTDOWN_DELAY='))?.split('=')[1];
    expect(wait).toBe('5');
    const seconds = Number(drain.replace('_', '')) / 1000;
    expect(seconds).toBeGreaterThan(0);
    expect(pod().terminationGracePeriodSeconds).toBeGreaterThan(seconds + Number(wait) + 3);
  });

  it('hold no secret: tokens and keys come from a Secret by its name', async () => {
    expect(container().envFrom).toEqual([
      { configMapRef: { name: 'tally' } },
      { secretRef: { name: 'tally' } },
    ]);
    expect(container().env).toBeUndefined();
    const names = await readdir(DIR, { recursive: true });
    const texts = await Promise.all(
      names.filter((name) => name.endsWith('.yaml')).map((name) => readFile(join(DIR, name), 'utf8')),
    );
    expect(texts.join('\n')).not.toMatch(/kind: Secret|xox[bp]-|xapp-|ENCRYPTION_KEYS=|REDIS_URL=/);
  });

  it('and their page name the version that package.json has', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const page = await readFile('docs/kubernetes.md', 'utf8');
    const named = [...page.matchAll(/tally:(\d[\w.-]*)|ref=v([\w.-]+)/g)].map(([, tag, ref]) => tag ?? ref);
    const example = parse(await readFile(join(DIR, 'example/kustomization.yaml'), 'utf8'));
    expect(new Set([...named, example.images[0].newTag])).toEqual(new Set([version]));
  });

  it('set variables that the bot reads', async () => {
    const variables = await readFile('src/config/variables.ts', 'utf8');
    const example: Manifest = parse(await readFile(join(DIR, 'example/kustomization.yaml'), 'utf8'));
    const literals: string[] = [config, example].flatMap((one) => one.configMapGenerator[0].literals);
    expect(literals.length).toBeGreaterThan(3);
    for (const literal of literals) expect(variables).toContain(`  ${literal.split('=')[0]}: `);
  });

  it('agree on the labels of the pods and the name of the port', () => {
    const { template, selector } = ofKind(base, 'Deployment').spec;
    const { labels } = template.metadata;
    expect(selector.matchLabels).toEqual(labels);
    expect(ofKind(base, 'Service').spec.selector).toEqual(labels);
    expect(ofKind(base, 'PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(ofKind(base, 'NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    for (const { labelSelector } of pod().topologySpreadConstraints)
      expect(labelSelector.matchLabels).toEqual(labels);
    expect(ofKind(base, 'Service').spec.ports[0].targetPort).toBe(container().ports[0].name);
    const { selector: services, endpoints } = ofKind(monitoring, 'ServiceMonitor').spec;
    expect(services.matchLabels).toEqual(ofKind(base, 'Service').metadata.labels);
    expect(endpoints[0]).toMatchObject({
      port: ofKind(base, 'Service').spec.ports[0].name,
      path: '/metrics',
    });
  });

  it('scale by CPU, and never take the last process away', () => {
    const { minReplicas, scaleTargetRef, metrics } = ofKind(base, 'HorizontalPodAutoscaler').spec;
    expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'tally' });
    expect(metrics[0].resource.name).toBe('cpu');
    expect(ofKind(base, 'Deployment').spec.replicas).toBeUndefined();
    expect(ofKind(base, 'PodDisruptionBudget').spec.maxUnavailable).toBeLessThan(minReplicas);
    expect(ofKind(base, 'Deployment').spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  it('open to the world what Slack asks for, and neither metrics nor health', async () => {
    const ingress = ofKind(await written('example'), 'Ingress');
    const paths = ingress.spec.rules.flatMap((rule: Manifest) =>
      rule.http.paths.map((one: Manifest) => one.path),
    );
    expect(paths).toEqual(['/slack/', '/privacy', '/support', '/security']);
  });

  it('are rendered by kubectl', async ({ skip }) => {
    if (kubectl === undefined) return skip(NO_KUBECTL);
    const rendered = await render('base');
    expect(rendered.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    const { name } = ofKind(rendered, 'ConfigMap').metadata;
    expect(name).toMatch(/^tally-\w+$/);
    expect(ofKind(rendered, 'Deployment').spec.template.spec.containers[0].envFrom).toEqual([
      { configMapRef: { name } },
      { secretRef: { name: 'tally' } },
    ]);
    expect(ofKind(await render('monitoring'), 'ServiceMonitor').metadata.name).toBe('tally');
  });

  it('are rendered with one’s own image, namespace and addresses', async ({ skip }) => {
    // Before 1.21 kubectl had a kustomize that takes no folders.
    if (kubectl === undefined || JSON.parse(kubectl).kustomizeVersion === undefined)
      return skip('kubectl is not installed, or is older than 1.21');
    const rendered = await render('example');
    expect(new Set(rendered.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['tally']));
    expect(ofKind(rendered, 'Deployment').spec.template.spec.containers[0].image).toMatch(
      /^registry\.example\.com\/tally:\d/,
    );
    expect(ofKind(rendered, 'ConfigMap').data).toMatchObject({
      PORT: '3000',
      PUBLIC_URL: 'https://tally.example.com',
    });
    expect(ofKind(rendered, 'Ingress').spec.rules[0].http.paths[0].backend.service.name).toBe('tally');
  });
});

async function render(name: string): Promise<Manifest[]> {
  const { stdout } = await run('kubectl', ['kustomize', join(DIR, name)]);
  return parseAllDocuments(stdout).map((one) => one.toJS() as Manifest);
}
