import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { ask, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sharedBrowser } from '../support/browser.ts';

const COSTS = 'C0COSTS001';
const chromium = findChromium();
let sandbox: Sandbox | undefined;
let browser: Browser | undefined;
let page: Page;

beforeAll(async () => {
  if (chromium === undefined) return;
  sandbox = await startSandbox();
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(15_000);
  await page.goto(sandbox.url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await sandbox?.stop();
});

/** The rules of axe that read colours; all the others find the same whatever the theme. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** What axe finds on the page as it is now, in both themes: `dark: color-contrast (.topic) …`. */
async function violations(): Promise<string[]> {
  const found: string[] = [];
  // Evaluated, since the page's content security policy takes no foreign script element.
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
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
  it('begins without violations', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    expect.soft(await violations()).toEqual([]);
  });

  it('has none in the list of commands, in a form, and in a form with the panel beside it', async ({
    skip,
  }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await page.getByRole('listbox', { name: 'Commands' }).waitFor();
    expect.soft(await violations()).toEqual([]);
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')!.value;
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

  it('has none in answers, in an open menu, and in a list that somebody chooses from', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
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

  it('has none with containers, unread messages and a thread', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
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

  it('has none on the Home and in the panel', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
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

  it('has none on a phone, with the drawer in and out', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Close panel' }).click();
    expect.soft(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Open the sidebar' }).click();
    expect.soft(await violations()).toEqual([]);
  });

  it('has none when the bot is down', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    await sandbox.bot.stop();
    await page.getByText('Tally is down.').waitFor();
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
