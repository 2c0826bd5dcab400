/** The sandbox's Slack and identity service around a bot on the stage, and one person who asks it for OS_TOKENs. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { startIdentity } from '../../sandbox/identity.ts';
import { OWNER, startSlack } from '../../sandbox/slack/index.ts';
import { createAudit } from '../../src/workspace/audit.ts';
import { recordKey } from '../../src/workspace/keys.ts';
import { BOT_TOKEN, SIGNING_SECRET, textOf } from '../support/bot.ts';
import { comes, type Stage } from './stage.ts';

const TEAM = 'T0SANDBOX1';
const DIRECT = OWNER.replace(/^U/, 'D');
const TOKEN = /gAAAAA[\w-]{20,}/g;

export async function openOffice(stage: Stage) {
  const identity = await startIdentity({ slowFor: 300 });
  let url = '';
  const slack = await startSlack({
    mode: 'http',
    botUrl: () => url,
    signingSecret: SIGNING_SECRET,
    botToken: BOT_TOKEN,
    manifest: parse(await readFile('manifest.yml', 'utf8')),
  });
  const lineTo = async (address: string) =>
    `http://127.0.0.1:${await stage.lines.open(Number(new URL(address).port))}`;
  const [slackUrl, identityUrl] = [await lineTo(slack.url), await lineTo(identity.url)];
  const env = {
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: `${slackUrl}/api/`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    IDENTITY_AUTH_URL: `${identityUrl}/v3`,
    LOG_LEVEL: 'info',
  };
  /** Every token that ever left the identity service. */
  const issued = new Set<string>();
  stage.lines.onAnswer = (text) => {
    const [, token] = /x-subject-token: (\S+)/i.exec(text) ?? [];
    if (token !== undefined && /HTTP\/1.1 201/.test(text)) issued.add(token);
  };
  const view = () => slack.modal(OWNER);
  const window = (): string => textOf(view()?.view);
  const dismiss = async () => {
    if (view() !== undefined) await slack.dismiss(OWNER);
  };
  const start = async () => {
    url = (await stage.run(['start'], env)).url;
  };
  await start();
  await slack.say(OWNER, DIRECT, '/billing projects access 123');
  await comes(() => window().includes('Secret key'));
  const { id, secret } = identity.accesses.good;
  await slack.submit(OWNER, { access_id: id, secret, people: [OWNER] });
  if (!(await comes(() => window().includes('can issue')))) throw new Error(`No access: ${window()}`);
  await slack.dismiss(OWNER);
  const record = await stage.client.hgetall(recordKey(TEAM));
  stage.killProcess();

  return {
    identity,
    issued,
    start,
    /** How many messages the person has from the bot. */
    replies: () => slack.messages(OWNER, DIRECT).filter(({ from }) => from !== OWNER).length,
    window,
    /** Of all tokens, those that the person was shown at any time. */
    shown: () =>
      new Set(
        slack.calls
          .filter(({ method }) => method.startsWith('views.'))
          .flatMap(({ args }) => JSON.stringify(args.view ?? '').match(TOKEN) ?? []),
      ),
    /** As it was when the access had just been registered. */
    async reset() {
      stage.killProcess();
      await comes(() => !stage.isAlive());
      await stage.client.flushall();
      await stage.client.hset(recordKey(TEAM), record);
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
      (await createAudit(stage.client).list(TEAM, 50)).map(({ action, about }) => `${action}: ${about}`),
    /** Everything that Redis holds, as text. */
    async stored() {
      const keys = await stage.client.keys('*');
      return Buffer.concat(
        (await Promise.all(keys.map((key) => stage.client.dumpBuffer(key)))).map(
          (one) => one ?? Buffer.alloc(0),
        ),
      ).toString('latin1');
    },
    async close() {
      await Promise.all([slack.close(), identity.close()]);
    },
  };
}
