/** As much of a Kubernetes API server as kubectl needs to create, apply, restart and delete: it keeps objects, and runs none. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// biome-ignore lint/suspicious/noExplicitAny: any object of Kubernetes
type KubernetesObject = Record<string, any>;

/** Kinds by group and version. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: ['Namespace', 'Secret', 'ConfigMap', 'Service'],
  'apps/v1': ['Deployment'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'policy/v1': ['PodDisruptionBudget'],
  'networking.k8s.io/v1': ['NetworkPolicy', 'Ingress'],
  'monitoring.coreos.com/v1': ['ServiceMonitor', 'PrometheusRule'],
};
const pluralOf = (kind: string): string =>
  kind.toLowerCase().replace(/y$/, 'ie').replace(/s$/, 'se').concat('s');

const groupsOf = (): KubernetesObject[] =>
  Object.keys(KINDS).flatMap((groupVersion) => {
    const [name, version] = groupVersion.split('/');
    const only = { groupVersion, version };
    return version === undefined ? [] : [{ name, versions: [only], preferredVersion: only }];
  });

const resourcesOf = (groupVersion: string): KubernetesObject => ({
  ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion },
  resources: (KINDS[groupVersion] ?? []).map((kind) => ({
    ...{ name: pluralOf(kind), singularName: kind.toLowerCase(), kind, namespaced: kind !== 'Namespace' },
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  })),
});

/** Says only that the server checks fields itself, so that kubectl sends what it has. */
const openApiOf = (groupVersion: string): KubernetesObject => {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const patchOf = (kind: string) => ({
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: [{ name: 'fieldValidation', in: 'query' }],
  });
  const paths = (KINDS[groupVersion] ?? []).map((kind) => [`/${kind}`, { patch: patchOf(kind) }] as const);
  return { openapi: '3.0.0', info: {}, paths: Object.fromEntries(paths) };
};

const rootOf = (groupVersion: string): string =>
  groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;

function discoveryOf(path: string): KubernetesObject | undefined {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf() };
  const roots = Object.keys(KINDS).map((each) => [each, rootOf(each)] as const);
  if (path === '/openapi/v3')
    return {
      paths: Object.fromEntries(
        roots.map(([, root]) => [root, { serverRelativeURL: `/openapi/v3/${root}` }]),
      ),
    };
  const [groupVersion] = roots.find(([, root]) => path.endsWith(`/${root}`)) ?? [];
  if (groupVersion === undefined) return undefined;
  return path.startsWith('/openapi/') ? openApiOf(groupVersion) : resourcesOf(groupVersion);
}

/** What a controller would say soon of a Deployment. */
const asRolledOut = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'Deployment'
    ? { ...object, status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 } }
    : object;

/** kubectl creates some of its own kinds in protobuf, of which only what this page's test asks is read: all are called tally. */
function parseObject(body: string, path: string): KubernetesObject {
  if (body.startsWith('{')) return JSON.parse(body);
  const namespace = /\/namespaces\/(\w+)\//.exec(path)?.[1];
  const [kind = ''] = /Namespace|Secret/.exec(body) ?? [];
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'tally', ...(namespace && { namespace }) },
    protobuf: body,
  };
}

export interface KubernetesApi {
  readonly url: string;
  /** The objects that are there, by the path that names them. */
  readonly objects: ReadonlyMap<string, KubernetesObject>;
  close(): Promise<void>;
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const objects = new Map<string, KubernetesObject>();

  async function answer(request: IncomingMessage): Promise<readonly [number, KubernetesObject]> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const discovery = discoveryOf(pathname);
    if (discovery !== undefined) return [200, discovery];
    if (request.method === 'POST') {
      const object = parseObject(await text(request), pathname);
      objects.set(
        `${pathname}/${object.metadata.name}`,
        asRolledOut({ ...object, metadata: { ...object.metadata, generation: 1 } }),
      );
      return [201, object];
    }
    const field = searchParams.get('fieldSelector')?.match(/^metadata\.name=(.+)$/)?.[1];
    const object = objects.get(field === undefined ? pathname : `${pathname}/${field}`);
    if (field !== undefined)
      return [
        200,
        { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: object ? [object] : [] },
      ];
    if (object === undefined)
      return [404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }];
    if (request.method === 'DELETE') objects.delete(pathname);
    if (request.method === 'PATCH')
      objects.set(pathname, { ...object, patched: JSON.parse(await text(request)) });
    return [200, object];
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
