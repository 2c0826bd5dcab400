import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildBot } from '../sandbox/build.ts';

const atRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const tallyManifest = (...options: string[]) =>
  new Promise<Ran>((resolve) => {
    execFile(process.execPath, [atRoot('dist/tally.js'), 'manifest', ...options], (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });

beforeAll(() => buildBot(() => {}), 60_000);

const URL_OPTION = ['--url', 'https://tally.example.com'];

describe('tally manifest', () => {
  it.each([
    [[], 'Choose one: --url with the bot’s address, or --socket.'],
    [[...URL_OPTION, '--socket'], 'Choose one: --url'],
    [['--url'], '--url'],
    [['--url', 'tally.example.com'], '--url is not an https address. For example https://tally.example.com.'],
    [['--url', 'http://tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://me:pw@tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://tally.example.com/slack/events'], '--url has a path.'],
    [['--socket', '--prefix', 'Acme'], '--prefix is not a prefix.'],
    [['--socket', '--prefix', 'a-'], '--prefix is not a prefix.'],
    [
      ['--socket', '--prefix', 'a'.repeat(23)],
      '--prefix is not a prefix. It has up to 22 lower-case letters',
    ],
    [['--sockets'], '--sockets'],
    [['--socket=yes'], '--socket'],
    [['https://tally.example.com'], 'Expected only options.'],
  ])('refuses %j in one line, then says how it is used', async (options, line) => {
    const { code, output, errors } = await tallyManifest(...options);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors.split('\n')[0]).toContain(line);
    expect(errors).toContain('Usage: tally manifest');
  });

  it('takes an address with a slash at its end and a port', async () => {
    const { output } = await tallyManifest('--url', 'https://Tally.example.com:8443/');
    expect(JSON.parse(output).settings.interactivity.request_url).toBe(
      'https://tally.example.com:8443/slack/events',
    );
  });
});
