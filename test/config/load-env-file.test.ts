import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const LOADER = resolve('src/config/load-env-file.ts');
const SHOW = `(await import('${LOADER}')).loadEnvFile(); console.log(process.env.REDIS_URL ?? "none")`;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tally-env-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** What a process that loads the file first sees as REDIS_URL. */
const seen = async (env?: NodeJS.ProcessEnv): Promise<string> => (await load(env)).stdout.trim();

function load(env: NodeJS.ProcessEnv = {}, command = ''): Promise<{ stdout: string; stderr: string }> {
  const tsx = import.meta.resolve('tsx');
  const args = ['--import', tsx, '--input-type=module', '--eval', SHOW, '--', 'tally', command];
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

  it('says that Node reads NODE_EXTRA_CA_CERTS and NODE_OPTIONS earlier', async () => {
    await write('NODE_EXTRA_CA_CERTS=/path/ca.pem\nNODE_OPTIONS=--no-warnings\n');
    const { stderr } = await load();
    expect(stderr).toContain('NODE_EXTRA_CA_CERTS in .env has no effect');
    expect(stderr).toContain('NODE_OPTIONS in .env has no effect');
    expect((await load({ NODE_EXTRA_CA_CERTS: '/path/other.pem' })).stderr).not.toContain('CERTS in .env');
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

  it.each(['.env.txt', '.env.local', 'env'])('that is called %s is pointed out', async (name) => {
    await writeFile(join(directory, name), 'REDIS_URL=redis://h\n');
    expect((await load()).stderr).toContain(`There is no .env here. If ${name} is meant: mv ${name} .env`);
  });

  it('is missed by the bot and the doctor where nothing else sets what they need', async () => {
    const missed = /has no \.env\. Change to the folder/;
    expect((await load({}, 'start')).stderr).toMatch(missed);
    expect((await load({ REDIS_URL: 'redis://h' }, 'start')).stderr).toBe('');
    expect((await load({}, 'manifest')).stderr).toBe('');
  });

  it('says what hides a value', async () => {
    await write('REDIS_URL=redis://h\n');
    expect((await load({ REDIS_URL: '' })).stderr).toContain('REDIS_URL is empty in the environment');
    expect((await load()).stderr).toBe('');
    await write('REDIS_URL=redis://h\nREDIS_URL=\n');
    expect((await load()).stderr).toContain('REDIS_URL is in .env twice');
  });

  it.each([
    ['a folder', () => mkdir(join(directory, '.env')), /^\.env is a folder.* rmdir \.env\n$/],
    [
      'a link to itself',
      () => symlink('.env', join(directory, '.env')),
      /^\.env can’t be read \(ELOOP\)\. .*\n$/,
    ],
  ])('ends the process when it can’t be read, as %s, and says so', async (_, make, says) => {
    await make();
    await expect(load()).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(says),
    });
  });

  it('may be missing', async () => {
    expect(await seen()).toBe('none');
  });

  it('with the values of .env.example leads to a Redis on this machine, and under compose to that of compose.yaml', async () => {
    await write(await readFile('.env.example', 'utf8'));
    expect(await seen()).toBe('redis://127.0.0.1:6379');
    const { services } = parse(await readFile('compose.yaml', 'utf8'));
    expect(services.tally.environment.REDIS_URL).toBe('redis://redis:6379');
  });
});
