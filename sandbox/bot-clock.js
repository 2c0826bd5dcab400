/**
 * Loaded into the bot's process before the bot itself. Moves `Date` ahead with the sandbox's clock, and ends the
 * bot with the sandbox. Timers stay real.
 */
let ahead = Number(new URL(import.meta.url).searchParams.get('ahead') ?? 0);
const real = Date.now;
const now = () => real() + ahead;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new Date(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

process.on('message', (message) => {
  if (Number.isFinite(message?.ahead)) ahead = message.ahead;
});
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(), 12_000).unref();
});
process.channel?.unref();
