/**
 * Loaded into the bot's process before the bot: its clock goes as far ahead as the sandbox's. The bot itself is as it
 * is anywhere; its timers go on at their own pace.
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
// The bot ends when it has nothing more to do, not when nobody skips time any more.
process.channel?.unref();
