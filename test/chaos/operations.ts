/** The operations under test. Each checks its guarantees from outside: in the services and in Redis. */
import { randomBytes } from 'node:crypto';
import { deliveryLogKey } from '../../src/redis/keys.ts';
import { createKeyring, type SealingKey } from '../../src/vault/keyring.ts';
import { findConnection } from '../../src/workspace/record/workspace.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { BOT_TOKEN, SIGNING_SECRET } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { endProcess, startDeliveryProcess } from '../support/delivery-processes.ts';
import { saveManySchedules, workspaceId } from '../support/many-schedules.ts';
import { startMinimalSlack } from '../support/minimal-slack.ts';
import { becomesTrue, type ChaosEnvironment } from './environment.ts';
import { startOsTokenUser } from './os-token-user.ts';

/** Starts counting steps and injecting the fault. */
export type StartCounting = () => void;
/** Removes the fault. */
export type Heal = () => Promise<void>;

export interface Operation {
  /** @returns the guarantees that were broken */
  run(begin: StartCounting, heal: Heal): Promise<string[]>;
  close(): Promise<void>;
}

export const brokenGuarantees = (guarantees: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(guarantees).flatMap(([promise, isKept]) => (isKept ? [] : [promise]));

/** `/os-token`: every token that is shown is in the audit log, and no token stays valid without a trace. */
export async function createTokenIssue(environment: ChaosEnvironment): Promise<Operation> {
  const user = await startOsTokenUser(environment);
  return {
    async run(begin, heal) {
      await user.reset();
      const shownBefore = user.shown();
      begin();
      await user.ask();
      const isDone = () =>
        /export OS_TOKEN=/.test(user.window()) ||
        /Try again|try again|revoked it|not shown/.test(user.window());
      await becomesTrue(() => isDone() || !environment.isAlive(), 4_000);
      const wasKilled = !environment.isAlive();
      await heal();
      if (wasKilled) await user.start();
      const audit = await user.audit();
      const fresh = [...user.shown()].filter((token) => !shownBefore.has(token));
      const [first = ''] = user.issued;
      const isUnseen = first !== '' && !fresh.includes(first);
      const stored = await user.stored();
      const guarantees = {
        'at most one token is issued': user.issued.size <= 1,
        'a token that is shown is in the audit log':
          fresh.length === 0 || audit.some((line) => line.startsWith('token issued')),
        'no token is stored': [...user.issued].every((token) => !stored.includes(token)),
        'a token reported as revoked is revoked':
          !/revoked it/.test(user.window()) || !user.identity.isLive(first),
        'a token that was not shown is revoked or in the audit log':
          !isUnseen || wasKilled || !user.identity.isLive(first) || audit.length > 0,
      };
      environment.setClock(0);
      const isNew = (token: string) => !shownBefore.has(token) && !fresh.includes(token);
      const again = await retryUntil(
        () => user.dismiss().then(user.ask),
        () => [...user.shown()].some(isNew),
      );
      return brokenGuarantees({ ...guarantees, 'a token can be issued after the fault': again });
    },
    close: user.close,
  };
}

/** **Revoke now**: a token is reported as revoked only when it is, and can be revoked in the end. */
export async function createTokenRevocation(environment: ChaosEnvironment): Promise<Operation> {
  const user = await startOsTokenUser(environment);
  return {
    async run(begin, heal) {
      await user.reset();
      await retryUntil(
        () => user.dismiss().then(user.ask),
        () => /export OS_TOKEN=/.test(user.window()),
      );
      const token = [...user.issued].at(-1) ?? '';
      begin();
      const before = user.replies();
      await user.press('Revoke now');
      // In the modal or, when it cannot be updated, in a message.
      const isAnswered = () => !/export OS_TOKEN=|Revoking/.test(user.window()) || user.replies() > before;
      await becomesTrue(() => isAnswered() || !environment.isAlive(), 4_000);
      const wasKilled = !environment.isAlive();
      await heal();
      const shown = user.window();
      const audit = await user.audit();
      if (wasKilled) await user.start();
      const isDead = !user.identity.isLive(token);
      const guarantees = {
        'a token was issued to be revoked': token !== '',
        'a token reported as revoked is revoked': !/Revoked\./.test(shown) || isDead,
        'a token revoked in the audit log is revoked':
          isDead || !audit.some((line) => /^token revoked(?!.*unclear)/.test(line)),
        'a revoked token is in the audit log, or the person gets a message':
          !isDead || wasKilled || audit.some((line) => line.startsWith('token revoked')) || isAnswered(),
        'the person gets an answer': wasKilled || isAnswered(),
      };
      // A claim that was not released expires after 30 seconds.
      environment.setClock(40_000);
      const isRevoked = () => !user.identity.isLive(token);
      const press = async () => {
        for (const label of ['Revoke now', 'Revoke']) if (!isRevoked()) await user.press(label);
      };
      const isOver = !/Revoke/.test(shown) || (await retryUntil(press, isRevoked));
      environment.setClock(0);
      return brokenGuarantees({ ...guarantees, 'the token can be revoked after the fault': isOver });
    },
    close: user.close,
  };
}

/** Tries again, like a person who is asked to. @returns whether `holds` became true */
async function retryUntil(work: () => Promise<unknown>, holds: () => unknown): Promise<boolean> {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await work();
    if (await becomesTrue(holds, 4_000)) return true;
  }
  return false;
}

const DUE_WORKSPACES = 3;

/** Scheduled posts: each is posted once, or twice with a note that it may be a duplicate. */
export async function createDeliveries(environment: ChaosEnvironment): Promise<Operation> {
  const slack = await startMinimalSlack();
  const proxyPort = await environment.proxies.open(Number(new URL(slack.url).port));
  const start = async (clock?: { since: number; speed: number }) => {
    const address = `http://127.0.0.1:${proxyPort}/api/`;
    const child = await startDeliveryProcess(environment.redisUrl, address, clock);
    environment.adopt(child);
    return child;
  };
  return {
    async run(begin, heal) {
      await environment.store.flush();
      slack.reset();
      slack.now = Date.now;
      const due = Math.floor(Date.now() / 60_000) * 60_000;
      const many = { workspaces: DUE_WORKSPACES, each: 2, channels: 2, due, since: due - 60_000 };
      await saveManySchedules(environment.store.client, many);
      const all = many.workspaces * many.each;
      begin();
      const keys = () => new Set(slack.posts.map(({ workspace, key }) => `${workspace}/${key}`)).size;
      const child = await start().catch(() => undefined);
      await becomesTrue(() => keys() === all || !environment.isAlive(), 2_000);
      const wasKilled = !environment.isAlive();
      await heal();
      const states = async () => {
        const logs = await Promise.all(
          Array.from({ length: many.workspaces }, (_, n) =>
            environment.store.client.hgetall(deliveryLogKey(workspaceId(n))),
          ),
        );
        return logs.flatMap((log) =>
          Object.entries(log).flatMap(([field, json]) =>
            /^s\d/.test(field) ? [JSON.parse(json).state as string] : [],
          ),
        );
      };
      const isDone = async () => {
        const logged = await states();
        return keys() === all && logged.length === all && logged.every((state) => state === 'posted');
      };
      const needsAnother = wasKilled || !(await becomesTrue(isDone, 500));
      if (needsAnother) await expireLeases(environment);
      // What Slack didn't confirm is looked up a minute later: by this clock, at once.
      const fast = { since: Date.now() - 20_000, speed: 4 };
      if (needsAnother) slack.now = () => fast.since + (Date.now() - fast.since) * fast.speed;
      const next = needsAnother ? await start(fast) : undefined;
      // A process that met an error page lives on, and its first pause after a failure is a minute by its own clock.
      const isOver = await becomesTrue(isDone, 90_000);
      const twice = slack.posts.filter(
        (post, at) =>
          slack.posts.findIndex(({ workspace, key }) => workspace === post.workspace && key === post.key) !==
          at,
      );
      const result = brokenGuarantees({
        'every post was sent': keys() === all,
        'the delivery log has every post': isOver,
        'a duplicate says that it may be one': twice.every(({ blocks }) =>
          blocks.includes('may be a duplicate'),
        ),
      });
      for (const one of [child, next]) if (one !== undefined) await endProcess(one, 'SIGKILL');
      return result;
    },
    close: () => slack.close(),
  };
}

const TOKENS = 6;

/**
 * The leases of a killed process expire within two minutes. A test does not wait for that: it deletes them and makes all
 * checks due.
 */
async function expireLeases({ store: { client, keys } }: ChaosEnvironment): Promise<void> {
  for (const key of await keys()) {
    if (/lock$|stalled-check$/.test(key)) await client.del(key);
    if (/:workspaces$/.test(key))
      for (const workspace of await client.zrange(key, '0', '-1')) await client.zadd(key, 0, workspace);
  }
}

/** `tally reseal`: no token is lost, and a second run leaves all of them with the newest key. */
export async function createReseal(environment: ChaosEnvironment): Promise<Operation> {
  const [old, newest]: SealingKey[] = ['old', 'new'].map((id) => ({ id, key: randomBytes(32) }));
  const keys = [newest!, old!];
  const env = {
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    ENCRYPTION_KEYS: keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
  };
  const storeWith = (...some: SealingKey[]) =>
    createWorkspaces({ redis: environment.store.client, keyring: createKeyring(some) });
  const team = (n: number) => `T0RESEAL${n}`;
  const tokens = async (store: ReturnType<typeof storeWith>) =>
    Promise.all(
      Array.from({ length: TOKENS }, async (_, n) => {
        try {
          return findConnection(await store.load(team(n)), 'main')?.token();
        } catch {
          return undefined;
        }
      }),
    );
  const all = Array.from({ length: TOKENS }, (_, n) => `token-of-${n}`);
  return {
    async run(begin, heal) {
      await environment.store.flush();
      for (let n = 0; n < TOKENS; n += 1)
        await storeWith(old!).saveConnection(await changeIn(storeWith(old!), team(n)), {
          ...{ name: 'main', baseUrl: 'https://api.example.com', token: `token-of-${n}`, role: 'read-only' },
          ...{ lifetime: 'none', registeredBy: 'U1', registeredAt: 0 },
        });
      begin();
      const first = await environment.run(['reseal'], env);
      await heal();
      const between = await tokens(storeWith(...keys));
      const newly = await tokens(storeWith(newest!));
      const second = await environment.run(['reseal'], env);
      return brokenGuarantees({
        'no token is lost': between.every((token, n) => token === all[n]),
        'it reports success only when it is complete':
          first.child.exitCode !== 0 || newly.every((token) => token !== undefined),
        'the second run succeeds': second.child.exitCode === 0,
        'every token opens with the newest key alone': (await tokens(storeWith(newest!))).every(
          (token, n) => token === all[n],
        ),
      });
    },
    close: async () => undefined,
  };
}
