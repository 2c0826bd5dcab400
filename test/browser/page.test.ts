import type { KnownBlock } from '@slack/types';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { buildPage, PAGE } from '../../sandbox/build.ts';
import { MEMBER, NO_CONTROLS, OWNER } from '../../sandbox/slack/index.ts';
import { type BoltBot, plainText, startBoltBot } from '../sandbox/bolt-bot.ts';
import { sharedBrowser } from '../support/browser.ts';

const COSTS = 'C0COSTS001';
const chromium = findChromium();
const chosen: string[] = [];
let boltBot: BoltBot;
let browser: Browser | undefined;
let context: BrowserContext;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  if (chromium === undefined) return;
  await buildPage(() => {});
  browser = await sharedBrowser();
}, 120_000);
afterAll(() => browser?.close());

beforeEach(async ({ skip }) => {
  if (browser === undefined) return skip('no Chromium is installed');
  chosen.length = 0;
  const panel = { ...NO_CONTROLS, credentials: [{ label: 'Read-only', value: 'a-token-to-paste' }] };
  boltBot = await startBoltBot(
    (app) => {
      app.action('more', async ({ ack, payload }) => {
        if ('selected_option' in payload) chosen.push(String(payload.selected_option?.value));
        await ack();
      });
      app.command('/spend', async ({ ack, body, client }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: FORM });
      });
    },
    { pageDir: PAGE, panel },
  );
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${boltBot.slack.url}?as=${OWNER}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
});
afterEach(async () => {
  await context?.close();
  await boltBot?.close();
  expect(errors.splice(0)).toEqual([]);
});

/** Higher than a phone's screen. */
const FORM = {
  type: 'modal' as const,
  title: plainText('A form'),
  submit: plainText('Save'),
  blocks: ['Token', ...Array.from({ length: 11 }, (_, i) => `Field ${i}`)].map((label) => ({
    type: 'input' as const,
    label: plainText(label),
    element: { type: 'plain_text_input' as const, action_id: 'typed' },
  })),
};

const post = (text: string, blocks?: KnownBlock[]) =>
  boltBot.slack.workspace.post({ channel: COSTS, from: 'bot', text, blocks });
const entry = (name: string | RegExp) => page.getByRole('button', { name });
const theme = () => page.locator('html').getAttribute('data-theme');
const focused = () => page.locator(':focus').innerText();

describe('on a phone', { timeout: 30_000 }, () => {
  beforeEach(() => page.setViewportSize({ width: 390, height: 844 }));

  it('shows the sidebar as a drawer, which a choice, Escape and a click beside it close', async () => {
    const finance = page.getByRole('button', { name: 'finance' });
    await page.getByRole('button', { name: 'Hide the panel' }).click();
    await finance.waitFor({ state: 'hidden' });
    const menu = entry('Open the sidebar');
    await menu.click();
    await finance.click();
    await page.getByRole('heading', { name: 'finance' }).first().waitFor();
    await finance.waitFor({ state: 'hidden' });

    await menu.click();
    await page.keyboard.press('Escape');
    await finance.waitFor({ state: 'hidden' });
    expect(await menu.evaluate((it) => it.matches(':focus'))).toBe(true);

    await menu.click();
    await page.mouse.click(380, 400);
    await finance.waitFor({ state: 'hidden' });
  });

  it('needs no horizontal scrolling in the conversation, the panel and a form', async () => {
    post('Wide', [TABLE_IN_CONTAINER]);
    await page.goto(`${boltBot.slack.url}?as=${OWNER}&channel=${COSTS}`);
    await page.getByText('Each day').click();
    const overhang = () =>
      page
        .locator('html')
        .evaluate((it) => [it.scrollWidth, it.querySelector('.scroller')?.scrollWidth ?? 0]);
    expect(Math.max(...(await overhang()))).toBeLessThanOrEqual(390);
    await page.getByRole('textbox', { name: 'Message' }).fill('/spend');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'A form' });
    await form.waitFor();
    expect(await form.boundingBox()).toEqual({ x: 0, y: 40, width: 390, height: 804 });
    const save = await form.getByRole('button', { name: 'Save' }).boundingBox();
    expect((save?.y ?? 844) + (save?.height ?? 0)).toBeLessThan(844);
    await entry('Show the panel').click();
    await page.getByText('a-token-to-paste').waitFor();
    expect(Math.max(...(await overhang()))).toBeLessThanOrEqual(390);
  });
});

describe('the theme', { timeout: 30_000 }, () => {
  it('follows the system until the other theme is chosen, and keeps the choice after a reload', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(theme).toBe('light');
    await entry('Dark theme').click();
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await entry('Dark theme').getAttribute('aria-pressed')).toBe('true');
    expect(await theme()).toBe('dark');
    await entry('Dark theme').click();
    expect(await theme()).toBe('light');
    // Choosing the system's theme makes the page follow the system again.
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toBe('dark');
  });
});

describe('unread messages', { timeout: 30_000 }, () => {
  it('are counted for each person until that person opens the channel', async () => {
    post('One');
    post('Two');
    await entry('cloud-costs 2 unread').waitFor();
    await entry('cloud-costs').click();
    await page.getByText('Two').waitFor();
    await entry('general').click();
    await page.getByRole('heading', { name: 'general' }).first().waitFor();
    expect(await entry(/unread/).count()).toBe(0);
    post('Three');
    await entry('cloud-costs 1 unread').waitFor();
    await page.getByText('Mateus Lindner').click();
    await entry('cloud-costs 3 unread').waitFor();
  });

  it('leave out the viewer’s own messages and ephemeral ones', async () => {
    boltBot.slack.workspace.post({ channel: COSTS, from: OWNER, text: 'Mine' });
    boltBot.slack.workspace.post({ channel: COSTS, from: 'bot', text: 'Private', viewer: OWNER });
    boltBot.slack.workspace.post({ channel: COSTS, from: MEMBER, text: 'Theirs' });
    await entry('cloud-costs 1 unread').waitFor();
  });

  it('show on the menu button of a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    post('One');
    await entry('Open the sidebar, 1 unread').waitFor();
  });
});

describe('the panel beside a form', { timeout: 30_000 }, () => {
  it('opens while the form is open, and keeps what was typed', async () => {
    await entry('Hide the panel').click();
    await page.getByRole('textbox', { name: 'Message' }).fill('/spend');
    await page.keyboard.press('Enter');
    const field = page.getByRole('dialog', { name: 'A form' }).getByLabel('Token');
    await field.fill('half a tok');
    await entry('Show the panel').click();
    await page.getByText('a-token-to-paste').waitFor();
    expect(await field.inputValue()).toBe('half a tok');
    await field.fill('a-token-to-paste');
    await entry('Hide the panel').click();
    expect(await field.inputValue()).toBe('a-token-to-paste');
  });
});

describe('an overflow menu', { timeout: 30_000 }, () => {
  const option = (value: string) => ({ text: plainText(value), value });
  const MENU: KnownBlock = {
    type: 'actions',
    elements: [
      {
        type: 'overflow',
        action_id: 'more',
        options: ['Balance', 'CSV', 'Details', 'Schedule'].map(option),
      },
    ],
  };
  const openBy = async (key: string) => {
    await entry('More actions').focus();
    await page.keyboard.press(key);
    await page.getByRole('menu').waitFor();
  };
  beforeEach(async () => {
    post('An answer', [MENU]);
    await entry('cloud-costs').click();
    await entry('More actions').waitFor();
  });

  it.each([
    ['Enter', 'Balance'],
    ['Space', 'Balance'],
    ['ArrowDown', 'Balance'],
    ['ArrowUp', 'Schedule'],
  ])('opens by %s at %s', async (key, first) => {
    await openBy(key);
    await expect.poll(focused).toBe(first);
  });

  it('moves by arrows with wrap-around, by Home and End, and by first letters', async () => {
    await openBy('Enter');
    for (const [key, at] of [
      ['ArrowDown', 'CSV'],
      ['End', 'Schedule'],
      ['ArrowDown', 'Balance'],
      ['ArrowUp', 'Schedule'],
      ['Home', 'Balance'],
      ['d', 'Details'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(at);
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => chosen).toEqual(['Details']);
  });

  it('keeps the focus when the page is updated', async () => {
    await openBy('Enter');
    await page.keyboard.press('End');
    post('Another message');
    await page.getByText('Another message').waitFor();
    expect(await focused()).toBe('Schedule');
  });

  it('closes by Escape and by Tab without a choice', async () => {
    for (const key of ['Escape', 'Tab']) {
      await openBy('Enter');
      await page.keyboard.press(key);
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
    expect(chosen).toEqual([]);
    await openBy('Enter');
    await page.keyboard.press('Escape');
    expect(await entry('More actions').evaluate((it) => it.matches(':focus'))).toBe(true);
  });
});

const TABLE_IN_CONTAINER: KnownBlock = {
  type: 'container',
  title: plainText('Each day'),
  subtitle: plainText('14–20 Nov'),
  is_collapsible: true,
  default_collapsed: true,
  child_blocks: [
    {
      type: 'table',
      rows: [
        ['Day', 'Amount', 'Bonuses', 'Items', 'Note'],
        ['Mon 16 Nov', '25,212.69', '0.00', '1', 'a note of the billing service'],
      ].map((row) => row.map((text) => ({ type: 'raw_text' as const, text }))),
    },
  ],
};

describe('a container', { timeout: 30_000 }, () => {
  it('starts collapsed, opens and closes by its title, and stays open when another message arrives', async () => {
    post('An answer', [TABLE_IN_CONTAINER]);
    await entry('cloud-costs').click();
    const title = page.getByText('Each day');
    const cell = page.getByRole('cell', { name: '25,212.69' });
    await title.waitFor();
    expect(await cell.isVisible()).toBe(false);
    await title.click();
    await cell.waitFor();
    post('Another message');
    await page.getByText('Another message').waitFor();
    expect(await cell.isVisible()).toBe(true);
    await title.click();
    await cell.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await cell.waitFor();
  });

  it('shows its rich title instead of the plain one, and is open when it is not collapsible', async () => {
    const { is_collapsible: _, default_collapsed: __, ...open } = TABLE_IN_CONTAINER;
    const rich = {
      type: 'rich_text' as const,
      elements: [
        { type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text: 'Every day' }] },
      ],
    };
    post('An answer', [{ ...open, rich_text_title: rich }]);
    await entry('cloud-costs').click();
    await page.getByText('Every day').waitFor();
    await page.getByRole('cell', { name: '25,212.69' }).waitFor();
    expect(await page.getByText('Each day').count()).toBe(0);
  });
});
