import type { Redis } from 'ioredis';

const PATIENCE = 1_000;

interface Answer {
  readonly status: 200 | 503;
  readonly body: { readonly ok: boolean; readonly notReady?: readonly ('redis' | 'slack')[] };
}

export interface Health {
  /** The process runs. Always 200: restarting it would not bring Redis back. */
  healthz(): Answer;
  /** Whether a command sent here now would be answered: 200, or 503 with what is missing. Never throws. */
  readyz(): Promise<Answer>;
}

/** @param slackUp whether Slack can reach us: listening, or connected in Socket Mode */
export function createHealth({ redis, slackUp }: { redis: Redis; slackUp: () => boolean }): Health {
  return {
    healthz: () => ({ status: 200, body: { ok: true } }),
    async readyz() {
      const redisUp = await answers(redis);
      const notReady = [...(redisUp ? [] : ['redis' as const]), ...(slackUp() ? [] : ['slack' as const])];
      return notReady.length === 0
        ? { status: 200, body: { ok: true } }
        : { status: 503, body: { ok: false, notReady } };
    },
  };
}

async function answers(redis: Redis): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, false);
  });
  const pong = redis.ping().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([pong, patience]);
  } finally {
    clearTimeout(timer);
  }
}
