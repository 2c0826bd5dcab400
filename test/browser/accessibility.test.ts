import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  addProject,
  ask,
  closeModal,
  connect,
  install,
  registerAccess,
  say,
} from '../../sandbox/page-actions.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { withSandboxPage } from '../support/browser.ts';

const COSTS = 'C0COSTS001';
let sandbox: Sandbox;
let page: Page;
let token: string;

/** The axe rules about colours; all other rules find the same in both themes. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Runs axe on the page in both themes; returns violations such as `dark: color-contrast (.topic) …`. */
async function violations(): Promise<string[]> {
  const found: string[] = [];
  // Evaluated, because the page's content security policy blocks added script elements.
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The pages of an installation follow the system without a script.
    if ((await page.locator('html[data-theme]').count()) > 0)
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    const options = {
      resultTypes: ['violations'],
      ...(colorScheme === 'dark' && { runOnly: RULES_OF_COLOUR }),
    };
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${colorScheme}: ${id} (${target.join(' ')}) ${failureSummary}`);
  }
  return found;
}

describe('the sandbox’s page, as axe sees it', { timeout: 60_000 }, () => {
  withSandboxPage((opened) => {
    ({ sandbox, page, token } = opened);
  });

  it('has no violations at the start', async () => {
    expect.soft(await violations()).toEqual([]);
  });

  it('has no violations in the list of commands, in a form, and in a form beside the panel', async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await page.getByRole('listbox', { name: 'Commands' }).waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Hide the panel' }).click();
    const form = await connect(page, '');
    await form.getByRole('alert').first().waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Show the panel' }).click();
    expect.soft(await violations()).toEqual([]);
    await form.getByLabel('User access token').fill(token);
    await form.getByRole('button', { name: 'Test and save' }).click();
    await form.getByText('Connected').waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
  });

  it('has no violations in answers, in an open menu, and in an open select', async () => {
    await ask(page, '/balance 123', 'left');
    await ask(page, '/spend 123 last-wek', 'last-wek');
    const answer = await ask(page, '/spend 123', 'spent');
    expect.soft(await violations()).toEqual([]);
    await answer.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menu').waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await answer.getByRole('combobox').click();
    await page.getByRole('listbox').waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await say(page, '/billing schedule 123 daily 09:00');
    await page.getByRole('dialog').getByText('Next three posts').waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
  });

  it('has no violations with containers, unread messages and a thread', async () => {
    sandbox.slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Two boxes', blocks: CONTAINERS });
    await page.getByRole('button', { name: 'cloud-costs 1 unread' }).waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await page.getByText('Each day').first().click();
    const message = page.getByRole('article').last();
    await message.hover();
    await message.getByRole('button', { name: 'Reply in thread' }).click();
    await say(page, 'Thanks');
    await page.getByRole('region', { name: 'Thread' }).getByText('Thanks').waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Close thread' }).click();
  });

  it('has no violations on the Home and in the panel', async () => {
    await page.getByRole('button', { name: 'App Home' }).click();
    await page.locator('.home-view').waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('tab', { name: 'Switches' }).click();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('tab', { name: 'Traffic' }).click();
    await page.locator('.exchange').first().click();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('tab', { name: 'Try' }).click();
  });

  it('has no violations where people, groups and channels are named', async () => {
    await page.getByRole('button', { name: 'cloud-costs' }).click();
    await addProject(page, 'prod 123');
    for (const command of ['/billing watch prod balance 1', '/billing schedule prod daily 09:00']) {
      await say(page, command);
      const form = page.getByRole('dialog');
      await form.getByText(/last 90 days|Next three posts/).waitFor();
      expect.soft(await violations()).toEqual([]);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('Saved:').waitFor();
      expect.soft(await violations()).toEqual([]);
      await closeModal(page);
    }
    for (const [command, answer] of [
      ['/spend prod,1001', 'spent'],
      ['/billing projects', 'prod'],
      ['/billing status', 'Connections'],
      ['/billing watches', 'prod'],
      ['/billing schedules', '09:00'],
      ['/billing audit', 'Who changed what'],
      ['/billing help', 'Ask Tally'],
    ] as const)
      await ask(page, command, answer);
    const MENTIONS =
      '<@U0OWNER001> <#C0COSTS001> <!subteam^S0FINOPS01> <!here> `code` <https://example.com|a link>';
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: MENTIONS } }];
    sandbox.slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Mentions', blocks });
    await page.getByText('a link').waitFor();
    expect.soft(await violations()).toEqual([]);
    const question = await ask(page, '/billing disconnect', 'Disconnect Tally');
    await question.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
  });

  it('has no violations in settings, and where a token is issued', async () => {
    await say(page, '/billing settings');
    await page.getByRole('dialog').getByText('Reporting time zone').first().waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
    await registerAccess(page, 'prod', sandbox.identity.accesses.good);
    await say(page, '/billing projects access prod');
    await page.getByRole('dialog').getByText('Secret key').first().waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
    await say(page, '/os-token prod');
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Revoke now' }).waitFor();
    expect.soft(await violations()).toEqual([]);
    await closeModal(page);
  });

  it('has no violations on a phone, with the drawer open and closed', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Close panel' }).click();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Open the sidebar' }).click();
    expect.soft(await violations()).toEqual([]);
  });

  it('has no violations when the bot is down', async () => {
    await sandbox.bot.stop();
    await page.getByText('Tally is down.').waitFor();
    expect.soft(await violations()).toEqual([]);
  });
});

describe('the pages of an installation, as axe sees them', { timeout: 60_000 }, () => {
  withSandboxPage(
    (opened) => {
      ({ sandbox, page } = opened);
    },
    { oauth: true },
  );

  it('have no violations', async () => {
    await page.goto(`${sandbox.bot.url}/slack/install`);
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Add to Slack' }).click();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing was saved').waitFor();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Start again' }).click();
    await install(page, 'Noor Haddad');
    expect.soft(await violations()).toEqual([]);
  });
});

const cell = (text: string) => ({ type: 'raw_text', text });
const CONTAINERS = [
  {
    type: 'container',
    title: { type: 'plain_text', text: 'Each day' },
    subtitle: { type: 'mrkdwn', text: 'from *14 Nov*' },
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: [
      {
        type: 'table',
        rows: [
          [cell('Day'), cell('Amount')],
          [cell('Mon'), cell('1.00')],
        ],
      },
    ],
  },
  {
    type: 'container',
    title: { type: 'plain_text', text: 'Always open' },
    has_header_divider: true,
    child_blocks: [{ type: 'section', text: { type: 'plain_text', text: 'Inside' } }],
  },
];
