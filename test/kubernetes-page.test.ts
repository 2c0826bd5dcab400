/** docs/kubernetes.md with kubectl: its commands in their order, and the base from other folders. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeUnless } from './support/describe-unless.ts';
import { type KubernetesApi, startKubernetesApi } from './support/kubernetes-api.ts';

const run = promisify(execFile);
const version = await run('kubectl', ['version', '--client', '-o', 'json']).then(
  ({ stdout }) => JSON.parse(stdout),
  () => undefined,
);
/** Before 1.21 kubectl had a kustomize that takes no folders. */
const REASON =
  version?.kustomizeVersion === undefined ? 'kubectl is not installed, or is older than 1.21' : undefined;

const page = await readFile('docs/kubernetes.md', 'utf8');
/** What a reader types, block by block. */
const blocks = [...page.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent = '', block = '']) =>
  block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
);
/** They ask for a container that runs. */
const needsPod = (block: string) => / exec | port-forward /.test(block);

describeUnless(REASON, 'docs/kubernetes.md', () => {
  let folder: string;
  let api: KubernetesApi;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'tally-kubernetes-')));
    api = await startKubernetesApi();
    await cp('deploy', join(folder, 'tally/package/deploy'), { recursive: true });
    // The image and the release file have a test of their own.
    for (const name of ['docker', 'tar']) await writeFile(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(
      join(folder, 'config'),
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
        clusters: [{ name: 'test', cluster: { server: api.url } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
        users: [{ name: 'test', user: {} }],
      }),
    );
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const type = async (lines: string): Promise<string> => {
    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, KUBECONFIG: join(folder, 'config') };
    const options = { cwd: join(folder, 'tally'), env };
    return (await run('bash', ['-euo', 'pipefail', '-c', lines], options)).stdout;
  };
  const there = () =>
    [...api.objects.values()].map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`).sort();

  it('installs Tally by the commands that it shows, restarts it, and removes it', async () => {
    expect(blocks.filter(needsPod)).toHaveLength(2);
    expect(blocks.length).toBeGreaterThan(5);
    let said = '';
    for (const block of blocks.filter((each) => !needsPod(each))) said += await type(block);
    expect(said).toContain('deployment "tally" successfully rolled out');
    expect(there()).toEqual([
      'ConfigMap tally',
      'Deployment tally',
      'HorizontalPodAutoscaler tally',
      'Ingress tally',
      'Namespace ',
      'NetworkPolicy tally',
      'PodDisruptionBudget tally',
      'PrometheusRule tally',
      'Secret tally',
      'Service tally',
      'ServiceMonitor tally',
    ]);
    const secret = [...api.objects.values()].find(({ kind }) => kind === 'Secret');
    for (const name of ['ENCRYPTION_KEYS', 'REDIS_URL', 'SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'])
      expect(secret?.protobuf).toContain(name);

    const inTable = [...page.matchAll(/^\|.*$/gm)].flatMap(([row]) => [
      ...row.matchAll(/`(kubectl [^`]+)`/g),
    ]);
    const commands = inTable.map(([, command = '']) => command).filter((each) => !/ exec | edit /.test(each));
    expect(commands).toHaveLength(2);
    for (const command of commands) await type(command);
    expect(there()).toEqual(['Namespace ', 'PrometheusRule tally', 'Secret tally']);
  });

  const render = async (base: string): Promise<string[]> => {
    const mine = join(folder, 'elsewhere/mine');
    await mkdir(mine, { recursive: true });
    await writeFile(join(mine, 'kustomization.yaml'), `namespace: mine\nresources:\n  - ${base}\n`);
    const { stdout } = await run('kubectl', ['kustomize', mine], { cwd: tmpdir() });
    return parseAllDocuments(stdout).map((one) => one.toJS().kind as string);
  };

  it('says truly that a folder elsewhere can name the base by a relative path, not by an absolute one', async () => {
    const base = join(folder, 'tally/package/deploy/kubernetes/base');
    expect(await render(relative(join(folder, 'elsewhere/mine'), base))).toContain('Deployment');
    await expect(render(base)).rejects.toThrow('cannot be absolute');
  });

  it('says truly that a folder elsewhere can name the base by a Git URL with a tag', async () => {
    const [, path = ''] = /git\.example\.com\/tally\.git(\S+)/.exec(page) ?? [];
    expect(path).toContain('?ref=v');
    const tag = path.split('?ref=')[1];
    const who = '-c user.name=test -c user.email=test@example.com';
    await type(
      `cd package && git init -q && git add . && git ${who} commit -qm test && git ${who} tag ${tag} -m test`,
    );
    expect(await render(`file://${join(folder, 'tally/package')}${path}`)).toContain('Deployment');
  });
});
