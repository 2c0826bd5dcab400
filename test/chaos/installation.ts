import { randomBytes } from 'node:crypto';
import { CLIENT, SIGNING_SECRET, startOAuthSlack, type Team } from '../support/oauth-slack.ts';
import { becomesTrue, type ChaosEnvironment } from './environment.ts';
import { brokenGuarantees, type Operation } from './operations.ts';

const TEAM: Team = { id: 'T0INSTALL', name: 'Acme' };

interface Page {
  readonly status: number;
  readonly html: string;
}

/** Installing by OAuth: Tally is reported as installed only where it is, and can be installed in the end. */
export async function createInstallation(environment: ChaosEnvironment): Promise<Operation> {
  const slack = await startOAuthSlack();
  const proxy = await environment.proxies.open(Number(new URL(slack.url).port));
  const env = {
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_CLIENT_ID: CLIENT.id,
    SLACK_CLIENT_SECRET: CLIENT.secret,
    SLACK_STATE_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_URL: 'https://tally.example.com',
    SLACK_API_URL: `http://127.0.0.1:${proxy}/api/`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
  };
  let url = '';
  let replies = 0;
  const start = async () => {
    url = (await environment.run(['start'], env)).url;
  };
  /** Opens the install page, as a browser does; Slack then sends the person back with a code. */
  const open = async () => {
    const response = await fetch(`${url}/slack/install`);
    const [, address = ''] = /class="button" href="([^"]+)"/.exec(await response.text()) ?? [];
    const state = new URL(address.replaceAll('&amp;', '&')).searchParams.get('state') ?? '';
    return { state, cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  };
  const comeBack = async ({ state, cookie }: Awaited<ReturnType<typeof open>>): Promise<Page | undefined> => {
    const query = new URLSearchParams({ code: slack.allow(TEAM), state });
    try {
      const response = await fetch(`${url}/slack/oauth_redirect?${query}`, {
        headers: { cookie },
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, html: await response.text() };
    } catch {
      return undefined;
    }
  };
  const answersCommands = async (): Promise<boolean> => {
    replies += 1;
    const name = `reply-${replies}`;
    const fields = {
      ...{ command: '/billing', text: 'help', team_id: TEAM.id, is_enterprise_install: 'false' },
      ...{ user_id: 'U0MEMBER01', channel_id: 'C0COSTS001', trigger_id: name },
      response_url: slack.replyAddress(name),
    };
    await slack.send(url, new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded');
    const reply = () => slack.replies.find((one) => one.url.endsWith(name));
    await becomesTrue(reply, 4_000);
    return /isn’t connected to a billing service/.test(JSON.stringify(reply()?.body ?? ''));
  };
  const isSaidToWork = (page: Page | undefined): boolean =>
    page?.status === 200 && page.html.includes('Tally is installed');

  return {
    async run(begin, heal) {
      environment.setClock(0);
      await environment.store.flush();
      await start();
      const session = await open();
      begin();
      const page = await comeBack(session);
      // A killed process ends a moment later.
      if (page === undefined) await becomesTrue(() => !environment.isAlive(), 1_000);
      const wasKilled = !environment.isAlive();
      await heal();
      environment.setClock(0);
      if (wasKilled) await start();
      const guarantees = {
        'there is an answer where the process lives': wasKilled || page !== undefined,
        'an installation that is reported answers commands': !isSaidToWork(page) || (await answersCommands()),
        'no secret is stored as it is': !(await storesSecret()),
      };
      // A connection that broke comes back within seconds, and the page says to try again.
      const install = async () => isSaidToWork(await comeBack(await open()));
      const isInstalled = await becomesTrue(install, 20_000);
      return brokenGuarantees({
        ...guarantees,
        'it can be installed after the fault': isInstalled,
        'it answers commands after the fault': await answersCommands(),
      });
    },
    close: () => slack.close(),
  };

  async function storesSecret(): Promise<boolean> {
    const keys = await environment.store.keys();
    const dumps = await Promise.all(keys.map((key) => environment.store.client.dumpBuffer(key)));
    const stored = dumps.map((one) => one?.toString('latin1') ?? '').join('\n');
    return slack.secrets.some((secret) => stored.includes(secret));
  }
}
