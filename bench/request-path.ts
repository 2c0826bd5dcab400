/**
 * Lists the files and functions of `src` that run for one request, from V8’s coverage.
 *
 *     npx tsx bench/request-path.ts [--files | --functions]
 */
import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentity } from '../sandbox/identity.ts';
import { OWNER } from '../sandbox/slack/index.ts';
import { CHANNEL, startBot, textOf } from '../test/support/bot.ts';
import { addProject } from '../test/support/projects.ts';

/** File → the functions that ran. */
type Path = ReadonlyMap<string, readonly string[]>;

const ANONYMOUS = '(anonymous)';

const session = new Session();
session.connect();
await session.post('Profiler.enable');

async function pathOf(work: () => Promise<unknown>): Promise<Path> {
  // An earlier request may still do work after its answer.
  await delay(1_000);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const path = new Map<string, string[]>();
  for (const { url, functions } of result) {
    const [, file] = /\/(src\/[^?]+)/.exec(url) ?? [];
    if (file === undefined || url.includes('node_modules')) continue;
    const ran = functions.filter(
      ({ ranges, functionName }) =>
        (ranges[0]?.count ?? 0) > 0 && ranges[0]?.startOffset !== 0 && functionName !== '__name',
    );
    if (ran.length > 0)
      path.set(
        file,
        ran.map(({ functionName }) => functionName || ANONYMOUS),
      );
  }
  return path;
}

function print(title: string, path: Path): void {
  const functions = [...path.values()].flat();
  const named = functions.filter((name) => name !== ANONYMOUS);
  console.log(`${title}: ${path.size} files, ${functions.length} functions, ${named.length} of them named`);
  const [, , option] = process.argv;
  if (option === undefined) return;
  for (const [file, names] of [...path].sort())
    console.log(`  ${file} ${option === '--functions' ? names.join(', ') : names.length}`);
}

const MINUTE = 60_000;
const identity = await startIdentity();
const bot = await startBot({ identityUrl: identity.authUrl });
const { slack } = bot;

const modalText = (): string => textOf(slack.modal(OWNER)?.view);
const shows = (text: string) => slack.waitFor(() => modalText().includes(text), 10_000);

async function registerAccess(): Promise<void> {
  await slack.say(OWNER, CHANNEL, '/billing projects access prod');
  await shows('Secret key');
  const { id: access_id, secret } = identity.accesses.good;
  await slack.submit(OWNER, { access_id, secret, people: [OWNER] });
  await shows('can issue');
  await slack.dismiss(OWNER);
}

/** In a direct message, which needs no confirmation. */
async function issueToken(): Promise<void> {
  await slack.say(OWNER, OWNER.replace('U', 'D'), '/os-token prod');
  await shows('gAAAAA');
  await slack.dismiss(OWNER);
}

/** @returns when the post is due, in ms */
async function schedulePost(): Promise<number> {
  const due = Math.ceil((Date.now() + 10_000) / MINUTE) * MINUTE;
  const timeZone = slack.workspace.person(OWNER)?.tz ?? 'UTC';
  const time = new Date(due).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  await slack.say(OWNER, CHANNEL, `/billing schedule prod yesterday daily ${time}`);
  await slack.waitFor(() => slack.modal(OWNER));
  await slack.submit(OWNER, {});
  await shows('Change, pause or delete');
  await slack.dismiss(OWNER);
  return due;
}

async function postDue(): Promise<void> {
  const before = slack.messages(OWNER, CHANNEL).length;
  await slack.waitFor(() => slack.messages(OWNER, CHANNEL).length > before, 3 * MINUTE);
  await delay(1_000);
}

/** From the command that opens its form to the alert, which goes out at once. */
async function watchUntilAlert(): Promise<void> {
  const before = slack.messages(OWNER, CHANNEL).length;
  bot.billing.setBalance('123', '{"balance":48210,"bonuses":0}');
  await slack.say(OWNER, CHANNEL, '/billing watch prod balance 50000');
  await shows('It would alert at once');
  await slack.submit(OWNER, {});
  await slack.waitFor(() => slack.messages(OWNER, CHANNEL).length > before, MINUTE);
  await slack.dismiss(OWNER);
  await delay(1_000);
}

try {
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
  await registerAccess();
  // First run without counting, because a process does some work only once.
  await bot.ask('/spend 123 last-month');
  await issueToken();
  print('/spend 123 last-month', await pathOf(() => bot.ask('/spend 123 last-month')));
  print('/os-token prod', await pathOf(issueToken));
  print('A watch, from its form to its alert', await pathOf(watchUntilAlert));
  await schedulePost();
  print('A scheduled post, of a workspace with a watch', await pathOf(postDue));
} finally {
  session.disconnect();
  await bot.stop();
  await identity.close();
}
