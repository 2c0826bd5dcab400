import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../src/ops/metrics.ts';
import { NOT_READY } from '../src/ops/readiness.ts';

const run = promisify(execFile);
const hasPromtool = await run('promtool', ['--version']).then(
  () => true,
  () => false,
);

// biome-ignore lint/suspicious/noExplicitAny: what YAML holds is what these tests look at
type Manifest = Record<string, any>;

const RULES = 'deploy/prometheus/tally.rules.yaml';
const read = async (file: string): Promise<Manifest> => parse(await readFile(file, 'utf8'));
const rules: Manifest[] = (await read(RULES)).groups.flatMap((group: Manifest) => group.rules);
const dashboard: Manifest = JSON.parse(await readFile('deploy/grafana/tally.json', 'utf8'));
const queries: string[] = dashboard.panels.flatMap(({ targets }: Manifest) =>
  targets.map(({ expr }: Manifest) => expr),
);

/** What `GET /metrics` shows after one of each thing happened. */
async function shownMetrics(): Promise<string> {
  const metrics = createMetrics();
  metrics.measure({
    inProgress: () => 0,
    notReady: async () => [],
    oldestOverdue: async () => 0,
  });
  const work = { workspace: 'T1', began: 0, ms: 1, user: 'U1', outcome: 'ok' } as const;
  metrics.finished({ ...work, kind: 'request', via: 'command', route: '/spend' });
  metrics.finished({ ...work, kind: 'run' });
  metrics.finished({ ...work, kind: 'message', message: 'post' });
  metrics.exchange({
    ...{ service: 'billing', outcome: 200, took: 1 },
  });
  metrics.slackCall({ method: 'chat.postMessage', outcome: 'ok', took: 1 });
  metrics.throttled({ what: 'requests', whose: 'person' });
  metrics.storeError('full');
  metrics.rejected('unsigned');
  const { body } = await metrics.page();
  metrics.stop();
  return body;
}

it('the alert rules and the dashboard use only metrics and labels that the bot has', async () => {
  const page = await shownMetrics();
  const labelsOf = (name: string): string[] =>
    [...page.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? `, 'gm'))].flatMap(([, labels = '']) =>
      [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
  for (const expr of [...rules.map((rule) => rule.expr), ...queries]) {
    const named = [...expr.matchAll(/\b((?:tally|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
    for (const [, name, matchers = ''] of named) {
      expect(page).toMatch(new RegExp(`^${name}[ {]`, 'm'));
      const asked = [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label);
      expect([...labelsOf(name), 'job']).toEqual(expect.arrayContaining(asked));
    }
  }
});

it('every alert has a severity, a description and a link to its section of troubleshooting.md', async () => {
  const page = await readFile('docs/troubleshooting.md', 'utf8');
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-').replaceAll("'", ''),
  );
  for (const { labels, annotations } of rules) {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(annotations.description.length).toBeGreaterThan(20);
    expect(annotations.runbook_url).toContain('docs/troubleshooting.md');
    expect(sections).toContain(annotations.runbook_url.split('#')[1]);
  }
});

it('the alert about a bot that isn’t ready explains each part that may be missing', () => {
  const alert = rules.find((rule) => rule.alert === 'TallyNotReady');
  for (const part of NOT_READY) expect(alert?.annotations.description).toContain(`${part}:`);
});

it.skipIf(!hasPromtool)(
  'the alert rules fire when they should and are silent otherwise, according to promtool',
  async () => {
    const { stdout } = await run('promtool', ['check', 'rules', RULES]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
    await run('promtool', ['test', 'rules', 'deploy/prometheus/tally.rules.test.yaml']);
  },
);

describe('the Kubernetes manifests', async () => {
  const DIR = 'deploy/kubernetes';
  const files = (await readdir(join(DIR, 'base'))).filter((file) => file !== 'kustomization.yaml');
  const texts = await Promise.all(files.map((file) => readFile(join(DIR, 'base', file), 'utf8')));
  const base = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
  const kustomization = await read(join(DIR, 'base/kustomization.yaml'));
  const ofKind = (kind: string): Manifest => base.find((one) => one.kind === kind) ?? {};
  const { template, selector } = ofKind('Deployment').spec;
  const [container] = template.spec.containers;

  it('are all listed in the kustomization file', () => {
    expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  });

  it('run the bot without privileges, on a read-only root filesystem', () => {
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
  });

  it('agree on labels and ports, and give the bot time to stop', () => {
    const { labels } = template.metadata;
    expect(selector.matchLabels).toEqual(labels);
    expect(ofKind('Service').spec.selector).toEqual(labels);
    expect(ofKind('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(ofKind('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    expect(ofKind('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
    expect(kustomization.configMapGenerator[0].literals).toContain(
      `PORT=${container.ports[0].containerPort}`,
    );
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(11 + 5 + 3);
  });

  it('use the image of this version, and do not admit traffic from every namespace', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(container.image).toBe(`tally:${version}`);
    expect((await read(join(DIR, 'example/kustomization.yaml'))).images[0].newTag).toBe(version);
    expect(JSON.stringify(ofKind('NetworkPolicy').spec.ingress)).not.toContain('namespaceSelector":{}');
  });
});
