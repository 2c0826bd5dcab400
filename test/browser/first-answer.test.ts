import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sandbox/browser.ts';
import { ask, closeModal, connect, say } from '../../sandbox/page-actions.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sharedBrowser } from '../support/browser.ts';

const chromium = findChromium();
let sandbox: Sandbox | undefined;
let browser: Browser | undefined;
let page: Page;
const troubles: string[] = [];

describe.each(['http', 'socket'] as const)('a newcomer in the sandbox, %s mode', (mode) => {
  beforeAll(async () => {
    if (chromium === undefined) return;
    sandbox = await startSandbox({ mode });
    browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.goto(sandbox.url);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await sandbox?.stop();
  });

  it('connects, asks both questions and reads the answers', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    const token = sandbox.billing.tokens.find(({ label }) => label === 'Read-only')!.value;
    const form = await connect(page, token);
    await form.getByText(/Project 123 has [\d,.]+ left \(Cloud platform\)\./).waitFor();
    await closeModal(page);

    const balance = await ask(page, '/balance 123', /Project 123 · [\d,.]+ left/);
    expect(await balance.innerText()).toMatch(
      /About 41 days, until around .*\s+at [\d,.]+ a day \(6 of the last 7 days reported\)/,
    );
    expect((await balance.boundingBox())?.height).toBeLessThanOrEqual(220);
    await page.getByText('Only visible to you').last().waitFor();

    const spend = await ask(page, '/spend 123 last-7-days', /Project 123 · [\d,.]+ spent/);
    expect(await spend.innerText()).toMatch(/ UTC · 6 of 7 days reported, no data for /);
    expect(await spend.getByRole('row').count()).toBe(0);
    await spend.getByText('Each day (7)').click();
    expect(await spend.getByRole('row').count()).toBe(8);
    expect(await page.getByRole('log').innerText()).not.toContain(token);
  }, 60_000);

  it('presses the suggestion under a mistyped word, includes today, and shares', async ({ skip }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    const refused = await ask(page, '/spend 123 yesterdy', '“yesterdy”');
    await refused.getByRole('button', { name: '/spend 123 yesterday' }).click();
    await page
      .getByText(/Project 123 · [\d,.]+ spent/)
      .last()
      .waitFor();

    const week = await ask(page, '/spend 456', 'Project 456');
    await week.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Include today' }).click();
    await page
      .getByText(/of 6 days reported.*today so far/)
      .last()
      .waitFor();
    await page.getByRole('article').last().getByRole('button', { name: 'Share' }).click();
    await page
      .getByText(/shared by/)
      .last()
      .waitFor();
  }, 60_000);

  it('is told plainly when billing is down, and gets the answer from the button afterwards', async ({
    skip,
  }) => {
    if (sandbox === undefined || browser === undefined) return skip('no Chromium is installed');
    sandbox.billing.setMode('500');
    const reply = await ask(page, '/balance 456', 'returned an error (HTTP 500)');
    sandbox.billing.setMode('healthy');
    await reply.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(/Project 456 · [\d,.]+ left/)
      .last()
      .waitFor();
    await say(page, '/billing disconnect');
    await page.getByText('Disconnect Tally from the billing service?').last().waitFor();
    expect(troubles).toEqual([]);
  }, 60_000);
});
