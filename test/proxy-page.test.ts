/** The nginx configuration of docs/proxy.md, in front of a server that says what arrives. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { describeUnless } from './support/describe-unless.ts';
import { waitUntil } from './support/wait-until.ts';

const REASON = spawnSync('nginx', ['-v']).status === 0 ? undefined : 'nginx is not installed';

describeUnless(REASON, 'the nginx configuration of docs/proxy.md', () => {
  let folder: string;
  let bot: Server;
  let nginx: ChildProcess;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tally-nginx-'));
    // nginx's workers run as another user where it is started by root.
    await chmod(folder, 0o755);
    bot = createServer((request, response) => {
      void text(request).then((body) =>
        response.end(JSON.stringify({ path: request.url, headers: request.headers, body })),
      );
    });
    bot.listen(0, '127.0.0.1');
    await once(bot, 'listening');
    const page = await readFile('docs/proxy.md', 'utf8');
    const [, shared = '', inServer = ''] = /^```nginx\n(limit_conn_zone.*?)\n\n(.*?)^```/ms.exec(page) ?? [];
    expect(inServer).toContain('http://127.0.0.1:3000');
    const port = await freePort();
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const lines = [
      `pid ${folder}/pid; error_log stderr; daemon off; events {}`,
      `http { access_log off; ${temporary.join(' ')}`,
      shared,
      `server { listen 127.0.0.1:${port};`,
      inServer.replace('127.0.0.1:3000', `127.0.0.1:${(bot.address() as AddressInfo).port}`),
      '} }',
    ];
    await writeFile(join(folder, 'nginx.conf'), lines.join('\n'));
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
    url = `http://127.0.0.1:${port}`;
    await waitUntil(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    const gone = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await gone;
    bot.close();
    await rm(folder, { recursive: true });
  });

  const post = (path: string, body: string) =>
    fetch(`${url}${path}`, { method: 'POST', body, headers: { 'X-Slack-Signature': 'v0=1' } });

  it('passes on what Slack sends, byte by byte, with the sender’s address', async () => {
    const response = await post('/slack/events?a=%20', 'text=%2Fspend+1');
    expect(await response.json()).toMatchObject({
      path: '/slack/events?a=%20',
      body: 'text=%2Fspend+1',
      headers: { 'x-slack-signature': 'v0=1', 'x-forwarded-for': '127.0.0.1' },
    });
  });

  it('does not expose the pages of operators', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz', '/', '/slack/../metrics'])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  });

  it('refuses what is larger than Slack sends, and lets many requests at once through', async () => {
    expect((await post('/slack/events', 'x'.repeat(1_100_000))).status).toBe(413);
    const all = await Promise.all(Array.from({ length: 90 }, () => post('/slack/events', 'x')));
    expect(all.every(({ ok }) => ok)).toBe(true);
  });
});
