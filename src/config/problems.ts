/** What is wrong with the variables together. */
import { isIP } from 'node:net';
import { isTrusted } from '../http/address.ts';
import {
  APP_PAGE,
  MAKE_SECRET,
  message,
  SLACK_API,
  slackApiUrl,
  trustedHosts,
  type Variable,
  type VariableTexts,
} from './variables.ts';

/** What OAuth needs, by variable. A bot with one token may have `PUBLIC_URL` too. */
const OAUTH_NEEDS = {
  SLACK_CLIENT_ID: `the app’s client ID. ${APP_PAGE}`,
  SLACK_CLIENT_SECRET: `the app’s client secret. ${APP_PAGE}`,
  SLACK_STATE_SECRET: `a secret of your own. ${MAKE_SECRET}`,
  PUBLIC_URL: 'the bot’s own address, for example https://tally.example.com: Slack sends people back there.',
} satisfies VariableTexts;
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;

type Problems = readonly (readonly [Variable, string])[];

/** Takes the texts, so that its problems are reported together with those of single variables. @returns pairs of variable and message */
export function findCombinationProblems(texts: VariableTexts): Problems {
  const { SLACK_APP_TOKEN, SLACK_BOT_TOKEN } = texts;
  const missing = (name: Variable, works: string): Problems =>
    texts[name] === undefined ? [[name, message('is not set', works)]] : [];
  const oauth = OAUTH.filter((name) => texts[name] !== undefined);
  const signing =
    'It’s on the app’s page under Basic Information, Signing Secret. With SLACK_APP_TOKEN (Socket Mode) you don’t need it.';
  const credentials =
    oauth.length === 0
      ? missing(
          'SLACK_BOT_TOKEN',
          `For one workspace, set the bot token (xoxb-…) from the app’s page under OAuth & Permissions. For many, set ${OAUTH.join(', ')} and PUBLIC_URL instead. To try Tally without a Slack account, run \`npm run sandbox\` in a checkout.`,
        )
      : Object.entries(OAUTH_NEEDS).flatMap(([name, needs]) =>
          missing(name as Variable, `Installing by OAuth needs ${needs}`),
        );
  // Some workspaces would be served with another workspace's token.
  const both = message(
    `is set together with ${oauth.join(', ')}`,
    'A bot token serves one workspace, OAuth serves many. Unset one of them.',
  );
  const plain = message(
    'is plain http to another machine, which would expose the bot token',
    `${SLACK_API} TRUSTED_API_HOSTS can allow a host that has no https.`,
  );
  return [
    ...credentials,
    ...(oauth.length > 0 && SLACK_BOT_TOKEN !== undefined ? [['SLACK_BOT_TOKEN', both] as const] : []),
    ...(SLACK_APP_TOKEN === undefined ? missing('SLACK_SIGNING_SECRET', signing) : []),
    ...(exposesTokens(texts) ? [['SLACK_API_URL', plain] as const] : []),
  ];
}

function exposesTokens({ SLACK_API_URL = '', TRUSTED_API_HOSTS = '' }: VariableTexts): boolean {
  const api = slackApiUrl.safeParse(SLACK_API_URL);
  if (!api.success) return false;
  const to = new URL(api.data);
  const isLoopback =
    /^(?:localhost|\[::1\])$/.test(to.hostname) ||
    (isIP(to.hostname) === 4 && to.hostname.startsWith('127.'));
  const trusted = trustedHosts.safeParse(TRUSTED_API_HOSTS).data ?? [];
  return to.protocol !== 'https:' && !isLoopback && !isTrusted(to, trusted);
}
