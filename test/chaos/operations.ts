/** What is tried on the stage. Each says what was wrong afterwards, seen from outside: by the services and by Redis. */
import { randomBytes } from 'node:crypto';
import { createKeyring, type SealingKey } from '../../src/vault/keyring.ts';
import { deliveryLogKey } from '../../src/workspace/keys.ts';
import { findConnection } from '../../src/workspace/workspace.ts';
import { createWorkspaces } from '../../src/workspace/workspaces.ts';
import { BOT_TOKEN, SIGNING_SECRET } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { end, startDeliverer } from '../support/delivery-processes.ts';
import { saveMany, workspaceId } from '../support/many-schedules.ts';
import { startOutsideSlack } from '../support/outside-slack.ts';
import { comes, type Stage } from './stage.ts';
import { openOffice } from './stage-slack.ts';

/** Begins to count steps and to break things. */
export type Begin = () => void;
/** Ends what is broken. */
export type Heal = () => Promise<void>;

export interface Operation {
  /** @returns the promises that were broken */
  round(begin: Begin, heal: Heal): Promise<string[]>;
  close(): Promise<void>;
}

const broken = (promises: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(promises).flatMap(([promise, isKept]) => (isKept ? [] : [promise]));

/** `/os-token`: whatever breaks, no token is shown that is not in the audit, and none lives on unsaid. */
export async function issuing(stage: Stage): Promise<Operation> {
  const office = await openOffice(stage);
  return {
    async round(begin, heal) {
      await office.reset();
      const shownBefore = office.shown();
      begin();
      await office.ask();
      const isDone = () =>
        /export OS_TOKEN=/.test(office.window()) ||
        /Try again|try again|revoked it|not shown/.test(office.window());
      await comes(() => isDone() || !stage.isAlive(), 4_000);
      const wasKilled = !stage.isAlive();
      await heal();
      if (wasKilled) await office.start();
      const audit = await office.audit();
      const fresh = [...office.shown()].filter((token) => !shownBefore.has(token));
      const [first = ''] = office.issued;
      const isUnseen = first !== '' && !fresh.includes(first);
      const stored = await office.stored();
      const told = {
        'one token at most is issued': office.issued.size <= 1,
        'a token that is shown is in the audit':
          fresh.length === 0 || audit.some((line) => line.startsWith('token issued')),
        'no token is stored': [...office.issued].every((token) => !stored.includes(token)),
        'what is said to be revoked is':
          !/revoked it/.test(office.window()) || !office.identity.isLive(first),
        'a token that nobody saw is revoked or in the audit':
          !isUnseen || wasKilled || !office.identity.isLive(first) || audit.length > 0,
      };
      stage.setClock(0);
      const isNew = (token: string) => !shownBefore.has(token) && !fresh.includes(token);
      const again = await insist(
        () => office.dismiss().then(office.ask),
        () => [...office.shown()].some(isNew),
      );
      return broken({ ...told, 'a token is issued when everything works again': again });
    },
    close: office.close,
  };
}

/** **Revoke now**: it is said to be revoked only where it is, and in the end it can be. */
export async function revoking(stage: Stage): Promise<Operation> {
  const office = await openOffice(stage);
  return {
    async round(begin, heal) {
      await office.reset();
      await insist(
        () => office.dismiss().then(office.ask),
        () => /export OS_TOKEN=/.test(office.window()),
      );
      const token = [...office.issued].at(-1) ?? '';
      begin();
      const before = office.replies();
      await office.press('Revoke now');
      // In the window, or where that cannot be changed, by a message.
      const isTold = () => !/export OS_TOKEN=|Revoking/.test(office.window()) || office.replies() > before;
      await comes(() => isTold() || !stage.isAlive(), 4_000);
      const wasKilled = !stage.isAlive();
      await heal();
      const says = office.window();
      const audit = await office.audit();
      if (wasKilled) await office.start();
      const isDead = !office.identity.isLive(token);
      const told = {
        'a token was issued to be revoked': token !== '',
        'what is said to be revoked is': !/Revoked\./.test(says) || isDead,
        'what the audit says is revoked is':
          isDead || !audit.some((line) => /^token revoked(?!.*unclear)/.test(line)),
        'a revoked token is in the audit, or the person is told':
          !isDead || wasKilled || audit.some((line) => line.startsWith('token revoked')) || isTold(),
        'the asker is told something': wasKilled || isTold(),
      };
      // A claim that nobody released is over after half a minute.
      stage.setClock(40_000);
      const isRevoked = () => !office.identity.isLive(token);
      const press = async () => {
        for (const label of ['Revoke now', 'Revoke']) if (!isRevoked()) await office.press(label);
      };
      const isOver = !/Revoke/.test(says) || (await insist(press, isRevoked));
      stage.setClock(0);
      return broken({ ...told, 'it is revoked when everything works again': isOver });
    },
    close: office.close,
  };
}

/** As a person does who is told to try again in a moment. @returns whether it came to hold */
async function insist(work: () => Promise<unknown>, holds: () => unknown): Promise<boolean> {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await work();
    if (await comes(holds, 4_000)) return true;
  }
  return false;
}

const DUE_WORKSPACES = 3;

/** Scheduled posts: each once, whatever breaks, or twice where it says that it may be. */
export async function delivering(stage: Stage): Promise<Operation> {
  const slack = await startOutsideSlack();
  const line = await stage.lines.open(Number(new URL(slack.url).port));
  const start = async () => {
    const child = await startDeliverer(stage.redisUrl, `http://127.0.0.1:${line}/api/`);
    stage.adopt(child);
    return child;
  };
  return {
    async round(begin, heal) {
      await stage.client.flushall();
      slack.reset();
      const due = Math.floor(Date.now() / 60_000) * 60_000;
      const many = { workspaces: DUE_WORKSPACES, each: 2, channels: 2, due, since: due - 60_000 };
      await saveMany(stage.client, many);
      const all = many.workspaces * many.each;
      begin();
      const keys = () => new Set(slack.posts.map(({ workspace, key }) => `${workspace}/${key}`)).size;
      const child = await start().catch(() => undefined);
      await comes(() => keys() === all || !stage.isAlive(), 4_000);
      const wasKilled = !stage.isAlive();
      await heal();
      const states = async () => {
        const logs = await Promise.all(
          Array.from({ length: many.workspaces }, (_, n) =>
            stage.client.hgetall(deliveryLogKey(workspaceId(n))),
          ),
        );
        return logs.flatMap((log) =>
          Object.entries(log).flatMap(([field, json]) =>
            /^s\d/.test(field) ? [JSON.parse(json).state as string] : [],
          ),
        );
      };
      const isDone = async () => {
        const said = await states();
        return keys() === all && said.length === all && said.every((state) => state === 'posted');
      };
      const needsAnother = wasKilled || !(await comes(isDone, 2_000));
      if (needsAnother) await leasesEnd(stage);
      const next = needsAnother ? await start() : undefined;
      const isOver = await comes(isDone, 30_000);
      const twice = slack.posts.filter(
        (post, at) =>
          slack.posts.findIndex(({ workspace, key }) => workspace === post.workspace && key === post.key) !==
          at,
      );
      const result = broken({
        'every post is out': keys() === all,
        'the log says so': isOver,
        'none is there twice without saying so': twice.every(({ blocks }) => blocks.includes('here twice')),
      });
      for (const one of [child, next]) if (one !== undefined) await end(one, 'SIGKILL');
      return result;
    },
    close: () => slack.close(),
  };
}

const COUNT = 6;

/**
 * What a process held that was killed ends by itself, within two minutes at most: later than a test wants to wait. So its
 * leases are gone, and the checks that it left behind are due.
 */
async function leasesEnd({ client }: Stage): Promise<void> {
  for (const key of await client.keys('*')) {
    if (/lock$|stalled-check$/.test(key)) await client.del(key);
    if (/:workspaces$/.test(key))
      for (const workspace of await client.zrange(key, '0', '-1')) await client.zadd(key, 0, workspace);
  }
}

/** `tally reseal`: no token is lost, and a second run ends with the newest key. */
export async function resealing(stage: Stage): Promise<Operation> {
  const [old, newest]: SealingKey[] = ['old', 'new'].map((id) => ({ id, key: randomBytes(32) }));
  const keys = [newest!, old!];
  const env = {
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    ENCRYPTION_KEYS: keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
  };
  const storeWith = (...some: SealingKey[]) =>
    createWorkspaces({ redis: stage.client, keyring: createKeyring(some) });
  const team = (n: number) => `T0RESEAL${n}`;
  const tokens = async (store: ReturnType<typeof storeWith>) =>
    Promise.all(
      Array.from({ length: COUNT }, async (_, n) => {
        try {
          return findConnection(await store.read(team(n)), 'main')?.token();
        } catch {
          return undefined;
        }
      }),
    );
  const all = Array.from({ length: COUNT }, (_, n) => `token-of-${n}`);
  return {
    async round(begin, heal) {
      await stage.client.flushall();
      for (let n = 0; n < COUNT; n += 1)
        await storeWith(old!).saveConnection(await changeIn(storeWith(old!), team(n)), {
          ...{ name: 'main', baseUrl: 'https://api.example.com', token: `token-of-${n}`, role: 'read-only' },
          ...{ lifetime: 'none', registeredBy: 'U1', registeredAt: 0 },
        });
      begin();
      const first = await stage.run(['reseal'], env);
      await heal();
      const between = await tokens(storeWith(...keys));
      const newly = await tokens(storeWith(newest!));
      const second = await stage.run(['reseal'], env);
      return broken({
        'no token is lost on the way': between.every((token, n) => token === all[n]),
        'all is said to be done only where it is':
          first.child.exitCode !== 0 || newly.every((token) => token !== undefined),
        'the second run ends well': second.child.exitCode === 0,
        'every token opens with the newest key alone': (await tokens(storeWith(newest!))).every(
          (token, n) => token === all[n],
        ),
      });
    },
    close: async () => undefined,
  };
}
