/** `npm run sandbox`: Slack, the services and the bot on this machine, without any account. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from './start.ts';

const USAGE = `npm run sandbox -- [options]
  --socket        use Socket Mode instead of signed HTTP requests
  --oauth         start with two workspaces and install Tally by OAuth
  --port <port>   port of the page (default: 3100, or the next free one)
  --verbose       show the bot's whole log, not only warnings and errors
  --no-open       do not open the browser
Set REDIS_URL to use your own Redis. Without it, the sandbox starts one and deletes its data at the end.`;

const say = (line: string) => process.stdout.write(`${line}\n`);

function parseOptions() {
  try {
    const isSet = { type: 'boolean', default: false } as const;
    const flags = { socket: isSet, oauth: isSet, verbose: isSet, 'no-open': isSet, help: isSet };
    const { values } = parseArgs({ options: { ...flags, port: { type: 'string', default: '3100' } } });
    if (!values.help && /^\d{1,5}$/.test(values.port)) return values;
  } catch {
    // An unknown option gets the usage text, too.
  }
  say(USAGE);
  return process.exit(process.argv.includes('--help') ? 0 : 2);
}

const { socket, oauth, port, verbose, 'no-open': closed } = parseOptions();
let sandbox: Sandbox | undefined;
let endingSince: number | undefined;

/** In ms. After Ctrl-C, a second signal within this time comes from npm, not from the person. */
const REPEATED = 500;

/** Exits at once on a second signal, or if the sandbox hasn't started. Child processes end with this one. */
function end(code: number): void {
  if (endingSince !== undefined && performance.now() - endingSince < REPEATED) return;
  if (endingSince !== undefined || !sandbox) process.exit(code);
  endingSince = performance.now();
  sandbox
    .stop()
    .catch((error: unknown) => say(String(error)))
    .finally(() => process.exit(code));
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
sandbox = await startSandbox({
  port: Number(port),
  mode: socket ? 'socket' : 'http',
  oauth,
  verbose,
  log: say,
  redisUrl: process.env.REDIS_URL || undefined,
}).catch((error: Error) => {
  say(error.message);
  return process.exit(1);
});
const { url, bot, redis, billing } = sandbox;
say(`
  Tally's sandbox is running: a Slack workspace on this machine.

    Open   ${url}
${oauth ? `    Install ${bot.url}/slack/install\n` : ''}    Try    /billing connect    paste the token ${billing.tokens[1]?.value}
           /balance 123
           /spend 123 last-7-days
    Bot    ${socket ? 'Socket Mode' : 'signed requests'}, ${bot.url}/healthz, process ${bot.pid}; Redis: ${redis.kind}
    Stop   Ctrl-C
`);
if (!closed && process.stdout.isTTY && !process.env.CI) {
  // Without a browser the terminal still shows the address.
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
