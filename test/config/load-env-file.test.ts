import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const LOADER = resolve('src/config/load-env-file.ts');
const SHOW = 'console.log(process.env.REDIS_URL ?? "none")';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tally-env-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** What a process that loads the file first sees as REDIS_URL. */
const seen = async (env?: NodeJS.ProcessEnv): Promise<string> => (await load(env)).stdout.trim();

function load(env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> {
  const tsx = import.meta.resolve('tsx');
  const args = ['--import', tsx, '--import', LOADER, '--input-type=module', '--eval', SHOW];
  const { PATH } = process.env;
  return promisify(execFile)(process.execPath, args, { cwd: directory, env: { PATH, ...env } });
}

const write = (text: string) => writeFile(join(directory, '.env'), text);

describe('.env', () => {
  it('fills in what the environment leaves out, and nothing else', async () => {
    await write('REDIS_URL="redis://127.0.0.1:1"\n');
    expect(await seen()).toBe('redis://127.0.0.1:1');
    expect(await seen({ REDIS_URL: 'redis://127.0.0.1:2' })).toBe('redis://127.0.0.1:2');
  });

  it('says that NODE_EXTRA_CA_CERTS has no effect there', async () => {
    await write('NODE_EXTRA_CA_CERTS=/path/ca.pem\n');
    expect((await load()).stderr).toContain('NODE_EXTRA_CA_CERTS in .env has no effect');
    expect((await load({ NODE_EXTRA_CA_CERTS: '/path/other.pem' })).stderr).not.toContain('no effect');
  });

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffREDIS_URL=redis://h', 'utf8')],
    ['UTF-16', Buffer.from('\ufeffREDIS_URL=redis://h', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\ufeffREDIS_URL=redis://h', 'utf16le').swap16()],
  ])('may be in %s', async (_, bytes) => {
    await writeFile(join(directory, '.env'), bytes);
    expect(await seen()).toBe('redis://h');
  });

  it.each([
    ['as in YAML', 'LOG_LEVEL: warn\nREDIS_URL: redis://h\nPORT: 3000'],
    ['as in YAML, in quotes', 'REDIS_URL: "redis://h"'],
    ['as an item of a list', '- LOG_LEVEL=warn\n- REDIS_URL=redis://h'],
    ['for a shell', 'export LOG_LEVEL=warn\nexport  REDIS_URL=redis://h'],
    ['for a shell of Windows', 'set REDIS_URL=redis://h'],
    ['with spaces around the sign', '  REDIS_URL = redis://h  '],
    ['with a comment behind a quoted value', 'REDIS_URL="redis://h" # ours'],
    ['with line ends of Windows', 'LOG_LEVEL=warn\r\nREDIS_URL=redis://h\r\nPORT=1\r\n'],
    ['with line ends of an old Mac', 'LOG_LEVEL=warn\rREDIS_URL=redis://h\rPORT=1\r'],
    ['behind a value of several lines', 'KEY="-----BEGIN\nabc=\n-----END"\nREDIS_URL=redis://h'],
  ])('may be written %s', async (_, text) => {
    await write(text);
    expect(await load()).toEqual({ stdout: 'redis://h\n', stderr: '' });
  });

  it.each([
    [
      'has no sign',
      'LOG_LEVEL=warn\nSLACK_BOT_TOKEN a-secret\nREDIS_URL=redis://h',
      /^Line 2 of \.env sets nothing/,
    ],
    ['has no name', 'a-secret\nREDIS_URL=redis://h', /^Line 1 of \.env sets nothing/],
    [
      'opens a quote',
      'ENCRYPTION_KEYS="a-secret\nREDIS_URL="redis://h"',
      /^ENCRYPTION_KEYS in line 1 of \.env has a quote that isn’t closed/,
    ],
    [
      'opens the last quote',
      "REDIS_URL=redis://h\nENCRYPTION_KEYS='a-secret",
      /^ENCRYPTION_KEYS in line 2 of \.env has a quote that isn’t closed/,
    ],
  ])('names a line that %s, without its value, and reads the others', async (_, text, says) => {
    await write(text);
    const { stdout, stderr } = await load();
    expect(stdout).toBe('redis://h\n');
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('secret');
  });

  it('that an editor saved under another name is pointed out', async () => {
    await writeFile(join(directory, '.env.txt'), 'REDIS_URL=redis://h\n');
    expect((await load()).stderr).toMatch(/^There is no \.env here\. If \.env\.txt/);
  });

  it('says what hides a value', async () => {
    await write('REDIS_URL=redis://h\n');
    expect((await load({ REDIS_URL: '' })).stderr).toContain('REDIS_URL is empty in the environment');
    expect((await load()).stderr).toBe('');
    await write('REDIS_URL=redis://h\nREDIS_URL=\n');
    expect((await load()).stderr).toContain('REDIS_URL is in .env twice');
  });

  it.each([
    ['a folder', () => mkdir(join(directory, '.env'))],
    ['a link to itself', () => symlink('.env', join(directory, '.env'))],
  ])('ends the process when it can’t be read, as %s, and says so', async (_, make) => {
    await make();
    await expect(load()).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^\.env can’t be read \(E[A-Z]+\)\. .*\n$/),
    });
  });

  it('may be missing', async () => {
    expect(await seen()).toBe('none');
  });

  it('is read by every script that starts with the bot’s environment', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    for (const name of ['start', 'tally']) expect(scripts[name]).toContain('dist/tally-with-env-file.js');
  });

  it('with the values of .env.example leads to a Redis on this machine, and under compose to that of compose.yaml', async () => {
    await write(await readFile('.env.example', 'utf8'));
    expect(await seen()).toBe('redis://127.0.0.1:6379');
    const { services } = parse(await readFile('compose.yaml', 'utf8'));
    expect(services.tally.environment.REDIS_URL).toBe('redis://redis:6379');
  });
});
