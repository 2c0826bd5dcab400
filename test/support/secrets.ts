import type { Redis } from 'ioredis';
import { contentOf } from './redis.ts';

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

export const dumpRedis = async (redis: Redis): Promise<string> =>
  JSON.stringify(
    await Promise.all((await redis.keys('*')).map(async (key) => [key, await contentOf(redis, key)])),
  );
