import type { Redis } from 'ioredis';

/** The encodings in which a secret can leak: plain, JSON, URL, hexadecimal, base64 at every offset. */
export function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    // The outer characters depend on the neighbouring bytes.
    const cut = (text: string) => text.replaceAll('=', '').slice(offset === 0 ? 0 : offset + 1, -1);
    return [cut(shifted.toString('base64')), cut(shifted.toString('base64url'))];
  });
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, quoted, encodeURIComponent(secret), bytes.toString('hex'), ...base64])].filter(
    (form) => form.length >= 8,
  );
}

/** Every key in Redis with its value. */
export async function dumpRedis(redis: Redis): Promise<string> {
  const found: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const read = READERS[type];
    if (read === undefined) throw new TypeError(`Unknown type ${type}.`);
    found.push([key, await read(redis, key)]);
  }
  return JSON.stringify(found);
}

const READERS: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1', 'WITHSCORES'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};
