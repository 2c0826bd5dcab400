/** `npm run sandbox`: everything on this machine, no account of any kind. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from './start.ts';

const USAGE = `npm run sandbox -- [options]
  --socket        the bot connects by Socket Mode instead of being sent signed requests
  --oauth         two workspaces; install Tally by OAuth, as if it were new
  --port <port>   of the page; 3100, or the next free one
  --verbose       the bot's whole log instead of warnings and errors
  --no-open       leave the browser closed
REDIS_URL, when set, is used as it is; otherwise a private Redis is started and forgotten.`;

const say = (line: string) => process.stdout.write(`${line}\n`);

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        socket: { type: 'boolean', default: false },
        oauth: { type: 'boolean', default: false },
        port: { type: 'string', default: '3100' },
        verbose: { type: 'boolean', default: false },
        'no-open': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help && /^\d{1,5}$/.test(values.port)) return values;
  } catch {
    // What is wrong is told by the usage.
  }
  say(USAGE);
  return process.exit(process.argv.includes('--help') ? 0 : 2);
}

const { socket, oauth, port, verbose, 'no-open': closed } = readOptions();
let sandbox: Sandbox | undefined;
let isEnding = false;

/** While it starts, or when asked twice, it just goes: what it started is watched, and ends with it. */
function end(code: number): void {
  if (isEnding || !sandbox) process.exit(code);
  isEnding = true;
  sandbox
    .stop()
    .catch((error: unknown) => say(String(error)))
    .finally(() => process.exit(code));
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    end(1);
  });
}

const redisUrl = process.env.REDIS_URL;
try {
  sandbox = await startSandbox({
    port: Number(port),
    mode: socket ? 'socket' : 'http',
    oauth,
    log: say,
    ...(verbose && { minLevel: 0 }),
    ...(redisUrl && { redisUrl }),
  });
  welcome(sandbox);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  end(1);
}

function welcome({ url, bot, redis, billing }: Sandbox): void {
  const token = billing.tokens.find(({ label }) => label === 'Read-only');
  say(`
  Tally's sandbox is running: a Slack workspace on this machine.

    Open   ${url}
${oauth ? `    Install ${bot.url}/slack/install\n` : ''}    Try    /billing connect    paste the token ${token?.value ?? ''}
           /balance 123
           /spend 123 last-7-days
    Bot    ${socket ? 'Socket Mode' : 'signed requests'}, ${bot.url}/healthz, process ${bot.pid() ?? '?'}; Redis: ${redis.kind}
    Stop   Ctrl-C
`);
  if (!closed && process.stdout.isTTY && !process.env.CI) openBrowser(url);
}

/** Best effort: the address stands above it. */
function openBrowser(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
