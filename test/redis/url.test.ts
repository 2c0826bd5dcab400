import { describe, expect, it } from 'vitest';
import { parseRedisUrl, RedisUrlError } from '../../src/redis/url.ts';

const refusalOf = (url: string): RedisUrlError => {
  try {
    parseRedisUrl(url);
  } catch (error) {
    if (error instanceof RedisUrlError) return error;
  }
  throw new Error(`${url} was not refused.`);
};

describe('REDIS_URL', () => {
  it.each([
    ['redis://127.0.0.1:6379', { kind: 'single' }],
    ['rediss://user:word@redis.example.com:6380/0', { kind: 'single' }],
    ['unix:///run/redis.sock?db=2', { kind: 'single', url: 'unix:///run/redis.sock?db=2' }],
    ['REDIS://:Word@Host', { kind: 'single', url: 'REDIS://:Word@Host' }],
    [
      'redis+sentinel://one,two:26380,[fd00::5]:1/main',
      {
        kind: 'sentinel',
        name: 'main',
        db: 0,
        isTls: false,
        sentinels: [
          { host: 'one', port: 26379 },
          { host: 'two', port: 26380 },
          { host: 'fd00::5', port: 1 },
        ],
      },
    ],
    [
      'rediss+sentinel://user:w%40rd@one/main/3?sentinelUsername=watcher&sentinelPassword=a%26b',
      {
        kind: 'sentinel',
        username: 'user',
        password: 'w@rd',
        isTls: true,
        db: 3,
        sentinelPassword: 'a&b',
        sentinelUsername: 'watcher',
      },
    ],
    [
      'redis+sentinel://one/main?sentinelPassword=a%2Bb=&sentinelUsername=watcher',
      { kind: 'sentinel', sentinelPassword: 'a+b=', sentinelUsername: 'watcher' },
    ],
    ['redis+sentinel://one/main?sentinelPassword=a', { kind: 'sentinel', sentinelPassword: 'a' }],
    ['redis+cluster://one', { kind: 'cluster', isTls: false, nodes: [{ host: 'one', port: 6379 }] }],
    ['rediss+cluster://:word@one:1,two:2/', { kind: 'cluster', password: 'word', isTls: true }],
    ['redis+cluster://user:a:b@one:1/0', { kind: 'cluster', username: 'user', password: 'a:b' }],
  ])('may be %s', (url, address) => {
    expect(parseRedisUrl(url)).toMatchObject(address);
  });

  it.each([
    ['redis+sentinel://one:26379', 'has no master’s name'],
    ['redis+sentinel://one:26379/', 'has no master’s name'],
    ['redis+sentinel://one/main/three', 'database number'],
    ['redis+sentinel://one/main/3/4', 'database number'],
    ['redis+sentinel://one/main?sentinelPasswort=x', 'unknown option after the ?'],
    ['redis+sentinel://one,,two/main', 'host 2 is not host:port'],
    ['redis+sentinel://one:65536/main', 'host 1 is not host:port'],
    ['redis+cluster://', 'is not a Redis address'],
    ['redis+cluster://one:1/3', 'a Cluster has only one'],
    ['redis+cluster://one:1?a=b', 'option after the ?'],
    ['redis+cluster://user:%zz@one', 'has an invalid % sequence'],
    ['redis+cluster://user:a/b@one:1', '%2F'],
    ['redis://one:1,two:2', 'has several hosts'],
    ['redis+mirror://one', 'is not a Redis address'],
    ['redis://one:99999', 'is not a Redis address'],
    ['redis://one two', 'is not a Redis address'],
    ['redis://:a/b@one', '%2F'],
    ['unix://run/redis.sock', 'unix:///run/redis.sock'],
    ['127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['redis://127.0.0.1/zero', 'database number'],
  ])('is refused if it is %s, and the message says which part is wrong', (url, part) => {
    const { what, works } = refusalOf(url);
    expect(`${what}. ${works}`).toContain(part);
    expect(works).toMatch(/redis|%/);
  });

  it('never shows its password in an error', () => {
    for (const url of [
      'redis+cluster://user:hunter2/@one:1',
      'redis+cluster://user:hunter2',
      'redis+cluster://user:hunter2@one:x',
      'redis+sentinel://user:hunter2@one/main?sentinelpassword=hunter2',
      'redis+sentinel://user:hunter2%@one/main',
      'redis://user:hunter2@one:1,two:2',
      'redis://user:hunter2@one/zero',
      'rediss:user:hunter2@one',
    ])
      expect(refusalOf(url).message).not.toContain('hunter2');
  });
});
