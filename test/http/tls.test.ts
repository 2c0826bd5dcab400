import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createGuardedHttp } from '../../src/http/client.ts';
import { failureOf, json, serve } from './service.ts';

const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

const question = { service: 'identity', method: 'GET', headers: {}, secrets: [] } as const;

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const what = ['-days', '2', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...curve, ...what], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return pair;
}

it('a self-signed certificate is refused, even from a trusted host', async ({ skip }) => {
  skip(!hasOpenssl, 'openssl is not installed');
  let asked = 0;
  const server = createServer(selfSigned(), (_, response) => {
    asked += 1;
    json(response, '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
  const { port } = server.address() as AddressInfo;
  const failure = await failureOf(http.request({ ...question, url: `https://127.0.0.1:${port}/` }));
  expect(failure).toMatchObject({
    kind: 'service-unreachable',
    data: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  expect(asked).toBe(0);
  await http.close();
  await new Promise((resolve) => server.close(resolve));
});

it('a failed TLS connection does not fall back to plain http', async () => {
  const service = await serve((_, response) => json(response, '{}'));
  const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
  const failure = await failureOf(http.request({ ...question, url: `https://127.0.0.1:${service.port}/` }));
  expect(failure).toMatchObject({ kind: 'service-unreachable' });
  expect(service.requests).toHaveLength(0);
  await http.close();
  await service.close();
});
