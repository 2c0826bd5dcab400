/** A person who gets OS_TOKENs from the bot under test, with the sandbox's Slack and identity service. */
import { randomBytes } from 'node:crypto';
import { startIdentity } from '../../sandbox/identity.ts';
import { OWNER } from '../../sandbox/slack/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { slackEnvironment, startTestSlack, textOf } from '../support/bot.ts';
import { becomesTrue, type ChaosEnvironment } from './environment.ts';

const TEAM = 'T0SANDBOX1';
const DIRECT = OWNER.replace(/^U/, 'D');
const TOKEN = /gAAAAA[\w-]{20,}/g;

export async function startOsTokenUser(environment: ChaosEnvironment) {
  const identity = await startIdentity({ slowFor: 300 });
  let url = '';
  const slack = await startTestSlack('http', () => url);
  const proxyTo = async (address: string) =>
    `http://127.0.0.1:${await environment.proxies.open(Number(new URL(address).port))}`;
  const [slackUrl, identityUrl] = [await proxyTo(slack.url), await proxyTo(identity.url)];
  const env = {
    ...slackEnvironment('http', slack),
    SLACK_API_URL: `${slackUrl}/api/`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    IDENTITY_AUTH_URL: `${identityUrl}/v3`,
    LOG_LEVEL: 'info',
  };
  /** Every token that the identity service has issued. */
  const issued = new Set<string>();
  environment.proxies.onAnswer = (text) => {
    const [, token] = /x-subject-token: (\S+)/i.exec(text) ?? [];
    if (token !== undefined && /HTTP\/1.1 201/.test(text)) issued.add(token);
  };
  const view = () => slack.modal(OWNER);
  const window = (): string => textOf(view()?.view);
  const dismiss = async () => {
    if (view() !== undefined) await slack.dismiss(OWNER);
  };
  const start = async () => {
    url = (await environment.run(['start'], env)).url;
  };
  await start();
  await slack.say(OWNER, DIRECT, '/billing projects access 123');
  await becomesTrue(() => window().includes('Secret key'));
  const { id, secret } = identity.accesses.good;
  await slack.submit(OWNER, { access_id: id, secret, people: [OWNER] });
  if (!(await becomesTrue(() => window().includes('can issue')))) throw new Error(`No access: ${window()}`);
  await slack.dismiss(OWNER);
  const record = await environment.store.client.hgetall(recordKey(TEAM));
  environment.killProcess();

  return {
    identity,
    issued,
    start,
    /** The number of messages that the person has got from the bot. */
    replies: () => slack.messages(OWNER, DIRECT).filter(({ from }) => from !== OWNER).length,
    window,
    /** The tokens that were shown to the person. */
    shown: () =>
      new Set(
        slack.calls
          .filter(({ method }) => method.startsWith('views.'))
          .flatMap(({ args }) => JSON.stringify(args.view ?? '').match(TOKEN) ?? []),
      ),
    /** Restores the state after the access was registered. */
    async reset() {
      environment.killProcess();
      await becomesTrue(() => !environment.isAlive());
      await environment.store.flush();
      await environment.store.client.hset(recordKey(TEAM), record);
      issued.clear();
      await dismiss();
      await start();
    },
    dismiss,
    ask: () => slack.say(OWNER, DIRECT, '/os-token 123').catch(() => undefined),
    press: (label: string) =>
      Promise.resolve(view())
        .then((open) => open && slack.press(OWNER, { viewId: open.id }, label))
        .catch(() => undefined),
    /** Newest first: `token issued: …`. */
    audit: async () =>
      (await createAudit(environment.store.client).page(TEAM, 50)).entries.map(
        ({ action, about }) => `${action}: ${about}`,
      ),
    /** Everything that Redis holds, as text. */
    async stored() {
      const keys = await environment.store.keys();
      return Buffer.concat(
        (await Promise.all(keys.map((key) => environment.store.client.dumpBuffer(key)))).map(
          (one) => one ?? Buffer.alloc(0),
        ),
      ).toString('latin1');
    },
    async close() {
      await Promise.all([slack.close(), identity.close()]);
    },
  };
}
